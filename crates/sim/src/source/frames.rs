//! The frames of a video: one at each tick of a frame clock, from one of a cycle of positions on. Two
//! viewers of one film don't watch it in step, so the first position and the place of the flow's
//! start within a frame interval may be random. The instants are computed from the frame's
//! number, so that rounding doesn't add up (30 frames per second don't divide a second of ticks).

use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::later;

/// See the head of the file.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    fps: f64,
    cycle: u64,
    random_phase: bool,
    /// Instant of the first frame and its position in the cycle.
    origin: Option<(Time, u64)>,
    shown: u64,
}

/// The option `fps`.
pub(super) const FPS: Opt = Opt::new("fps", Kind::Number, Default::Is("30"), "frames per second")
    .at_least("0.001")
    .at_most("1000000");

/// The option `phase`.
pub(super) const fn phase(default: &'static str, help: &'static str) -> Opt {
    Opt::new(
        "phase",
        Kind::Choice(&["start", "random"]),
        Default::Is(default),
        help,
    )
}

impl Frames {
    /// So many frames per second, in a cycle of so many positions (one or more).
    pub(super) fn new(fps: f64, cycle: usize, phase: &str) -> Frames {
        Frames {
            fps,
            cycle: cycle as u64,
            random_phase: phase == "random",
            origin: None,
            shown: 0,
        }
    }

    /// How many frames there were.
    pub(super) fn shown(&self) -> u64 {
        self.shown
    }

    /// Instant and position of the next frame. `now` counts only the first time.
    pub(super) fn next(&mut self, now: Time, random: &mut Random) -> Option<(Time, usize)> {
        let (start, first) = match self.origin {
            Some(origin) => origin,
            None if self.random_phase => {
                let wait = Span::from_seconds(random.unit() / self.fps);
                (later(now, wait)?, random.between(0, self.cycle - 1))
            }
            None => (now, 0),
        };
        self.origin = Some((start, first));
        let at = later(start, Span::from_seconds(self.shown as f64 / self.fps))?;
        let position = (first + self.shown) % self.cycle;
        self.shown += 1;
        Some((at, position as usize))
    }
}
