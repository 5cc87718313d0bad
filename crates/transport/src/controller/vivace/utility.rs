//! The utility of a rate (section 4 of the paper). Rates are in Mbit/s.

/// Constants of the utility.
#[derive(Clone, Debug)]
pub(super) struct Utility {
    pub exponent: f64,
    pub latency: f64,
    pub loss: f64,
    pub deviation: f64,
    pub tolerance: f64,
    pub rewards: bool,
}

impl Utility {
    /// Utility of `rate` at this slope of round trips, share of loss and deviation of round trips
    /// in seconds.
    pub fn of(&self, rate: f64, slope: f64, loss: f64, deviation: f64) -> f64 {
        let slope = match slope {
            s if s.abs() < self.tolerance => 0.0,
            s if s < 0.0 && !self.rewards => 0.0,
            s => s,
        };
        libm::pow(rate, self.exponent)
            - self.latency * rate * slope
            - self.loss * rate * loss
            - self.deviation * rate * deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utility(rewards: bool) -> Utility {
        Utility {
            exponent: 0.9,
            latency: 900.0,
            loss: 11.35,
            deviation: 1500.0,
            tolerance: 0.01,
            rewards,
        }
    }

    #[test]
    fn utility_is_that_of_the_paper() {
        let u = utility(true);
        // 10^0.9 = 7.943282; 900 · 10 · 0.02 = 180; 11.35 · 10 · 0.1 = 11.35; 1500 · 10 · 0.001 = 15.
        assert!((u.of(10.0, 0.0, 0.0, 0.0) - 7.943_282_347).abs() < 1e-9);
        assert!((u.of(10.0, 0.02, 0.0, 0.0) - (7.943_282_347 - 180.0)).abs() < 1e-8);
        assert!((u.of(10.0, 0.0, 0.1, 0.0) - (7.943_282_347 - 11.35)).abs() < 1e-8);
        assert!((u.of(10.0, 0.0, 0.0, 0.001) - (7.943_282_347 - 15.0)).abs() < 1e-8);
        // Falling round trips are rewarded by the paper only, and noise by neither.
        assert!((u.of(10.0, -0.02, 0.0, 0.0) - (7.943_282_347 + 180.0)).abs() < 1e-8);
        assert!((utility(false).of(10.0, -0.02, 0.0, 0.0) - 7.943_282_347).abs() < 1e-9);
        assert!((u.of(10.0, 0.009, 0.0, 0.0) - 7.943_282_347).abs() < 1e-9);
    }

    #[test]
    fn the_gradient_of_an_idle_link_is_0_9_over_the_tenth_root_of_the_rate() {
        let u = utility(true);
        for rate in [1.0, 10.0, 100.0] {
            let (e, r) = (0.05, rate);
            let slope = (u.of(r * (1.0 + e), 0.0, 0.0, 0.0) - u.of(r * (1.0 - e), 0.0, 0.0, 0.0))
                / (2.0 * e * r);
            let exact = 0.9 / libm::pow(rate, 0.1);
            // The third derivative leaves 0.9 · 0.1 · 1.1/6 · ε² = 4e-5 of it.
            assert!(
                (slope / exact - 1.0).abs() < 1e-4,
                "{rate}: {slope} {exact}"
            );
        }
    }
}
