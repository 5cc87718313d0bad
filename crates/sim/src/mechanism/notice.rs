//! What a control frame says. Its bytes on the wire are made in `record::frame_bytes`.

use std::sync::Arc;

use backwater_transport::units::Rate;

use crate::ids::PortId;
use crate::record::frame_bytes::{self, FrameKind};

/// A set of hosts: bit h of the words is host number h.
pub type Hosts = Arc<[u64]>;

/// Whether a set holds a host.
pub fn holds(set: &[u64], host: u32) -> bool {
    set[host as usize / 64] >> (host % 64) & 1 == 1
}

/// The content of a control frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How the frame is laid out.
    pub form: Form,
    /// Classes it speaks of: bit c is class c.
    pub classes: u8,
    /// How long it holds, in units of 512 bit times; zero ends it.
    pub quanta: u16,
    /// The rate asked for; none asks to stop.
    pub rate: Option<Rate>,
    /// Destinations it speaks of; none speaks of all.
    pub hosts: Option<Hosts>,
    /// The congested queue's port: by it victims are told from culprits.
    pub origin: PortId,
    /// The congested classes at `origin`.
    pub origin_classes: u8,
    /// Tells notices of different origins apart where they don't replace one another.
    pub key: u32,
}

/// How a control frame is laid out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// 802.3x PAUSE.
    Pause,
    /// 802.1Qbb priority PAUSE.
    Pfc,
    /// Extension frame naming addresses, a rate, or both.
    Extension,
}

impl Notice {
    /// Bytes of the frame, header and FCS included.
    pub fn frame_size(&self) -> u64 {
        let addresses = self.host_numbers();
        u64::from(frame_bytes::control_size(&self.frame_kind(&addresses)))
    }

    /// The frame's layout for the capture; `addresses` are its host numbers.
    pub fn frame_kind<'a>(&self, addresses: &'a [u32]) -> FrameKind<'a> {
        let (classes, quanta) = (self.classes, self.quanta);
        match (self.form, self.rate) {
            (Form::Pause, _) => FrameKind::Pause { quanta },
            (Form::Pfc, _) => {
                let of = |class: usize| (classes >> class & 1 == 1).then_some(quanta);
                FrameKind::Pfc {
                    quanta: std::array::from_fn(of),
                }
            }
            (Form::Extension, None) => FrameKind::Destinations {
                quanta,
                classes,
                addresses,
            },
            (Form::Extension, Some(rate)) => FrameKind::Rate {
                classes,
                rate_bps: rate.0,
                quanta,
                addresses,
            },
        }
    }

    /// Host numbers named, in order.
    pub fn host_numbers(&self) -> Vec<u32> {
        let words = self.hosts.as_deref().unwrap_or(&[]);
        (0..words.len() as u32 * 64)
            .filter(|h| holds(words, *h))
            .collect()
    }
}
