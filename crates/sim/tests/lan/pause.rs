//! 802.3x PAUSE: what it promises on the wire.

use std::sync::{Arc, Mutex};

use crate::net::*;
use crate::random::same;
use crate::timing::{byte, framed, sends};
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::record::{Record, What};
use backwater_sim::spec::watchdog::Terms;
use backwater_sim::spec::{Action, Happening, LinkEvent};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span, Time};

/// PAUSE frames of so many quanta stop a host that sends packets of so many bytes at 10 Mbit/s over port 0, and wait
/// behind frames of 1518 bytes the other way, 1.2208 ms each and so far apart. Gives all records.
fn paused_against_data(len: u64, quanta: u64, apart: u64) -> Vec<Record> {
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    let other = net.host("E");
    net.link(s, x, 10 * MBIT);
    let port = net.link(x, d, MBIT)[0];
    net.link(other, x, 10 * MBIT);
    net.buffer(port, 20_000);
    net.flow("f", s, d, script((0..2000).map(|_| (0, len))));
    net.flow(
        "back",
        other,
        s,
        script((0..100_000 / apart).map(|i| (i * apart * US, 1500))),
    );
    net.recipe("pause", &[port], &[("quanta", Value::Count(quanta))]);
    net.run_recorded().1
}

/// A PAUSE whose refresh comes late, because it waits behind data in the other direction, ends when
/// its timer does: the port sends on at that instant, to the tick. The timer starts when the frame in transmission has
/// left (IEEE 802.3, figure 31B-2): ten quanta are shorter than a frame of 1518 bytes.
#[test]
fn a_pause_that_was_renewed_ends_when_the_later_timer_does() {
    for (len, quanta, apart) in [(46, 30, 12_500), (1500, 10, 1_300), (1500, 10, 2_000)] {
        let records = paused_against_data(len, quanta, apart);
        let quantum = 51_200_000; // 512 bit at 10 Mbit/s
        let of = |what: What| {
            let mine = records.iter().filter(move |r| r.what == what);
            let mine = mine.filter(|r| r.port.index() == 0);
            mine.map(|r| (r.at.0, r.value)).collect::<Vec<_>>()
        };
        let (knobs, sends) = (of(What::Knob), of(What::Send));
        let lasts = (8 + framed(len)) * byte(10 * MBIT);
        let (mut ran_out, mut in_frame) = (0, 0);
        for pair in knobs.windows(2).filter(|pair| pair[0].1 > 0) {
            let (at, paused) = pair[0];
            let before = sends.iter().rfind(|s| s.0 <= at).map_or(0, |s| s.0 + lasts);
            let until = before.max(at) + paused * quantum;
            if until < pair[1].0 {
                let next = sends.iter().find(|s| s.0 > at);
                let next = next.expect("frames are left").0;
                assert_eq!(Time(next), Time(until), "{len} B, paused at {}", Time(at));
                ran_out += 1;
                in_frame += u64::from(before > at);
            }
        }
        assert!(ran_out > 0, "a pause has to run out: {knobs:?}");
        assert!(
            in_frame > 0 || len == 46,
            "a pause has to begin within a frame"
        );
    }
}

/// Refreshes come every five quanta, 256 us. Behind a data frame of 1.2 ms one of them waits, not four.
#[test]
fn refreshes_that_wait_behind_a_data_frame_are_one() {
    let records = paused_against_data(1500, 10, 12_500);
    let sent = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == 1);
    let sent: Vec<&Record> = sent.collect();
    let mut delayed = 0;
    for pair in sent.windows(2) {
        let quanta = |r: &Record| r.notice.as_ref().map(|n| n.quanta());
        let (first, second) = (quanta(pair[0]), quanta(pair[1]));
        delayed += u64::from(first.is_none() && second.is_some());
        if first.is_some() && first == second {
            // The value of a record of sending is how long the frame waited.
            let posted = pair[1].at.0 - pair[1].value;
            assert!(posted >= pair[0].at.0, "at {}", pair[1].at);
        }
    }
    assert!(delayed > 5, "{delayed}");
}

