//! Rate control by what became of frames: each mode has a smoothed share of frames that arrived, and now and then one frame tries
//! another mode.
//!
//! Modes of as many streams are a group. Every 50 ms the shares of the modes that were tried take in what came since, through a filter of second order.
//! A mode that was never tried is taken to be as good as the best faster one of its group. Throughput is the share, at most 90 %, by the time of a packet of 1200 B in an
//! A-MPDU of sixteen and by its part of 108 us of overhead. A frame goes at the mode of most throughput, after failures at the second
//! one, then at the one that is likely to arrive: the fastest of those above 75 %, else the most likely; where groups of fewer streams than the first one's
//! have such modes that carry anything, the one of them that carries most.
//!
//! Every 20 ms one frame alone probes a mode for one attempt. Probes take turns: the next faster mode of each group (every second one), a random faster
//! one, and now and then one between the modes in use.
//!
//! Reference: minstrel_ht of Linux since 5.12 (net/mac80211/rc80211_minstrel_ht.c). The edition of ns-3 is in `ns3`.
//! Differences: groups have the width and guard interval of the medium; probabilities are no fixed-point
//! numbers; the first frames of a mode replace what was inferred from faster ones; retries go without RTS where the medium has none; the random
//! order of probes is drawn anew for each pass.

use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::mode::Mode;
use crate::medium::wifi::spec::Edition;

mod ns3;
mod probes;
#[cfg(test)]
mod test_rules;

/// Groups of modes: up to eight streams.
const GROUPS: usize = 8;
/// Time between two updates of the shares.
const UPDATE: Span = Span::millis(50);
/// Time between two probes.
const PROBE: Span = Span::millis(20);
/// The filter: weights of the new share and of the last two results.
const FILTER: [f64; 3] = [0.2864, 1.2874, -0.5737];
/// Weight of the last PPDUs in the mean number of frames.
const NEW_LENGTH: f64 = 0.25;
/// Overhead of a PPDU, us.
const OVERHEAD: f64 = 108.0;
/// The PPDU by which modes are compared: packets, and bits of each.
const PACKETS: u64 = 16;
const BITS: u64 = 8 * 1200;
/// A mode with a smaller share carries nothing.
const LEAST: f64 = 0.1;
/// A larger share counts as this: collisions make it move.
const MOST: f64 = 0.9;
/// Share from which a mode is likely to arrive.
const LIKELY: f64 = 0.75;
/// Share up to which a mode has two attempts.
const POOR: f64 = 0.2;
/// Most attempts with one mode, and the time within which they end, us.
const TRIES: u32 = 7;
const SEGMENT: f64 = 6000.0;
/// Contention windows and slot (us) by which attempts are counted.
const WINDOWS: (u32, u32) = (15, 1023);
const SLOT: f64 = 9.0;

/// The knowledge about a mode.
#[derive(Clone, Debug)]
struct Row {
    mode: Mode,
    /// Time of a packet, us.
    time: f64,
    /// Frames since the last update, and how many arrived.
    frames: u32,
    arrived: u32,
    /// Whether it was ever tried.
    tried: bool,
    /// Updates in a row without a frame.
    idle: u32,
    /// The smoothed share, and the one before.
    share: f64,
    before: f64,
}

/// Rate control of a station toward a neighbour.
#[derive(Clone, Debug)]
pub struct Minstrel {
    edition: Edition,
    /// Modes, the slowest first.
    rows: Vec<Row>,
    /// Mean number of frames of a PPDU.
    length: f64,
    /// PPDUs since the last update, and their frames.
    ppdus: u32,
    sent: u32,
    /// Modes by which a frame goes, each with its attempts.
    chain: [(usize, u32); 3],
    /// Attempts that failed since the last answer.
    failed: u32,
    /// The mode that the next frame probes.
    probe: Option<usize>,
    /// Turns of the probes.
    turn: usize,
    /// Modes to be probed, by kind.
    next: Vec<usize>,
    faster: Vec<usize>,
    slower: Vec<usize>,
    /// The random order of probes, and the place in it.
    order: Vec<usize>,
    place: usize,
    updated: Time,
    probed: Time,
    /// In the edition of ns-3: PPDUs until the next probe, and probes of slow modes since the last update.
    wait: u32,
    slow_probes: u32,
    random: Random,
}

