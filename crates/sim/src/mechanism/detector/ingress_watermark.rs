//! Detects: bytes that a switch holds of one class from one interface rising above XOFF; over when
//! they fall to XON or below.
//! Tells and responds: left to the recipe; the notice goes to that interface's neighbour alone.
//! Reference: IEEE 802.1Qbb practice; thresholds in bytes as switch vendors configure them.
//! Differences: none known.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};

use super::row::{Build, Detector};
use crate::knob::Knob;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Thresholds in bytes.
#[derive(Clone, Debug)]
pub struct IngressWatermark {
    xoff: u64,
    xon: u64,
}

impl Detector for IngressWatermark {
    fn remembers(&self) -> bool {
        false
    }

    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::bytes("xoff", self.xon, &mut self.xoff))
    }

    fn needs(&self) -> Needs {
        NEEDS
    }

    fn xoff(&self) -> Option<u64> {
        Some(self.xoff)
    }

    fn observe(&mut self, moment: &Moment, level: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !level.congested => {
                (level.held > self.xoff).then_some(Signal::Congested)
            }
            Moment::Sent(_) | Moment::Lost(_) => (level.held <= self.xon).then_some(Signal::Clear),
            _ => None,
        }
    }

    fn may_relieve(&self, level: &View) -> bool {
        level.held <= self.xon
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::INTERFACES);

/// The row.
pub const PART: Part<Build<IngressWatermark>> = Part {
    id: "ingress-watermark",
    aliases: &[],
    summary: "congested when a switch holds more than XOFF bytes of a class from one interface, until XON",
    source: "IEEE 802.1Qbb",
    options: &[
        Opt::new(
            "xoff",
            Kind::Bytes,
            Default::Is("100 kB"),
            "bytes above which the neighbour is stopped",
        )
        .at_least("1 B"),
        Opt::new(
            "xon",
            Kind::Bytes,
            Default::Is("50 kB"),
            "bytes at or below which it may go on",
        )
        .at_least("0 B"),
    ],
    build: |args| {
        let (xoff, xon) = (args.bytes("xoff").0, args.bytes("xon").0);
        if xon > xoff {
            return Err(Refusal {
                option: "xon",
                what: format!("XON ({xon} B) lies above XOFF ({xoff} B)"),
                fix: "write an XON no higher than XOFF".into(),
            });
        }
        Ok(IngressWatermark { xoff, xon })
    },
};
