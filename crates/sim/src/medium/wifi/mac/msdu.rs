//! A-MSDUs: packets that share a header and an FCS, and so arrive or fail together.
//!
//! Packets of one hop that were never sent are put together as far as the length allows, in a TXOP as far as its time does. What was
//! on the air once stays together until it is acknowledged or given up. An A-MSDU is one MPDU: it takes one place in the window of
//! the block acknowledgement, or goes alone and is acknowledged as a frame of one packet is.
//!
//! Reference: IEEE 802.11-2020 10.11 (A-MSDU), 9.3.2.2 (its format), 10.12 (A-MPDU).

use backwater_transport::units::{Span, Time};

use crate::ids::PacketId;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::aggregate::{Burst, Laid};
use crate::medium::wifi::mac::frame::Exchange;
use crate::medium::wifi::mac::window::Window;
use crate::medium::wifi::phy::aggregate::{DELIMITER, Growing, SUBFRAME, a_msdu, least_part};
use crate::medium::wifi::phy::standard::LLC;
use crate::medium::wifi::spec::Aggregation;
use crate::network::Network;

/// Where the packets of a hop are read that go next.
struct Cursor<'a> {
    network: &'a Network,
    window: &'a Window,
    /// Place in the window.
    place: usize,
    /// MPDUs before it, acknowledged ones included.
    mpdus: usize,
    /// The packet that waits first from there on.
    waits: PacketId,
}

/// An MPDU.
struct Mpdu {
    /// Place in the window of its first packet.
    place: usize,
    packets: u16,
    bytes: u64,
}

impl Cursor<'_> {
    /// IP bytes of the packet at the cursor, which is the first that is not acknowledged.
    fn len(&mut self) -> Option<u64> {
        while self.window.at(self.place).done {
            self.mpdus += usize::from(!self.window.at(self.place).joined);
            self.place += 1;
        }
        match self.window.at(self.place).ghost {
            Some(ghost) => Some(ghost.len.into()),
            None if self.waits.is_none() => None,
            None => Some(self.network.packets[self.waits].len.into()),
        }
    }

    /// The packet at the cursor goes.
    fn pass(&mut self) {
        if self.window.at(self.place).ghost.is_none() {
            self.waits = self.network.packets[self.waits].next;
        }
        self.place += 1;
    }

    /// The next MPDU. One that was never sent grows while it keeps to the length of an A-MSDU and `fits`.
    fn next(&mut self, most: u64, overhead: u64, fits: impl Fn(u16, u64) -> bool) -> Option<Mpdu> {
        let first = self.len()?;
        let place = self.place;
        let sealed = self.window.at(self.place).sealed;
        self.pass();
        self.mpdus += 1;
        let (mut packets, mut body) = (1, a_msdu([first]));
        let mut bytes = first + overhead;
        while let Some(len) = self.len() {
            let next = self.window.at(self.place);
            let more = body.next_multiple_of(4) + SUBFRAME + len;
            let alike = match sealed {
                true => next.joined,
                false => !next.sealed && more <= most && fits(packets + 1, more + overhead - LLC),
            };
            if !alike {
                break;
            }
            self.pass();
            (packets, body, bytes) = (packets + 1, more, more + overhead - LLC);
        }
        Some(Mpdu {
            place,
            packets,
            bytes,
        })
    }
}

impl Aggregation {
    /// Packets of so many IP bytes that may be under way.
    pub(super) fn packets(&self, len: u64) -> u64 {
        let each = (self.msdu / (SUBFRAME + len)).max(1);
        u64::from(self.window) * each
    }
}

impl Air {
    fn cursor<'a>(&'a self, network: &'a Network, hop: u32, number: usize) -> Cursor<'a> {
        let served = &self.hops[hop as usize];
        Cursor {
            network,
            window: &served.windows[number],
            place: 0,
            mpdus: 0,
            waits: network.ports[served.port].queue(number).list.head(),
        }
    }

    /// The packets of a hop's queue that one PPDU takes in MPDUs of several packets, within all bounds and so much time. The first packet goes
    /// in any case.
    pub(super) fn burst_of_msdus(
        &self,
        network: &Network,
        (hop, number): (u32, usize),
        room: Span,
    ) -> Burst {
        let served = &self.hops[hop as usize];
        let limits = self.aggregation(hop, number).expect("a hop with a session");
        let mode = served.mode.as_ref().expect("a hop with a session");
        let overhead = self.medium(served.from).overhead;
        let least = least_part(limits.bounds.apart, mode.rate());
        let largest = limits.bounds.most(mode, room);
        let most = if self.probes(hop) || limits.alone {
            1
        } else {
            u16::MAX
        };
        let mut burst = Burst {
            count: 0,
            mpdus: 0,
            bytes: 0,
        };
        let mut all = Growing::default();
        let mut cursor = self.cursor(network, hop, number);
        while all.count < most && cursor.mpdus < usize::from(limits.window) {
            let grows = |_, bytes: u64| largest.holds(&all.with(bytes, least));
            let Some(mpdu) = cursor.next(limits.msdu, overhead, grows) else {
                break;
            };
            let more = all.with(mpdu.bytes, least);
            if all.count > 0 && !largest.holds(&more) {
                break;
            }
            all = more;
            burst = Burst {
                count: burst.count + mpdu.packets,
                mpdus: all.count,
                bytes: if all.count == 1 {
                    mpdu.bytes
                } else {
                    all.bytes()
                },
            };
        }
        burst
    }

    /// The MPDUs that a station begins to send stay as they are. Gives when they are on the air.
    pub(super) fn seal(
        &mut self,
        network: &Network,
        (hop, number): (u32, usize),
        exchange: &Exchange,
        now: Time,
    ) -> Vec<Time> {
        let limits = *self.aggregation(hop, number).expect("a hop with a session");
        let served = &self.hops[hop as usize];
        let mode = served.mode.expect("a hop with a session");
        let overhead = self.medium(served.from).overhead;
        let least = least_part(limits.bounds.apart, mode.rate());
        let laid = Laid::of(exchange, &mode, now);
        let mut cursor = self.cursor(network, hop, number);
        let (mut all, mut left) = (Growing::default(), exchange.count);
        let (mut made, mut begins) = (Vec::new(), Vec::new());
        while left > 0 {
            let grows = |packets: u16, _| packets <= left;
            let mpdu = cursor.next(limits.msdu, overhead, grows);
            let mpdu = mpdu.expect("the packets of the exchange");
            all = all.with(mpdu.bytes, least);
            begins.push(laid.behind(all.bytes() - DELIMITER - mpdu.bytes));
            left -= mpdu.packets;
            made.push(mpdu);
        }
        let window = &mut self.hops[hop as usize].windows[number];
        for mpdu in made {
            for packet in 0..usize::from(mpdu.packets) {
                let tried = window.at_mut(mpdu.place + packet);
                (tried.sealed, tried.joined) = (true, packet > 0);
            }
        }
        begins
    }
}
