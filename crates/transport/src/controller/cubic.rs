//! CUBIC.
//!
//! Detects: loss, and marks if the flow uses ECN. Tells: nobody. Responds: the window follows a cubic
//! of the time since the last reduction, flat around the window at which it happened, or a Reno window
//! of the same average where that is larger; `beta` of the flight at a loss.
//!
//! Reference: RFC 9438; slow start RFC 5681 or RFC 9406; RFC 8511 (ABE). Differences: an
//! acknowledgement of several segments counts once for each; time that is not window-limited does not
//! count to the age of an epoch.

use crate::building_blocks::slow_start::{self, SlowStart};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Idle, Inspect, Limits,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::units::{Span, Time};

/// The state that a reduction changes, in segments. It is saved for restoring (section 4.9).
#[derive(Copy, Clone, Debug)]
struct State {
    window: f64,
    threshold: f64,
    /// W_max.
    peak: f64,
    /// cwnd_prior.
    prior: f64,
    epoch: Option<Epoch>,
    after_timeout: bool,
}

/// A stage of congestion avoidance.
#[derive(Copy, Clone, Debug)]
struct Epoch {
    began: Time,
    k: f64,
    /// W_est.
    reno: f64,
}

/// CUBIC's window.
#[derive(Clone, Debug)]
pub struct Cubic {
    mss: u64,
    c: f64,
    beta: f64,
    mark_beta: f64,
    alpha: f64,
    fast_convergence: bool,
    slow_start: SlowStart,
    state: State,
    saved: Option<State>,
    last_ack: Time,
}

/// W_cubic(t) (section 4.2, equation 1).
fn cubic(c: f64, k: f64, peak: f64, t: f64) -> f64 {
    let d = t - k;
    c * d * d * d + peak
}

impl Cubic {
    fn avoid(&mut self, ack: &Ack) {
        let (c, s) = (self.c, &mut self.state);
        if s.epoch.is_none() {
            if std::mem::take(&mut s.after_timeout) || s.window >= s.peak {
                s.peak = s.window;
            }
            s.epoch = Some(Epoch {
                began: ack.now,
                k: libm::cbrt((s.peak - s.window) / c),
                reno: s.window,
            });
        }
        let epoch = s.epoch.as_mut().expect("just begun");
        let t = ack.now.since(epoch.began).seconds();
        // After a timeout one acknowledgement may cover more than a window. It counts as one window.
        let segments = (ack.advanced as f64 / self.mss as f64).min(s.window);
        let alpha = if epoch.reno >= s.prior {
            1.0
        } else {
            self.alpha
        };
        epoch.reno += alpha * segments / s.window;
        if cubic(c, epoch.k, s.peak, t) < epoch.reno {
            s.window = s.window.max(epoch.reno);
        } else {
            let target = cubic(c, epoch.k, s.peak, t + ack.srtt.seconds());
            let target = target.clamp(s.window, 1.5 * s.window);
            s.window += (target - s.window) / s.window * segments;
        }
    }

    /// Section 4.6.
    fn reduce(&mut self, flight: u64, beta: f64, least: f64) {
        self.saved = Some(self.state);
        self.slow_start.end();
        let s = &mut self.state;
        s.peak = if self.fast_convergence && s.window < s.peak {
            s.window * (1.0 + self.beta) / 2.0
        } else {
            s.window
        };
        s.prior = s.window;
        s.epoch = None;
        let kept = flight as f64 / self.mss as f64 * beta;
        s.window = kept.max(least);
        s.threshold = kept.max(2.0);
    }
}

