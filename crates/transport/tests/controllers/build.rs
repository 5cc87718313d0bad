//! Controllers from their rows, with options as a person writes them.

use backwater_transport::controller::{Ack, AnyController, CONTROLLERS, Setup};
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::{Default, Kind, Opt, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::Time;
use backwater_transport_testing::{acks, options};

pub use backwater_transport_testing::reaching::MSS;

/// The controller `id` with defaults, but for these options.
pub fn build(id: &str, options: &[(&str, &str)]) -> AnyController {
    try_build(id, options).unwrap_or_else(|r| panic!("{id}: {r:?}"))
}

/// Controllers of RDMA: they answer no losses.
const FOR_QUEUE_PAIRS: &[&str] = &[
    "qcn", "dcqcn", "hpcc", "timely", "powertcp", "swift", "nscc",
];

/// A transport that has the controller `id`.
pub fn protocol_of(id: &str) -> Protocol {
    match FOR_QUEUE_PAIRS.contains(&id) {
        true => Protocol::Roce,
        false => Protocol::Stream,
    }
}

/// The same, or what is refused.
pub fn try_build(id: &str, options: &[(&str, &str)]) -> Result<AnyController, Refusal> {
    let row = CONTROLLERS.iter().find(|r| r.id == id).expect(id);
    let args = options::read(row.options, options);
    let setup = Setup {
        protocol: protocol_of(id),
        mss: MSS,
        frame: MSS + 66,
        initial: 10 * MSS,
        random: Random::stream(1, "controller", id),
    };
    (row.build)(&args, &setup)
}

#[test]
fn every_row_says_what_it_is_and_bounds_its_options() {
    for row in CONTROLLERS {
        let place = row.id;
        assert!(!row.summary.is_empty() && !row.source.is_empty(), "{place}");
        build(row.id, &[]);
        for option in row.options {
            // Nothing is below zero, and a word or a flag needs no bounds.
            let bounded = match option.kind {
                Kind::Choice(_) | Kind::Flag => true,
                _ => option.max.is_some(),
            };
            assert!(bounded, "{place} {} has no greatest value", option.name);
        }
    }
}

/// Options that contradict each other are refused, with the option to blame: greatest below least, thresholds reversed.
#[test]
fn contradictory_options_are_refused() {
    for (id, options, blamed) in [
        ("zekalho", [("low", "80 ms"), ("high", "70 ms")], "low"),
        (
            "zekalho",
            [("cap", "4 packets"), ("floor", "5 packets")],
            "cap",
        ),
        (
            "delay-triggered",
            [("beta", "0.5"), ("law", "aimd")],
            "beta",
        ),
        ("vegas", [("alpha", "5"), ("beta", "4")], "alpha"),
        (
            "copa",
            [("variant", "mvfst"), ("competitive", "true")],
            "competitive",
        ),
        (
            "ewma",
            [("cap", "1 packets"), ("least", "2 packets")],
            "cap",
        ),
        (
            "slope",
            [("cap", "1 packets"), ("least", "2 packets")],
            "cap",
        ),
        (
            "late",
            [("cap", "1 packets"), ("least", "2 packets")],
            "cap",
        ),
        (
            "prague",
            [("target-rtt", "200 ms"), ("longest-rtt", "100 ms")],
            "target-rtt",
        ),
        (
            "bbr3",
            [("probe-rtt-interval", "20 s"), ("min-rtt-filter", "10 s")],
            "probe-rtt-interval",
        ),
        // Bins of 390 packets/s, where 20 ms move the rate by 200 times the root of 0.02: ten times 28.3.
        ("sprout", [("most", "100000"), ("bins", "256")], "bins"),
        (
            "bbr3-linux",
            [("probe-rtt-interval", "20 s"), ("min-rtt-filter", "10 s")],
            "probe-rtt-interval",
        ),
    ] {
        let refusal = try_build(id, &options).map(|_| ()).unwrap_err();
        assert_eq!(refusal.option, blamed, "{id}");
        assert!(!refusal.fix.is_empty(), "{id}");
    }
}

/// A moving average has no bins that a rate could leave.
#[test]
fn wide_bins_are_refused_of_the_forecast_that_has_them() {
    let wide = [("most", "100000"), ("bins", "256")];
    assert!(try_build("sprout", &wide).is_err());
    assert!(try_build("sprout", &[wide[0], wide[1], ("variant", "ewma")]).is_ok());
    // 100000 / 354 = 282.5, and ten deviations are 282.8.
    assert!(try_build("sprout", &[wide[0], ("bins", "354")]).is_ok());
    assert!(try_build("sprout", &[wide[0], ("bins", "353")]).is_err());
}

/// An acknowledgement that tells of nothing but the bytes in flight.
pub fn quiet_ack(now: Time, in_flight: u64) -> Ack<'static> {
    Ack {
        prior_in_flight: in_flight,
        in_flight,
        ..acks::ack(now)
    }
}

/// A controller and what it is to be called in messages, for every row and every word of every
/// choice.
pub fn all() -> Vec<(String, AnyController)> {
    let mut list = Vec::new();
    for row in CONTROLLERS {
        list.push((row.id.to_owned(), build(row.id, &[])));
        for option in row.options {
            let others = |words: &[&'static str]| {
                words
                    .iter()
                    .copied()
                    .filter(|w| option.default != Default::Is(w))
                    .collect::<Vec<_>>()
            };
            let words = match option.kind {
                Kind::Choice(words) => others(words),
                Kind::Flag => others(&["true", "false"]),
                _ => Vec::new(),
            };
            for word in words {
                let name = format!("{} {}={word}", row.id, option.name);
                list.push((name, build(row.id, &[(option.name, word)])));
            }
        }
    }
    list
}

/// Every row with each option at its least and at its greatest value, and with all of them there; what
/// is refused is left out.
pub fn extremes() -> Vec<(String, AnyController)> {
    let mut list = Vec::new();
    for row in CONTROLLERS {
        let ends = |pick: fn(&Opt) -> Option<&'static str>| {
            let given = |o: &'static Opt| pick(o).map(|text| (o.name, text));
            row.options.iter().filter_map(given).collect::<Vec<_>>()
        };
        for (end, options) in [("least", ends(|o| o.min)), ("greatest", ends(|o| o.max))] {
            let alone = options.iter().map(std::slice::from_ref);
            for chosen in alone.chain([&options[..]]) {
                if let Ok(controller) = try_build(row.id, chosen) {
                    list.push((format!("{} {chosen:?} ({end})", row.id), controller));
                }
            }
        }
    }
    list
}