/// Bytes held at a port after each change, from what came and what had left alone.
fn levels(records: &[Record], port: usize, rate: u64) -> Vec<(u64, i64)> {
    let mut changes: Vec<(u64, i64)> = Vec::new();
    for record in records.iter().filter(|r| r.port.index() == port) {
        let size = framed(u64::from(record.len));
        match record.what {
            What::Enqueue => changes.push((record.at.0, size as i64)),
            What::Send => changes.push((record.at.0 + (8 + size) * byte(rate), -(size as i64))),
            _ => {}
        }
    }
    // At one instant what leaves goes before what comes.
    changes.sort_unstable();
    let mut level = 0;
    changes
        .iter()
        .map(|(at, change)| {
            level += change;
            (*at, level)
        })
        .collect()
}

/// 100 Mbit/s into 10 Mbit/s. Counting frames from the moment at which XON is sent: a source starts
/// 11.88 µs later (a 64-byte frame with its preamble at 100 Mbit/s, 1 µs of wire, 512 bit times), its
/// frames come in every (size + 20) · 80 ns and leave every (size + 20) · 800 ns. The frame that
/// crosses the high mark is followed by one that has begun meanwhile. So
/// * 1518 B, 50 kB: XON at 23 frames (34 914 B), XOFF at 27, peak 28, and 5 leave in a cycle;
/// * 518 B, 50 kB: 67, 78 (with the 12th frame, for one has left meanwhile), 79, and 13 leave;
/// * 1518 B, 500 kB: 230, 264 (with the 37th: three have left), 265, and 38 leave.
#[test]
fn a_paused_queue_swings_between_its_marks_in_the_cycle_that_frames_allow() {
    for (len, buffer, low, high, leave) in [
        (1500, 50_000, 23, 28, 5),
        (500, 50_000, 67, 79, 13),
        (1500, 500_000, 230, 265, 38),
    ] {
        let mut net = Net::new(0.33);
        let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 100 * MBIT);
        let port = net.link(x, d, 10 * MBIT)[0];
        net.buffer(port, buffer);
        net.flow("f", s, d, script([(0, 2_000_000)])).packet = Bytes(len);
        let loses = net.run();
        assert!(lost_at(&loses, port) > 0, "the port is overloaded");
        // The first refresh is due after 332 ms.
        net.recipe("pause", &[port], &[("refresh", Value::Share(0.99))]);
        let (report, records) = net.run_recorded();
        assert_eq!(report.dropped, 0);
        let size = framed(len) as i64;
        let posted = notices(&records, What::Notice, 1);
        let stops: Vec<u64> = posted.iter().filter(|n| n.1 > 0).map(|n| n.0).collect();
        let slot = (framed(len) + 20) * byte(10 * MBIT);
        let cycle = leave * slot;
        assert!(stops.len() > 5);
        for pair in stops[1..].windows(2) {
            assert_eq!(pair[1] - pair[0], cycle, "{len} B");
        }
        let levels = levels(&records, port, 10 * MBIT);
        let steady: Vec<i64> = levels
            .iter()
            .filter(|l| l.0 >= stops[1] && l.0 < *stops.last().expect("several"))
            .map(|l| l.1)
            .collect();
        assert_eq!(steady.iter().min(), Some(&(low * size)), "{len} B");
        assert_eq!(steady.iter().max(), Some(&(high * size)), "{len} B");
        // Without frames and delays: down at 10 Mbit/s, up at 90, frame bytes for wire bytes.
        let marks = buffer as f64 * 0.1 * 8.0 * 1e12 * slot as f64 / byte(10 * MBIT) as f64;
        let fluid = marks / size as f64 * (1.0 / 10e6 + 1.0 / 90e6);
        let late = (cycle as f64 - fluid) / slot as f64;
        assert!(
            (0.0..3.0).contains(&late),
            "{late} frames above the fluid's cycle"
        );
    }
}