impl Minstrel {
    /// A station that has sent nothing yet: it begins with the slowest of these modes.
    pub fn new(modes: &[Mode], edition: Edition, random: Random) -> Minstrel {
        let row = |mode: &Mode| Row {
            mode: *mode,
            time: mode.symbol().0 as f64 / 1e6 * (PACKETS * BITS).div_ceil(mode.bits()) as f64
                / PACKETS as f64,
            frames: 0,
            arrived: 0,
            tried: false,
            idle: 0,
            share: 0.0,
            before: 0.0,
        };
        let mut made = Minstrel {
            edition,
            rows: modes.iter().map(row).collect(),
            length: 1.0,
            ppdus: 0,
            sent: 0,
            chain: [(0, 1); 3],
            failed: 0,
            probe: None,
            turn: 0,
            next: Vec::new(),
            faster: Vec::new(),
            slower: Vec::new(),
            order: Vec::new(),
            place: 0,
            updated: Time::ZERO,
            probed: Time::ZERO,
            wait: 0,
            slow_probes: 0,
            random,
        };
        made.update(Time::ZERO);
        made
    }

    /// Draws anew from now on.
    pub fn rekey(&mut self, by: u64) {
        self.random.rekey(by);
    }

    /// The mode of the next PPDU.
    pub fn mode(&self) -> Mode {
        self.rows[self.current()].mode
    }

    /// Whether the next PPDU is a probe, of one frame.
    pub fn probes(&self) -> bool {
        self.probe.is_some()
    }

    fn current(&self) -> usize {
        if let Some(probe) = self.probe {
            return probe;
        }
        let mut left = self.failed;
        for (row, tries) in self.chain {
            if left < tries {
                return row;
            }
            left -= tries;
        }
        self.chain[2].0
    }

    /// A PPDU of so many frames at `mode` is over; so many were acknowledged.
    pub fn sent(&mut self, frames: u16, arrived: u16, now: Time) {
        let row = self.current();
        let row = &mut self.rows[row];
        row.frames += u32::from(frames);
        row.arrived += u32::from(arrived);
        self.ppdus += 1;
        self.sent += u32::from(frames);
        let all: u32 = self.chain.iter().map(|(_, tries)| tries).sum();
        self.failed = match (self.probe.take(), arrived) {
            (None, 0) if self.failed + 1 < all => self.failed + 1,
            _ => 0,
        };
        if now.since(self.updated) > UPDATE {
            self.update(now);
        }
        self.wait = self.wait.saturating_sub(1);
        if self.failed > 0 {
            return;
        }
        match self.edition {
            Edition::Linux if now.since(self.probed) >= PROBE => {
                self.probed = now;
                self.probe = self.take_probe();
            }
            Edition::Ns3 if self.wait == 0 => {
                self.probe = self.take_probe_ns3();
                self.wait = self.wait() + u32::from(self.probe.is_some());
            }
            _ => {}
        }
    }

    /// Throughput of a mode, in packets by us.
    fn throughput(&self, row: &Row) -> f64 {
        match row.share < LEAST {
            true => 0.0,
            false => row.share.min(MOST) / (self.overhead() + row.time),
        }
    }

    /// A packet's part of the overhead of a PPDU, us.
    fn overhead(&self) -> f64 {
        match self.edition {
            Edition::Linux => OVERHEAD / libm::floor(self.length),
            Edition::Ns3 => 0.0,
        }
    }

