//! The frames of a burst that a receiver has, part by part, and the parts of modes that its bits go through.

use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Mode};
use backwater_sim::medium::wifi::reception::frame_set::FrameSet;
use backwater_sim::medium::wifi::reception::parts::{Hits, Parts};
use backwater_transport::units::{Span, Time};

use crate::aggregate::mode;

/// A set is empty until a frame is added, whichever that is.
#[test]
fn a_set_with_a_frame_is_not_empty() {
    assert!(FrameSet::default().is_empty());
    for frame in [0, 1, 63, 64, 200] {
        let mut set = FrameSet::default();
        set.insert(frame);
        assert!(!set.is_empty() && set.len() == 1, "{frame}");
    }
}

/// A collision with the preamble of a burst is not told to end where the burst is lost. The next burst, whose frames begin at 140 and 150 us, loses the second
/// alone to a collision from 152 us on.
#[test]
fn a_burst_begins_without_the_damage_of_the_one_before() {
    let us = |micros| Time::ZERO + Span::micros(micros);
    let parts = Parts {
        begins: vec![us(140), us(150)],
    };
    let mut hits = Hits::default();
    hits.begin();
    assert!(hits.open(&parts, us(100)));
    hits.begin();
    assert!(!hits.open(&parts, us(152)));
    assert!(!hits.end(&parts, us(160)));
    let damaged = [0, 1].map(|frame| hits.frames.contains(frame));
    assert_eq!(damaged, [false, true]);
}

/// Another frame that begins and ends at one instant damages nothing.
#[test]
fn a_collision_of_no_length_damages_nothing() {
    let us = |micros| Time::ZERO + Span::micros(micros);
    let parts = Parts {
        begins: vec![us(140), us(150)],
    };
    let mut hits = Hits::default();
    hits.begin();
    hits.open(&parts, us(145));
    hits.close(&parts, us(145));
    assert!(!hits.end(&parts, us(160)) && hits.frames.is_empty());
}

/// An LDPC code has no tail and one encoder. At MCS 0 of 802.11ax a symbol of 20 MHz has 117 bits: 16 of service and 115 B fill eight of them, a byte more takes
/// a ninth.
#[test]
fn an_ldpc_code_has_no_tail() {
    let slow = mode(Format::He, 20, 0, 1);
    assert_eq!((slow.symbols(115), slow.symbols(116)), (8, 9));
    for wide in [mode(Format::He, 160, 11, 8), mode(Format::Eht, 320, 13, 8)] {
        assert_eq!(wide.encoders(), 1);
    }
    let coding = Coding::Ldpc;
    let fast = mode(Format::Vht, 160, 9, 8);
    assert_eq!(Mode { coding, ..fast }.encoders(), 1);
}