/// At 10 Mbit/s the longest pause is 65535 · 512 bit = 3.355392 s. A queue that takes twice as long to
/// fall is kept from its feeder by PAUSE frames that are sent again.
#[test]
fn a_pause_longer_than_its_timer_holds() {
    for (refresh, spacing) in [
        (0.5, 1_677_696 * US),
        (0.25, 838_848 * US),
        (0.99, 3_321_838_080_000),
    ] {
        let mut net = Net::new(25.0);
        let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 10 * MBIT);
        // 1538 bytes take 1.23 s: from 28 frames to 23 the queue needs 6 s.
        let port = net.link(x, d, 10_000)[0];
        net.buffer(port, 50_000);
        net.flow("f", s, d, script([(0, 1_000_000)]));
        net.recipe("pause", &[port], &[("refresh", Value::Share(refresh))]);
        let (report, records) = net.run_recorded();
        assert_eq!(report.dropped, 0);
        let knobs = notices(&records, What::Knob, 0);
        let open = knobs
            .iter()
            .position(|k| k.1 == 0)
            .expect("the queue falls");
        assert!(knobs[open].0 - knobs[0].0 > 3_355_392 * US);
        assert!(open >= 2, "it has been refreshed");
        for pair in knobs[..open].windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, spacing);
        }
        let sent = sends(&records, 0);
        let between = sent
            .iter()
            .filter(|t| (knobs[0].0..knobs[open].0).contains(t));
        assert_eq!(between.count(), 0, "nothing leaves while it holds");
        assert!(sent.contains(&knobs[open].0), "and at once when it ends");
    }
}

/// A stands idle, B fills the queue toward D. Gives the network, A's port, and the instant at which the
/// queue crosses its mark: B's third frame is in.
fn idle_feeder(rate: u64) -> (Net, usize, u64) {
    let mut net = Net::new(1.0);
    let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
    let d = net.host("D");
    let [out, _] = net.link(a, x, rate);
    net.link(b, x, 100 * MBIT);
    let port = net.link(x, d, MBIT)[0];
    net.buffer(port, 5_000);
    net.flow("b", b, d, script([(0, 4_500)]));
    net.recipe("pause", &[port], &[]);
    (net, out, (3 * 1538 - 12) * byte(100 * MBIT) + US)
}

/// IEEE 802.3 Annex 31B.3.7: quanta from the end of a PAUSE frame until the port must have stopped. A
/// frame that starts a tick before that goes out, one that would start then does not.
#[test]
fn a_port_stops_when_the_reaction_time_is_over_and_not_before() {
    for (mbits, quanta) in [
        (10, 1),
        (100, 1),
        (1_000, 2),
        (10_000, 60),
        (40_000, 118),
        (100_000, 394),
    ] {
        let rate = mbits * MBIT;
        let (net, out, crossing) = idle_feeder(rate);
        let heard = crossing + 72 * byte(rate) + US;
        let stop = heard + quanta * 64 * byte(rate);
        let resume = {
            let records = net.run_recorded().1;
            let knobs = notices(&records, What::Knob, out);
            assert_eq!(knobs[0], (stop, 65_535), "{mbits} Mbit/s");
            knobs.iter().find(|k| k.1 == 0).expect("XON").0
        };
        for (at, begins) in [(stop - 1, stop - 1), (stop, resume), (stop + 1, resume)] {
            let mut net = net.clone();
            let d = net.0.nodes.len() - 1;
            net.flow("a", 0, d, script([(at, 46)]));
            let sent = sends(&net.run_recorded().1, out);
            assert_eq!(sent, [begins], "{mbits} Mbit/s, asked for at {at}");
        }
    }
}

/// The frame in transmission is finished, the control frame follows after the gap, and only then the
/// data that waited before it.
#[test]
fn a_control_frame_waits_for_the_frame_in_transmission_and_for_nothing_else() {
    for lead in [1, 100 * US, 350 * US] {
        let (mut net, out, crossing) = idle_feeder(10 * MBIT);
        // 10 frames for A wait at X; the first starts `lead` before the mark is crossed.
        let e = net.host("E");
        net.link(e, 2, 1_000 * MBIT);
        let arrives = crossing - lead;
        let asked = arrives - 1526 * byte(1_000 * MBIT) - US;
        net.flow("back", e, 0, script([(asked, 15_000)]));
        let records = net.run_recorded().1;
        let toward_a = out + 1;
        let control: Vec<u64> = records
            .iter()
            .filter(|r| r.what == What::Send && r.port.index() == toward_a && r.flow.is_none())
            .map(|r| r.at.0)
            .collect();
        let data = sends(&records, toward_a);
        assert_eq!(data[0], arrives);
        let after = arrives + 1538 * byte(10 * MBIT);
        assert_eq!(control[0], after);
        assert_eq!(data[1], after + 84 * byte(10 * MBIT));
    }
}

