//! The delay profile: the delay that each window at sending caused, smoothed to a non-decreasing curve.

use std::collections::BTreeMap;

/// Greatest window in the profile (`MAX_W_DELAY_CURVE`).
pub(super) const MAX_WINDOW: f64 = 40_000.0;

/// Windows between the knots of the spline (`max_i/N` knots, N = 15).
const KNOT: f64 = 15.0;

/// Greatest window that is looked up, in last windows of the curve.
const REACH: f64 = 2.0;

/// Delays by window.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    points: BTreeMap<u32, f64>,
    /// The curve of the last fit: window and delay, both non-decreasing.
    curve: Vec<(f64, f64)>,
}

impl Profile {
    pub fn record(&mut self, window: f64, delay: f64) {
        let at = self
            .points
            .entry(window.min(MAX_WINDOW) as u32)
            .or_insert(delay);
        *at = 0.875 * *at + 0.125 * delay;
    }

    /// Forgets windows from this one on: segments sent at it were lost, so the delays of those that
    /// arrived say nothing of it.
    pub fn forget_from(&mut self, window: f64) {
        self.points.split_off(&(window.min(MAX_WINDOW) as u32));
    }

    /// Pools neighbours that fall (isotonic regression).
    pub fn fit(&mut self) {
        // Sum of delays and the windows that share them.
        let mut pools: Vec<(f64, Vec<f64>)> = Vec::new();
        for (window, delay) in &self.points {
            let mut pool = (*delay, vec![f64::from(*window)]);
            while let Some((sum, windows)) = pools.last_mut() {
                if *sum / windows.len() as f64 <= pool.0 / pool.1.len() as f64 {
                    break;
                }
                windows.append(&mut pool.1);
                pool = (*sum + pool.0, std::mem::take(windows));
                pools.pop();
            }
            pools.push(pool);
        }
        self.curve = pools
            .into_iter()
            .flat_map(|(sum, windows)| {
                let mean = sum / windows.len() as f64;
                windows.into_iter().map(move |w| (w, mean))
            })
            .collect();
    }

    /// Slope beyond the last point: that of the last knot of the program's spline, which has one for each
    /// fifteen windows. The mean slope of the whole curve would be far smaller where a queue is short.
    pub fn slope(&self) -> f64 {
        let Some((last, earlier)) = self.curve.split_last() else {
            return 0.0;
        };
        let near = earlier.partition_point(|(w, _)| *w < last.0 - KNOT);
        let before = earlier.get(near).or(earlier.last());
        before.map_or(0.0, |(w, d)| (last.1 - d) / (last.0 - w))
    }

    /// The delay of a window.
    pub fn delay(&self, window: f64) -> Option<f64> {
        let (first, last) = (self.curve.first()?, self.curve.last()?);
        if window <= first.0 {
            return Some(first.1);
        }
        if window >= last.0 {
            return Some(last.1 + self.slope() * (window - last.0));
        }
        let after = self.curve.partition_point(|(w, _)| *w <= window);
        let ((w0, d0), (w1, d1)) = (self.curve[after - 1], self.curve[after]);
        Some(d0 + (d1 - d0) * (window - w0) / (w1 - w0))
    }