impl Controller for Cubic {
    fn on_ack(&mut self, ack: &Ack) {
        let since = Span(ack.now.0.saturating_sub(self.last_ack.0));
        self.last_ack = ack.now;
        if !ack.cwnd_limited {
            if let Some(epoch) = &mut self.state.epoch {
                epoch.began = epoch.began.after(since).min(ack.now);
            }
            return;
        }
        if ack.recovering {
            return;
        }
        if self.state.window < self.state.threshold {
            let (growth, over) = self.slow_start.on_ack(ack);
            self.state.window += growth as f64 / self.mss as f64;
            if over {
                self.state.threshold = self.state.window;
                self.slow_start.end();
            }
        } else if ack.advanced > 0 {
            self.avoid(ack);
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let flight = congestion.in_flight;
        match congestion.cause {
            Cause::Loss => self.reduce(flight, self.beta, 2.0),
            Cause::Mark => self.reduce(flight, self.mark_beta, 1.0),
            Cause::Timeout => {
                self.reduce(flight, self.beta, 1.0);
                self.state.window = 1.0;
                self.state.after_timeout = true;
            }
            Cause::Spurious => {
                if let Some(saved) = self.saved.take().filter(|s| s.window > self.state.window) {
                    self.state = saved;
                }
            }
            Cause::Recovered => {}
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        let s = &mut self.state;
        s.threshold = s.threshold.max(idle.threshold as f64 / self.mss as f64);
        let most = idle.window as f64 / self.mss as f64;
        if most < s.window {
            s.window = most;
            s.epoch = None;
        } else if let Some(epoch) = &mut s.epoch {
            // Section 5.8: idle time does not count to the epoch.
            let pause = Span(idle.now.0.saturating_sub(self.last_ack.0));
            epoch.began = epoch.began.after(pause);
        }
        self.last_ack = idle.now;
    }

    fn limits(&self) -> Limits {
        Limits::of((self.state.window * self.mss as f64) as u64)
    }

    fn inspect(&self) -> Inspect {
        let s = &self.state;
        let k = s.epoch.map_or(0.0, |e| e.k);
        let reno = s.epoch.map_or(0.0, |e| e.reno);
        Inspect {
            ssthresh: (s.threshold < f64::MAX).then_some((s.threshold * self.mss as f64) as u64),
            state: if s.window < s.threshold {
                "slow start"
            } else {
                "avoidance"
            },
            values: Inspect::values([("w_max", s.peak), ("k_s", k), ("w_est", reno)]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Cubic>> = Part {
    id: "cubic",
    aliases: &[],
    summary: "a cubic of the time since the last loss",
    source: "RFC 9438",
    options: &[
        Opt::new(
            "c",
            Kind::Number,
            Default::Is("0.4"),
            "segments per cubic second",
        )
        .at_least("0.000001")
        .at_most("1000"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Is("0.7"),
            "share of the flight kept at a loss",
        )
        .at_least("0.1")
        .at_most("0.99"),
        Opt::new(
            "fast_convergence",
            Kind::Flag,
            Default::Is("true"),
            "let go of capacity when the peak falls (section 4.7)",
        ),
        Opt::new(
            "abe",
            Kind::Flag,
            Default::Is("false"),
            "at a mark keep 0.85 of the flight (RFC 8511)",
        ),
        slow_start::OPTION,
    ],
    build: |args, setup| {
        let beta = args.number("beta");
        Ok(Cubic {
            mss: setup.mss,
            c: args.number("c"),
            beta,
            mark_beta: if args.flag("abe") { 0.85 } else { beta },
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
            fast_convergence: args.flag("fast_convergence"),
            slow_start: SlowStart::new(setup.mss, args.choice("slow_start")),
            state: State {
                window: setup.initial as f64 / setup.mss as f64,
                threshold: f64::MAX,
                peak: 0.0,
                prior: 0.0,
                epoch: None,
                after_timeout: false,
            },
            saved: None,
            last_ack: Time::ZERO,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// K and W(t) for W_max 100 and 1000, to the digits of an independent computation.
    #[test]
    fn the_cubic_is_that_of_the_vectors() {
        let check = |peak: f64, k: f64, vectors: &[(f64, f64)]| {
            let ours = libm::cbrt(peak * 0.3 / 0.4);
            assert!((ours - k).abs() < 5e-5);
            assert!((cubic(0.4, ours, peak, 0.0) - 0.7 * peak).abs() < 1e-6);
            for (t, w) in vectors {
                let ours = cubic(0.4, ours, peak, *t);
                assert!((ours - w).abs() < 5e-4, "{t}: {ours} {w}");
            }
        };
        let vectors = [
            (1.0, 86.681),
            (2.0, 95.640),
            (3.0, 99.279),
            (4.0, 99.996),
            (5.0, 100.192),
            (6.0, 102.267),
            (8.0, 121.653),
            (10.0, 177.354),
        ];
        check(100.0, 4.2172, &vectors);
        let vectors = [
            (1.0, 788.555),
            (2.0, 857.705),
            (3.0, 909.849),
            (4.0, 947.388),
            (5.0, 972.721),
            (6.0, 988.249),
            (8.0, 999.488),
            (10.0, 1000.306),
        ];
        check(1000.0, 9.0856, &vectors);
    }
}
