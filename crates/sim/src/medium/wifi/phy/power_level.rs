//! The power of the frames on the air at each station, and the band outside which a change is news to it.
//!
//! A frame disturbs many more stations than can understand it, and to few of them that is news. So their powers lie in one row, and a
//! frame changes those of `LANES` neighbouring numbers together.

use std::array::from_fn;

use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::frame::Number;
use crate::medium::wifi::phy::channel::Far;
use crate::medium::wifi::phy::physical::Receivers;

/// A bound that no power passes.
const BEYOND: i64 = i64::MAX;
/// Stations that a block has.
const LANES: usize = 8;

/// The powers of all frames together that are no news to a station.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::medium::wifi) struct Band {
    /// A fall below is news.
    low: i64,
    /// A rise above is news.
    high: i64,
}

impl Band {
    /// No change is news.
    pub const ALL: Band = Band {
        low: 0,
        high: BEYOND,
    };

    /// A rise above this power is news.
    #[inline]
    pub fn up_to(high: u64) -> Band {
        Band {
            low: 0,
            high: high as i64,
        }
    }

    /// Every change of this power is news.
    #[inline]
    pub fn at(power: u64) -> Band {
        Band {
            low: power as i64,
            high: power as i64,
        }
    }

    /// That of a station that receives nothing.
    #[inline]
    pub fn without_frame(sense: &CarrierSense, busy_from: u64) -> Band {
        match (sense.sending, sense.busy) {
            (true, _) => Band::ALL,
            (false, true) => Band {
                low: busy_from as i64,
                high: BEYOND,
            },
            (false, false) => Band::up_to(busy_from - 1),
        }
    }
}

/// The power of the frames on the air at each station, in the units of `Link::power`, and its band. Powers add up to less than 2⁶³.
/// Where a change was no news, or was answered by a new band, the power lies within the band: so a block finds those to whom its
/// frame is news by their powers alone, whoever else has a number between theirs.
#[derive(Clone, Debug, Default)]
pub(in crate::medium::wifi) struct Levels {
    power: Vec<i64>,
    low: Vec<i64>,
    high: Vec<i64>,
    stations: usize,
}

impl Levels {
    /// Adds a station whom nothing reaches and who hears nothing.
    pub fn push(&mut self, receivers: Option<&Receivers>) {
        let band = Band::up_to(receivers.map_or(0, |r| r.busy_from - 1));
        let number = self.stations;
        self.stations += 1;
        // A block of the last station ends behind it.
        self.power.resize(self.stations + LANES, 0);
        self.low.resize(self.stations + LANES, 0);
        self.high.resize(self.stations + LANES, BEYOND);
        self.rows(number + 1).set(number, band);
    }

    /// The stations, of which there are so many, one by one.
    #[inline(always)]
    pub fn rows(&mut self, stations: usize) -> Rows<'_> {
        Rows {
            power: &mut self.power[..stations],
            low: &mut self.low[..stations],
            high: &mut self.high[..stations],
        }
    }

    /// A frame begins that disturbs the stations of a block. True if that is news to one of them.
    #[inline(always)]
    pub fn rise(&mut self, block: &Block) -> bool {
        let high = *eight(&self.high, block);
        let power = eight_mut(&mut self.power, block);
        let by = block.powers.map(i64::from);
        let before = *power;
        let after: [i64; LANES] = from_fn(|lane| before[lane].wrapping_add(by[lane]));
        *power = after;
        any_negative(from_fn(|lane| high[lane].wrapping_sub(after[lane])))
    }

    /// It ends.
    #[inline(always)]
    pub fn fall(&mut self, block: &Block) -> bool {
        let low = *eight(&self.low, block);
        let power = eight_mut(&mut self.power, block);
        let by = block.powers.map(i64::from);
        let before = *power;
        let after: [i64; LANES] = from_fn(|lane| before[lane].wrapping_sub(by[lane]));
        *power = after;
        any_negative(from_fn(|lane| after[lane].wrapping_sub(low[lane])))
    }
}

/// Compilers take several of the numbers at a time, since nothing else can be where they are.
#[inline(always)]
fn any_negative(numbers: [i64; LANES]) -> bool {
    numbers.into_iter().fold(0, |all, number| all | number) < 0
}

#[inline(always)]
fn eight_mut<'a>(row: &'a mut [i64], block: &Block) -> &'a mut [i64; LANES] {
    let row = row[usize::from(block.first)..].first_chunk_mut();
    row.expect("as many entries as a block has behind the last station")
}

#[inline(always)]
fn eight<'a>(row: &'a [i64], block: &Block) -> &'a [i64; LANES] {
    let row = row[usize::from(block.first)..].first_chunk();
    row.expect("as many entries as a block has behind the last station")
}

