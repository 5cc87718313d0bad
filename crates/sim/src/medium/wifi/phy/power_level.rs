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
    let mut rest = stations[from..].iter().zip(&powers[from..]);
    let place = rest.position(|(station, power)| {
        let level = &mut levels[usize::from(*station)];
        by(level, *power);
        is_news(level)
    });
    place.map(|place| from + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many there are: each is changed once, and each to which that is news is given.
    #[test]
    fn each_station_is_changed_once() {
        for count in 0..12u16 {
            let stations: Vec<Number> = (0..=count).rev().collect();
            let powers: Vec<u32> = (1..=u32::from(count)).collect();
            let mut levels = vec![Level::silent(None); stations.len()];
            for level in &mut levels {
                level.high = 3;
            }
            let (mut from, mut found) = (0, Vec::new());
            let (by, is_news) = (Level::rise, Level::is_too_high);
            while let Some(place) = next_news(&stations, &powers, &mut levels, from, by, is_news) {
                found.push(place);
                from = place + 1;
            }
            let loud: Vec<usize> = (3..usize::from(count)).collect();
            assert_eq!(found, loud, "{count}");
            let sums: Vec<u64> = levels.iter().rev().map(|level| level.power).collect();
            let all: Vec<u64> = (1..=u64::from(count)).chain([0]).collect();
            assert_eq!(sums, all, "{count}");
        }
    }
}
