//! How many packets leave queue management before they are sent: the bounds of airtime and of a
//! driver.

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::category::Countdown;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::queue::arrangement::Arrangement;
use backwater_sim::queue::{AnyAqm, QUEUES};
use backwater_sim::spec::{AirtimeLimits, Serving, Turn};
use backwater_sim::world::World;
use backwater_transport::part::Args;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::aggregate::{cell, mode, noisy_cell};
use crate::air_delays::{packet, plain};
use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, G, cbr, disc, edca, once, saturated};
use crate::mechanisms::{fork, lost, mechanism};

/// Queue management that drops the oldest packet where the buffer is full.
pub fn drop_head() -> AnyAqm {
    let row = QUEUES.iter().find(|part| part.id == "drop-head");
    let queue = (row.expect("a queue").build)(&Args(Vec::new())).expect("no options");
    queue.aqm.expect("queue management")
}

/// A station that sends long and short packets to so many neighbours, in A-MPDUs, more than fit.
fn sender(neighbours: usize, serving: Serving) -> Cell {
    let mut cell = cell(0.3, mode(Format::Ht, 20, 7, 1), 64, true, 100.0);
    let from = cell.station("from", 0.0, 0.0);
    cell.spec(from).buffer = Limit::Packets(300);
    cell.spec(from).aqm = Some(drop_head());
    cell.spec(from).serving = serving;
    for n in 0..neighbours {
        let to = cell.station(&format!("to{n}"), 1.0 + n as f64, 0.0);
        cell.flow(from, to, 1, cbr(1500, 60_000_000 / neighbours as u64));
        cell.flow(from, to, 1, cbr(60, 4_000_000 / neighbours as u64));
    }
    cell
}

/// An instance of queue management for each neighbour, and bounds in microseconds.
fn by_airtime([low, high, total]: [u64; 3]) -> Serving {
    Serving {
        turn: Turn::RoundRobin,
        each: true,
        driver: None,
        airtime: Some(AirtimeLimits {
            low: Span::micros(low),
            high: Span::micros(high),
            total: Span::micros(total),
        }),
    }
}

fn fingerprint(cell: &Cell) -> u64 {
    let (_, report) = cell.run();
    assert!(report.flows[0].sums.delivered.packets > 50);
    report.fingerprint
}

/// Up to the low limit packets for a neighbour leave, whatever waits for all. So the total is
/// without effect where the high limit is the low one.
#[test]
fn up_to_its_low_limit_a_neighbour_has_packets_whatever_others_have() {
    let run = |total| fingerprint(&sender(3, by_airtime([3000, 3000, total])));
    assert_eq!(run(1), run(1_000_000));
    assert_ne!(run(1), fingerprint(&sender(3, by_airtime([1000, 1000, 1]))));
}

/// Where a station has one neighbour, what waits for it is what waits for all: a total of 3 ms is
/// the same as a limit of 3 ms for that neighbour.
#[test]
fn what_waits_for_one_neighbour_is_all_that_waits() {
    let total = fingerprint(&sender(1, by_airtime([1, 1_000_000, 3000])));
    let limit = fingerprint(&sender(1, by_airtime([3000, 3000, 1])));
    assert_eq!(total, limit);
    assert_ne!(
        total,
        fingerprint(&sender(1, by_airtime([1, 1_000_000, 6000])))
    );
}

/// Linux's ath9k: 512 buffers, of which each of four queues has a quarter but for five.
#[test]
fn behind_queue_management_wait_as_many_packets_as_in_ath9k() {
    let run = |driver| {
        fingerprint(&sender(
            1,
            Serving {
                driver,
                ..Serving::default()
            },
        ))
    };
    assert_eq!(run(None), run(Some(512 / 4 - 5)));
    assert_ne!(run(None), run(Some(512 / 4 - 6)));
}

