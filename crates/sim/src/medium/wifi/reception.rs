//! Reception under the physical channel. A receiver's interference is a running sum; while it receives a
//! frame, each change of the sum closes a stretch of constant SINR. Most changes are no news: a sum has a band,
//! and within it neither does the medium become busy or idle nor does any bit fail. Preamble: from `preamble_detect` on,
//! if its SINR reaches the threshold of the lowest rate. Capture: at any time during the frame that is
//! being received; of preambles that begin at one instant the strongest is taken.

use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::air::{Air, NOBODY};
use super::ear::Ear;
use super::frame::Frame;
use super::physical::Receivers;

/// Logarithm of the chance of a frame to be whole, below which it fails without being drawn for: less than
/// the least difference between two draws.
const LOST: f64 = -37.0;

/// The power of the frames on the air that reach a station, in the units of `Link::power`.
#[derive(Copy, Clone, Debug)]
pub(super) struct Level {
    power: u64,
    /// A fall below is news.
    low: u64,
    /// A rise above is news.
    high: u64,
    /// Up to which no bit fails of the frame that the station receives.
    clear: u64,
}

impl Level {
    /// Nothing reaches a station, which hears nothing.
    pub(super) fn silent(receivers: Option<&Receivers>) -> Level {
        Level {
            power: 0,
            low: 0,
            high: receivers.map_or(0, |r| r.busy_from - 1),
            clear: 0,
        }
    }

    /// Sets the band, after anything about the ear has changed.
    #[inline]
    fn tune(&mut self, ear: &Ear, busy_from: u64) {
        (self.low, self.high) = match ear.lock {
            NOBODY if ear.sending => (0, u64::MAX),
            NOBODY if ear.busy => (busy_from, u64::MAX),
            NOBODY => (0, busy_from - 1),
            _ if self.power <= self.clear => (0, self.clear),
            _ => (u64::MAX, 0),
        };
    }
}

/// A frame as it is coded.
#[derive(Copy, Clone, Debug, Default)]
pub struct Coded {
    /// Number of its rate.
    pub rung: usize,
    /// Bits by tick.
    pub density: f64,
}

impl Coded {
    /// A frame of so many bytes over so much time.
    pub fn new(rung: usize, bytes: u64, span: Span) -> Coded {
        Coded {
            rung,
            density: (8 * bytes) as f64 / span.0 as f64,
        }
    }
}

/// What a receiver knows of the frame that it receives.
#[derive(Clone, Debug)]
pub struct Hearing {
    /// When it began.
    begun: Time,
    /// Up to when errors have been added up.
    since: Time,
    /// How it is coded.
    coded: Coded,
    /// Natural logarithm of its chance to be whole so far.
    log_whole: f64,
    /// Stream of errors.
    random: Random,
}

impl Hearing {
    /// The receiver of a station.
    pub fn new(seed: u64, name: &str) -> Hearing {
        Hearing {
            begun: Time::ZERO,
            since: Time::ZERO,
            coded: Coded::default(),
            log_whole: 0.0,
            random: Random::stream(seed, "reception", name),
        }
    }

    fn begin(&mut self, coded: Coded, now: Time) {
        self.begun = now;
        self.since = now;
        self.coded = coded;
        self.log_whole = 0.0;
    }

    /// Ends a stretch in which a frame of power `wanted` met `power` in all, up to `level.clear` or more.
    fn close(&mut self, receivers: &Receivers, wanted: u64, power: u64, level: &Level, now: Time) {
        if power > level.clear && now > self.since {
            let others = receivers.noise + (power - wanted);
            let bits = self.coded.density * (now.0 - self.since.0) as f64;
            let sinr = wanted as f64 / others as f64;
            self.log_whole += bits * receivers.rungs[self.coded.rung].log_right(sinr);
        }
        self.since = now;
    }

    /// Whether the frame failed; drawn for where that is open.
    fn fails(&mut self) -> bool {
        self.log_whole < LOST
            || (self.log_whole < 0.0 && self.random.unit() > libm::exp(self.log_whole))
    }
}

