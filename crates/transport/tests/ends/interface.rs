//! What a controller is that says nothing of a rule; the numbers of an interval that a driver reads; and the forms of its answers.

use backwater_transport::congestion_header::Layout;
use backwater_transport::controller::{
    Ack, Asks, Cause, Congestion, Controller, CustomController, Departure, Driven, Heard, Idle,
    Inspect, Interval, Limits, Lost, RateSample, Reduction, Sent, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};
use backwater_transport::walk::Walk;

use crate::MSS;
use backwater_transport_testing::acks::ack;

/// The three rules that each controller must have, and a header where it is given one.
#[derive(Clone, Debug)]
struct Bare(Option<Layout>);

impl Controller for Bare {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of(7)
    }

    fn congestion_header(&self) -> Option<Layout> {
        self.0
    }
}

impl CustomController for Bare {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }
}

/// The same without a word of headers.
#[derive(Clone, Debug)]
struct Barer;

impl Controller for Barer {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of(7)
    }
}

fn sent(len: u64, in_flight: u64) -> Sent {
    Sent {
        now: Time(1),
        number: 1,
        len,
        in_flight,
        again: false,
        app_limited: false,
    }
}

#[test]
fn a_controller_without_further_rules_asks_for_nothing() {
    let mut bare = Bare(None);
    assert_eq!(bare.on_sent(&sent(1, 1)), Departure::Ignored);
    assert!(bare.forecaster().is_none());
    assert_eq!(bare.congestion_header_bytes(), 0);
    assert_eq!(Barer.congestion_header(), None);
    assert_eq!(Bare(Some(Layout::Change)).congestion_header_bytes(), 20);
    assert!(!bare.receives_notices());
    assert_eq!(bare.approach(), None);
    assert_eq!(bare.heartbeat(), 0);
    assert!(bare.stream().is_none());
    assert_eq!(bare.reduction(), Reduction::Proportional);
    assert_eq!(bare.ecn(), Ecn::NotEct);
    assert_eq!(bare.inspect(), Inspect::default());
    assert_eq!(bare.warning(), None);
    assert!(bare.fault().is_none());
    assert!(CustomController::driven(&bare).is_none());
    assert!(CustomController::driven_mut(&mut bare).is_none());
    let mut walk = Walk::look(Time::ZERO);
    bare.walk(&mut walk, "flow a");
    let unable = walk.seen().expect_err("a state that nothing compares");
    assert_eq!(unable.place, "flow a");
}

#[test]
fn limits_and_values_have_their_forms() {
    let limits = Limits::of(5000);
    let expected = Limits {
        window: 5000,
        pacing: None,
        wake: Time::NEVER,
    };
    assert_eq!(limits, expected);
    let values = Inspect::values([("a", 1.0), ("b", 2.0)]);
    assert_eq!(values, [("a", 1.0), ("b", 2.0), ("", 0.0), ("", 0.0)]);
    // 3,000 bytes in 2 ms are 12 Mbit/s.
    let sample = RateSample {
        delivered: 3000,
        interval: Span::millis(2),
        app_limited: false,
        prior_delivered: 0,
        tx_in_flight: 0,
        lost: 0,
    };
    assert_eq!(sample.rate(), Rate(12_000_000));
}

fn driven(initial: u64) -> Driven {
    Driven::new(&Setup {
        protocol: Protocol::Stream,
        mss: MSS,
        frame: MSS + 52,
        initial,
        random: Random::stream(1, "controller", ""),
    })
}

/// Bytes acknowledged and marked, and a round trip in ps.
fn told(acked: u64, marked: u64, rtt: Option<u64>, round_start: bool) -> Ack<'static> {
    Ack {
        acked,
        marked,
        rtt: rtt.map(Span),
        round_start,
        srtt: Span(40),
        min_rtt: Span(30),
        in_flight: 9000,
        delivered: 70_000,
        ..ack(Time(50))
    }
}

fn congestion(cause: Cause) -> Congestion {
    Congestion {
        now: Time(60),
        cause,
        in_flight: 0,
        lost: 0,
        tx_in_flight: 0,
        round: 0,
    }
}

