//! A law of explicit feedback in front of a radio.

use std::sync::{Arc, Mutex};

use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::{AnyStamp, Backlog, LawPacket, Passing, Stamp};
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::units::{Span, Time};

use crate::cell::{B, BASIC, Cell, dcf, disc, poisson};

/// When it was told last, and packets times ticks up to then.
#[derive(Clone, Debug, Default)]
struct Area(Arc<Mutex<(u64, u128)>>);

impl Stamp for Area {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        let mut area = self.0.lock().expect("one thread");
        area.1 += u128::from(backlog.packets) * u128::from(now.0 - area.0);
        area.0 = now.0;
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn depart(&mut self, _: &LawPacket, _: &mut Passing) {}

    fn values(&self) -> [(&'static str, f64); 4] {
        [("", 0.0); 4]
    }
}

/// A law is told what has waited since it was told last. So packets times time, added up by the law, are the mean queue of the report times the run, at
/// whose end nothing waits; and no more than the packets of the run can have waited.
#[test]
fn what_a_law_is_told_adds_up_to_the_mean_of_its_queue() {
    let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let flow = cell.flow(b, a, 1, poisson(1500, 5_000_000));
    cell.0.flows[flow].stop = Span::millis(600);
    let law = Area::default();
    cell.0.stamps.push(StampSpec {
        name: "s50>air".into(),
        at: Egress::Attachment(b, 0),
        law: AnyStamp::Custom(Box::new(law.clone())),
        also: Vec::new(),
    });
    let (_, report) = cell.run();
    assert_eq!((report.held, report.dropped), (0, 0));
    let (mean, _) = report.stamps[0].queue.expect("time has passed");
    let told = law.0.lock().expect("one thread").1 as f64 / 1e12;
    assert!(told > 0.1 && (mean - told).abs() < 1e-9, "{mean} {told}");
    // A packet waits from its birth to its delivery, and its acknowledgement follows within a millisecond.
    let waited = report.all.sum.total as f64 / 1e12;
    let more = 1e-3 * report.delivered as f64;
    assert!(waited <= told && told <= waited + more, "{waited} {told}");
}