/// While another station sends for more than a millisecond, a station gets 120 packets of 60 B for a neighbour. Gives how many
/// have left queue management then, under these limits for one neighbour and for all.
fn left_queue_management(cell: Cell, class: u8, [low, high, total]: [Span; 3]) -> u32 {
    let airtime = Some(AirtimeLimits { low, high, total });
    let limits = by_airtime([0, 0, 0]);
    left_queue(cell, class, Serving { airtime, ..limits })
}

/// The same where it serves its neighbours so.
fn left_queue(mut cell: Cell, class: u8, serving: Serving) -> u32 {
    let [from, to, other] = [0.0, 1.0, 2.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(from).aqm = Some(drop_head());
    cell.spec(from).buffer = Limit::Packets(300);
    cell.spec(from).serving = serving;
    match cell.0.media[0].high {
        Some(high) => cell.spec(other).mode = Some(mode(high.mode.format, 20, 0, 1)),
        None => cell.spec(other).rate = Some(Rate(6_000_000)),
    }
    let long = cell.flow(other, to, 1, once(1500));
    cell.0.flows[long].start = Span::millis(100);
    let short = cell.flow(from, to, class, cbr(60, 96_000_000));
    cell.0.flows[short].start = Span::micros(100_050);
    cell.0.flows[short].stop = Span::micros(100_650);
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.advance(Time::ZERO + Span::micros(100_900));
    let hop = world.air().hops.iter().find(|hop| hop.from == from as u32);
    let queue = world.network().ports[hop.expect("a hop").port].queue(class.into());
    assert!(queue.packets >= 119, "{}", queue.packets);
    let c = &world.air().radios[from].categories[usize::from(class)];
    queue.packets - c.arranged.as_ref().expect("queue management").held()
}

/// Of many packets for one neighbour those of one A-MPDU leave its queue management, as many as the window has: the rest waits while that is on the air.
#[test]
fn no_more_packets_leave_queue_management_than_the_window_has() {
    for window in [2, 5] {
        let mut cell = cell(0.1, mode(Format::Ht, 20, 7, 1), window, true, 100.0);
        let [from, to] = [0.0, 1.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        cell.spec(from).aqm = Some(drop_head());
        cell.spec(from).serving = Serving {
            turn: Turn::RoundRobin,
            each: true,
            ..Serving::default()
        };
        for _ in 0..20 {
            cell.flow(from, to, 1, saturated(60));
        }
        let mut world = World::build(&cell.0).expect("a legal cell");
        let mut most = 0;
        for micros in (50_000..60_000).step_by(7) {
            world.advance(Time::ZERO + Span::micros(micros));
            let queue = world.network().ports[world.air().hops[0].port].queue(1);
            let c = &world.air().radios[from].categories[1];
            let held = c.arranged.as_ref().expect("queue management").held();
            most = most.max(queue.packets - held);
        }
        assert_eq!(most, u32::from(window));
    }
}

/// A packet of 60 B counts with 18 B of Ethernet and 38 B of 802.11. A preamble is shared by as many packets as a power of two
/// says that follows from the time of 1024 B: 1 above 400 us, 2 above 250, 3 above 150, 4 above 70 and 5 below; 6 up to 20 us
/// from 802.11ax on (Linux, `ieee80211_calc_expected_tx_airtime`). Packets leave up to the one by which the low limit is reached:
/// 41 of 40.5.
#[test]
fn packets_leave_queue_management_up_to_the_airtime_that_they_take() {
    for (fast, preamble, halvings) in [
        (mode(Format::Ht, 20, 0, 1), 36.0, 1),
        (mode(Format::Ht, 20, 2, 1), 36.0, 1),
        (mode(Format::Ht, 20, 3, 1), 36.0, 2),
        (mode(Format::Ht, 20, 4, 1), 36.0, 3),
        (mode(Format::Ht, 20, 7, 1), 36.0, 4),
        (mode(Format::Ht, 40, 7, 1), 36.0, 5),
        (mode(Format::Vht, 80, 9, 2), 44.0, 5),
        (mode(Format::He, 40, 7, 1), 43.2, 5),
        (mode(Format::He, 80, 11, 1), 43.2, 6),
    ] {
        let bits = 8.0 * (60 + 18 + 38) as f64;
        let lasts = bits / (fast.rate().0 as f64 / 1e6) + preamble / f64::from(1 << halvings);
        let low = Span((40.5 * lasts * 1e6) as u64);
        let none = Span::ZERO;
        let cell = cell(0.2, fast, 64, true, 100.0);
        assert_eq!(
            left_queue_management(cell, 1, [low, low, none]),
            41,
            "{fast:?}"
        );
    }
}

/// Where frames go alone each has a whole preamble: of 36 us at 65 Mbit/s of 802.11n, of 20 us at 54 Mbit/s of OFDM.
#[test]
fn packets_that_go_alone_have_a_preamble_each() {
    let alone = cell(0.2, mode(Format::Ht, 20, 7, 1), 0, true, 100.0);
    let plain = Cell::new(0.2, G, edca(G, BASIC), disc(100.0, 100.0));
    for (cell, rate, preamble) in [(alone, 65.0, 36.0), (plain, 54.0, 20.0)] {
        let lasts = 8.0 * 116.0 / rate + preamble;
        let low = Span((40.5 * lasts * 1e6) as u64);
        let left = left_queue_management(cell, 1, [low, low, Span::ZERO]);
        assert_eq!(left, 41, "{rate}");
    }
}

/// Forty packets of 116 B at 65 Mbit/s last 571.1 us and take forty preambles of 36/16 us. A limit that they reach exactly lets
/// no further one leave, be it the low limit, the high one while little waits for all, or the total below the high one.
#[test]
fn a_limit_that_is_reached_lets_no_further_packet_leave() {
    let cell = || cell(0.2, mode(Format::Ht, 20, 7, 1), 64, true, 100.0);
    let exactly = Rate(65_000_000).time_for(Bytes(40 * 116)) + Span::nanos(2250).times(40);
    let (none, much) = (Span::ZERO, Span::secs(1));
    for (class, limits) in [
        (1, [exactly, exactly, none]),
        (1, [none, exactly, much]),
        (1, [none, much, exactly]),
        (0, [none, much, exactly]),
    ] {
        assert_eq!(
            left_queue_management(cell(), class, limits),
            40,
            "{limits:?}"
        );
        let more = limits.map(|limit| {
            if limit == exactly {
                limit + Span(1)
            } else {
                limit
            }
        });
        assert_eq!(left_queue_management(cell(), class, more), 41, "{more:?}");
    }
}

/// While another station sends, as many packets leave queue management as the driver has room for.
#[test]
fn as_many_packets_leave_queue_management_as_the_driver_takes() {
    for driver in [1, 7, 40] {
        let cell = cell(0.2, mode(Format::Ht, 20, 7, 1), 64, true, 100.0);
        let serving = Serving {
            driver: Some(driver),
            ..Serving::default()
        };
        assert_eq!(left_queue(cell, 1, serving), driver);
    }
}

/// Neighbours take turns behind queue management for all of them and a driver with room for four packets: both get as much, and
/// nothing stops.
#[test]
fn neighbours_take_turns_behind_a_driver() {
    let mut cell = cell(0.2, mode(Format::Ht, 20, 7, 1), 0, true, 100.0);
    let [from, x, y] = [0.0, 1.0, 2.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(from).aqm = Some(drop_head());
    cell.spec(from).serving = Serving {
        turn: Turn::RoundRobin,
        driver: Some(4),
        ..Serving::default()
    };
    for to in [x, y] {
        cell.flow(from, to, 1, saturated(1500));
    }
    let (_, report) = cell.run();
    let [one, other] = [0, 1].map(|f| report.flows[f].sums.delivered.packets);
    assert!(one > 200 && one.abs_diff(other) <= 4, "{one} {other}");
}

/// Over a channel that fades for each frame MPDUs and block acknowledgements are lost. Where a station has one neighbour and
/// queue management drops nothing, each A-MPDU has the packets that it has without: as many leave as fill it, whatever it
/// repeats.
#[test]
fn bursts_are_as_long_behind_queue_management_of_their_neighbour() {
    let bursts = |each: bool, bytes: u64, rate: u64| -> Vec<_> {
        let mut cell = noisy_cell(0.5, 64, 21.0);
        let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel else {
            unreachable!("a physical channel");
        };
        channel.fading = Some(BlockFading {
            law: Law::Nakagami(1.0),
            coherence: Span::micros(10),
        });
        cell.spec(1).buffer = Limit::Packets(10_000);
        cell.0.flows[0].source = cbr(bytes, rate);
        if each {
            cell.spec(1).aqm = Some(drop_head());
            cell.spec(1).serving = Serving {
                turn: Turn::RoundRobin,
                each,
                ..Serving::default()
            };
        }
        let (frames, report) = log(&cell);
        assert!(report.drops.is_empty());
        frames.iter().map(|f| (f.at, f.from, f.number)).collect()
    };
    for (bytes, rate) in [(1500, 60_000_000), (300, 20_000_000)] {
        let plain = bursts(false, bytes, rate);
        assert!(plain.len() > 1000 && plain == bursts(true, bytes, rate));
    }
}

/// Two neighbours have the same time on the air, and what one sends is its own, too: it sends 1 Mbit/s, and gets less by the
/// airtime that these take.
#[test]
fn airtime_that_a_neighbour_sends_is_its_own() {
    let mut cell = Cell::new(3.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [ap, x, y] = [0.0, 10.0, 20.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(ap).serving.turn = Turn::Airtime(Span::micros(300));
    for to in [x, y] {
        cell.flow(ap, to, 1, saturated(1500));
    }
    cell.flow(x, ap, 1, cbr(1500, 1_000_000));
    let (_, report) = cell.run();
    let packets = |flow: usize| report.flows[flow].sums.delivered.packets as f64;
    // An exchange has a data frame of 1538 B, SIFS and ACK; of what comes the data frame counts.
    let data = 192.0 + 1119.0;
    let exchange = data + 10.0 + 304.0 + 2.0;
    let of_x = packets(0) * exchange + packets(2) * data;
    let of_y = packets(1) * exchange;
    assert!((of_x / of_y - 1.0).abs() < 0.01, "{of_x} {of_y}");
    assert!(packets(2) > 200.0);
}

/// A gate that a relay closes holds back packets that wait in queue management of their own neighbour, too: the relay loses nothing.
#[test]
fn a_gate_holds_back_packets_in_queue_management_of_their_neighbour() {
    let (mut cell, relay) = fork();
    cell.0.duration = Span::secs(3);
    for feeder in [0, 1] {
        cell.spec(feeder).aqm = Some(drop_head());
        cell.spec(feeder).serving = Serving {
            turn: Turn::RoundRobin,
            each: true,
            ..Serving::default()
        };
    }
    let without = lost(&cell, relay);
    assert!(without > 100, "{without}");
    cell.0.mechanisms = vec![mechanism(["watermark", "pause", "gate"], vec![relay], &[])];
    assert_eq!(lost(&cell, relay), 0);
}

/// A station sends to its relay, which stops it, and to another neighbour. Queue management for both lets packets for the
/// neighbour pass those that wait at the gate, although it keeps one queue.
#[test]
fn packets_of_one_queue_pass_those_that_a_gate_holds_back() {
    let (mut cell, relay) = fork();
    cell.0.duration = Span::secs(3);
    cell.spec(0).aqm = Some(drop_head());
    let elsewhere = cell.station("elsewhere", -140.0, 100.0);
    let flow = cell.flow(0, elsewhere, 1, cbr(1500, 200_000));
    cell.0.mechanisms = vec![mechanism(["watermark", "pause", "gate"], vec![relay], &[])];
    let (_, report) = cell.run();
    let gated = |flow: usize| report.flows[flow].sums.sum.gate;
    assert!(gated(0) > u128::from(Span::secs(1).0));
    let sums = &report.flows[flow].sums;
    let share = sums.delivered.packets as f64 / sums.entered.packets as f64;
    assert!(share > 0.9, "{share}");
}

/// Random streams that are keyed anew: those of neighbours to which the first packet goes later,
/// too.
#[test]
fn queue_management_that_is_made_later_draws_by_the_new_key_too() {
    let serving = Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    };
    let drawn = |before: &[u64], after: &[u64]| {
        let told = (Rate(1_000_000), 1, "s.BE".to_owned());
        let made = Arrangement::of(Some(&drop_head()), &serving, false, told);
        let mut made = made.expect("queue management");
        before.iter().for_each(|by| made.rekey(*by));
        let place = made.made_for(5);
        after.iter().for_each(|by| made.rekey(*by));
        made.judged[place].managed.random.unit()
    };
    let old = drawn(&[], &[]);
    assert_eq!(drawn(&[7], &[]), drawn(&[], &[7]));
    assert_eq!(drawn(&[7, 8], &[]), drawn(&[], &[7, 8]));
    assert_ne!(drawn(&[7], &[]), old);
}

/// Without A-MPDUs the packets for a neighbour leave queue management one by one, each when it may be sent: exchanges of 310 us follow each
/// other DIFS apart, as they do without queue management.
#[test]
fn packets_that_go_alone_leave_queue_management_one_by_one() {
    let serving = Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    };
    let mut cell = plain(7);
    cell.spec(0).aqm = Some(drop_head());
    cell.spec(0).serving = serving;
    for at in [0, 5, 10] {
        packet(&mut cell, [0, 1], 1500, at);
    }
    let (_, report) = cell.run();
    let delays = report.flows.iter().map(|f| f.sums.sum.total / 1_000_000);
    // Exchanges of 310 us with DIFS of 34 us between them; each packet is received after 249 us.
    assert!(delays.eq([249, 249 + 344 - 5, 249 + 2 * 344 - 10]));
}

/// The ACK of the first packet is damaged by a station behind, which sends 34 us after its data and has its own ACK before the next attempt
/// 70 us after that. While the first frame goes again no other packet leaves queue management: when a fourth one finds a buffer of three
/// full, the second is the oldest there, and is dropped.
#[test]
fn no_packet_leaves_queue_management_while_another_goes_again() {
    let phy = plain(7).0.media[0].phy;
    let mut cell = Cell::new(0.1, phy, edca(phy, BASIC), disc(100.0, 100.0));
    let mac = &mut cell.0.media[0].mac;
    mac.countdown = Countdown::IdleSlot;
    for (category, aifsn) in mac.categories.iter_mut().zip([6, 6, 2, 2]) {
        (category.aifsn, category.cw_min, category.cw_max) = (aifsn, 0, 0);
    }
    for x in [0.0, 90.0, -90.0, -180.0, -270.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    cell.spec(0).buffer = Limit::Packets(3);
    cell.spec(0).aqm = Some(drop_head());
    cell.spec(0).serving = Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    };
    // The station behind hears another one when the data begin, and so does not wait for their ACK.
    packet(&mut cell, [3, 4], 1500, 0);
    let damages = packet(&mut cell, [2, 3], 100, 50);
    cell.0.flows[damages].class = 2;
    let flows = [20, 25, 30, 430].map(|at| packet(&mut cell, [0, 1], 1500, at));
    let (_, report) = cell.run();
    assert_eq!(report.stations[0].failures, 1);
    let lost = flows.map(|flow| report.flows[flow].sums.dropped.packets);
    assert_eq!(lost, [0, 1, 0, 0]);
}