impl Air {
    /// A station begins to send: what its frame is to all whom it reaches, and to those it disturbs.
    pub fn arrive(&mut self, station: u32, coded: Coded, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let receivers = medium.receivers.as_ref().expect("a physical channel");
        self.levels[sender].tune(&self.ears[sender], receivers.busy_from);
        for link in &self.reach[sender] {
            let ear = &mut self.ears[link.to as usize];
            let level = &mut self.levels[link.to as usize];
            let hearing = &mut self.hearings[link.to as usize];
            let before = level.power;
            level.power += link.power;
            let receives = ear.lock != NOBODY;
            if receives && level.power > level.clear {
                hearing.close(receivers, ear.wanted, before, level, now);
            }
            let (power, others) = (link.power as f64, (receivers.noise + before) as f64);
            let heard = link.decodes && !ear.sending && power >= receivers.preamble * others;
            let takes = match receivers.capture {
                _ if !receives => heard,
                Some(capture) => {
                    let together = hearing.begun == now && link.power > ear.wanted;
                    heard && (together || power >= capture * others)
                }
                None => {
                    ear.damaged |= link.decodes;
                    false
                }
            };
            if takes {
                ear.lock = station;
                ear.wanted = link.power;
                ear.damaged = false;
                ear.confirm_nav(now);
                level.clear = receivers.clear(coded.rung, link.power);
                hearing.begin(coded, now);
            }
            if !ear.busy && (ear.lock != NOBODY || level.power >= receivers.busy_from) {
                ear.freeze(&mut self.radios[link.to as usize], medium, now);
            }
            level.tune(ear, receivers.busy_from);
        }
        for far in &self.far[sender] {
            let level = &mut self.levels[far.to as usize];
            let before = level.power;
            level.power += u64::from(far.power);
            if level.power <= level.high {
                continue;
            }
            let ear = &mut self.ears[far.to as usize];
            if ear.lock != NOBODY {
                let hearing = &mut self.hearings[far.to as usize];
                hearing.close(receivers, ear.wanted, before, level, now);
            } else {
                ear.freeze(&mut self.radios[far.to as usize], medium, now);
            }
            level.tune(ear, receivers.busy_from);
        }
    }

    /// A station's frame ends: those who receive it find out whether they have it whole. `heard` is who
    /// has, of those it is for.
    pub fn fade(&mut self, station: u32, frame: &Frame, now: Time) {
        let sender = station as usize;
        let medium = &self.media[self.radios[sender].medium as usize];
        let receivers = medium.receivers.as_ref().expect("a physical channel");
        let group = &mut self.groups[sender];
        self.heard.clear();
        for (number, link) in self.reach[sender].iter().enumerate() {
            let ear = &mut self.ears[link.to as usize];
            let level = &mut self.levels[link.to as usize];
            let before = level.power;
            level.power -= link.power;
            if ear.lock != NOBODY {
                let hearing = &mut self.hearings[link.to as usize];
                if before > level.clear {
                    hearing.close(receivers, ear.wanted, before, level, now);
                }
                if ear.lock == station {
                    ear.damaged |= hearing.fails();
                    if ear.hear_out(link.to, frame, medium, now) {
                        self.heard.push(link.to);
                    }
                }
            }
            if ear.lock == NOBODY && !ear.sending && level.power < receivers.busy_from {
                group.take(number, ear, station, now);
            }
            level.tune(ear, receivers.busy_from);
        }
        let beyond = self.reach[sender].len();
        for (number, far) in self.far[sender].iter().enumerate() {
            let level = &mut self.levels[far.to as usize];
            let before = level.power;
            level.power -= u64::from(far.power);
            if level.power >= level.low {
                continue;
            }
            let ear = &mut self.ears[far.to as usize];
            if ear.lock != NOBODY {
                let hearing = &mut self.hearings[far.to as usize];
                hearing.close(receivers, ear.wanted, before, level, now);
            } else {
                group.take(beyond + number, ear, station, now);
            }
            level.tune(ear, receivers.busy_from);
        }
        let (ear, level) = (&mut self.ears[sender], &mut self.levels[sender]);
        ear.sending = false;
        if level.power < receivers.busy_from {
            group.take_own(ear, station, now);
        }
        level.tune(ear, receivers.busy_from);
    }
}
