//! A trace link by hand: what its log says under both emulators' rules, what its scorer counts, and the bounds of an omniscient
//! sender.

use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::log::{Entry, Happening, Journal, Log};
use super::{AnyTrace, EMULATORS, Emulator, First, Listed, MILLISECOND, Opportunities, Rates};
use super::{Omniscient, Scorer, Server, ServerSpec};
use Happening::{Arrival, Departure, Discard, Drop, Opportunity};

fn ms(n: u64) -> Time {
    Time(n * MILLISECOND.0)
}

fn server(trace: AnyTrace, emulator: &Emulator) -> Server {
    let spec = ServerSpec {
        trace,
        opportunity: emulator.opportunity,
        overhead: emulator.overhead,
        first: emulator.first,
        whole: emulator.whole,
        milliseconds: true,
        delay_behind: Span::ZERO,
    };
    Server::new(spec, Random::stream(1, "trace", "t"))
}

fn listed(milliseconds: &[u64]) -> AnyTrace {
    let listed = Listed::new(milliseconds).expect("a trace");
    AnyTrace::from(listed)
        .repeated(false)
        .expect("it has an end")
}

/// The rules of both emulators: bytes of an opportunity, bytes before a packet, and who goes first.
#[test]
fn emulators_have_their_rules() {
    let rules = |number: usize| {
        let Emulator {
            name,
            opportunity,
            overhead,
            first,
            whole,
        } = EMULATORS[number];
        (name, opportunity, overhead, first, whole)
    };
    assert_eq!(rules(0), ("mahimahi", 1504, 4, First::Opportunity, true));
    assert_eq!(rules(1), ("cellsim-2013", 1500, 14, First::Arrival, false));
}

/// What came, was lost and left around opportunities at 2, 2 and 5 ms. Under mahimahi an opportunity comes before arrivals of
/// its millisecond, in cellsim behind them. A packet that was lost as it came, or for which others made room, is a drop right
/// behind its arrival.
#[test]
fn a_log_has_opportunities_before_or_behind_arrivals() {
    for emulator in &EMULATORS {
        let mut link = server(listed(&[2, 2, 5]), emulator);
        let mut journal = Journal::default();
        journal.arrived(Time(ms(1).0 + 999), 1504);
        journal.dropped(ms(2), 60);
        journal.made_room(700);
        journal.made_room(800);
        journal.arrived(ms(4), 1000);
        journal.departed(2, Time(ms(1).0 + 999), 1504);
        journal.discarded(Time(ms(5).0 + 5), 90);
        journal.departed(3, ms(4), 1000);
        journal.arrived(ms(7), 50);
        link.journal = Some(Box::new(journal));
        // Before the end of the run the millisecond of now is not over.
        let mut all = link.take_entries(Time(ms(5).0 + 400), false);
        let first = all.len();
        all.extend(link.take_entries(Time(ms(5).0 + 400), true));
        let o = emulator.opportunity;
        let at = |at: u64, what: Happening| Entry { at, what };
        let early = [at(2, Arrival(60)), at(2, Drop(1, 60))];
        let opportunities = [
            at(2, Opportunity(o)),
            at(2, Opportunity(o)),
            at(2, Departure(1504, 1)),
        ];
        let mut expected = vec![at(1, Arrival(1504))];
        match emulator.first {
            First::Opportunity => expected.extend([&opportunities[..], &early].concat()),
            First::Arrival => expected.extend([&early[..], &opportunities].concat()),
        }
        expected.extend([at(4, Arrival(1000)), at(4, Drop(2, 1500))]);
        assert_eq!(all[..first], expected[..]);
        let rest = [
            at(5, Opportunity(o)),
            at(5, Discard(1, 90)),
            at(5, Departure(1000, 1)),
            at(7, Arrival(50)),
        ];
        assert_eq!(all[first..], rest);
        assert!(link.take_entries(ms(9), true).is_empty());
    }
}

/// A log can be read back, an empty value of a header too, and one whose name begins with another's; a link without a journal has no log.
#[test]
fn headers_of_logs_have_values() {
    let log = Log::parse(b"# a: \n# a\n# ab: c\n1 # 5\n").expect("a log");
    assert_eq!(
        (log.value("a"), log.value("ab"), log.value("c")),
        (Some(""), Some("c"), None)
    );
    let log = Log::parse(b"# ab: c\n# a: d\n1 # 5\n").expect("a log");
    assert_eq!(log.value("a"), Some("d"));
    assert!(
        server(listed(&[1]), &EMULATORS[0])
            .take_entries(ms(9), true)
            .is_empty()
    );
}

/// Each opportunity counts from its instant on, whether or not a packet took it.
#[test]
fn opportunities_are_counted_from_their_instant_on() {
    let link = server(listed(&[2, 2, 5]), &EMULATORS[0]);
    let mut count = Opportunities::new(&link);
    assert_eq!(count.drawn(), 1);
    let offered = [Time(ms(2).0 - 1), ms(2), ms(4), ms(5), ms(90)].map(|at| count.offered(at));
    assert_eq!(offered, [0, 3008, 3008, 4512, 4512]);
    assert_eq!(count.size(1500), 1504);
    assert_eq!(link.opportunities(ms(2)).count(), 2);
    assert_eq!(
        (
            link.offered(ms(2), ms(4)),
            link.offered(Time(ms(2).0 + 1), ms(5))
        ),
        (2, 1)
    );
    assert_eq!(link.offered(Time::ZERO, ms(9)), 3);
}