    /// The greatest window whose delay is at most `delay`; none if the curve is flat there.
    pub fn window(&self, delay: f64) -> Option<f64> {
        let (first, last) = (self.curve.first()?, self.curve.last()?);
        if first.1 > delay {
            return Some(1.0);
        }
        let window = if last.1 < delay {
            let slope = self.slope();
            if slope <= 0.0 {
                return None;
            }
            (last.0 + (delay - last.1) / slope).min(REACH * last.0)
        } else {
            let after = self.curve.partition_point(|(_, d)| *d <= delay);
            match (self.curve[after - 1], self.curve.get(after)) {
                (last, None) => last.0,
                ((w0, d0), Some((w1, d1))) => w0 + (w1 - w0) * (delay - d0) / (d1 - d0),
            }
        };
        (window < MAX_WINDOW).then_some(libm::floor(window).max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(points: &[(u32, f64)]) -> Profile {
        let mut profile = Profile {
            points: points.iter().copied().collect(),
            curve: Vec::new(),
        };
        profile.fit();
        profile
    }

    #[test]
    fn a_point_is_an_average_with_seven_eighths_on_the_old() {
        let mut profile = Profile::default();
        profile.record(10.0, 0.040);
        profile.record(10.0, 0.080);
        assert!((profile.points[&10] - (0.875 * 0.040 + 0.125 * 0.080)).abs() < 1e-15);
    }

    #[test]
    fn the_curve_is_straight_between_its_points_and_beyond() {
        let p = profile(&[(10, 0.040), (20, 0.060), (40, 0.080)]);
        assert_eq!(p.delay(5.0), Some(0.040));
        assert!((p.delay(15.0).unwrap() - 0.050).abs() < 1e-12);
        assert!((p.delay(30.0).unwrap() - 0.070).abs() < 1e-12);
        // 20 ms over the last 20 packets, and never more than 2 · 40 packets.
        assert!((p.delay(70.0).unwrap() - 0.110).abs() < 1e-12);
        assert_eq!(p.window(0.0500001), Some(15.0));
        assert_eq!(p.window(0.0700001), Some(30.0));
        assert_eq!(p.window(0.1100001), Some(70.0));
        assert_eq!(p.window(0.5), Some(80.0));
        assert_eq!(p.window(0.030), Some(1.0));
    }

    #[test]
    fn the_slope_at_the_end_is_that_of_the_last_fifteen_windows() {
        // Flat to 60, then 10 ms over 15 packets: the mean slope would be 10 ms over 65.
        let p = profile(&[(10, 0.040), (60, 0.040), (68, 0.045), (75, 0.050)]);
        assert!((p.slope() - 0.010 / 15.0).abs() < 1e-12);
    }

    #[test]
    fn windows_of_lost_segments_are_forgotten() {
        let mut p = profile(&[(10, 0.040), (20, 0.060), (40, 0.080)]);
        p.forget_from(20.0);
        p.fit();
        assert_eq!(p.curve, [(10.0, 0.040)]);
    }

    #[test]
    fn points_that_fall_are_pooled() {
        // 60 and 40 become 50 each; 55 stays.
        let p = profile(&[(10, 0.060), (20, 0.040), (30, 0.055)]);
        assert!((p.delay(10.0).unwrap() - 0.050).abs() < 1e-12);
        assert!((p.delay(20.0).unwrap() - 0.050).abs() < 1e-12);
        assert!((p.delay(25.0).unwrap() - 0.0525).abs() < 1e-12);
    }

    #[test]
    fn a_flat_curve_names_no_window_for_a_longer_delay() {
        let p = profile(&[(10, 0.040), (20, 0.040)]);
        assert_eq!(p.window(0.050), None);
        assert_eq!(p.window(0.030), Some(1.0));
    }

    /// A curve without a point has no slope, and neither has one with a single point; delays of 1 s and 3 s of windows of 10 and 20 rise by
    /// 0.2 s each.
    #[test]
    fn a_curve_needs_two_points_for_a_slope() {
        let slope = |points: &[(f64, f64)]| {
            let mut profile = Profile::default();
            for (window, delay) in points {
                profile.record(*window, *delay);
            }
            profile.fit();
            profile.slope()
        };
        assert_eq!(slope(&[]), 0.0);
        assert_eq!(slope(&[(10.0, 1.0)]), 0.0);
        assert!((slope(&[(10.0, 1.0), (20.0, 3.0)]) - 0.2).abs() < 1e-12);
    }

    /// 40,000 packets are the greatest window of the profile, and a window that is looked up lies below it.
    #[test]
    fn windows_are_bounded() {
        let end = |window: u32| profile(&[(10, 0.040), (window, 0.080)]).window(1.0);
        assert_eq!(end(19_000), Some(38_000.0));
        assert_eq!(end(20_000), None);
        let mut p = Profile::default();
        p.record(50_000.0, 0.040);
        assert_eq!(p.points.keys().copied().collect::<Vec<_>>(), [40_000]);
        p.forget_from(45_000.0);
        assert!(p.points.is_empty());
        p.record(30_000.0, 0.040);
        p.forget_from(35_000.0);
        assert_eq!(p.points.len(), 1);
        assert_eq!(profile(&[(1, 0.040), (3, 0.060)]).window(0.045), Some(1.0));
    }

    /// The greatest window of a delay is that at the end of a flat part; at the end of the curve it is the last.
    #[test]
    fn a_delay_of_a_flat_part_has_its_last_window() {
        let begins = profile(&[(10, 0.040), (20, 0.040), (30, 0.060)]);
        assert_eq!(begins.window(0.040), Some(20.0));
        let ends = profile(&[(10, 0.030), (20, 0.040), (40, 0.040)]);
        assert_eq!(ends.window(0.040), Some(40.0));
        assert_eq!(ends.delay(40.0), Some(0.040));
        assert_eq!(begins.delay(30.0), Some(0.060));
    }
}
