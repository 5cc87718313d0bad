//! Rate control: what is asked of whom, and that it is kept.

use crate::net::*;
use crate::outage::{away, comes};
use crate::timing::byte;
use backwater_sim::mechanism::notice::Ask;
use backwater_sim::record::{Record, What};
use backwater_transport::part::Value;
use backwater_transport::units::Rate;

/// The rates that took effect at a port, as (instant, bit/s); 0 bit/s where a notice was taken back.
fn rates(records: &[Record], port: usize) -> Vec<(u64, u64)> {
    let mine = records
        .iter()
        .filter(|r| r.what == What::Knob && r.port.index() == port);
    mine.map(|r| {
        let notice = r.notice.as_ref().expect("a notice");
        let rate = notice.rate().expect("a rate").0;
        (r.at.0, if notice.quanta() == 0 { 0 } else { rate })
    })
    .collect()
}

/// Bytes of frames that began at a port from one instant until before another.
fn sent(records: &[Record], port: usize, from: u64, until: u64) -> u64 {
    let mine = records.iter().filter(|r| {
        r.what == What::Send && r.port.index() == port && (from..until).contains(&r.at.0)
    });
    mine.map(|r| u64::from(r.len) + 18).sum()
}

/// A FIFO port has one queue for all classes. A notice per class about it names them all, and they
/// share one bucket: two classes together get the rate that is asked, not twice as much.
#[test]
fn classes_of_one_queue_share_one_bucket() {
    let mut net = Net::new(1.0);
    let (w, x, d) = (net.switch("W"), net.switch("X"), net.host("D"));
    let feeder = net.link(w, x, 100 * MBIT)[0];
    for class in 0..2 {
        let s = net.host(&format!("S{class}"));
        net.link(s, w, 100 * MBIT);
        net.flow(&format!("f{class}"), s, d, script([(0, 300_000)]))
            .class = class;
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    net.mechanism(["watermark", "pfc", "shaper"], &[port], &[]);
    let (report, records) = net.run_recorded();
    assert_eq!(lost_at(&report, port), 0);
    let told = rates(&records, feeder);
    // 90 % of 10 Mbit/s, for one feeder.
    assert_eq!(told[0].1, 9 * MBIT);
    let (from, until) = (told[0].0, told[1].0);
    assert_eq!(told[1].1, 0, "taken back when the queue has drained");
    assert!(until - from > 50 * MS);
    // The bucket's rate, its depth and the frame that is let through last.
    let allowed = 9 * (until - from) / (8 * US) + 2 * 1518;
    let sent = sent(&records, feeder, from, until);
    assert!(sent <= allowed, "{sent} B, allowed {allowed} B");
}

/// Two hosts bring a line 1.3 times what it carries, in frames of 64, 118 and 1518 bytes. A stopped host sends nothing, and
/// a host that is held to half of 90 % of the line brings no more than that, however small its frames: with preamble and
/// gap 64 bytes take the time of 84.
#[test]
fn a_rate_protects_the_port_whatever_the_size_of_frames() {
    for (packet, line_bytes) in [(46, 84), (100, 138), (1500, 1538)] {
        for respond in ["gate", "shaper"] {
            let mut net = Net::new(2.0);
            let (w, d) = (net.switch("W"), net.host("D"));
            // 6.5 Mbit/s of the line for each of two.
            let gap = line_bytes * 8 * 1_000_000 * 10 / 65;
            for i in 0..2 {
                let s = net.obeying_host(&format!("S{i}"));
                net.link(s, w, 100 * MBIT);
                let demands = (0..1_900 * MS / gap).map(|n| (n * gap, packet));
                net.flow(&format!("f{i}"), s, d, script(demands));
            }
            let port = net.link(w, d, 10 * MBIT)[0];
            net.buffer(port, 50_000);
            let lost = |net: &Net| lost_at(&net.run(), port);
            // 0.3 of 1.3 is lost, but for what the buffer still holds at the end.
            let sent = 2 * (1_900 * MS / gap);
            assert!(lost(&net) > sent / 5, "{packet}");
            // Above the mark there is room for what two hosts send until they are told, and for what a bucket lets through at once.
            let marks = [("high", Value::Share(0.6)), ("low", Value::Share(0.5))];
            net.mechanism(["watermark", "pause", respond], &[port], &marks);
            assert_eq!(lost(&net), 0, "{respond}, packets of {packet} B");
        }
    }
}

/// Two switches are told a rate when the mark is crossed; a third joins, and each is told the share of
/// three.
#[test]
fn a_sender_that_joins_makes_the_share_of_all_smaller() {
    let mut net = Net::new(0.5);
    let (x, d) = (net.switch("X"), net.host("D"));
    let late = 60 * MS;
    let mut feeders = Vec::new();
    for (i, at) in [0, 0, late].into_iter().enumerate() {
        let s = net.obeying_host(&format!("S{i}"));
        feeders.push(net.link(s, x, 10 * MBIT)[0]);
        net.flow(&format!("f{i}"), s, d, script([(at, 150_000)]));
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    let given = [
        ("audience", Value::Choice("senders")),
        ("high", Value::Share(0.6)),
        ("low", Value::Share(0.1)),
    ];
    net.mechanism(["watermark", "pause", "shaper"], &[port], &given);
    let records = net.run_recorded().1;
    for feeder in &feeders[..2] {
        let told = rates(&records, *feeder);
        // 90 % of 10 Mbit/s: for two, then for three.
        assert_eq!((told[0].1, told[1].1), (4_500_000, 3_000_000), "{told:?}");
        assert!(told[0].0 < late && told[1].0 > late);
    }
    let joined = rates(&records, feeders[2]);
    assert_eq!(joined[0].1, 3_000_000);
    // Its first frame is in, and the notice has come: 72 bytes, wire and one quantum of reaction.
    let heard = late + (1526 + 72 + 64) * byte(10 * MBIT) + 2 * US;
    assert_eq!(joined[0].0, heard);
}

/// Rate control goes on up a chain: a port that is held to a rate asks its feeders for a share of that
/// rate, and corrects them when it is released.
#[test]
fn a_port_that_is_held_to_a_rate_asks_for_a_share_of_it() {
    let mut net = Net::new(3.0);
    let (w, x, d) = (net.switch("W"), net.switch("X"), net.host("D"));
    let s = net.obeying_host("S");
    let first = net.link(s, w, 100 * MBIT)[0];
    let middle = net.link(w, x, 100 * MBIT)[0];
    let last = net.link(x, d, 10 * MBIT)[0];
    for port in [middle, last] {
        net.buffer(port, 50_000);
    }
    net.flow("f", s, d, script([(0, 600_000)]));
    for notify in ["pause", "pfc", "destination"] {
        let mut net = net.clone();
        net.mechanism(["watermark", notify, "shaper"], &[middle, last], &[]);
        let (report, records) = net.run_recorded();
        assert_eq!(report.dropped, 0, "{notify}");
        let (near, far) = (rates(&records, middle), rates(&records, first));
        assert_eq!(near[0].1, 9 * MBIT, "{notify}");
        assert_eq!(far[0].1, 8_100_000, "{notify}");
        // Released while W is still above its low mark, S may send 90 % of the line.
        let released = near.iter().find(|n| n.1 == 0).expect("it drains").0;
        let next = far.iter().find(|f| f.0 > released).expect("a correction");
        assert!(next.1 == 90 * MBIT || next.1 == 0, "{notify} {next:?}");
    }
}

/// While a port is held to a rate and has frames waiting it sends all that the rate allows, of small frames too: each is worth its bytes with preamble
/// and gap, 84 for 64. Only what is in the bucket, and one frame, may be missing.
#[test]
fn a_port_that_is_held_to_a_rate_uses_it_up() {
    for (packet, line_bytes) in [(46, 84), (100, 138), (1500, 1538)] {
        let mut net = Net::new(1.0);
        let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
        let held = net.link(s, x, 100 * MBIT)[0];
        let port = net.link(x, d, 10 * MBIT)[0];
        net.buffer(port, 50_000);
        net.flow("f", s, d, script((0..4_000).map(|_| (0, packet))));
        net.mechanism(["watermark", "pause", "shaper"], &[port], &[]);
        let records = net.run_recorded().1;
        let told = rates(&records, held);
        let (from, rate) = told[0];
        let next = told.get(1).map_or(MS * 1_000, |told| told.0);
        let begins = records
            .iter()
            .filter(|r| r.what == What::Send && r.port.index() == held)
            .map(|r| r.at.0);
        let last = begins.clone().max().expect("frames");
        let until = next.min(last);
        assert!(until - from > 10 * MS);
        let sent = begins.filter(|at| (from..until).contains(at)).count() as u64;
        let allowed = u128::from(rate) * u128::from(until - from) / 8_000_000_000_000;
        let found = u128::from(sent * line_bytes);
        assert!(
            found + 1538 + u128::from(line_bytes) >= allowed,
            "{packet}: {found} {allowed}"
        );
        assert!(found <= allowed + 2 * 1538, "{packet}: {found} {allowed}");
    }
}

/// X tells Y to send at 90 % of its line's rate, and Y tells A to send at 90 % of that. When the wire from Y to X goes down, nothing holds
/// Y's port back any more: A is told 90 % of the line's rate at that instant. A frame on the dead line keeps Y's queue above its low mark.
#[test]
fn a_feeder_is_told_another_rate_when_a_wire_goes_down() {
    let mut net = Net::new(0.05);
    let (a, y, x) = (net.obeying_host("A"), net.switch("Y"), net.switch("X"));
    let (b, d) = (net.host("B"), net.host("D"));
    let back = net.link(a, y, 10 * MBIT)[1];
    let first = net.link(y, x, MBIT)[0];
    let second = net.link(x, d, MBIT)[0];
    net.link(b, x, 100 * MBIT);
    for port in [first, second] {
        net.buffer(port, 5_000);
    }
    net.flow("b", b, d, script([(0, 4_500)]));
    net.flow("a", a, d, script([(MS, 9_000)]));
    let marks = [("high", Value::Share(0.8)), ("low", Value::Share(0.2))];
    net.mechanism(["watermark", "pause", "shaper"], &[first, second], &marks);
    net.0.events.push(away(1, 8 * MS, 40 * MS));
    let records = net.run_recorded().1;
    let told = records.iter().filter(|r| r.what == What::Notice);
    let told = told.filter(|r| r.port.index() == back);
    let asks: Vec<(u64, Option<Ask>)> = told
        .map(|r| (r.at.0, r.notice.as_ref().map(|n| n.ask)))
        .collect();
    // The mark is crossed by the third frame. The first is on the line until its last bit would have left.
    let comes = |n: u64| MS + (n * 1538 - 12) * byte(10 * MBIT) + US;
    let limit = |percent: u64, quanta| Some(Ask::Limit(Rate(percent * MBIT / 100), quanta));
    assert_eq!(
        asks,
        [
            (comes(3), limit(81, u16::MAX)),
            (8 * MS, limit(90, u16::MAX)),
            (comes(1) + 1526 * byte(MBIT), limit(90, 0)),
        ]
    );
}

/// S brings 100 Mbit/s to a line of 50, which asks it for 90 % of that. Then a line of 10 behind it asks for 9 Mbit/s, and S is told at
/// once to keep to 90 % of these: it hears that a frame of 72 B, the wire and one quantum of reaction after the hold.
#[test]
fn a_hold_is_passed_on_at_the_instant_at_which_it_begins() {
    let mut net = Net::new(0.02);
    let (w, x, d) = (net.switch("W"), net.switch("X"), net.host("D"));
    let s = net.obeying_host("S");
    let first = net.link(s, w, 100 * MBIT)[0];
    let middle = net.link(w, x, 50 * MBIT)[0];
    let last = net.link(x, d, 10 * MBIT)[0];
    for port in [middle, last] {
        net.buffer(port, 50_000);
    }
    net.flow("f", s, d, script([(0, 600_000)]));
    net.mechanism(["watermark", "pause", "shaper"], &[middle, last], &[]);
    let records = net.run_recorded().1;
    let (near, far) = (rates(&records, middle), rates(&records, first));
    assert_eq!((near[0].1, far[0].1), (9 * MBIT, 45 * MBIT));
    let heard = near[0].0 + (72 + 64) * byte(100 * MBIT) + US;
    assert_eq!(far[1], (heard, 8_100_000));
}

/// X tells Y for 22 quanta of 512 bits to send at 90 % of its line's rate, and Y tells A to send at 90 % of that. What X says next waits behind a packet for A, so Y is
/// held no longer when 22 quanta are over. A packet of G that comes then, with room or without, has Y tell A 90 % of the line's rate.
#[test]
fn a_feeder_is_told_another_rate_when_a_packet_comes_after_a_hold() {
    for packet in [46, 1_500] {
        let mut net = Net::new(0.05);
        let (a, y, x) = (net.obeying_host("A"), net.switch("Y"), net.switch("X"));
        let (b, d, g) = (net.host("B"), net.host("D"), net.host("G"));
        let back = net.link(a, y, 10 * MBIT)[1];
        let first = net.link(y, x, MBIT)[0];
        let second = net.link(x, d, MBIT)[0];
        net.link(b, x, 100 * MBIT);
        net.link(g, y, 100 * MBIT);
        for port in [first, second] {
            net.buffer(port, 5_000);
        }
        let (slow, asked) = (byte(MBIT), comes(3));
        net.flow("b", b, d, script([(0, 4_500)]));
        let way = asked + 200 * slow - comes(1);
        net.flow("in the way", b, a, script([(way, 1_500)]));
        net.flow("a", a, b, script([(2 * MS, 4_500)]));
        // Notice and reaction are 72 B and a quantum, which is 64 B. The next notice comes after 1,526 B that begin 200 B after the first was asked for.
        let over = asked + (72 + 64 + 22 * 64) * slow + US;
        let next = asked + (200 + 1_526 + 72 + 64) * slow + US;
        let came = over + MS;
        assert!(came < next);
        let line = (packet + 18 + 8) * byte(100 * MBIT) + US;
        net.flow("g", g, b, script([(came - line, packet)]));
        let given = [
            ("high", Value::Share(0.8)),
            ("low", Value::Share(0.2)),
            ("quanta", Value::Count(22)),
        ];
        net.mechanism(["watermark", "pause", "shaper"], &[first, second], &given);
        let (report, records) = net.run_recorded();
        let told = records.iter().filter(|r| r.what == What::Notice);
        let told = told.filter(|r| r.port.index() == back && r.at.0 < next);
        let mut asks: Vec<(u64, Option<Ask>)> = told
            .map(|r| (r.at.0, r.notice.as_ref().map(|n| n.ask)))
            .collect();
        asks.dedup_by_key(|(_, ask)| *ask);
        let limit = |percent: u64| Some(Ask::Limit(Rate(percent * MBIT / 100), 22));
        let crossed = 2 * MS + (3 * 1538 - 12) * byte(10 * MBIT) + US;
        assert_eq!(asks, [(crossed, limit(81)), (came, limit(90))], "{packet}");
        assert_eq!(lost_at(&report, first), u64::from(packet == 1_500));
    }
}