/// Two queues behind one link are congested, one after the other. PAUSE carries no origin: XOFF when
/// the first is, nothing when the second is, nothing when one of them clears, XON when both have. It is
/// the same whether one mechanism watches both or each has its own.
#[test]
fn congested_queues_behind_one_link_are_ored() {
    for mechanisms in [1, 2] {
        let mut net = Net::new(3.0);
        let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
        let toward_a = net.link(a, x, 10 * MBIT)[1];
        net.link(b, x, 100 * MBIT);
        let mut watched = Vec::new();
        for (i, rate) in [(1, MBIT), (2, 200_000)] {
            let d = net.host(&format!("D{i}"));
            let port = net.link(x, d, rate)[0];
            net.buffer(port, 5_000);
            watched.push((port, rate));
            // Three frames each, 20 ms apart: both are congested from then on.
            net.flow(&format!("f{i}"), b, d, script([((i - 1) * 20 * MS, 4_500)]));
        }
        let ports: Vec<usize> = watched.iter().map(|w| w.0).collect();
        for at in ports.chunks(2 / mechanisms) {
            let marks = [("high", Value::Share(0.8)), ("low", Value::Share(0.4))];
            net.recipe("pause", at, &marks);
        }
        let records = net.run_recorded().1;
        let of_the_third = |start: u64| start + (3 * 1538 - 12) * byte(100 * MBIT) + US;
        // Below 40 % of 5000 B when one frame is left: two have gone since the first came in.
        let clears = |(_, rate): (usize, u64), start: u64| {
            start + 1526 * byte(100 * MBIT) + US + (2 * 1538 - 12) * byte(rate)
        };
        let (fast, slow) = (clears(watched[0], 0), clears(watched[1], 20 * MS));
        assert!(of_the_third(20 * MS) < fast && fast < slow);
        let posted = notices(&records, What::Notice, toward_a);
        let expected = [(of_the_third(0), 65_535), (slow, 0)];
        assert_eq!(posted, expected, "{mechanisms} mechanisms");
    }
}

/// A log that a part from outside shares with the test.
pub type Log = Arc<Mutex<Vec<(u64, u64)>>>;

/// Congested from the first frame on. Notes when each frame has left, and for how long it was there.
#[derive(Clone, Debug)]
pub struct Notes(pub Log);

impl Detector for Notes {
    fn needs(&self) -> Needs {
        Needs::of(Set::SOJOURN).giving(Set::QUEUE)
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !view.congested => Some(Signal::Congested),
            Moment::Sent(seen) => {
                let mut log = self.0.lock().expect("one thread");
                log.push((view.now.0, seen.sojourn.0));
                None
            }
            _ => None,
        }
    }
}

/// Three frames come over 100 Mbit/s and leave over 1 Mbit/s. A detector that looks at waiting times is told how long each was there:
/// from its last bit on the way in to its last bit on the way out.
#[test]
fn a_detector_is_told_how_long_a_frame_was_there_that_has_left() {
    let (mut net, ..) = idle_feeder(10 * MBIT);
    let log = Log::default();
    let notes = Notes(Arc::clone(&log));
    net.0.mechanisms[0].detect = AnyDetector::Custom(Box::new(notes));
    net.run();
    let came = |n: u64| (n * 1538 - 12) * byte(100 * MBIT) + US;
    let left = |n: u64| came(1) + (n * 1538 - 12) * byte(MBIT);
    let expected = [1, 2, 3].map(|n| (left(n), left(n) - came(n)));
    assert_eq!(*log.lock().expect("one thread"), expected);
}

