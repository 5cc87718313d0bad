//! Packets that the caller injects: they wait here until their event.

use std::collections::BTreeMap;

use backwater_transport::units::Bytes;

use crate::ids::FlowId;

/// A packet to come from outside.
#[derive(Copy, Clone, Debug)]
pub(super) struct Injection {
    pub len: u16,
    pub tag: u32,
}

/// The injected packets whose events are to come.
#[derive(Clone, Debug, Default)]
pub(super) struct Injections {
    waiting: BTreeMap<(FlowId, u32), Injection>,
    injected: u32,
}

impl Injections {
    /// Keeps a packet of a flow until its event, and gives the number by which `take` finds it.
    pub fn put(&mut self, flow: FlowId, len: Bytes, tag: u32) -> u32 {
        let serial = self.injected & 0x00ff_ffff;
        self.injected = self.injected.wrapping_add(1);
        let injection = Injection {
            len: len.0 as u16,
            tag,
        };
        let previous = self.waiting.insert((flow, serial), injection);
        assert!(
            previous.is_none(),
            "fewer than 2^24 packets of a flow wait outside"
        );
        serial
    }

    /// The packet of this number.
    pub fn take(&mut self, flow: FlowId, serial: u32) -> Injection {
        let injection = self.waiting.remove(&(flow, serial));
        injection.expect("an injection for its event")
    }
}
