//! Airtime queue limits: for how much time on the air packets may wait behind queue management, for one neighbour and for all.
//!
//! A packet leaves the queues of its neighbour while what waits for that neighbour in its category lasts less than the low limit; or less than
//! the high one, as long as what waits for all of them, in all categories, lasts less than the total. Queues are asked in the order of their turns.
//!
//! Reference: Linux, net/mac80211 (`ieee80211_txq_airtime_check`, `ieee80211_calc_expected_tx_airtime`), 5.5 and later.
//! A packet counts with its bytes in the buffer and those of 802.11's headers, as there.
//! Differences: it counts by the mode that its neighbour has now, not when it left its queue; and until it was received, where Linux counts it until its
//! acknowledgement came.

use backwater_transport::units::{Bytes, Rate, Span, Time};
use smallvec::SmallVec;

use crate::medium::wifi::air::Air;
use crate::medium::wifi::phy::mode::{Format, Mode};
use crate::medium::wifi::queue::arrangement::AirtimeLimits;
use crate::network::Network;
use crate::shared::Shared;

/// Bytes of the packet whose airtime says how many share a preamble.
const AVERAGE: u64 = 1024;

/// So many packets of so many bytes in all.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Waiting {
    bytes: u64,
    packets: u64,
}

/// How many times a preamble is halved for each packet of an A-MPDU, whose length is guessed by the mode.
fn halvings(mode: &Mode) -> u32 {
    let average = mode.rate().time_for(Bytes(AVERAGE)).0 / Span::micros(1).0;
    let newest = matches!(mode.format, Format::He | Format::Eht);
    match average {
        401.. => 1,
        251..=400 => 2,
        151..=250 => 3,
        71..=150 => 4,
        21..=70 => 5,
        _ if !newest => 5,
        _ => 6,
    }
}

/// How long packets last: their bits, and a share of a preamble for each.
fn lasts(waiting: Waiting, rate: Rate, preamble: Span, halvings: u32) -> Span {
    rate.time_for(Bytes(waiting.bytes)) + Span(preamble.0 >> halvings).times(waiting.packets)
}

impl Air {
    /// How long the packets last that wait behind queue management for a hop.
    fn pending(&self, network: &Network, number: usize, hop: u32) -> Span {
        let served = &self.hops[hop as usize];
        let c = &self.radios[served.from as usize].categories[number];
        let Some(place) = c.arranged.as_ref().and_then(|a| a.found(hop)) else {
            return Span::ZERO;
        };
        let arranged = c.arranged.as_ref().expect("a managed category");
        let judged = &arranged.judged[place];
        let queue = network.ports[served.port].queue(number);
        let packets = u64::from(queue.packets - judged.held);
        let waiting = Waiting {
            bytes: queue.bytes - judged.bytes + packets * self.header_bytes(served.from),
            packets,
        };
        match &served.mode {
            Some(mode) if self.aggregation(hop, number).is_some() => {
                lasts(waiting, mode.rate(), mode.preamble(), halvings(mode))
            }
            Some(mode) => lasts(waiting, mode.rate(), mode.preamble(), 0),
            None => {
                let preamble = self.medium(served.from).phy.preamble();
                lasts(waiting, served.rate, preamble, 0)
            }
        }
    }

    /// The same for all hops and categories of a station.
    fn pending_in_all(&self, network: &Network, station: u32) -> Span {
        let radio = &self.radios[station as usize];
        let mut all = Span::ZERO;
        for number in 0..radio.categories.len() {
            for hop in &radio.hops {
                all += self.pending(network, number, *hop);
            }
        }
        all
    }

    /// Packets leave the queues of their neighbours as far as the limits allow.
    #[inline(never)]
    pub(super) fn fill_by_airtime(
        &mut self,
        cx: &mut Shared,
        (station, number): (u32, usize),
        limits: AirtimeLimits,
        now: Time,
    ) {
        let mut all = self.pending_in_all(&cx.network, station);
        loop {
            let c = &self.radios[station as usize].categories[number];
            let arranged = c.arranged.as_ref().expect("a managed category");
            let turns = arranged.turns.as_ref().expect("turns of neighbours");
            let hops: SmallVec<[u32; 8]> = turns.order().collect();
            let mut none_left = true;
            for hop in hops {
                let before = self.pending(&cx.network, number, hop);
                let fits = before < limits.low || (all < limits.total && before < limits.high);
                let of = self.instance_of(station, number, hop);
                if fits && self.bind(cx, of, now).is_some() {
                    all += self.pending(&cx.network, number, hop) - before;
                    none_left = false;
                }
            }
            if none_left {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::wifi::phy::mode::{Coding, Guard};

    /// A packet of 1538 B at 65 Mbit/s: 189.3 us of bits; 1024 B take 126 us, so the preamble of 36 us is halved four times, 2.25 us. At 6.5 Mbit/s
    /// 1892.9 us and half a preamble. At 600 Mbit/s of 802.11ax a 64th of 43.2 us.
    #[test]
    fn a_packet_lasts_as_its_bits_and_a_share_of_a_preamble() {
        for (format, width, mcs, us) in [
            (Format::Ht, 20, 7, 189.29 + 2.25),
            (Format::Ht, 20, 0, 1892.92 + 18.0),
            (Format::He, 80, 11, 20.491 + 0.675),
        ] {
            let mode = Mode {
                format,
                width,
                mcs,
                streams: 1,
                guard: Guard::Long,
                coding: Coding::Ldpc,
            };
            let one = Waiting {
                bytes: 1538,
                packets: 1,
            };
            let found = lasts(one, mode.rate(), mode.preamble(), halvings(&mode));
            assert!((found.0 as f64 / 1e6 - us).abs() < 0.01, "{found:?} {us}");
        }
    }
}