/// An interval has the sums of what it saw; being told begins another.
#[test]
fn an_interval_is_a_sum() {
    let mut agent = driven(10 * MSS);
    agent.on_ack(&told(1000, 300, Some(20), false));
    agent.on_ack(&told(500, 0, None, true));
    agent.on_ack(&told(250, 50, Some(40), false));
    for len in [1000, 400] {
        assert_eq!(agent.on_sent(&sent(len, 8000 + len)), Departure::Noted);
    }
    for len in [1000, 1000, 1] {
        agent.on_lost(&Lost {
            now: Time(1),
            number: 1,
            len,
            tx_in_flight: 0,
            lost: 0,
            in_flight: 0,
            app_limited: false,
        });
    }
    for cause in [Cause::Loss, Cause::Timeout, Cause::Mark, Cause::Timeout] {
        agent.on_congestion(&congestion(cause));
    }
    let expected = Interval {
        sent: 1400,
        acked: 1750,
        lost: 2001,
        marked: 350,
        acks: 3,
        timeouts: 2,
        rtts: vec![20, 40],
    };
    assert_eq!(*agent.interval(), expected);
    assert!((agent.interval().mean_rtt().expect("two samples") - 30e-12).abs() < 1e-22);
    let heard = Heard {
        at: Time(50),
        srtt: Span(40),
        min_rtt: Span(30),
        in_flight: 8400,
        delivered: 70_000,
        least_mean: 0.0,
        mean: 0.0,
    };
    assert_eq!(agent.heard, heard);
    assert!(!agent.is_asking(), "nobody asked it to ask");
    agent.tell(3 * MSS, Some(Rate(77)));
    assert_eq!(*agent.interval(), Interval::default());
    assert_eq!(agent.settings(), (3 * MSS, Some(Rate(77))));
    agent.on_idle(&Idle {
        now: Time(1),
        window: 1,
        threshold: 1,
    });
    assert_eq!(agent.limits().window, 3 * MSS);
    assert_eq!(agent.limits().pacing, Some(Rate(77)));
    assert_eq!(agent.limits().wake, Time::NEVER);
}

/// The least mean is that of all intervals; one without a sample changes neither.
#[test]
fn the_least_mean_is_kept_over_intervals() {
    let mut agent = driven(10 * MSS);
    let mut means = Vec::new();
    for rtts in [&[40, 60][..], &[], &[20], &[30, 50]] {
        for rtt in rtts {
            agent.on_ack(&told(1, 0, Some(*rtt), false));
        }
        agent.end_interval();
        agent.tell(MSS, None);
        let means_in_ps = [agent.heard.mean, agent.heard.least_mean].map(|s| (s * 1e12).round());
        means.push(means_in_ps);
    }
    assert_eq!(
        means,
        [[50.0, 50.0], [50.0, 50.0], [20.0, 20.0], [40.0, 20.0]]
    );
}

/// It asks after each third acknowledgement, and nothing leaves until it is told. Congestion asks at once, and does not move the third.
#[test]
fn it_asks_after_so_many_acknowledgements() {
    let mut agent = driven(10 * MSS);
    agent.ask(Asks::Acks(3));
    let mut asked = Vec::new();
    for n in 1..=7 {
        agent.on_ack(&told(1, 0, None, true));
        if agent.is_asking() {
            assert_eq!(agent.limits().window, 0);
            asked.push(n);
            agent.tell(4 * MSS, None);
            assert!(!agent.is_asking());
            assert_eq!(agent.limits().window, 4 * MSS);
        }
    }
    assert_eq!(asked, [3, 6]);
    agent.on_congestion(&congestion(Cause::Loss));
    assert!(agent.is_asking());
    agent.tell(MSS, None);
    agent.on_ack(&told(1, 0, None, false));
    assert!(!agent.is_asking());
    agent.on_ack(&told(1, 0, None, false));
    assert!(agent.is_asking(), "the ninth");
}

#[test]
fn it_asks_when_a_round_ends() {
    let mut agent = driven(10 * MSS);
    agent.ask(Asks::Rounds);
    agent.on_ack(&told(1, 0, None, false));
    agent.on_congestion(&congestion(Cause::Loss));
    assert!(!agent.is_asking());
    agent.on_ack(&told(1, 0, None, true));
    assert!(agent.is_asking());
    agent.on_ack(&told(1, 0, None, false));
    assert!(agent.is_asking(), "until it is told");
}

/// No window is below a segment, or nothing would ever leave.
#[test]
fn a_window_is_a_segment_at_least() {
    assert_eq!(driven(10 * MSS).settings(), (10 * MSS, None));
    let mut agent = driven(10);
    assert_eq!((agent.settings(), agent.mss()), ((MSS, None), MSS));
    agent.tell(10, None);
    assert_eq!(agent.settings(), (MSS, None));
    assert_eq!(agent.reduction(), Reduction::Direct);
    assert_eq!(agent.inspect().state, "driven");
    assert_eq!(CustomController::driven(&agent).map(Driven::mss), Some(MSS));
    let same = CustomController::driven_mut(&mut agent).map(|a| a.mss());
    assert_eq!(same, Some(MSS));
    let mut copy = agent.fork();
    let other = copy.driven_mut().expect("it is driven from outside");
    other.tell(5 * MSS, None);
    assert_eq!(agent.settings().0, MSS, "a fork is a copy");
}