    fn update(&mut self, now: Time) {
        if self.ppdus > 0 {
            let length = f64::from(self.sent) / f64::from(self.ppdus);
            self.length += NEW_LENGTH * (length - self.length);
        }
        (self.ppdus, self.sent) = (0, 0);
        self.slow_probes = 0;
        let mut faster = [0.0f64; GROUPS];
        for row in self.rows.iter_mut().rev() {
            if self.edition == Edition::Ns3 {
                row.take_in_ns3();
                continue;
            }
            row.take_in();
            let faster = &mut faster[usize::from(row.mode.streams) - 1];
            match row.tried {
                true => *faster = faster.max(row.share),
                false => row.share = row.share.max(*faster),
            }
        }
        let best = self.best();
        let likely = self.likely_of_fewer_streams(best[0]);
        let likely = likely.or_else(|| self.likely(best[0], |_| true));
        let likely = likely.expect("the first group has modes");
        self.chain = [best[0], best[1], likely].map(|row| (row, self.tries(&self.rows[row])));
        self.failed = 0;
        if self.edition == Edition::Linux {
            self.plan_probes([best[0], best[1], likely]);
        }
        (self.updated, self.probed) = (now, Time(now.0.saturating_sub(PROBE.0)));
    }

    /// The two modes of most throughput; the slowest where there are no others.
    fn best(&self) -> [usize; 2] {
        let worth = |row: usize| (self.throughput(&self.rows[row]), self.rows[row].share);
        let mut best = [0; 2];
        for row in (0..self.rows.len()).rev() {
            if worth(row).0 == 0.0 {
                continue;
            }
            if worth(row) > worth(best[0]) {
                best = [row, best[0]];
            } else if worth(row) > worth(best[1]) {
                best[1] = row;
            }
        }
        best
    }

    /// The mode among these that is likely to arrive; none where there is none.
    fn likely(&self, best: usize, is_one: impl Fn(&Row) -> bool) -> Option<usize> {
        let mut likely = None;
        for (number, row) in self.rows.iter().enumerate().filter(|(_, row)| is_one(row)) {
            let Some(than) = likely.map(|likely: usize| &self.rows[likely]) else {
                likely = Some(number);
                continue;
            };
            if number > best && row.share < self.rows[best].share {
                continue;
            }
            let better = match row.share > LIKELY {
                true => self.throughput(row) > self.throughput(than),
                false => row.share > than.share,
            };
            if better {
                likely = Some(number);
            }
        }
        likely
    }

    /// Of the likely modes of groups with fewer streams than the best one the mode that carries most, where one carries anything.
    fn likely_of_fewer_streams(&self, best: usize) -> Option<usize> {
        let groups = 1..self.rows[best].mode.streams;
        let likely = groups.filter_map(|n| self.likely(best, |row| row.mode.streams == n));
        let mut most = (None, 0.0);
        for row in likely {
            let worth = self.throughput(&self.rows[row]);
            if worth > most.1 {
                most = (Some(row), worth);
            }
        }
        most.0
    }

    /// Attempts with a mode: two, and as many more as end within the segment.
    fn tries(&self, row: &Row) -> u32 {
        if row.share < POOR {
            return 2;
        }
        let ppdu = OVERHEAD + row.time * libm::floor(self.length);
        let (mut window, most) = WINDOWS;
        let mut contention = || {
            let mean = SLOT * f64::from(window) / 2.0;
            window = (2 * window + 1).min(most);
            libm::floor(mean)
        };
        let mut time = contention() + contention() + 2.0 * ppdu;
        let mut tries = 2;
        loop {
            time += contention() + ppdu;
            if time >= SEGMENT {
                return tries;
            }
            tries += 1;
            if tries == TRIES {
                return tries;
            }
        }
    }
}

