//! Every packet's delay is the sum of its parts, recomputed from the record of the run: instants at which
//! frames were queued and sent, sizes, rates, and the instants at which gates closed and opened.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::record::{Record, What};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;
use crate::timing::{byte, framed};

/// A hop of a packet.
#[derive(Copy, Clone, Debug)]
struct Hop {
    port: usize,
    queued: u64,
    sent: u64,
    size: u64,
}

/// Hops of each delivered packet, by (flow, number), and its delay.
fn journeys(records: &[Record]) -> BTreeMap<(usize, u32), (Vec<Hop>, u64)> {
    let mut under_way: BTreeMap<(usize, u32), Vec<Hop>> = BTreeMap::new();
    let mut done = BTreeMap::new();
    for r in records.iter().filter(|r| !r.flow.is_none()) {
        let key = (r.flow.index(), r.seq);
        let hops = under_way.entry(key).or_default();
        match r.what {
            What::Enqueue => hops.push(Hop {
                port: r.port.index(),
                queued: r.at.0,
                sent: u64::MAX,
                size: framed(u64::from(r.len)),
            }),
            What::Send => hops.last_mut().expect("queued before").sent = r.at.0,
            What::Deliver => {
                let hops = under_way.remove(&key).expect("under way");
                assert_eq!(
                    r.at.0 - hops[0].queued,
                    r.value,
                    "from creation to delivery"
                );
                done.insert(key, (hops, r.value));
            }
            _ => {}
        }
    }
    done
}

/// Spans during which a port's gates were closed: from a notice to the next that opens them or to the
/// end of the timer.
fn closed(records: &[Record], port: usize, rate: u64) -> Vec<(u64, u64)> {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for (at, quanta) in notices(records, What::Knob, port) {
        let until = at + quanta * 64 * byte(rate);
        match spans.last_mut() {
            Some(last) if last.1 >= at => last.1 = until,
            _ => spans.push((at, until)),
        }
    }
    spans
}

fn overlap(a: (u64, u64), b: (u64, u64)) -> u64 {
    a.1.min(b.1).saturating_sub(a.0.max(b.0))
}

/// Ticks of each hop's wait during which the port stood still because its gate was closed: those of
/// the closed spans in which no data frame was being sent. A frame that is chosen when the one before has
/// left is on its way from then, though it starts after the gap.
fn gated(records: &[Record], port: usize, rate: u64, hops: &[Hop]) -> u128 {
    let closed = closed(records, port, rate);
    let mut busy: Vec<(u64, u64)> = Vec::new();
    let sends = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == port && !r.flow.is_none());
    for r in sends {
        let end = r.at.0 + (8 + framed(u64::from(r.len))) * byte(rate);
        let before = busy.last().map_or(0, |b| b.1);
        let chosen_then = r.at.0 == before + 12 * byte(rate)
            && !closed.iter().any(|c| (c.0..c.1).contains(&before));
        busy.push((if chosen_then { before } else { r.at.0 }, end));
    }
    let idle: Vec<(u64, u64)> = busy.windows(2).map(|w| (w[0].1, w[1].0)).collect();
    let waits = hops.iter().map(|h| (h.queued, h.sent));
    waits
        .flat_map(|wait| {
            let idle = idle.iter().filter(move |i| i.1 > wait.0 && i.0 < wait.1);
            let parts = idle.map(move |i| (i.0.max(wait.0), i.1.min(wait.1)));
            parts.flat_map(|part| closed.iter().map(move |c| u128::from(overlap(part, *c))))
        })
        .sum()
}

/// Back-pressure in the merging topology: at its congested port, or by what comes in through others.
fn tell(net: &mut Net, port: usize, recipe: &str) {
    match recipe {
        "none" => {}
        // The middle switch watches what comes in from the others, and they what comes in from hosts, which is never much.
        "pfc" => {
            for (first, xoff) in [(3, 15_000), (1, 400_000)] {
                let marks = [("xoff", xoff), ("xon", xoff / 2)];
                let marks = marks.map(|(name, bytes)| (name, Value::Bytes(Bytes(bytes))));
                net.recipe("pfc", &[first, first + 4, first + 8], &marks);
            }
        }
        _ => net.recipe(recipe, &[port], &[]),
    }
}

