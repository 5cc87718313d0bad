//! What rows of the tables take, and what a part that they make says of itself.

use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::{AnyDetector, DETECTORS};
use backwater_transport::part::{Refusal, Value};
use backwater_transport::units::Bytes;

use crate::options::fill;

pub fn detector(id: &str, given: &[(&'static str, Value)]) -> Result<AnyDetector, Refusal> {
    let row = DETECTORS.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, given))
}

/// The lower mark may be as high as the upper one, and no higher.
#[test]
fn two_marks_may_be_equal() {
    let share = |name, share| (name, Value::Share(share));
    for (still, low, fits) in [(0.2, 0.2, true), (0.2, 0.21, false)] {
        let made = detector("occupancy", &[share("still", still), share("low", low)]);
        assert_eq!(made.is_ok(), fits, "{low}");
    }
    let number = |name, number| (name, Value::Number(number));
    for (high, low, fits) in [(5.0, 5.0, true), (5.0, 5.1, false)] {
        let marks = [number("b_max", high), number("b_min", low)];
        let made = detector("overheard-backlog", &marks);
        assert_eq!(made.is_ok(), fits, "{low}");
    }
}

/// Frames get longer by the field that tells how much a station holds; no other detector needs one.
#[test]
fn a_field_makes_frames_longer() {
    for bytes in [2, 64] {
        let given = [("field", Value::Bytes(Bytes(bytes)))];
        let made = detector("differential-backlog", &given).expect("legal options");
        assert_eq!(made.field(), bytes);
    }
    let other = detector("watermark", &[]).expect("legal options");
    assert_eq!(other.field(), 0);
}
