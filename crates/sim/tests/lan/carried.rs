//! Notices in header fields of data frames: which frames take them, and what they cost.

use backwater_sim::record::What;
use backwater_transport::part::Value;

use crate::net::*;
use crate::timing::{byte, framed, sends};

/// A PAUSE frame says an opcode and a time, two bytes each (IEEE 802.3, annex 31B).
const FIELD: u64 = 4;
/// Full packets that wait for A's line.
const QUEUED: u64 = 20;

/// E fills A's line of 10 Mbit/s, and B's burst makes the switch stop A and let it go again. The first frame that leaves after each notice is
/// longer by the notice, those behind it leave so much later, and A is told when the frame has arrived.
#[test]
fn a_frame_that_brings_a_notice_is_longer_by_it() {
    let mut net = Net::new(0.1);
    let (a, b, e) = (net.obeying_host("A"), net.host("B"), net.host("E"));
    let (x, d) = (net.switch("X"), net.host("D"));
    let [host, toward_a] = net.link(a, x, 10 * MBIT);
    for from in [b, e] {
        net.link(from, x, 100 * MBIT);
    }
    let watched = net.link(x, d, 10 * MBIT)[0];
    net.buffer(watched, 5_000);
    net.flow("burst", b, d, script([(5 * MS, 4_500)]));
    net.flow("queued", e, a, script([(0, 1_500 * QUEUED)]));
    let given = [
        ("high", Value::Share(0.8)),
        ("low", Value::Share(0.4)),
        ("carrier", Value::Choice("header")),
    ];
    net.recipe("pause", &[watched], &given);
    let (report, records) = net.run_recorded();

    let (fast, slow) = (byte(100 * MBIT), byte(10 * MBIT));
    let (line, frame) = (framed(1_500) + 20, framed(1_500) + 8);
    // The burst's third frame crosses the mark, and one frame is left when the second has gone.
    let comes = |n: u64| 5 * MS + (n * line - 12) * fast + US;
    let posted = [comes(3), comes(1) + (2 * line - 12) * slow];
    let (mut at, mut told) = (frame * fast + US, Vec::new());
    let (mut begins, mut arrives) = (Vec::new(), Vec::new());
    for _ in 0..QUEUED {
        begins.push(at);
        let notice = posted.get(told.len()).is_some_and(|posted| *posted <= at);
        let longer = if notice { FIELD } else { 0 };
        arrives.push(at + (frame + longer) * slow + US);
        if notice {
            told.extend(arrives.last().copied());
        }
        at += (line + longer) * slow;
    }
    assert_eq!(told.len(), 2);
    assert_eq!(sends(&records, toward_a), begins);
    let knobs = notices(&records, What::Knob, host);
    assert_eq!(
        knobs.iter().map(|knob| knob.1).collect::<Vec<_>>(),
        [65_535, 0]
    );
    assert_eq!(knobs[1].0 - knobs[0].0, told[1] - told[0]);
    let brought = records
        .iter()
        .filter(|r| r.what == What::Send && r.notice.is_some());
    assert_eq!(brought.count(), 2);
    let count = &report.ports[toward_a].count;
    assert_eq!((count.control, count.control_bytes), (0, 2 * FIELD));
    let serial = QUEUED * frame * (fast + slow) + 2 * FIELD * slow;
    assert_eq!(report.flows[1].sums.sum.serial, u128::from(serial));
    let delivered = records
        .iter()
        .filter(|r| r.what == What::Deliver && r.flow.index() == 1);
    assert_eq!(delivered.map(|r| r.at.0).collect::<Vec<_>>(), arrives);
    assert_eq!(report.control, 0, "a field is no frame");
}
