//! The media of a world, and what every shared medium has in common. Calls are static: `Media` has a field for each kind.

use backwater_transport::units::Time;

use super::tdma::frames::Tdma;
use super::wifi::air::Air;
use crate::event::MediumKind;
use crate::ids::{ControlId, PacketId, PortId};
use crate::knob::Range;
use crate::mechanism::carrier::Told;
use crate::mechanism::notice::Notice;
use crate::network::Network;
use crate::run::Run;
use crate::shared::Shared;
use crate::spec::{Refusal, Spec, Unchangeable};

/// A medium that several nodes share, with all its stations.
///
/// It loses, marks, observes and schedules in `cx` at once. A packet that comes to a port goes on by `cx.enqueue`, and one that
/// is at its host by a `Handover`.
pub(crate) trait Medium {
    /// An event of this medium: what it is, of which station, port or flow.
    fn serve(&mut self, cx: &mut Shared, code: u8, owner: u32, now: Time);

    /// A packet comes to a port whose frames wait at the medium.
    fn accept(&mut self, cx: &mut Shared, port: PortId, packet: PacketId, now: Time);

    /// A station has been told something: by another, or from its own mechanism.
    fn told(&mut self, cx: &mut Shared, from: u32, to: u32, notice: &Notice, now: Time);
}

/// All media of a world.
#[derive(Clone, Debug, Default)]
pub struct Media {
    /// 802.11 media and stations.
    pub air: Air,
    /// Frames of slots.
    pub tdma: Tdma,
}

impl Media {
    /// Saturated flows of stations that aggregate keep a window of packets waiting.
    pub(crate) fn fill_windows(&self, network: &mut Network) {
        self.air.fill_windows(network);
    }

    /// The random numbers that media draw from now on are drawn anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        self.air.rekey(by);
    }

    /// The bounds of a station's parameter that may move while a world runs.
    pub(crate) fn range(
        &self,
        node: &str,
        category: &str,
        option: &str,
    ) -> Result<Range, Unchangeable> {
        self.air.range(node, category, option)
    }

    /// Moves it.
    pub(crate) fn turn(&mut self, run: &mut Run, of: (&str, &str), value: f64, now: Time) {
        self.air.turn(run, of, value, now);
    }

    /// Takes up the ports whose frames wait there until a medium takes them.
    pub(crate) fn build(&mut self, cx: &mut Shared, spec: &Spec) -> Result<(), Refusal> {
        self.tdma.build(cx, spec)
    }

    /// An event of a medium.
    #[inline(always)]
    pub(crate) fn serve(
        &mut self,
        cx: &mut Shared,
        (kind, code): (MediumKind, u8),
        owner: u32,
        now: Time,
    ) {
        match kind {
            MediumKind::Wifi => self.air.serve(cx, code, owner, now),
            MediumKind::Tdma => self.tdma.serve(cx, code, owner, now),
        }
    }

    /// A packet comes to a port whose frames wait at the medium.
    #[inline(always)]
    pub(crate) fn accept(&mut self, cx: &mut Shared, port: PortId, packet: PacketId, now: Time) {
        self.air.accept(cx, port, packet, now);
    }

    /// A mechanism at a station has something to say.
    pub(crate) fn post(
        &mut self,
        cx: &mut Shared,
        from: (ControlId, Told),
        station: u32,
        now: Time,
    ) {
        self.air.post(cx, from, station, now);
    }
}