/// D's card asks X to stop class 0 from 1 ms on, over a line of 10 Gbit/s.
fn storm(seconds: f64, until: u64) -> (Net, usize) {
    let mut net = Net::new(seconds);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 10_000 * MBIT);
    let port = net.link(x, d, 10_000 * MBIT)[0];
    net.classes(2);
    net.buffer(port, 10_000_000);
    net.flow("f", s, d, cbr(600 * MBIT));
    net.0.events.push(LinkEvent {
        name: "e".into(),
        links: vec![1],
        at: Span(MS),
        until: Some(Span(until)),
        what: Happening::Storm(Some(0)),
    });
    (net, port)
}

/// The log of gates has the stop, and the instant at which the watchdog has ended it.
#[test]
fn a_gate_that_a_watchdog_opens_is_in_the_log_of_gates() {
    let (mut net, port) = storm(0.006, 5 * MS);
    net.0.ports[port].watchdog = Some(Terms {
        detection: Span(MS),
        restoration: Span(MS),
        action: Action::Forward,
    });
    let mut world = net.world();
    world.start_stop_log();
    world.advance(Time(3 * MS));
    let log = world.take_stop_log();
    let log: Vec<_> = log.iter().filter(|one| one.port.index() == port).collect();
    // A PFC frame, 1 us of wire, a reaction of 60 quanta.
    let stopped = MS + 72 * byte(10_000 * MBIT) + US + 60 * 64 * byte(10_000 * MBIT);
    let until = stopped + 65_535 * 64 * byte(10_000 * MBIT);
    assert_eq!((log[0].at.0, log[0].until[0].0), (stopped, until));
    assert_eq!(log[1].at.0, stopped + MS);
    assert!(log[1].until[0] <= log[1].at, "it is open: {:?}", log[1]);
}

/// Class 0 is stopped over a line so long that nothing comes to the port while a frame of class 1 is on the way. The port stands still
/// with a frame of class 0 from the end of that one's transmission until the watchdog has the frame lost.
#[test]
fn a_port_stands_still_until_its_watchdog_loses_what_waits() {
    let mut net = Net::new(0.02);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 100 * MBIT);
    let port = net.link(x, d, 10 * MBIT)[0];
    net.0.links[1].delay = Span(5 * MS);
    net.classes(2);
    net.flow("f1", s, d, script([(6_400 * US, 1_500)])).class = 1;
    net.flow("f0", s, d, script([(6_600 * US, 1_500)]));
    net.0.events.push(LinkEvent {
        name: "e".into(),
        links: vec![1],
        at: Span(MS),
        until: None,
        what: Happening::Storm(Some(0)),
    });
    net.0.ports[port].watchdog = Some(Terms {
        detection: Span(2 * MS),
        restoration: Span(100 * MS),
        action: Action::Drop,
    });
    let report = net.run();
    // A PFC frame, the wire, a reaction of one quantum.
    let stopped = MS + 72 * byte(10 * MBIT) + 5 * MS + 64 * byte(10 * MBIT);
    let came = 6_400 * US + 1526 * byte(100 * MBIT) + US;
    let left = came + 1526 * byte(10 * MBIT);
    assert_eq!(lost_at(&report, port), 1);
    let stood = stopped + 2 * MS - left;
    assert_eq!(report.ports[port].count.stall, stood);
    same(&report, &net.run_recorded().0, "recorded", 0);
}

/// A port stood still at the beginning, and is watched by a detector. What repeats itself afterwards is still skipped, and the
/// report is that of the full run.
#[test]
fn a_port_that_stood_still_long_ago_does_not_keep_a_run_from_being_skipped() {
    let (mut net, port) = storm(0.1, 2 * MS);
    net.recipe("pause-class", &[port], &[]);
    let (mut full, mut short) = (net.world(), net.world());
    short.skip_recurrences().expect("all is visited");
    full.advance(full.end());
    while !short.advance_some(1000) {}
    let stretches = short.skipped().expect("it skips").to_vec();
    same(&full.report(), &short.report(), "skipped", 0);
    assert!(full.report().ports[port].count.stall > 0);
    let skipped: f64 = stretches
        .iter()
        .map(|one| one.period.seconds() * one.periods as f64)
        .sum();
    assert!(skipped > 0.03, "{stretches:?}");
}
