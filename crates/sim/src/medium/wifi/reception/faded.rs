//! Channels that fade: what a frame is to those whom it reaches is settled when it begins, and stands until it ends.

use backwater_transport::units::Time;

use crate::medium::wifi::air::Air;
use crate::medium::wifi::phy::channel::{ChannelSpec, Link, MOST};
use crate::medium::wifi::phy::fading::{BlockFading, Gains};

impl Air {
    /// Channels begin to fade.
    pub(in crate::medium::wifi) fn start_fading(&mut self, seed: u64) {
        let reach = self.reach.iter();
        let reach: Vec<Vec<u32>> = reach
            .map(|all| all.iter().map(|l| l.to).collect())
            .collect();
        let fading = |station: u32| -> Option<BlockFading> {
            match &self.medium(station).channel {
                ChannelSpec::Physical(physical) => physical.fading,
                ChannelSpec::Disc(_) => None,
            }
        };
        let name = |station: u32| self.radios[station as usize].name.as_str();
        let gains = Gains::new(seed, &reach, fading, name);
        self.gains = (!gains.is_empty()).then(|| Box::new(gains));
    }

    /// The gains of a station's frame that begins now.
    #[cold]
    pub(super) fn refade(&mut self, station: u32, now: Time) {
        let sender = station as usize;
        let (Some(gains), Some(receivers)) = (
            &mut self.gains,
            &self.media[self.radios[sender].medium as usize].receivers,
        ) else {
            return;
        };
        if !gains.has(sender) {
            return;
        }
        for (place, link) in self.reach[sender].iter().enumerate() {
            let power = link.power as f64 * gains.gain(sender, place, now);
            let power = power.clamp(1.0, MOST) as u64;
            self.near[sender][place] = receivers.near(&Link {
                decodes: power >= receivers.recognised_from,
                power,
                ..*link
            });
        }
    }
}
