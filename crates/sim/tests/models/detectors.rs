//! Detectors with the options that are written: each mark lies where its option says.

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Identity, Moment, Overheard, Seen, Signal};
use backwater_sim::mechanism::place::{Holdings, Rates, Rhythm, View};
use backwater_sim::table::Id;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span, Time};

use crate::parts::detector;
use crate::traces::MS;

pub fn share(name: &'static str, share: f64) -> (&'static str, Value) {
    (name, Value::Share(share))
}

pub fn span(name: &'static str, ms: u64) -> (&'static str, Value) {
    (name, Value::Span(Span::millis(ms)))
}

pub fn bytes(name: &'static str, bytes: u64) -> (&'static str, Value) {
    (name, Value::Bytes(Bytes(bytes)))
}

pub fn made(id: &str, given: &[(&'static str, Value)]) -> AnyDetector {
    detector(id, given).expect("legal options")
}

/// The option that is blamed for options that are refused.
fn blamed(id: &str, given: &[(&'static str, Value)]) -> Option<&'static str> {
    detector(id, given).err().map(|refusal| refusal.option)
}

/// The signals at an arrival and at a departure, and whether a departure may relieve.
fn says(detector: &mut AnyDetector, view: &View) -> (Option<Signal>, Option<Signal>, bool) {
    let seen = Seen::of_class(0);
    let came = detector.observe(&Moment::Enqueued(&seen), view);
    let left = detector.observe(&Moment::Sent(&seen), view);
    (came, left, detector.may_relieve(view))
}

pub const CONGESTED: Option<Signal> = Some(Signal::Congested);
pub const CLEAR: Option<Signal> = Some(Signal::Clear);

/// Congested above the high mark, over below the low one: 60 % and 30 % of 1000 B. What lies above the high mark is slack.
#[test]
fn a_watermark_has_its_marks_where_they_are_written() {
    let mut made = made("watermark", &[share("high", 0.6), share("low", 0.3)]);
    let mut at = |held| says(&mut made, &View::level(Time::ZERO, 0, held, 1000));
    assert_eq!(at(600), (None, None, false));
    assert_eq!(at(601), (CONGESTED, None, false));
    assert_eq!(at(300), (None, None, false));
    assert_eq!(at(299), (None, CLEAR, true));
    assert_eq!((made.slack(1000), made.xoff()), (Some(400), None));
    let marks = |high, low| [share("high", high), share("low", low)];
    assert_eq!(blamed("watermark", &marks(0.5, 0.5)), None);
    assert_eq!(blamed("watermark", &marks(0.5, 0.51)), Some("low"));
}

/// The first in line has waited longer than 3 ms, or less than 2 ms. A waiting time is no share of a buffer.
#[test]
fn waiting_times_have_their_marks_where_they_are_written() {
    let mut made = made("sojourn", &[span("high", 3), span("low", 2)]);
    let mut at = |sojourn| {
        let view = View {
            sojourn: Span(sojourn),
            ..View::level(Time::ZERO, 0, 1, 2)
        };
        says(&mut made, &view)
    };
    assert_eq!(at(3 * MS), (None, None, false));
    assert_eq!(at(3 * MS + 1), (CONGESTED, None, false));
    assert_eq!(at(2 * MS), (None, None, false));
    assert_eq!(at(2 * MS - 1), (None, CLEAR, true));
    assert_eq!((made.slack(1000), made.xoff()), (None, None));
    let marks = |high, low| [span("high", high), span("low", low)];
    assert_eq!(blamed("sojourn", &marks(2, 2)), None);
    assert_eq!(blamed("sojourn", &marks(2, 3)), Some("low"));
}

/// More than XOFF, 1000 B, is congestion, and XON, 400 B, or less ends it. A shared memory has the threshold itself as its upper mark,
/// here 1000 B, and a gap of 300 B below it.
#[test]
fn marks_of_what_came_in_lie_where_they_are_written() {
    let given = [bytes("xoff", 1000), bytes("xon", 400)];
    let mut input = made("ingress-watermark", &given);
    let level = |held| View::level(Time::ZERO, 0, held, 1000);
    assert_eq!(says(&mut input, &level(1000)), (None, None, false));
    assert_eq!(says(&mut input, &level(1001)), (CONGESTED, None, false));
    assert_eq!(says(&mut input, &level(401)), (None, None, false));
    assert_eq!(says(&mut input, &level(400)), (None, CLEAR, true));
    assert_eq!((input.slack(1000), input.xoff()), (None, Some(1000)));
    let marks = |xoff, xon| [bytes("xoff", xoff), bytes("xon", xon)];
    assert_eq!(blamed("ingress-watermark", &marks(5, 5)), None);
    assert_eq!(blamed("ingress-watermark", &marks(5, 6)), Some("xon"));
    let mut pool = made("dynamic-threshold", &[bytes("gap", 300)]);
    assert_eq!(says(&mut pool, &level(999)), (None, None, false));
    assert_eq!(says(&mut pool, &level(1000)), (CONGESTED, None, false));
    assert_eq!(says(&mut pool, &level(701)), (None, None, false));
    assert_eq!(says(&mut pool, &level(700)), (None, CLEAR, true));
    // A threshold of nought is reached by no byte, and what holds nothing is below any.
    let nothing = View::level(Time::ZERO, 0, 0, 0);
    assert_eq!(says(&mut pool, &nothing), (None, CLEAR, true));
}

/// 1000 B/ms into 50 kB with marks at 80 % and 20 %: 20 ms ahead of 40 kB is 20 kB, and the first level above it is 21 kB. The queue
/// falls below its low mark at 10 kB.
#[test]
fn a_fill_rate_looks_as_far_ahead_as_its_horizon() {
    let given = [
        share("high", 0.8),
        share("low", 0.2),
        span("horizon", 20),
        span("window", 1),
    ];
    let mut made = made("fill-rate", &given);
    let seen = Seen::of_class(0);
    let level = |ms: u64, held| View::level(Time(ms * MS), 0, held, 50_000);
    let mut came = |ms: u64| made.observe(&Moment::Enqueued(&seen), &level(ms, 1000 * ms));
    assert_eq!((0..50).find(|ms| came(*ms).is_some()), Some(21));
    let mut left = |held| made.observe(&Moment::Sent(&seen), &level(60, held));
    assert_eq!((left(10_000), left(9_999)), (None, CLEAR));
    let marks = |high, low| [share("high", high), share("low", low)];
    assert_eq!(blamed("fill-rate", &marks(0.5, 0.5)), None);
    assert_eq!(blamed("fill-rate", &marks(0.5, 0.51)), Some("low"));
}

/// A queue of 10 kB has stood since the beginning, and takes 10 kB more at 11 ms. Samples are 4 ms apart, so the last that is at
/// least 4 ms old is that of 4 ms: 10 kB in 7 ms are 14.3 kB in 10 ms. So the marks at 34.2 kB and 34.4 kB lie on either side.
#[test]
fn a_fill_rate_takes_its_samples_a_window_apart() {
    for (high, expected) in [(0.684, CONGESTED), (0.688, None)] {
        let given = [
            share("high", high),
            share("low", 0.2),
            span("horizon", 10),
            span("window", 4),
        ];
        let mut made = made("fill-rate", &given);
        let seen = Seen::of_class(0);
        let mut came = |ms: u64, held| {
            let view = View::level(Time(ms * MS), 0, held, 50_000);
            made.observe(&Moment::Enqueued(&seen), &view)
        };
        for ms in 0..=10 {
            let waits = if ms == 0 { 0 } else { 9_999 };
            assert_eq!(came(ms, waits), None, "{ms}");
        }
        assert_eq!(came(11, 19_999), expected);
    }
}

/// The bytes that came and left in a window, of a queue that is filled so much.
fn by_rates(detector: &mut AnyDetector, filled: f64, rates: &Rates) -> Option<Signal> {
    let view = View {
        rates: Some(rates),
        ..View::level(Time::ZERO, 0, (filled * 1000.0) as u64, 1000)
    };
    detector.observe(&Moment::Timer, &view)
}

/// Congested where more than 1.5 times what left came in. Else the medium is not fully used below 60 % of the time, or, by rates,
/// below 60 % of the best period. It looks every 20 ms, over three of them.
#[test]
fn a_comparison_of_rates_has_its_marks_where_they_are_written() {
    let by = |underused| {
        let given = [
            ("alpha", Value::Number(1.5)),
            share("busy_below", 0.6),
            ("underused", Value::Choice(underused)),
            share("rate_below", 0.6),
            span("period", 20),
            ("window", Value::Count(3)),
        ];
        made("rate-comparison", &given)
    };
    let rates = |came, busy, left_last| Rates {
        came,
        left: 100,
        left_last,
        left_best: 100,
        busy: Some(busy),
    };
    let mut busy = by("busy");
    let mut says = |came, share| by_rates(&mut busy, 0.0, &rates(came, share, 0));
    assert_eq!((says(151, 0.0), says(150, 0.6)), (CONGESTED, CLEAR));
    assert_eq!(says(150, 0.59), Some(Signal::Underused));
    let mut rate = by("rate");
    let mut says = |left| by_rates(&mut rate, 0.0, &rates(100, 0.0, left));
    assert_eq!((says(60), says(59)), (CLEAR, Some(Signal::Underused)));
    let (period, window) = (Span::millis(20), 3);
    assert_eq!(rate.rhythm(), Some(Rhythm { period, window }));
}

/// A difference of rates with mean d and deviation t is as near as one with mean 0 and deviation s at d s / (s + t): 6.67 % for 20 %, 10 %
/// and 5 %. Queues part half-way between 20 % and 60 %.
#[test]
fn memberships_have_the_means_and_deviations_that_are_written() {
    let given = [
        share("queue_low", 0.2),
        share("queue_high", 0.6),
        share("difference", 0.2),
        share("deviation", 0.1),
        share("deviation_medium", 0.05),
        span("period", 20),
        ("window", Value::Count(3)),
    ];
    let mut made = made("queue-rate-difference", &given);
    let (period, window) = (Span::millis(20), 3);
    assert_eq!(made.rhythm(), Some(Rhythm { period, window }));
    let mut says = |filled, left| {
        let rates = Rates {
            came: 100_000,
            left,
            left_last: 0,
            left_best: 0,
            busy: None,
        };
        by_rates(&mut made, filled, &rates)
    };
    assert_eq!(says(0.0, 93_400), CLEAR);
    assert_eq!(says(0.0, 93_200), CONGESTED);
    assert_eq!(says(0.39, 100_000), CLEAR);
    assert_eq!(says(0.41, 100_000), Some(Signal::CongestedByAll));
    let queues = |low, high| [share("queue_low", low), share("queue_high", high)];
    let id = "queue-rate-difference";
    assert_eq!(blamed(id, &queues(0.3, 0.31)), None);
    assert_eq!(blamed(id, &queues(0.3, 0.3)), Some("queue_high"));
}

/// A station holds so much of 1000 B of its own and so much for others.
fn holding(detector: &mut AnyDetector, moment: &Moment, own: u64, others: u64) -> Option<Signal> {
    let mut held = Holdings::default();
    for (prev, bytes) in [(None, own), (Some(3), others)] {
        let seen = Seen {
            bytes,
            prev,
            ..Seen::of_class(0)
        };
        held.observe(&Moment::Enqueued(&seen));
    }
    let view = View {
        holdings: Some(&held),
        ..View::level(Time::ZERO, 0, own + others, 1000)
    };
    detector.observe(moment, &view)
}

/// Congested above 50 % of 1000 B, warned of above 30 % for others; lasts from 20 % on and is over at 15 %, of what is held for others or of all.
/// Nobody is warned early unless a mark for it is written.
#[test]
fn an_occupancy_has_its_marks_where_they_are_written() {
    let marks = [
        share("high", 0.5),
        share("early_warning", 0.3),
        share("still", 0.2),
        share("low", 0.15),
    ];
    let seen = Seen::of_class(0);
    let (came, left) = (Moment::Enqueued(&seen), Moment::Sent(&seen));
    let made_of = |count| {
        let count = [("count", Value::Choice(count))];
        made("occupancy", &[&marks[..], &count].concat())
    };
    let mut one = made_of("forwarded");
    let mut at = |moment, own, others| holding(&mut one, moment, own, others);
    assert_eq!((at(&came, 500, 0), at(&came, 501, 0)), (None, CONGESTED));
    assert_eq!(at(&came, 0, 300), None);
    assert_eq!(at(&came, 0, 301), Some(Signal::EarlyWarning));
    assert_eq!(at(&Moment::Expiring, 300, 199), CLEAR);
    assert_eq!(at(&Moment::Expiring, 300, 200), CONGESTED);
    assert_eq!((at(&left, 300, 151), at(&left, 300, 150)), (None, CLEAR));
    let mut all = made_of("all");
    assert_eq!(holding(&mut all, &Moment::Expiring, 200, 0), CONGESTED);
    assert_eq!(holding(&mut all, &left, 151, 0), None);
    let silent = made("occupancy", &[share("high", 0.5)]);
    assert_eq!(holding(&mut silent.clone(), &came, 0, 500), None);
    assert_eq!(silent.slack(1000), Some(500));
}

/// Sends packets 0 to `sent` - 1 of a flow to a next station, which sends on those of a range.
fn sent_on(detector: &mut AnyDetector, sent: u32, on: std::ops::Range<u32>) -> Vec<Option<Signal>> {
    let view = View::level(Time::ZERO, 0, 0, 100);
    let packet = |seq| Identity {
        flow: Id::raw(0),
        seq,
    };
    for seq in 0..sent {
        let seen = Seen {
            next: Some(1),
            packet: Some(packet(seq)),
            ..Seen::of_class(0)
        };
        detector.observe(&Moment::Sent(&seen), &view);
    }
    on.map(|seq| {
        let seen = Overheard {
            class: 0,
            by: 1,
            packet: packet(seq),
            to: 0,
            backlog: None,
        };
        detector.observe(&Moment::Overheard(&seen), &view)
    })
    .collect()
}

/// Of n packets the first three are sent on: n - 1, n - 2 and n - 3 wait, n - 2 on average. Judged after each third packet; more than 20 is
/// congestion and less than 8 underuse.
#[test]
fn an_overheard_backlog_has_its_marks_where_they_are_written() {
    let given = [
        ("b_max", Value::Number(20.0)),
        ("b_min", Value::Number(8.0)),
        ("samples", Value::Count(3)),
    ];
    for (sent, expected) in [
        (23, Signal::Congested),
        (22, Signal::Clear),
        (10, Signal::Clear),
        (9, Signal::Underused),
    ] {
        let mut made = made("overheard-backlog", &given);
        let said = sent_on(&mut made, sent, 0..3);
        assert_eq!(said, [None, None, Some(expected)], "{sent}");
    }
}

/// A step of four packets: from four on the priority is one higher than the lowest.
#[test]
fn priorities_of_a_differential_backlog_are_a_step_apart() {
    let mut made = made("differential-backlog", &[("step", Value::Count(4))]);
    let view = View::level(Time::ZERO, 0, 0, 100);
    let seen = Seen {
        next: Some(1),
        to: Some(5),
        ..Seen::of_class(0)
    };
    let said: Vec<_> = (1..=12)
        .filter_map(|packets| {
            let said = made.observe(&Moment::Enqueued(&seen), &view)?;
            Some((packets, said))
        })
        .collect();
    let back = Signal::Back;
    let expected = [(1, back(3)), (4, back(2)), (8, back(1)), (12, back(0))];
    assert_eq!(said, expected);
}
