//! Stations that choose the modes of their data frames: what their exchanges tell the rate control, and what it answers.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::frame::Exchange;
use crate::medium::wifi::phy::minstrel::Minstrel;
use crate::medium::wifi::radio::Hop;
use crate::medium::wifi::spec::RateControl;
use crate::network::Network;

impl Air {
    /// Hops whose sender learns from its frames begin to learn.
    pub(crate) fn start_rate_control(&mut self, network: &Network, seed: u64) {
        let minstrel = |hop: &Hop| {
            let high = self.medium(hop.from).high.as_ref()?;
            let RateControl::Minstrel(edition) = high.control else {
                return None;
            };
            if hop.to == NOBODY {
                return None;
            }
            let name = &network.ports[hop.port].more.name;
            let random = Random::stream(seed, "rate control", name);
            Some(Box::new(Minstrel::new(&high.modes(), edition, random)))
        };
        self.minstrels = self.hops.iter().map(minstrel).collect();
        if self.minstrels.iter().all(Option::is_none) {
            self.minstrels.clear();
        }
    }

    /// Whether a station chooses the modes of its frames by what becomes of them.
    #[inline]
    pub(super) fn learns(&self, station: u32) -> bool {
        let high = self.medium(station).high.as_ref();
        high.is_some_and(|high| !matches!(high.control, RateControl::Off))
    }

    /// Whether the next frame of a hop probes a mode, alone.
    pub(super) fn probes(&self, hop: u32) -> bool {
        let minstrel = self.minstrels.get(hop as usize);
        minstrel.is_some_and(|minstrel| minstrel.as_ref().is_some_and(|m| m.probes()))
    }

    /// An exchange has ended over a hop, and so many of its frames were acknowledged, none where no answer came: the next frames' mode.
    pub(super) fn choose_mode(
        &mut self,
        station: u32,
        hop: u32,
        (exchange, arrived): (&Exchange, u16),
        now: Time,
    ) {
        let Some(high) = &self.medium(station).high else {
            return;
        };
        let mode = match high.control {
            RateControl::Off => return,
            RateControl::Ideal(_) if arrived == 0 => return,
            RateControl::Ideal(_) => {
                let receivers = self.medium(station).receivers.as_ref();
                let receivers = receivers.expect("an SNR by which stations choose");
                receivers.fastest(self.hearings[station as usize].wanted)
            }
            RateControl::Minstrel(_) => {
                let sent = exchange.cleared || !exchange.rts;
                let Some(Some(minstrel)) = self.minstrels.get_mut(hop as usize) else {
                    return;
                };
                if exchange.is_bar() || !sent {
                    return;
                }
                minstrel.sent(exchange.mpdus, arrived, now);
                minstrel.mode()
            }
        };
        let served = &mut self.hops[hop as usize];
        if served.mode.is_some() {
            (served.mode, served.rate) = (Some(mode), mode.rate());
        }
    }

    /// The frames of an exchange that its receiver has.
    pub(super) fn acknowledged(&self, hop: u32, exchange: &Exchange) -> u16 {
        let window = &self.hops[hop as usize].windows[usize::from(exchange.category)];
        let (mut place, mut arrived) = (0, 0);
        for _ in 0..exchange.count {
            place = window.open_from(place);
            let tried = window.at(place);
            arrived += u16::from(tried.ghost.is_some() && !tried.joined);
            place += 1;
        }
        arrived
    }
}
