//! Detectors that see more than frames which come and leave: those that queue management loses, and those that find no room.

use backwater_sim::mechanism::DETECTORS;
use backwater_sim::queue::AnyAqm;
use backwater_sim::queue::aqm::{Aqm, Frame, Verdict};
use backwater_sim::record::What;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::net::*;
use crate::outage::comes;
use crate::random::same;
use crate::timing::byte;

/// Loses the second to the fifth of the frames that are to leave.
#[derive(Clone, Debug, Default)]
pub struct LosesFour(u32);

impl Aqm for LosesFour {
    fn pop(&mut self, _: &Frame) -> Verdict {
        self.0 += 1;
        match (2..=5).contains(&self.0) {
            true => Verdict::Drop,
            false => Verdict::Accept,
        }
    }
}

/// A sends at 100 Mbit/s over X to D, whose line of 10 Mbit/s takes 1.2 ms for a frame: a burst is at X while its first frame is on that
/// line. Gives the network, X's port to A, and its port to D.
fn burst(frames: u64, buffer: u64) -> (Net, usize, usize) {
    let mut net = Net::new(0.1);
    let (a, x, d) = (net.obeying_host("A"), net.switch("X"), net.host("D"));
    let back = net.link(a, x, 100 * MBIT)[1];
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, buffer);
    net.flow("f", a, d, script([(0, frames * 1_500)]));
    (net, back, port)
}

/// The seventh frame crosses the high mark of 12 kB. When the first has left, queue management loses the next four at that instant, and the
/// two behind them, 3,036 B, lie below the low mark: A may go on then. The two leave one after the other.
#[test]
fn what_queue_management_loses_relieves_a_queue() {
    let (mut net, back, port) = burst(7, 12_000);
    net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(LosesFour::default())));
    let marks = [("high", Value::Share(0.8)), ("low", Value::Share(0.3))];
    net.recipe("pause", &[port], &marks);
    let (report, records) = net.run_recorded();
    let each = 1538 * byte(10 * MBIT);
    let gap = 12 * byte(10 * MBIT);
    let first = comes(1) + each - gap;
    assert_eq!(
        notices(&records, What::Notice, back),
        [(comes(7), 65_535), (first, 0)]
    );
    let there = records.iter().filter(|r| r.what == What::Deliver);
    let there: Vec<(u32, u64)> = there.map(|r| (r.seq, r.at.0 - US)).collect();
    assert_eq!(
        there,
        [(0, first), (5, first + each), (6, first + 2 * each)]
    );
    same(&net.run(), &report, "not recorded", 0);
}

/// When a detector that compares rates looks first, after this period, and what it says then to A, of a burst into a buffer for four frames.
fn compared(frames: u64, period: u64) -> Option<(u64, u64)> {
    let (mut net, back, port) = burst(frames, 6_100);
    net.0.links[port / 2].delay = Span(50 * US);
    net.mechanism(["watermark", "pause", "gate"], &[port], &[]);
    let row = DETECTORS.iter().find(|p| p.id == "queue-rate-difference");
    let given = [
        ("period", Value::Span(Span(period))),
        ("window", Value::Count(1)),
    ];
    let row = row.expect("a detector");
    net.0.mechanisms[0].detect = (row.build)(&args(row, &given)).expect("legal options");
    let (report, records) = net.run_recorded();
    same(&net.run(), &report, "not recorded", 0);
    let told = notices(&records, What::Notice, back);
    told.first().copied().filter(|one| one.0 <= period)
}

/// Twenty frames come, and the buffer has room for four. When the detector looks, after 20 ms, the queue is empty and what came is more than
/// three times what left: A is told. Where four come, as much has left.
#[test]
fn frames_that_find_no_room_count_as_come() {
    assert_eq!(compared(20, 20 * MS).map(|one| one.0), Some(20 * MS));
    assert_eq!(compared(4, 20 * MS), None);
}

/// A frame has left and is on the wire when the detector looks: as much has left as came.
#[test]
fn a_frame_on_the_wire_counts_as_left() {
    let left = comes(1) + 1526 * byte(10 * MBIT);
    assert_eq!(compared(1, left + 25 * US), None);
    assert_eq!(compared(1, left - 1).map(|one| one.0), Some(left - 1));
}

/// Six frames wait at a port with two classes: one of the lower class, which leaves first, two of the higher, and three of the lower. Queue
/// management loses the second to the fifth, and with them the higher class has none left: the last of the lower follows the first.
#[test]
fn a_class_whose_frames_are_lost_has_none_that_waits() {
    let (mut net, _, port) = burst(1, 100_000);
    net.classes(2);
    net.buffer(port, 100_000);
    net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(LosesFour::default())));
    net.flow("high", 0, 2, script([(150 * US, 3_000)])).class = 1;
    net.flow("low", 0, 2, script([(500 * US, 4_500)]));
    let (report, records) = net.run_recorded();
    let there = records.iter().filter(|r| r.what == What::Deliver);
    let there: Vec<(u32, u32)> = there.map(|r| (r.flow.0, r.seq)).collect();
    assert_eq!(there, [(0, 0), (2, 2)]);
    assert_eq!(lost_at(&report, port), 4);
    same(&net.run(), &report, "not recorded", 0);
}