#[test]
fn a_delay_is_the_sum_of_its_parts_for_every_packet_and_flow() {
    for recipe in ["none", "pause", "pfc"] {
        let (mut net, port) = merging(2.0, || {
            source(
                "uniform-uniform",
                &[
                    ("burst", Value::Bytes(Bytes(24_000))),
                    ("rate", Value::Rate(Rate(3 * MBIT))),
                ],
            )
        });
        for (i, link) in net.0.links.iter_mut().enumerate() {
            link.delay = Span(1_234_567 * (i as u64 % 3));
        }
        tell(&mut net, port, recipe);
        let (report, records) = net.run_recorded();
        let journeys = journeys(&records);
        assert!(journeys.len() > 1_000);
        let mut sums: BTreeMap<usize, [u128; 4]> = BTreeMap::new();
        for ((flow, _), (hops, delay)) in &journeys {
            let (mut serial, mut waited, mut wires) = (0, 0, 0);
            for (i, hop) in hops.iter().enumerate() {
                let link = &net.0.links[hop.port / 2];
                let bits = (8 + hop.size) * byte(link.rate.0);
                if let Some(next) = hops.get(i + 1) {
                    assert_eq!(next.queued, hop.sent + bits + link.delay.0);
                }
                serial += bits;
                waited += hop.sent - hop.queued;
                wires += link.delay.0;
            }
            assert_eq!(serial + waited + wires, *delay);
            let sum = sums.entry(*flow).or_default();
            for (s, part) in sum.iter_mut().zip([*delay, serial, waited, wires]) {
                *s += u128::from(part);
            }
        }
        let mut gate_total = 0;
        for (flow, [total, serial, waited, wires]) in sums {
            let sum = report.flows[flow].sums.sum;
            assert_eq!(
                (sum.total, sum.serial, sum.propagation),
                (total, serial, wires)
            );
            assert_eq!(sum.queue + sum.gate, waited);
            // Only W>X can be told; its rate is 10 Mbit/s.
            let told = flow * 4 + 2;
            let hops: Vec<Hop> = journeys
                .iter()
                .filter(|((f, _), _)| *f == flow)
                .flat_map(|(_, (hops, _))| hops.iter().copied().filter(|h| h.port == told))
                .collect();
            assert_eq!(
                sum.gate,
                gated(&records, told, 10 * MBIT, &hops),
                "flow {flow}"
            );
            gate_total += sum.gate;
        }
        assert_eq!(gate_total > 0, recipe != "none");
        // What has waited at gates by then is told of frames that are sent, and of nothing else.
        let told = |r: &&Record| r.gated > 0;
        assert!(records.iter().filter(told).all(|r| r.what == What::Send));
        assert_eq!(report.all.sum.gate, gate_total);
    }
}

/// Metrics begin with the warm-up's end: the sums of two halves are those of the whole.
#[test]
fn a_warm_up_leaves_out_what_was_delivered_before() {
    let (net, _) = merging(1.0, || cbr(3 * MBIT));
    let whole = net.run().all;
    let mut half = net.clone();
    half.0.duration = Span::millis(400);
    half.0
        .flows
        .iter_mut()
        .for_each(|f| f.stop = Span::millis(400));
    let first = half.run().all;
    let mut second = net.clone();
    second.0.warmup = Span::millis(400);
    let second = second.run().all;
    assert_eq!(first.sum.total + second.sum.total, whole.sum.total);
    assert_eq!(
        first.delivered.packets + second.delivered.packets,
        whole.delivered.packets
    );
    assert_eq!(second.delay.len(), second.delivered.packets);
}

/// Quantiles come from a histogram of three digits: of delays that are known, the right ones.
#[test]
fn quantiles_are_those_of_the_delays() {
    let mut net = Net::new(1.0);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 10 * MBIT);
    net.0.ports[0].buffer = Limit::Unlimited;
    // 100 frames at once: the n-th takes n · 1230.4 − 9.6 + 1 µs.
    net.flow("f", s, d, script([(0, 150_000)]));
    let all = net.run().all;
    for n in [1u64, 50, 95, 99, 100] {
        let expected = (n * 1_230_400 - 9_600 + 1_000) as f64;
        let got = all.delay.quantile(n as f64 / 100.0) as f64;
        assert!((got / expected - 1.0).abs() < 1e-3, "{n}: {got} {expected}");
    }
    assert_eq!(all.max, 100 * 1_230_400_000 - 9_600_000 + US);
}