impl Row {
    /// The results since the last update go through the filter.
    fn take_in(&mut self) {
        if self.frames == 0 {
            return;
        }
        let new = f64::from(self.arrived) / f64::from(self.frames);
        (self.share, self.before) = match self.tried {
            false => (new, new),
            true => {
                let sum = FILTER[0] * new + FILTER[1] * self.share + FILTER[2] * self.before;
                (sum.clamp(0.0, 1.0), self.share)
            }
        };
        (self.tried, self.frames, self.arrived) = (true, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::mode::{Coding, Format, Guard};
    use super::super::mode_errors;
    use super::*;

    pub(super) fn modes() -> Vec<Mode> {
        let of = |mcs| Mode {
            format: Format::Ht,
            width: 20,
            mcs,
            streams: 1,
            guard: Guard::Long,
            coding: Coding::Bcc,
        };
        (0..=7).map(of).collect()
    }

    /// Those of one stream and of two.
    fn modes_of_two_streams() -> Vec<Mode> {
        let of = |streams| {
            modes()
                .into_iter()
                .map(move |mode| Mode { streams, ..mode })
        };
        let mut both: Vec<Mode> = of(1).chain(of(2)).collect();
        both.sort_by_key(Mode::rate);
        both
    }

    /// A sender that always has packets of 1500 B for a receiver at some SNR, alone on the air.
    struct Link {
        minstrel: Minstrel,
        random: Random,
        window: u64,
        now: Time,
    }

    impl Link {
        fn new(seed: u64, window: u64) -> Link {
            Link {
                minstrel: Minstrel::new(
                    &modes(),
                    Edition::Linux,
                    Random::stream(seed, "rates", "a"),
                ),
                random: Random::stream(seed, "errors", "a"),
                window,
                now: Time::ZERO,
            }
        }

        /// Frames of a PPDU of this mode, and its time with all around it: AIFS 43, backoff 67.5, SIFS 16 and answer 32 us.
        fn ppdu(&self, mode: &Mode, most: u64) -> (u64, Span) {
            let time = |n: u64| mode.airtime(1544 * (n - 1) + 1542);
            let fits = |n: &u64| time(*n) <= Span::micros(5484);
            let frames = (1..=most).take_while(fits).last().unwrap_or(1);
            (frames, time(frames) + Span::nanos(158_500))
        }

        fn arrives(mode: &Mode, snr: f64) -> f64 {
            let row = mode_errors::row(mode).expect("a table");
            let sinr = libm::pow(10.0, snr / 10.0);
            libm::exp(8.0 * 1538.0 * mode_errors::log_right(&row, sinr))
        }

        /// The MCS that carries most.
        fn best(&self, snr: f64) -> u8 {
            let worth = |mode: &Mode| {
                let (frames, time) = self.ppdu(mode, self.window);
                Self::arrives(mode, snr) * frames as f64 / time.0 as f64
            };
            let modes = modes();
            let by_worth = |a: &&Mode, b: &&Mode| worth(a).total_cmp(&worth(b));
            modes.iter().max_by(by_worth).expect("modes").mcs
        }

        /// Sends until then; the share of the time in which PPDUs of the best mode are on the air.
        fn send_until(&mut self, then: Span, snr: f64) -> f64 {
            let (best, mut at_best, mut all) = (self.best(snr), 0, 0);
            while self.now < Time::ZERO + then {
                let mode = self.minstrel.mode();
                let most = if self.minstrel.probes() {
                    1
                } else {
                    self.window
                };
                let (frames, time) = self.ppdu(&mode, most);
                let chance = Self::arrives(&mode, snr);
                let whole = (0..frames).filter(|_| self.random.unit() < chance).count();
                self.now += time;
                self.minstrel.sent(frames as u16, whole as u16, self.now);
                all += time.0;
                at_best += if mode.mcs == best { time.0 } else { 0 };
            }
            at_best as f64 / all as f64
        }
    }

    /// At a fixed SNR at which the best mode loses few frames a station is in it for 90 % of the time after a second.
    #[test]
    fn a_station_at_a_fixed_snr_finds_the_best_mode() {
        for window in [1, 64] {
            for (snr, mcs) in [
                (30.0, 7),
                (21.5, 7),
                (15.0, 4),
                (11.0, 3),
                (5.2, 1),
                (2.0, 0),
            ] {
                let mut least = f64::MAX;
                for seed in 0..5 {
                    let mut link = Link::new(seed, window);
                    assert_eq!(link.best(snr), mcs, "{snr} dB");
                    link.send_until(Span::secs(1), snr);
                    least = least.min(link.send_until(Span::secs(5), snr));
                }
                println!("{snr} dB, window {window}: {least:.3} of the time at MCS {mcs}");
                assert!(least >= 0.9, "{snr} dB, {window} frames: {least}");
            }
        }
    }

    /// Half a second after a step of 10 dB, down or up, it is there again.
    #[test]
    fn a_station_follows_a_step_of_10_db() {
        for window in [1, 64] {
            for (before, after) in [(21.5, 11.5), (11.5, 21.5), (15.0, 5.0), (5.0, 15.0)] {
                let mut least = f64::MAX;
                for seed in 0..5 {
                    let mut link = Link::new(seed, window);
                    link.send_until(Span::secs(2), before);
                    link.send_until(Span::millis(2500), after);
                    least = least.min(link.send_until(Span::secs(4), after));
                }
                println!("{before} to {after} dB, window {window}: {least:.3} of the time");
                assert!(least >= 0.9, "{before} to {after}, {window}: {least}");
            }
        }
    }

    /// Where no frame of two streams arrives and each of one does, a station is at the fastest mode of one for 90 % of the time after a second.
    #[test]
    fn a_station_of_which_one_stream_works_settles_on_it() {
        let both = modes_of_two_streams();
        for seed in 0..5 {
            let mut link = Link::new(seed, 64);
            link.minstrel =
                Minstrel::new(&both, Edition::Linux, Random::stream(seed, "rates", "a"));
            let (mut at_best, mut all) = (0, 0);
            while link.now < Time::ZERO + Span::secs(5) {
                let mode = link.minstrel.mode();
                let most = if link.minstrel.probes() { 1 } else { 64 };
                let (frames, time) = link.ppdu(&mode, most);
                link.now += time;
                let arrived = if mode.streams == 1 { frames } else { 0 };
                link.minstrel.sent(frames as u16, arrived as u16, link.now);
                if link.now > Time::ZERO + Span::secs(1) {
                    all += time.0;
                    let is_best = (mode.streams, mode.mcs) == (1, 7);
                    at_best += if is_best { time.0 } else { 0 };
                }
            }
            let share = at_best as f64 / all as f64;
            assert!(share >= 0.9, "{share}");
        }
    }

    /// Where all modes arrive, a frame goes at the fastest of two streams first, and in the end at the fastest of one.
    #[test]
    fn the_last_attempts_take_fewer_streams() {
        let random = Random::stream(1, "rates", "a");
        let mut minstrel = Minstrel::new(&modes_of_two_streams(), Edition::Linux, random);
        for row in &mut minstrel.rows {
            (row.tried, row.share) = (true, 1.0);
        }
        minstrel.update(Time::ZERO + UPDATE);
        let [first, _, last] = minstrel.chain.map(|(row, _)| minstrel.rows[row].mode);
        assert_eq!((first.streams, first.mcs), (2, 7));
        assert_eq!((last.streams, last.mcs), (1, 7));
    }

    /// The filter by hand: 1 as it is, then two updates with 0: 1.2874 - 0.5737 = 0.7137, and 1.2874 * 0.7137 - 0.5737 = 0.3451.
    #[test]
    fn shares_go_through_the_filter() {
        let mut minstrel = Minstrel::new(&modes(), Edition::Linux, Random::stream(1, "rates", "a"));
        for (arrived, expected) in [(4, 1.0), (0, 0.7137), (0, 0.34512)] {
            let row = &mut minstrel.rows[3];
            (row.frames, row.arrived) = (4, arrived);
            row.take_in();
            assert!((row.share - expected).abs() < 1e-5, "{}", row.share);
        }
    }

    /// Sixteen packets of 1200 B at MCS 7 take 591 symbols of 4 us, 147.75 us each; 0.9 of them arrive where each goes alone, one by
    /// 108 + 147.75 us. Attempts end within 6 ms.
    #[test]
    fn throughput_and_attempts_by_hand() {
        let mut minstrel = Minstrel::new(&modes(), Edition::Linux, Random::stream(1, "rates", "a"));
        minstrel.rows[7].share = 1.0;
        let found = minstrel.throughput(&minstrel.rows[7]);
        assert!((found * (108.0 + 147.75) - 0.9).abs() < 1e-12, "{found}");
        minstrel.rows[0].share = 1.0;
        let tries = |row: usize| minstrel.tries(&minstrel.rows[row]);
        // MCS 0: 67 + 139 + 2 (108 + 1476.9) + 283 + 1584.9 us = 5.24 ms, and 571 + 1584.9 us more are too many.
        // MCS 7: 67 + 139 + 283 + 571 + 1147 + 2299 us of contention and 6 of 255.75 us are 6.04 ms.
        assert_eq!((tries(0), tries(7)), (3, 5));
    }
}