/// The entries of the stations.
pub(in crate::medium::wifi) struct Rows<'a> {
    power: &'a mut [i64],
    low: &'a mut [i64],
    high: &'a mut [i64],
}

impl Rows<'_> {
    /// The power at a station.
    #[inline(always)]
    pub fn power(&self, station: usize) -> u64 {
        self.power[station] as u64
    }

    /// A frame begins or ends that may be understood: the power changes by so much, and is this before and after.
    #[inline(always)]
    pub fn change(&mut self, station: usize, by: i64) -> (u64, u64) {
        let before = self.power[station];
        let after = before + by;
        self.power[station] = after;
        (before as u64, after as u64)
    }

    #[inline(always)]
    pub fn set(&mut self, station: usize, band: Band) {
        (self.low[station], self.high[station]) = (band.low, band.high);
    }

    #[inline(always)]
    pub fn is_news(&self, station: usize) -> bool {
        self.is_too_high(station) || self.is_too_low(station)
    }

    #[inline(always)]
    pub fn is_too_high(&self, station: usize) -> bool {
        self.power[station] > self.high[station]
    }

    #[inline(always)]
    pub fn is_too_low(&self, station: usize) -> bool {
        self.power[station] < self.low[station]
    }
}

/// What a station's frames add at `LANES` stations of consecutive numbers: nothing where they do not disturb.
#[derive(Copy, Clone, Debug)]
pub(in crate::medium::wifi) struct Block {
    powers: [u32; LANES],
    /// Number of the first station.
    first: Number,
    /// Place of the first that is disturbed in the list of all that are.
    place: Number,
}

impl Block {
    /// The numbers that it has, of those below `stations`.
    #[inline(always)]
    pub fn numbers(&self, stations: usize) -> std::ops::Range<usize> {
        let first = usize::from(self.first);
        first..stations.min(first + LANES)
    }

    /// The place in the list of a station that is disturbed, and by how much.
    #[inline]
    pub fn disturbs(&self, station: usize) -> (usize, u32) {
        let lane = station - usize::from(self.first);
        let before = self.powers[..lane].iter().filter(|power| **power > 0);
        (usize::from(self.place) + before.count(), self.powers[lane])
    }

    /// The blocks of these stations, in ascending order as they are.
    pub fn of(far: &[Far]) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for (place, far) in far.iter().enumerate() {
            let lane = |block: &Block| (far.to - u32::from(block.first)) as usize;
            if blocks.last().is_none_or(|last| lane(last) >= LANES) {
                let short = |number: u32| Number::try_from(number).expect("fits the tables");
                blocks.push(Block {
                    powers: [0; LANES],
                    first: short(far.to),
                    place: short(place as u32),
                });
            }
            if let Some(last) = blocks.last_mut() {
                let lane = lane(last);
                last.powers[lane] = far.power;
            }
        }
        blocks
    }

    /// The stations that are disturbed, and by how much.
    pub fn disturbed(&self) -> impl Iterator<Item = (u32, u32)> {
        let powers = (u32::from(self.first)..).zip(self.powers);
        powers.filter(|(_, power)| *power > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However many there are, and wherever: each is changed once, and each to which that is news is found, and no other.
    #[test]
    fn each_station_is_changed_once() {
        for count in 0..40usize {
            let all = (0..count as u32).filter(|n| n % 5 != 3);
            let far: Vec<Far> = all
                .map(|n| Far {
                    to: n,
                    power: n + 1,
                })
                .collect();
            let blocks = Block::of(&far);
            let mut levels = Levels::default();
            for station in 0..count {
                levels.push(None);
                // Any change is news to stations that are not disturbed, so that one of theirs would be found.
                let band = match station % 5 {
                    3 => Band::at(0),
                    _ => Band::up_to(10),
                };
                levels.rows(station + 1).set(station, band);
            }
            let mut found = Vec::new();
            for block in &blocks {
                let news = levels.rise(block);
                let rows = levels.rows(count);
                let loud = block.numbers(count).filter(|to| rows.is_too_high(*to));
                let loud: Vec<_> = loud.map(|to| (to, block.disturbs(to))).collect();
                assert_eq!(news, !loud.is_empty(), "{count}");
                found.extend(loud);
            }
            let placed = far.iter().enumerate().filter(|(_, far)| far.power > 10);
            let loud = placed.map(|(place, far)| (far.to as usize, (place, far.power)));
            assert_eq!(found, loud.collect::<Vec<_>>(), "{count}");
            for far in &far {
                let to = far.to as usize;
                assert_eq!(levels.rows(count).power(to), far.power.into());
                levels.rows(count).set(to, Band::at(far.power.into()));
            }
            assert!(blocks.iter().all(|block| levels.fall(block)), "{count}");
            assert!((0..count).all(|station| levels.rows(count).power(station) == 0));
        }
    }
}
