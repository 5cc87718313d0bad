//! Notices: which replaces which, what they hold, and the bytes of their frames (IEEE 802.3 Annex 31B, IEEE 802.1Q clause 36).

use backwater_transport::units::{Rate, Span, Time};
use backwater_wire::ethernet::FrameKind;

use super::notice::{Ask, Durations, Form, Notice, OwnFlow, Step, holds};
use crate::ids::{FlowId, PortId};

mod standing;
mod state;

fn notice(form: Form, ask: Ask) -> Notice {
    Notice {
        mechanism: 3,
        form,
        classes: 0b110,
        ask,
        hosts: None,
        origin: PortId::NONE,
        origin_classes: 0,
        key: 7,
    }
}

const STEP: Step = Step {
    less: true,
    rate: Rate(5_000_000),
    expiry: Some(Span::millis(3)),
    period: Span::millis(1),
};

const DURATIONS: Durations = Durations {
    units: [4, 0, 6, 7],
    unit: Span::micros(100),
    to_tree: true,
    addressed: false,
};

fn kinds() -> [Ask; 4] {
    let own = OwnFlow {
        flow: FlowId::NONE,
        gets: 1.0,
        forwarded: None,
        congested: false,
    };
    [
        Ask::Stop(9),
        Ask::Limit(Rate(1000), 8),
        Ask::Step(STEP),
        Ask::Own(own),
    ]
}

/// Quanta and rates of each kind of request.
#[test]
fn requests_have_quanta_and_rates() {
    let told = kinds().map(|ask| {
        let one = notice(Form::Extension, ask);
        (one.quanta(), one.rate().map(|rate| rate.0), one.is_step())
    });
    let expected = [
        (9, None, false),
        (8, Some(1000), false),
        (0, Some(5_000_000), true),
        (0, None, false),
    ];
    assert_eq!(told, expected);
    assert_eq!(STEP.until(Time(5)), Time(5 + Span::millis(3).0));
    let endless = Step {
        expiry: None,
        ..STEP
    };
    assert_eq!(endless.until(Time(5)), Time::NEVER);
    assert_eq!(notice(Form::Pfc, Ask::Stop(1)).class(), 1);
}

/// A later notice makes one needless that asks for the same of the same classes, by the same mechanism and key; it concerns the
/// same gates whatever its classes are.
#[test]
fn a_later_notice_replaces_one_of_its_kind() {
    let first = notice(Form::Pfc, Ask::Stop(9));
    let like = |change: fn(&mut Notice)| {
        let mut later = first.clone();
        change(&mut later);
        (
            first.replaced_by(&later),
            first.concerns_like(&later),
            first.says_like(&later),
        )
    };
    assert_eq!(like(|_| {}), (true, true, true));
    assert_eq!(like(|n| n.ask = Ask::Stop(0)), (true, true, false));
    assert_eq!(
        like(|n| n.ask = Ask::Limit(Rate(1), 9)),
        (false, true, false)
    );
    assert_eq!(like(|n| n.classes = 1), (false, true, false));
    assert_eq!(like(|n| n.key = 8), (false, false, false));
    assert_eq!(like(|n| n.mechanism = 4), (false, false, false));
    assert_eq!(
        like(|n| n.hosts = Some(vec![1].into())),
        (true, true, false)
    );
    assert_eq!(like(|n| n.form = Form::Pause), (true, true, false));
    assert_eq!(like(|n| n.origin_classes = 1), (true, true, true));
}

/// The pause timer starts behind the frame in transmission, those of priorities at once. A congestion notice brings its unit,
/// and may be for neighbours in the tree alone.
#[test]
fn forms_differ_in_what_obeys_them_and_when() {
    let of = |form| {
        let one = notice(form, Ask::Stop(9));
        (
            one.waits_for_frame(),
            one.unit(),
            one.is_for_all_receivers(),
            form.names_no_class(),
        )
    };
    assert_eq!(of(Form::Pause), (true, None, true, true));
    assert_eq!(of(Form::Pfc), (false, None, true, false));
    assert_eq!(of(Form::Extension), (true, None, true, false));
    let unit = Some(Span::micros(100));
    assert_eq!(of(Form::Congestion(DURATIONS)), (true, unit, false, false));
    let all = Durations {
        to_tree: false,
        ..DURATIONS
    };
    assert!(notice(Form::Congestion(all), Ask::Stop(1)).is_for_all_receivers());
}

