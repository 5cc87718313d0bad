//! How evenly and how steadily flows share, second by second: the least Jain's index of five seconds, how much the sum of
//! all varies, and when it was first near its mean. Equal shares of an idle link are even, too, so these figures belong
//! together.

use std::collections::VecDeque;

/// Seconds of a window in which shares are compared.
const WINDOW: usize = 5;
/// Share of the mean at which a link counts as filled.
const FILLED: f64 = 0.9;

/// Sums over the seconds of a run.
#[derive(Clone, Debug, Default)]
pub struct Steadiness {
    /// Bytes of each flow in the last seconds.
    window: VecDeque<Vec<u64>>,
    /// Values that have left the window are removed.
    sums: Vec<u64>,
    least_jain: Option<f64>,
    /// Seconds with deliveries, and the sum of their indices.
    jains: (u64, f64),
    /// Seconds after the warm-up, the mean of their bytes, and the sum of squared distances from it (Welford).
    count: u64,
    mean: f64,
    squares: f64,
    /// Seconds that carried more than all before them, and their bytes.
    records: Vec<(u64, u64)>,
}

impl Steadiness {
    /// Bytes that flows delivered in a second. `fair` says that all have begun, `measured` that the warm-up is over.
    pub fn note(&mut self, second: u64, news: &[u64], fair: bool, measured: bool) {
        let all: u64 = news.iter().sum();
        if self.records.last().is_none_or(|(_, most)| all > *most) {
            self.records.push((second, all));
        }
        if !measured {
            return;
        }
        self.count += 1;
        let off = all as f64 - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (all as f64 - self.mean);
        if fair {
            self.compare(news);
        }
    }

    fn compare(&mut self, news: &[u64]) {
        if let Some(index) = jain(news) {
            self.jains.0 += 1;
            self.jains.1 += index;
        }
        self.sums.resize(news.len(), 0);
        for (sum, new) in self.sums.iter_mut().zip(news) {
            *sum += new;
        }
        self.window.push_back(news.to_vec());
        if self.window.len() > WINDOW
            && let Some(oldest) = self.window.pop_front()
        {
            for (sum, old) in self.sums.iter_mut().zip(oldest) {
                *sum -= old;
            }
        }
        if self.window.len() == WINDOW
            && let Some(index) = jain(&self.sums)
        {
            self.least_jain = Some(self.least_jain.map_or(index, |least| least.min(index)));
        }
    }

    /// Least Jain's index of five seconds after the warm-up in which anything was delivered.
    pub fn least_jain(&self) -> Option<f64> {
        self.least_jain
    }

    /// Mean of Jain's indices of each second after the warm-up.
    pub fn mean_jain(&self) -> Option<f64> {
        let (seconds, sum) = self.jains;
        (seconds > 0).then(|| sum / seconds as f64)
    }

    /// Standard deviation of the bytes of a second over their mean, after the warm-up.
    pub fn variation(&self) -> Option<f64> {
        let known = self.count > 1 && self.mean > 0.0;
        known.then(|| libm::sqrt(self.squares / (self.count - 1) as f64) / self.mean)
    }

    /// Seconds until one carried nine tenths of the mean after the warm-up.
    pub fn filled(&self) -> Option<u64> {
        let enough = |record: &&(u64, u64)| record.1 as f64 >= FILLED * self.mean;
        let known = self.mean > 0.0;
        known
            .then(|| {
                self.records
                    .iter()
                    .find(enough)
                    .map(|(second, _)| second + 1)
            })
            .flatten()
    }
}

/// (Σx)² / (n Σx²); none where nothing was delivered.
fn jain(x: &[u64]) -> Option<f64> {
    let sum = x.iter().sum::<u64>() as f64;
    let squares: f64 = x.iter().map(|v| (*v as f64) * (*v as f64)).sum();
    (squares > 0.0).then(|| sum * sum / (x.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seconds: &[[u64; 2]], from: u64) -> Steadiness {
        let mut steadiness = Steadiness::default();
        for (second, news) in seconds.iter().enumerate() {
            let second = second as u64;
            steadiness.note(second, news, true, second >= from);
        }
        steadiness
    }

    /// Five seconds of 100 and 0, then of 50 and 50: the sums of the worst window are 500 and 0, an index of 1/2. A warm-up of
    /// five seconds leaves them out; one of four leaves a window of 300 and 200: 250,000 / (2 · 130,000).
    #[test]
    fn the_worst_five_seconds_after_the_warm_up_count() {
        let mut seconds = vec![[100, 0]; 5];
        seconds.extend([[50, 50]; 5]);
        assert_eq!(of(&seconds, 0).least_jain(), Some(0.5));
        assert_eq!(of(&seconds, 0).mean_jain(), Some(0.75));
        assert_eq!(of(&seconds, 5).least_jain(), Some(1.0));
        let one = of(&seconds, 4).least_jain().unwrap();
        assert!((one - 250_000.0 / 260_000.0).abs() < 1e-12, "{one}");
        assert_eq!(of(&seconds[..4], 0).least_jain(), None);
        assert_eq!(of(&[[0, 0]; 9], 0).least_jain(), None);
    }

    /// 80, 120, 80, 120 bytes: mean 100, standard deviation √(4 · 400 / 3).
    #[test]
    fn the_sum_of_all_varies_about_its_mean() {
        let seconds = [[40, 40], [60, 60], [40, 40], [60, 60]];
        let variation = of(&seconds, 0).variation().unwrap();
        assert!((variation - libm::sqrt(1600.0 / 3.0) / 100.0).abs() < 1e-12);
        assert_eq!(of(&seconds[..1], 0).variation(), None);
    }

    #[test]
    fn a_link_is_filled_in_the_first_second_near_the_mean_of_the_measured_ones() {
        let seconds = [[10, 10], [60, 28], [50, 40], [50, 50], [50, 50]];
        // The mean from the fourth second on is 100: the third carried 90.
        assert_eq!(of(&seconds, 3).filled(), Some(3));
        assert_eq!(of(&[[0, 0]; 3], 0).filled(), None);
    }
}
