//! A controller from outside the tables behind the enum of all of them, and the constant window.

use backwater_transport::controller::{
    Ack, AnyController, CONTROLLERS, Congestion, Controller, CustomController, DRIVEN, HOSTED,
    Limits, Reduction, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::{Args, Refusal};
use backwater_transport::random::Random;
use backwater_transport::walk::Walk;

use crate::{MSS, ack, after, at, build, window};

/// One with a warning and a fault.
#[derive(Clone, Debug)]
struct Faulty(Refusal);

impl Controller for Faulty {
    fn on_ack(&mut self, _: &Ack) {}

    fn on_congestion(&mut self, _: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of(7)
    }
}

impl CustomController for Faulty {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }

    fn warning(&self) -> Option<String> {
        Some("slow".into())
    }

    fn fault(&self) -> Option<&Refusal> {
        Some(&self.0)
    }
}

fn setup() -> Setup {
    Setup {
        protocol: Protocol::Stream,
        mss: MSS,
        frame: 1250,
        initial: 10 * MSS,
        random: Random::stream(1, "controller", ""),
    }
}

#[test]
fn a_custom_controller_tells_its_warning_and_its_fault() {
    let fault = Refusal {
        option: "class",
        what: "raises".into(),
        fix: "mend it".into(),
    };
    let mut custom = AnyController::Custom(Box::new(Faulty(fault.clone())));
    assert_eq!(custom.warning().as_deref(), Some("slow"));
    assert_eq!(custom.fault(), Some(&fault));
    assert_eq!(window(&custom), 7);
    assert!(custom.driven().is_none() && custom.driven_mut().is_none());
    for row in CONTROLLERS.iter().filter(|row| row.id == "reno") {
        let mut own = build(row.id, &[]);
        assert_eq!((own.warning(), own.fault()), (None, None));
        assert!(own.driven().is_none() && own.driven_mut().is_none());
    }
}

/// A controller that is driven from outside holds what it is told; until a host has made its own, one of another language keeps the
/// initial window.
#[test]
fn controllers_from_outside_keep_what_they_are_told() {
    let mut agent = (DRIVEN[0].build)(&Args(Vec::new()), &setup()).expect("no options");
    assert_eq!(window(&agent), 10_000);
    agent.driven_mut().expect("driven").tell(3_000, None);
    assert_eq!(
        agent.driven().map(|own| own.settings()),
        Some((3_000, None))
    );
    assert_eq!(window(&agent), 3_000);
    let mut hosted = (HOSTED[0].build)(&Args(Vec::new()), &setup()).expect("no options");
    assert_eq!(after(&mut hosted, &ack(0.0, 5_000, 100.0)), 10_000);
    assert_eq!(window(&hosted.clone()), 10_000);
}

/// Nothing changes a constant window, and a world is compared by it.
#[test]
fn a_constant_window_is_constant() {
    let state = |c: &mut AnyController| {
        let mut walk = Walk::look(at(5.0));
        c.walk(&mut walk, "flow");
        walk.seen().expect("a state that is compared").state
    };
    let mut c = build("fixed", &[("window", "7 packets")]);
    assert_eq!(after(&mut c, &ack(0.0, 5_000, 100.0)), 7_000);
    assert_eq!(c.reduction(), Reduction::Direct);
    assert_eq!(c.inspect().state, "fixed");
    assert_eq!(state(&mut c), [7_000]);
    assert_eq!(window(&build("fixed", &[])), 50_000);
    // Of a controller without a walk nothing is skipped.
    let mut walk = Walk::look(at(5.0));
    build("reno", &[]).walk(&mut walk, "flow");
    assert_eq!(walk.seen().unwrap_err().place, "flow");
}