/// A congestion notice has a duration for each category, unless it names destinations or one queue has all categories.
#[test]
fn a_congestion_notice_speaks_of_each_category() {
    let one = notice(Form::Congestion(DURATIONS), Ask::Stop(9));
    let parts: Vec<(u8, u16)> = one
        .by_category()
        .iter()
        .map(|n| (n.classes, n.quanta()))
        .collect();
    assert_eq!(parts, [(1, 4), (2, 0), (4, 6), (8, 7)]);
    let of_all = Notice {
        classes: 0xff,
        ..one.clone()
    };
    assert_eq!(of_all.by_category(), std::slice::from_ref(&of_all));
    let named = Notice {
        hosts: Some(vec![1].into()),
        ..one
    };
    assert_eq!(named.by_category(), std::slice::from_ref(&named));
    let plain = notice(Form::Pfc, Ask::Stop(9));
    assert_eq!(plain.by_category(), std::slice::from_ref(&plain));
}

/// PAUSE and priority PAUSE take 64 B. Up to 255 destinations are named by their addresses, more by a map.
#[test]
fn notices_are_laid_out_in_frames() {
    let pause = notice(Form::Pause, Ask::Stop(9));
    assert_eq!(pause.frame_kind(&[]), FrameKind::Pause { quanta: 9 });
    let pfc = notice(Form::Pfc, Ask::Stop(9));
    let mut quanta = [None; 8];
    (quanta[1], quanta[2]) = (Some(9), Some(9));
    assert_eq!(pfc.frame_kind(&[]), FrameKind::Pfc { quanta });
    assert_eq!((pause.frame_size(), pfc.frame_size()), (64, 64));
    let extension = |ask| notice(Form::Extension, ask);
    let stop = extension(Ask::Stop(9));
    let expected = FrameKind::Destinations {
        quanta: 9,
        classes: 0b110,
        addresses: &[4],
    };
    assert_eq!(stop.frame_kind(&[4]), expected);
    let limit = extension(Ask::Limit(Rate(1000), 8));
    let expected = FrameKind::Rate {
        classes: 0b110,
        rate_bps: 1000,
        quanta: 8,
        addresses: &[4],
    };
    assert_eq!(limit.frame_kind(&[4]), expected);
    let most = backwater_wire::ethernet::MOST_ADDRESSES as u32;
    for (count, mapped) in [(most, false), (most + 1, true)] {
        let mut words = vec![0u64; 1 + count as usize / 64];
        (0..count).for_each(|host| words[host as usize / 64] |= 1 << (host % 64));
        let many = Notice {
            hosts: Some(words.into()),
            ..stop.clone()
        };
        assert_eq!(many.map().is_some(), mapped, "{count}");
        assert_eq!(many.host_numbers(), (0..count).collect::<Vec<u32>>());
    }
    assert!(holds(&[0, 0b100], 66) && !holds(&[0, 0b100], 65) && !holds(&[0, 0b100], 2));
    // A field has neither addresses of a frame (12 B), nor type (2 B), nor padding and FCS: destinations take six bytes each.
    let two = |ask| Notice {
        hosts: Some(vec![0b11].into()),
        ..extension(ask)
    };
    let one = |ask| Notice {
        hosts: Some(vec![0b1].into()),
        ..extension(ask)
    };
    assert_eq!(
        two(Ask::Stop(9)).field_size() - one(Ask::Stop(9)).field_size(),
        6
    );
    assert!(stop.field_size() > 1);
}

/// A host's card stops one class by priority PAUSE or all by PAUSE, for the longest time or no longer.
#[test]
fn cards_stop_classes_or_all() {
    let told = |class, stop| {
        let one = Notice::of_card(class, stop);
        (one.form, one.classes, one.quanta(), one.mechanism)
    };
    assert_eq!(told(Some(3), true), (Form::Pfc, 8, u16::MAX, u32::MAX));
    assert_eq!(told(None, false), (Form::Pause, 0xff, 0, u32::MAX));
}
