//! Congestion notifications with the options that are written: how long they hold, what they say, and whom they tell.

use std::collections::VecDeque;

use backwater_sim::mechanism::carrier::{Told, Toward};
use backwater_sim::mechanism::notice::Form;
use backwater_sim::mechanism::notifier::Reach;
use backwater_sim::mechanism::notifier::row::{AtNode, Cue, Owner, Waiting};
use backwater_sim::mechanism::notifier::voice::Arrival;
use backwater_sim::mechanism::place::{Holdings, View};
use backwater_sim::table::Id;
use backwater_transport::part::Value;
use backwater_transport::units::{Span, Time};

use crate::detectors::{share, span};
use crate::notifiers::{held, node, notifier};
use crate::traces::MS;

type Given = (&'static str, Value);

fn choice(name: &'static str, word: &'static str) -> Given {
    (name, Value::Choice(word))
}

/// 200 ms at first, half as much more where that is too short, half where it is too long, from 50 to 400 ms.
fn terms() -> Vec<Given> {
    vec![
        span("initial", 200),
        ("increase", Value::Number(1.5)),
        ("decrease", Value::Number(0.5)),
        span("least", 50),
        span("most", 400),
        span("lead", 20),
        choice("unit", "100us"),
        share("owner", 0.1),
    ]
}

/// A station with the neighbours 0, 3 and 5, which has told nobody, with other options first.
fn station(other: &[Given]) -> Station {
    let defaults = terms();
    let rest = defaults
        .iter()
        .filter(|(name, _)| other.iter().all(|(of, _)| of != name));
    let given: Vec<Given> = other.iter().chain(rest).cloned().collect();
    Station(node("congestion-notification", &given, 2, &[0, 3, 5]))
}

struct Station(Box<dyn AtNode>);

/// To whom, and for how many units.
type Said = Vec<(Toward, u16)>;

impl Station {
    fn hears(&mut self, cue: &Cue) -> Vec<Told> {
        let mut out = VecDeque::new();
        self.0.on(cue, &mut out);
        out.into()
    }

    fn says(&mut self, cue: &Cue) -> Said {
        let told = self.hears(cue).into_iter();
        told.map(|told| (told.to, told.notice.quanta())).collect()
    }

    fn begins(&mut self, class: usize, ms: u64) -> Vec<Told> {
        let arrival = &Arrival::none(Time(ms * MS), class, Id::NONE);
        self.hears(&Cue::Began {
            place: 0,
            arrival,
            waiting: &Waiting::nothing(),
        })
    }

    fn ends(&mut self, class: usize, ms: u64) -> Said {
        let now = Time(ms * MS);
        self.says(&Cue::Ended {
            place: 0,
            class,
            now,
        })
    }

    /// Congestion lasts, at a station that holds so much of 1000 B for others.
    fn lasts(&mut self, ms: u64, holdings: Option<&Holdings>) -> Said {
        let view = &View {
            holdings,
            ..View::level(Time(ms * MS), 1, 500, 1000)
        };
        let waiting = &Waiting::nothing();
        self.says(&Cue::Lasts { view, waiting })
    }

    /// A category holds much for others.
    fn early(&mut self, class: usize, ms: u64, held: &Holdings) -> Said {
        let view = &View {
            holdings: Some(held),
            ..View::level(Time(ms * MS), class, 500, 1000)
        };
        let waiting = &Waiting::nothing();
        self.says(&Cue::Early { view, waiting })
    }

    /// Packets for one host that came from a station are all that waits.
    fn early_for(&mut self, class: usize, ms: u64, station: u32, host: u32) -> Vec<Told> {
        self.owners(class, ms, &[(station, 500)], host)
    }

    /// Packets for one host that came from these stations, in bytes, are all that waits.
    fn owners(&mut self, class: usize, ms: u64, from: &[(u32, u64)], host: u32) -> Vec<Told> {
        let owner = |(station, bytes): &(u32, u64)| Owner {
            station: *station,
            host,
            bytes: *bytes,
        };
        let owners = || from.iter().map(owner).collect();
        let waiting = &Waiting {
            owners: &owners,
            ..Waiting::nothing()
        };
        let view = &View::level(Time(ms * MS), class, 500, 1000);
        self.hears(&Cue::Early { view, waiting })
    }

    /// Its timer, in ms: category, serial, delay.
    fn timer(&mut self) -> Option<(u8, u16, u64)> {
        let (class, serial, look) = self.0.start_timer(Toward::Everybody)?;
        assert_eq!(look.0 % MS, 0);
        Some((class, serial, look.0 / MS))
    }

    fn holds(&self, station: u32, ms: u64) -> bool {
        let to = Toward::Station(station);
        !self.0.holding(to, Time(ms * MS)).is_empty()
    }
}

const ALL: Toward = Toward::Everybody;

fn to(station: u32, units: u16) -> (Toward, u16) {
    (Toward::Station(station), units)
}

/// 200 ms, 300 ms, and 400 ms, the longest; then 200, 100, 50, the shortest, and 50. Each is looked at 20 ms before its end.
#[test]
fn durations_grow_and_shrink_by_their_factors_within_their_bounds() {
    let mut station = station(&[]);
    assert_eq!(station.timer(), None);
    station.begins(1, 1);
    let (class, serial, look) = station.timer().expect("a timer");
    assert_eq!((class, look, station.timer()), (1, 180, None));
    let at = |ms: u64| Time(ms * MS);
    assert_eq!(station.0.expires(class, serial, at(181)), Some(1));
    assert_eq!(station.0.expires(class, serial, at(202)), None);
    assert_eq!(station.lasts(181, None), [(ALL, 3000)]);
    assert_eq!(station.0.expires(class, serial, at(181)), None);
    assert_eq!(station.timer().map(|timer| timer.2), Some(280));
    assert_eq!(station.lasts(461, None), [(ALL, 4000)]);
    for (n, units) in (1..).zip([2000, 1000, 500, 500]) {
        assert_eq!(station.ends(1, 450 + 50 * n), [(ALL, 0)]);
        let said = station.begins(1, 451 + 50 * n);
        assert_eq!(said[0].notice.quanta(), units);
    }
}

/// A notice says who sends it, of which categories it speaks and which of them is congested. Nobody is told where there is no neighbour.
#[test]
fn a_notice_speaks_of_all_categories_and_names_the_congested_one() {
    let told = station(&[]).begins(2, 1);
    assert_eq!(told.len(), 1);
    let notice = &told[0].notice;
    assert_eq!((notice.mechanism, notice.classes), (2, 0x0f));
    assert_eq!((notice.origin_classes, notice.quanta()), (0b100, 2000));
    let Form::Congestion(durations) = notice.form else {
        panic!("{notice:?}");
    };
    assert_eq!(durations.units, [0, 0, 2000, 0]);
    let mut alone = Station(node("congestion-notification", &terms(), 2, &[]));
    assert_eq!((alone.begins(2, 1).len(), alone.timer()), (0, None));
}

/// With no lead the buffer is looked at when the notice ends: what lasts is told to all, as before. Half the duration is the longest lead.
#[test]
fn a_buffer_is_looked_at_as_early_as_the_lead_says() {
    let mut late = station(&[span("lead", 0)]);
    late.begins(1, 0);
    let (class, serial, look) = late.timer().expect("a timer");
    assert_eq!(look, 200);
    assert_eq!(late.0.expires(class, serial, Time(200 * MS)), Some(1));
    let much = held(1, &[(Some(3), 500)]);
    assert_eq!(late.lasts(200, Some(&much)), [(ALL, 3000)]);
    let mut soon = station(&[span("initial", 60), span("lead", 50)]);
    soon.begins(1, 0);
    assert_eq!(soon.timer().map(|timer| timer.2), Some(30));
}

/// A notice holds a neighbour for good once it has been renewed, until it ends: not before, not after, and not another
/// station.
#[test]
fn a_renewed_notice_holds_its_neighbours() {
    let mut renews = station(&[]);
    renews.begins(1, 0);
    assert!(!renews.holds(3, 100));
    renews.lasts(180, None);
    assert!([0, 3, 5].iter().all(|station| renews.holds(*station, 479)));
    assert!(!renews.holds(4, 479) && !renews.holds(3, 480));
    assert!(renews.0.holding(ALL, Time(200 * MS)).is_empty());
    renews.ends(1, 200);
    assert!(!renews.holds(3, 200));
    renews.begins(1, 201);
    assert!(!renews.holds(3, 202), "a first notice again");
    let mut expires = station(&[choice("stopped", "expire")]);
    expires.begins(1, 0);
    expires.lasts(180, None);
    assert!(!expires.holds(3, 200));
    assert!(expires.0.facts().lets_expire && !renews.0.facts().lets_expire);
}

/// The element of 2012 has room for an address, that of the draft has not, and then no destination can be named. Who is reached is said in it.
#[test]
fn what_a_frame_can_say_is_written() {
    for (element, reach) in [("2012", "tree"), ("D3.02", "range")] {
        let given = [choice("element", element), choice("reach", reach)];
        let told = station(&given).begins(1, 0);
        let Form::Congestion(durations) = told[0].notice.form else {
            panic!("{told:?}");
        };
        assert_eq!(durations.addressed, element == "2012");
        assert_eq!(durations.to_tree, reach == "tree");
        assert_eq!(durations.unit, Span::micros(100));
        let made = notifier("congestion-notification", &given).expect("legal options");
        let reached = if reach == "tree" {
            Reach::Tree
        } else {
            Reach::Range
        };
        assert_eq!(made.reach(), reached);
        let given = [choice("element", element), choice("scope", "address")];
        let made = notifier("congestion-notification", &given);
        let blamed = made.err().map(|refusal| refusal.option);
        assert_eq!(blamed, (element != "2012").then_some("element"));
    }
    for (initial, fits) in [(49, false), (50, true), (400, true), (401, false)] {
        let given = [
            span("initial", initial),
            span("least", 50),
            span("most", 400),
        ];
        let made = notifier("congestion-notification", &given);
        assert_eq!(made.is_ok(), fits, "{initial} ms");
    }
}

/// A buffer that is clear at two departures halves the duration once, or at each of them: 100 ms or 50 ms.
#[test]
fn a_clear_buffer_is_judged_as_often_as_is_written() {
    for (judge, units) in [("once", 1000), ("each-departure", 500)] {
        let mut station = station(&[choice("judge", judge)]);
        // Nothing is judged before anything was said.
        station.ends(1, 1);
        station.begins(1, 2);
        station.ends(1, 3);
        station.ends(1, 4);
        let said = station.begins(1, 5);
        assert_eq!(said[0].notice.quanta(), units, "{judge}");
    }
}

/// An early warning goes to who owns more than 10 % of the buffer of 1000 B, or of the 500 B in it; by destination, too. Where nobody owns as
/// much nothing is looked at later.
#[test]
fn who_owns_more_than_a_share_is_warned() {
    for (of, expected) in [("buffer", vec![0]), ("contents", vec![0, 3])] {
        let given = [choice("owner_of", of)];
        let much = held(
            1,
            &[(Some(0), 101), (Some(3), 51), (Some(5), 50), (None, 298)],
        );
        let warned = station(&given).early(1, 0, &much);
        let expected: Said = expected.into_iter().map(|n| to(n, 2000)).collect();
        assert_eq!(warned, expected, "{of}");
        let mut one = station(&[choice("owner_of", of), choice("scope", "address")]);
        let told = one.owners(1, 0, &[(0, 101), (3, 51), (5, 50), (77, 298)], 9);
        let told: Said = told.iter().map(|t| (t.to, t.notice.quanta())).collect();
        assert_eq!(told, expected, "{of}");
        assert!(one.timer().is_some());
        let little = held(1, &[(Some(0), 50), (None, 450)]);
        let mut one = station(&given);
        assert_eq!((one.early(1, 0, &little), one.timer()), (vec![], None));
        let mut one = station(&[choice("owner_of", of), choice("scope", "address")]);
        let met = if of == "buffer" { 100 } else { 50 };
        assert!(one.owners(1, 0, &[(5, met), (77, 500 - met)], 9).is_empty());
        assert_eq!(one.timer(), None);
    }
}

/// A warning that was too short is followed by one half as long again, to those who own much; no other is told.
#[test]
fn a_warning_is_renewed_for_those_who_own_much() {
    let mut one = station(&[]);
    let much = held(1, &[(Some(0), 100), (Some(5), 400)]);
    assert_eq!(one.early(1, 0, &much), [to(5, 2000)]);
    assert_eq!(one.lasts(180, Some(&much)), [to(5, 3000)]);
    let (class, serial, _) = one.timer().expect("a timer");
    let now = Time(200 * MS);
    assert_eq!(
        one.0.expires(class, serial, now),
        None,
        "a later one was sent"
    );
    let (class, serial, _) = one.timer().expect("a timer");
    assert_eq!(one.0.expires(class, serial, now), Some(1));
    one.ends(1, 200);
    assert_eq!(one.0.expires(class, serial, now), None, "nothing holds");
}

/// The end of congestion at 150 ms ends a warning of 200 ms, of the first neighbour too, and not one that has expired at that instant. All may be
/// warned anew at once, also after a notice to all.
#[test]
fn an_end_is_told_to_whom_a_warning_holds() {
    let much = held(1, &[(Some(0), 200), (Some(5), 200)]);
    let mut one = station(&[]);
    assert_eq!(one.early(1, 0, &much), [to(0, 2000), to(5, 2000)]);
    assert_eq!(one.early(1, 199, &much), []);
    assert_eq!(one.ends(1, 150), [to(0, 0), to(5, 0)]);
    assert_eq!(one.early(1, 150, &much), [to(0, 1000), to(5, 1000)]);
    assert_eq!(one.ends(1, 250), []);
    assert_eq!(one.begins(1, 300).len(), 1);
    assert_eq!(one.ends(1, 310), [(ALL, 0)]);
    assert_eq!(one.early(1, 310, &much), [to(0, 500), to(5, 500)]);
    one.begins(1, 400);
    assert_eq!(one.ends(1, 450), [], "it held for 50 ms");
}

/// A notice to all says 0 of a category about which one neighbour alone was warned, so that neighbour is told again, unless its warning ends
/// just then.
#[test]
fn warnings_about_other_categories_are_said_again() {
    for class in [0, 2, 3] {
        let much = held(class, &[(Some(5), 200)]);
        for (ms, again) in [(199, true), (200, false)] {
            let mut one = station(&[]);
            assert_eq!(one.early(class, 0, &much), [to(5, 2000)]);
            let told: Vec<Toward> = one.begins(1, ms).iter().map(|told| told.to).collect();
            let expected = [ALL, Toward::Station(5)];
            assert_eq!(told, expected[..1 + usize::from(again)], "{class} {ms}");
        }
    }
}

/// Each neighbour is told by a frame of its own, in place of one to all.
#[test]
fn each_neighbour_may_have_a_frame_of_its_own() {
    let told = station(&[choice("cast", "each")]).begins(1, 0);
    let told: Vec<Toward> = told.iter().map(|told| told.to).collect();
    assert_eq!(told, [0, 3, 5].map(Toward::Station));
}

/// A warning may name a destination: one of a category, for a host, whatever their numbers, and the same again when it is taken back.
/// Others have other keys, and so have notices that name none.
#[test]
fn a_warning_that_names_a_host_is_taken_back_as_such() {
    let mut keys = vec![station(&[]).begins(0, 0)[0].notice.key];
    for class in 0..4 {
        for host in [0, 1, 2, 64, 70] {
            let mut one = station(&[choice("scope", "address")]);
            // Another category is congested as well; the notice does not speak of it.
            one.begins((class + 1) % 4, 0);
            let told = one.early_for(class, 0, 0, host);
            assert_eq!(told.len(), 1);
            assert_eq!(one.ends((class + 1) % 4, 0).len(), 1);
            assert!(one.early_for(class, 199, 0, host).is_empty());
            let notice = &told[0].notice;
            assert_eq!(
                (told[0].to, notice.classes),
                (Toward::Station(0), 1 << class)
            );
            assert_eq!((notice.quanta(), notice.host_numbers()), (2000, vec![host]));
            let Form::Congestion(durations) = notice.form else {
                panic!("{notice:?}");
            };
            let units = std::array::from_fn(|of| if of == class { 2000 } else { 0 });
            assert_eq!(durations.units, units);
            assert!(!keys.contains(&notice.key), "{class} {host}");
            keys.push(notice.key);
            for other in (0..4).filter(|other| *other != class) {
                assert_eq!(one.ends(other, 10), []);
            }
            assert_eq!(one.ends(class, 10), [to(0, 0)]);
            assert_eq!(one.early_for(class, 10, 0, host).len(), 1);
            assert!(one.early_for(class, 109, 0, host).is_empty());
            assert_eq!(one.early_for(class, 110, 0, host).len(), 1);
            assert_eq!(one.ends(class, 210), [], "it has expired");
        }
    }
}
