//! What a station remembers of its notices, and what those who are told hold back.

use std::collections::VecDeque;

use backwater_sim::mechanism::carrier::{Told, Toward};
use backwater_sim::mechanism::gates::Gates;
use backwater_sim::mechanism::notice::{Ask, Form, Notice, first_key};
use backwater_sim::mechanism::notifier::adaptive::Adaptive;
use backwater_sim::mechanism::notifier::row::{Cue, Notifier, Owner, Reach, Waiting};
use backwater_sim::mechanism::notifier::voice::Arrival;
use backwater_sim::mechanism::notifier::{AdaptiveTerms, Cast};
use backwater_sim::mechanism::place::View;
use backwater_sim::mechanism::responder::Knobs;
use backwater_sim::table::Id;
use backwater_transport::units::{Span, Time};

use crate::traces::MS;

/// Notices of 100 ms in units of 100 us, which name destinations in early warnings.
fn terms() -> AdaptiveTerms {
    AdaptiveTerms {
        initial: Span::millis(100),
        increase: 1.2,
        decrease: 0.8,
        bounds: [Span::millis(1), Span::millis(6550)],
        lead: Span::millis(12),
        unit: Span::micros(100),
        each_departure: false,
        renew_when_stopped: true,
        by_destination: true,
        owner: 0.02,
        owner_of_buffer: true,
        cast: Cast::Group,
        reach: Reach::Tree,
        addressed: true,
    }
}

/// To whom, and for how many units.
fn said(out: VecDeque<Told>) -> Vec<(Toward, u16)> {
    let said = out.into_iter().map(|told| (told.to, told.notice.quanta()));
    said.collect()
}

/// Packets of a station for host 7 are all that waits in a category.
fn warn(memory: &mut Adaptive, ms: u64, class: usize, station: u32) -> Vec<(Toward, u16)> {
    let owner = Owner {
        station,
        host: 7,
        bytes: 450,
    };
    let owners = || vec![owner];
    let waiting = &Waiting {
        owners: &owners,
        ..Waiting::nothing()
    };
    let view = &View::level(Time(ms * MS), class, 450, 1000);
    let mut out = VecDeque::new();
    memory.on(&Cue::Early { view, waiting }, &mut out);
    said(out)
}

/// Stations 0 and 3 are warned about a destination, the one for category 1 and the other for
/// category 0. Nobody is warned twice. When category 0 is over, station 3 is told and no other, and
/// may be warned again at once.
#[test]
fn the_end_of_a_category_ends_its_own_warnings() {
    let mut memory = Adaptive::new(terms(), 0, false, vec![0, 3], 100);
    let to = |station, units| (Toward::Station(station), units);
    assert_eq!(warn(&mut memory, 1, 1, 0), [to(0, 1000)]);
    assert_eq!(warn(&mut memory, 1, 0, 3), [to(3, 1000)]);
    assert_eq!(warn(&mut memory, 2, 0, 3), []);
    let ended = Cue::Ended {
        place: 0,
        class: 0,
        now: Time(3 * MS),
    };
    let mut out = VecDeque::new();
    memory.on(&ended, &mut out);
    assert_eq!(said(out), [to(3, 0)]);
    // The duration was too long and is a fifth shorter.
    assert_eq!(warn(&mut memory, 4, 0, 3), [to(3, 800)]);
    assert_eq!(warn(&mut memory, 4, 1, 0), []);
}

/// Two mechanisms of station 3 stop category 1 of its neighbour until 50 and until 60. The end of
/// one leaves what the other asked for.
#[test]
fn mechanisms_of_one_station_stop_apart() {
    let notice = |number: u32| Notice {
        mechanism: number,
        form: Form::Pause,
        classes: 0b10,
        ask: Ask::Stop(9),
        hosts: None,
        origin: Id::NONE,
        origin_classes: 0b10,
        key: first_key(number),
    };
    for (ended, opens) in [(1, 60), (2, 50)] {
        let mut gates = Gates::default();
        let mut knobs = Knobs {
            now: Time(5),
            timer_from: Time(5),
            unit: Span(1),
            gates: Some(&mut gates),
            next: Some(3),
            transmitter: None,
        };
        knobs.stop(&notice(1), Time(50));
        knobs.stop(&notice(2), Time(60));
        knobs.open(&notice(ended));
        let open = |class, next| gates.opens_toward(class, next, None, Time(9)).0;
        assert_eq!(open(1, Some(3)), opens, "{ended}");
        assert_eq!((open(0, Some(3)), open(1, Some(4))), (9, 9));
    }
}

/// A station with one queue for all categories speaks of all at once, whichever was congested; so does a warning about a
/// destination.
#[test]
fn a_station_with_one_queue_speaks_of_all_categories_at_once() {
    let mut memory = Adaptive::new(terms(), 0, true, vec![0, 3], 100);
    let arrival = &Arrival::none(Time(MS), 0, Id::NONE);
    let mut out = VecDeque::new();
    let waiting = &Waiting::nothing();
    let place = 0;
    memory.on(
        &Cue::Began {
            place,
            arrival,
            waiting,
        },
        &mut out,
    );
    let told = out.pop_front().expect("a notice").notice;
    assert_eq!((told.classes, told.quanta()), (0xff, 1000));
    assert_eq!(told.by_category(), std::slice::from_ref(&told));
}
