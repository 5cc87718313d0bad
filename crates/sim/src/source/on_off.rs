//! A source that is on or off for random periods and sends packets at its peak rate while on.
//!
//! When: while on, bits accrue at the peak rate, and a packet is sent when its last bit has. An off
//! period interrupts a packet; the on period that follows carries on with it, so the mean rate is
//! exactly peak·on/(on + off). The start is stationary: on with probability on/(on + off), the
//! period under way a residual life, the packet under way uniformly advanced.
//! How much: one packet.
//! Reference: ns-3's OnOffApplication (`src/applications/model/onoff-application.cc`), which carries
//! the rest of a packet over in the same way.
//! Differences from it: it begins with a whole off period and without bits, and it carries whole bits
//! where this carries time; sizes there are UDP payload, here IP packets.

use backwater_transport::part::{Args, Default, Kind, Opt, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use super::law::Law;
use super::pace::{Carry, Pace};
use super::{Demand, Source, later};

/// How many on periods a packet may take in the mean: what a call of `next` costs.
const PERIODS: f64 = 1000.0;

/// See the head of the file.
#[derive(Clone, Debug)]
pub(super) struct OnOff {
    packet: Bytes,
    pace: Pace,
    on: Law,
    off: Law,
    state: Option<State>,
}

/// As of the last packet.
#[derive(Clone, Debug)]
struct State {
    /// The rest of the on period.
    left: Span,
    /// On time until the next packet is complete.
    need: Span,
    carry: Carry,
}

/// The option `on`.
pub(super) const ON: Opt =
    Opt::new("on", Kind::Span, Default::Required, "mean on period").at_least("1 ns");
/// The option `off`.
pub(super) const OFF: Opt =
    Opt::new("off", Kind::Span, Default::Required, "mean off period").at_least("0 s");

impl OnOff {
    /// From the options `packet`, `rate`, `on` and `off`; `law` gives the law of a period with this mean.
    pub(super) fn new(args: &Args, law: impl Fn(f64) -> Law) -> Result<OnOff, Refusal> {
        let (packet, on) = (args.bytes("packet"), args.span("on").seconds());
        let pace = Pace::new(packet, args.rate("rate"));
        if pace.seconds() > PERIODS * on {
            return Err(Refusal {
                option: "on",
                what: format!(
                    "a packet of {} B takes {} s at the peak rate, more than {PERIODS} on periods",
                    packet.0,
                    pace.seconds()
                ),
                fix: "write a longer on period, a smaller packet or a higher rate".into(),
            });
        }
        let off = law(args.span("off").seconds());
        Ok(OnOff {
            packet,
            pace,
            on: law(on),
            off,
            state: None,
        })
    }
}

impl Source for OnOff {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let mut at = now;
        let mut state = match self.state.take() {
            Some(state) => state,
            None => {
                let (on, off) = (self.on.mean(), self.off.mean());
                let left = if random.unit() * (on + off) <= on {
                    self.on.residual(random)
                } else {
                    at = later(at, self.off.residual(random))?;
                    self.on.draw(random)
                };
                let need = Span(random.between(1, self.pace.first().0));
                State {
                    left,
                    need,
                    carry: Carry::default(),
                }
            }
        };
        while state.left < state.need {
            state.need -= state.left;
            at = later(later(at, state.left)?, self.off.draw(random))?;
            state.left = self.on.draw(random);
        }
        state.left -= state.need;
        at = later(at, state.need)?;
        state.need = self.pace.next(&mut state.carry);
        self.state = Some(state);
        Some(Demand {
            at,
            bytes: self.packet,
        })
    }
}
