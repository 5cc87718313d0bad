//! Reception under the physical channel. A receiver's interference is a running sum; while it receives a
//! frame, each change of the sum closes a stretch of constant SINR. Preamble: from `preamble_detect` on,
//! if its SINR reaches the threshold of the lowest rate. Capture: at any time during the frame that is
//! being received; of preambles that begin at one instant the strongest is taken.

use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::air::{Air, Ear, NOBODY};
use super::physical::Receivers;

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

    /// Ends a stretch of constant SINR.
    fn close(&mut self, receivers: &Receivers, ear: &Ear, now: Time) {
        if now == self.since {
            return;
        }
        let others = receivers.noise + (ear.power - ear.wanted);
        let bits = self.coded.density * (now.0 - self.since.0) as f64;
        let sinr = ear.wanted as f64 / others as f64;
        self.log_whole += bits * receivers.rungs[self.coded.rung].log_right(sinr);
        self.since = now;
    }

    /// Whether the frame failed.
    fn fails(&mut self) -> bool {
        self.log_whole < 0.0 && self.random.unit() > libm::exp(self.log_whole)
    }
}

impl Air {
    /// A station begins to send: what its frame is to all whom it reaches.
    pub fn arrive(&mut self, station: u32, coded: Coded, now: Time) {
        let number = self.radios[station as usize].medium as usize;
        for i in 0..self.reach[station as usize].len() {
            let link = self.reach[station as usize][i];
            let medium = &self.media[number];
            let receivers = medium.receivers.as_ref().expect("a physical channel");
            let ear = &mut self.ears[link.to as usize];
            let hearing = &mut self.hearings[link.to as usize];
            let receives = ear.lock != NOBODY;
            if receives {
                hearing.close(receivers, ear, now);
            }
            let (power, others) = (link.power as f64, (receivers.noise + ear.power) as f64);
            ear.energy += link.energy;
            ear.power += link.power;
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
                hearing.begin(coded, now);
            }
            if !ear.busy && (ear.energy >= medium.busy_from || ear.lock != NOBODY) {
                self.freeze(link.to, now);
            }
        }
    }

    /// A station's frame ends: closes the stretches of all whom it reaches, and settles whether those who
    /// receive it have it whole.
    pub fn fade(&mut self, station: u32, now: Time) {
        let number = self.radios[station as usize].medium as usize;
        let receivers = self.media[number].receivers.as_ref();
        let receivers = receivers.expect("a physical channel");
        for link in &self.reach[station as usize] {
            let ear = &mut self.ears[link.to as usize];
            if ear.lock == NOBODY {
                continue;
            }
            let hearing = &mut self.hearings[link.to as usize];
            hearing.close(receivers, ear, now);
            if ear.lock == station {
                ear.damaged |= hearing.fails();
            }
        }
    }
}