/// What an opportunity carries of a packet counts from its instant on, and a packet from that at which it leaves. Counting
/// begins in the middle of one.
#[test]
fn a_scorer_counts_what_was_carried() {
    let mut scorer = Scorer::default();
    scorer.begin_packet();
    scorer.carries(ms(2), 1000);
    scorer.carries(ms(5), 500);
    scorer.took(ms(1), ms(5), 1500);
    let told = |s: &Scorer, at| (s.carried(at), s.left(at));
    assert_eq!(told(&scorer, Time(ms(2).0 - 1)), (0, (0, 0)));
    assert_eq!(told(&scorer, ms(2)), (1000, (0, 0)));
    assert_eq!(told(&scorer, ms(5)), (1500, (1, 1500)));
    let mut warm = scorer.clone();
    warm.warm(ms(3));
    assert_eq!(told(&warm, ms(3)), (0, (0, 0)));
    assert_eq!(told(&warm, ms(5)), (500, (1, 1500)));
    warm.begin_packet();
    warm.carries(ms(8), 300);
    warm.took(ms(6), ms(8), 300);
    assert_eq!(told(&warm, ms(7)), (500, (1, 1500)));
    warm.warm(ms(8));
    assert_eq!(told(&warm, ms(8)), (0, (0, 0)));
    assert_eq!(Scorer::default().left(ms(3)), (0, 0));
}

/// An omniscient sender's packets come at the opportunities, here at 2, 5 and 20 ms. A millisecond without one has a millisecond
/// more than the next: up to 14 before 20 ms. Of 19 values that of index 18 is the greatest. In mahimahi packets come, and
/// so wait, a millisecond earlier.
#[test]
fn an_omniscient_sender_is_bounded_by_gaps() {
    for (emulator, early) in EMULATORS.iter().zip([1, 0]) {
        let link = server(listed(&[0, 2, 2, 5, 20]), emulator);
        let found = link.omniscient(ms(2), ms(20)).expect("opportunities");
        let expected = Omniscient {
            bytes: 4 * emulator.opportunity,
            signal_p95: 14 + early,
        };
        assert_eq!(found, expected, "{}", emulator.name);
        assert_eq!(link.omniscient(ms(21), ms(30)), None);
    }
    // Nobody can come a millisecond before the first one.
    let link = server(listed(&[0, 1]), &EMULATORS[0]);
    let both = link.omniscient(Time::ZERO, ms(1)).expect("opportunities");
    assert_eq!((both.bytes, both.signal_p95), (2 * 1504, 1));
}

/// Opportunities at 10 and 20 ms, 5 ms to the receiver, 3 ms from the sender: at 15 ms the newest packet is 8 ms old, at 24 ms
/// 17 ms, and at 25 ms 8 ms again. Of n values that of index int(0.95 n) counts.
#[test]
fn the_least_age_follows_opportunities() {
    let link = server(listed(&[10, 20]), &EMULATORS[0]);
    let age = |from: u64, to: u64| {
        let (before, after) = (Span::millis(3), Span::millis(5));
        link.least_age_p95(from..=to, before, after)
    };
    assert_eq!(age(0, 14), None);
    assert_eq!((age(15, 15), age(0, 15)), (Some(8), Some(8)));
    assert_eq!(
        (age(15, 24), age(15, 34), age(15, 44)),
        (Some(17), Some(17), Some(26))
    );
    // 40 values: 8 to 17 twice, 18 to 37 once, of which that of index 38 is the last but one.
    assert_eq!(age(15, 54), Some(36));
}

/// Steps of a list of rates: a packet of 1500 B at 12 Mbit/s, the greatest, takes one of a millisecond. Lists that no trace can
/// have are refused.
#[test]
fn lists_of_rates_have_their_bounds() {
    use super::Schedule;
    let of = |at: &[u64], rates: &[u64]| Rates::new(at, rates);
    let list = of(&[0, 5], &[12_000_000, 3_000_000]).expect("a list");
    assert!((list.steps(1500) - 1.0).abs() < 1e-12);
    assert!(of(&[0], &[100_000_000_000]).is_ok() && of(&[0], &[100_000_000_001]).is_err());
    let why = |at: &[u64]| of(at, &[1, 1, 1]).expect_err("refused").what;
    assert!(why(&[0, 7, 7]).contains("7 comes after 7"));
    assert!(why(&[0, 9, 4]).contains("4 comes after 9"));
    assert!(why(&[0, 1, 18_446_744_074]).contains("213 days"));
    assert!(of(&[0, 1, 18_446_744_073], &[1, 1, 1]).is_ok());
}

/// Traces of files and lists have opportunities and an end if they are told so; generated ones have neither. Only a file begins
/// anywhere.
#[test]
fn traces_say_what_they_are() {
    let list = AnyTrace::from(Listed::new(&[1, 3]).expect("a list"));
    assert_eq!(
        list.recorded().map(|r| r.lines().to_vec()),
        Some(vec![1, 3])
    );
    let mut random = Random::stream(1, "trace", "t");
    let mut count = |trace: AnyTrace| {
        use super::Schedule;
        let mut trace = trace;
        (0..9).filter_map(|_| trace.next(1500, &mut random)).count()
    };
    assert_eq!(count(list.repeated(true).expect("a list")), 9);
    assert_eq!(count(list.repeated(false).expect("a list")), 2);
    assert!(list.begun_anywhere().is_none());
    let generated = AnyTrace::from(Rates::new(&[0], &[1000]).expect("a rate"));
    assert!(generated.recorded().is_none() && generated.repeated(true).is_none());
    let file = list.recorded().expect("a list").clone();
    assert!(file.repeats() && !file.begins_anywhere());
    let once = AnyTrace::from(file.clone().repeated(false));
    assert!(once.begun_anywhere().is_none());
    let begun = AnyTrace::from(file).begun_anywhere().expect("it repeats");
    assert!(begun.recorded().expect("a file").begins_anywhere());
}
