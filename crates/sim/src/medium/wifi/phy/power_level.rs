//! The power of the frames on the air at each station, and the band outside which a change is news to it.

use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::frame::Number;
use crate::medium::wifi::phy::physical::Receivers;

/// The power of the frames on the air that reach a station, in the units of `Link::power`.
#[derive(Copy, Clone, Debug)]
pub(in crate::medium::wifi) struct Level {
    pub power: u64,
    /// A fall below is news.
    pub low: u64,
    /// A rise above is news.
    pub high: u64,
}

impl Level {
    /// Nothing reaches a station, which hears nothing.
    pub fn silent(receivers: Option<&Receivers>) -> Level {
        Level {
            power: 0,
            low: 0,
            high: receivers.map_or(0, |r| r.busy_from - 1),
        }
    }

    /// Sets the band of a station that receives nothing.
    #[inline]
    pub fn tune(&mut self, sense: &CarrierSense, busy_from: u64) {
        (self.low, self.high) = match (sense.sending, sense.busy) {
            (true, _) => (0, u64::MAX),
            (false, true) => (busy_from, u64::MAX),
            (false, false) => (0, busy_from - 1),
        };
    }

    pub fn is_news(&self) -> bool {
        self.is_too_high() || self.is_too_low()
    }

    /// A frame begins that disturbs the station.
    #[inline(always)]
    pub fn rise(&mut self, by: u32) {
        // As many frames of 32 bits as there can be stations don't add up to 64.
        self.power = self.power.wrapping_add(u64::from(by));
    }

    /// It ends.
    #[inline(always)]
    pub fn fall(&mut self, by: u32) {
        self.power = self.power.wrapping_sub(u64::from(by));
    }

    #[inline(always)]
    pub fn is_too_high(&self) -> bool {
        self.power > self.high
    }

    #[inline(always)]
    pub fn is_too_low(&self) -> bool {
        self.power < self.low
    }
}

/// Changes the powers of stations from a place in their list on, up to the first to which that is news. Gives its place.
/// Most of the work for a frame is done here, so no more is asked than that.
#[inline(never)]
pub(in crate::medium::wifi) fn next_news(
    stations: &[Number],
    powers: &[u32],
    levels: &mut [Level],
    from: usize,
    by: impl Fn(&mut Level, u32),
    is_news: impl Fn(&Level) -> bool,
) -> Option<usize> {
    let mut changes = |station: Number, power: u32| {
        let level = &mut levels[usize::from(station)];
        by(level, power);
        is_news(level)
    };
    let (stations, powers) = (&stations[from..], &powers[from..]);
    let (fours, rest) = stations.as_chunks::<4>();
    let (powers_of_fours, powers_of_rest) = powers.as_chunks::<4>();
    let mut place = from;
    for (stations, powers) in fours.iter().zip(powers_of_fours) {
        for n in 0..4 {
            if changes(stations[n], powers[n]) {
                return Some(place + n);
            }
        }
        place += 4;
    }
    let mut rest = rest.iter().zip(powers_of_rest);
    let found = rest.position(|(station, power)| changes(*station, *power));
    found.map(|found| place + found)
}
