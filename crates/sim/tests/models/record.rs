//! The records of a run: delays, ages, counters, the Hurst parameter and the fingerprint.

use backwater_sim::packet::{Packet, Traffic};
use backwater_sim::record::age::Age;
use backwater_sim::record::delays::Delays;
use backwater_sim::record::fingerprint::{Fingerprint, Mark};
use backwater_sim::record::flow_stats::{Count, FlowStats};
use backwater_sim::record::variance_time::{Hurst, VarianceTime};
use backwater_sim::table::Id;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Span, Time};

const MS: u64 = Span::millis(1).0;

const fn ms(n: u64) -> Time {
    Time(n * MS)
}

/// The share `q` of sorted values, by the definition of a quantile.
fn quantile(sorted: &[u64], q: f64) -> u64 {
    let rank = libm::ceil(q * sorted.len() as f64) as usize;
    sorted[rank.max(1) - 1]
}

/// Below 2,048 ns each value has a class of its own, so quantiles are those of the sorted list. Above, a class is at most a
/// thousandth wide.
#[test]
fn quantiles_and_means_are_those_of_the_sorted_list() {
    let mut random = Random::stream(1, "models", "delays");
    let small: Vec<u64> = (0..700).map(|_| random.between(0, 2047)).collect();
    let often = std::iter::repeat_n(1_234, 1_000);
    let wide: Vec<u64> = (0..900)
        .map(|_| random.between(0, u64::MAX) >> random.between(20, 60))
        .collect();
    let exact: Vec<u64> = small.iter().copied().chain(often).collect();
    for (all, error) in [(exact, 0.0), (wide, 1e-3)] {
        for parts in 1..=3 {
            // Of so many flows, summed up in the order in which they come.
            let mut flows = vec![Delays::default(); parts];
            for (i, ns) in all.iter().enumerate() {
                flows[i * i % parts].record(*ns);
            }
            let mut sum = Delays::default();
            flows.iter().for_each(|flow| sum.add(flow));
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert_eq!(sum.len(), all.len() as u64);
            for percent in [0, 1, 10, 25, 50, 75, 90, 95, 99, 100] {
                let q = f64::from(percent) / 100.0;
                let (found, due) = (sum.quantile(q) as f64, quantile(&sorted, q) as f64);
                assert!((found - due).abs() <= error * due, "{q}: {found} {due}");
            }
            assert_eq!(sum.quantile(2.0), sum.quantile(1.0));
            let mean = all.iter().map(|ns| *ns as f64).sum::<f64>() / all.len() as f64;
            assert!((sum.mean() / mean - 1.0).abs() < 1e-3, "{}", sum.mean());
        }
    }
}

/// Nothing, then one delay, then those of a flow without any.
#[test]
fn few_delays_are_counted_too() {
    let mut delays = Delays::default();
    assert_eq!((delays.len(), delays.is_empty()), (0, true));
    assert_eq!((delays.mean(), delays.quantile(0.5)), (0.0, 0));
    delays.record(1_000_000);
    assert_eq!((delays.len(), delays.is_empty()), (1, false));
    delays.add(&Delays::default());
    assert_eq!(delays.len(), 1);
    assert!((delays.mean() / 1e6 - 1.0).abs() < 1e-3);
    // The least and the greatest value of its class: of 1,000,000 = 20 bits a class has 2^9 = 512 values.
    assert_eq!(delays.quantile(0.0), 1_000_000 / 512 * 512);
    assert_eq!(delays.quantile(1.0), 1_000_000 / 512 * 512 + 511);
    // A least delay comes after a greater one, and one far beyond.
    delays.record(3);
    delays.record(1_000_000_000_000);
    delays.add(&Delays::default());
    assert_eq!((delays.quantile(0.01), delays.len()), (3, 3));
}

/// A hundred ages, 40 to 139 ms: index 95 of them is 135.
#[test]
fn the_age_at_95_percent_is_the_one_of_the_contest() {
    let mut age = Age::default();
    age.deliver(ms(0), ms(40), 1000);
    assert_eq!(age.p95_s(ms(139)), Some(0.135));
    assert_eq!(age.sampled(ms(139)), Some(40..=139));
    // Sampled each millisecond from the first delivery on, which is in the middle of one.
    let mut late = Age::default();
    late.deliver(ms(3), Time(ms(40).0 + 1), 1000);
    assert_eq!(late.sampled(Time(ms(45).0 + 1)), Some(41..=45));
    assert_eq!(late.p95_s(ms(41)), Some(0.038));
}

/// 256 delays of one value and 512 of another are counted in no byte: each count is a multiple of 256.
#[test]
fn counts_that_fill_bytes_are_not_lost() {
    let mut delays = Delays::default();
    for (ns, times) in [(1_000, 256), (50, 512)] {
        (0..times).for_each(|_| delays.record(ns));
    }
    assert_eq!(delays.len(), 768);
    let quantiles = [0.0, 0.6, 2.0 / 3.0, 0.7, 1.0].map(|q| delays.quantile(q));
    assert_eq!(quantiles, [50, 50, 50, 1_000, 1_000]);
    let mean = (256.0 * 1_000.0 + 512.0 * 50.0) / 768.0;
    assert!((delays.mean() - mean).abs() < 1e-9, "{}", delays.mean());
    let mut alone = Delays::default();
    (0..256).for_each(|_| alone.record(1_000));
    assert_eq!((alone.len(), alone.quantile(0.5)), (256, 1_000));
}

/// A delay of two microseconds is counted as 2,000 ns.
#[test]
fn delays_are_counted_in_nanoseconds() {
    let mut stats = FlowStats::default();
    stats.deliver(&packet(0), Time(2_000_000));
    assert_eq!(stats.delay.quantile(1.0), 2_000);
}

/// Counting begins anew at 100 ms: 1,000 B that were created at 110 are 1,014 B in 10 ms.
#[test]
fn an_age_begins_anew_after_the_warm_up() {
    let mut age = Age::default();
    age.deliver(ms(0), ms(40), 7_000);
    age.warm(ms(100));
    assert_eq!(age.throughput_bps(14), None, "nothing newer");
    age.deliver(ms(110), ms(120), 1_000);
    let bps = age.throughput_bps(14).expect("a rate");
    assert!((bps - 1_014.0 * 8.0 / 0.010).abs() < 1e-6, "{bps}");
    assert_eq!(age.sampled(ms(130)), Some(100..=130));
    // 100 to 119 ms after what came first, then 10 to 20: index int(0.95 · 31) = 29.
    assert_eq!(age.p95_s(ms(130)), Some(0.118));
    // With the counters of its flow.
    let mut first = Age::default();
    first.deliver(ms(0), ms(40), 7_000);
    let mut stats = FlowStats::default();
    stats.age = Some(Box::new(first));
    stats.warm(Count::default(), ms(100));
    let age = stats.age.as_ref().expect("kept");
    assert_eq!(age.sampled(ms(130)), Some(100..=130));
    let mut at_once = Age::default();
    at_once.deliver(ms(0), ms(1), 1_000);
    assert_eq!(at_once.throughput_bps(0), None, "no time has passed");
    at_once.deliver(Time(1), ms(2), 1_000);
    let bps = at_once.throughput_bps(0).expect("a picosecond");
    assert!((bps / (16_000.0 * 1e12) - 1.0).abs() < 1e-12);
}

/// A packet that took 100 ticks, 20 of them on lines and 50 waiting, 10 of those at a gate.
fn packet(born: u64) -> Packet {
    Packet {
        next: Id::NONE,
        flow: Id::NONE,
        to: 0,
        len: 700,
        traffic: Traffic::new(0, Ecn::NotEct),
        entry: 0,
        seq: 0,
        ingress: Id::NONE,
        born: Time(born),
        at: Time::ZERO,
        serial: 20,
        waited: 50,
        gated: 10,
    }
}

#[test]
fn a_delay_is_the_sum_of_its_parts() {
    let mut stats = FlowStats::default();
    stats.age = Some(Box::default());
    assert_eq!(stats.deliver(&packet(0), Time(100)), 100);
    stats.met_on_air([1, 2, 4, 8]);
    stats.met_on_air([16, 0, 0, 0]);
    let sum = stats.sum();
    assert_eq!((sum.total, sum.serial, sum.gate), (100, 20, 10));
    let air = (sum.contention, sum.retries, sum.aggregate, sum.reorder);
    assert_eq!(air, (17, 2, 4, 8));
    assert_eq!(sum.queue, 50 - 10 - 17 - 2 - 4 - 8);
    assert_eq!(sum.propagation, 100 - 20 - 50);
    assert_eq!((stats.last, stats.max), (Time(100), 100));
    stats.lose(300, true, Time(400));
    stats.lose(500, false, Time(600));
    assert_eq!(stats.last_lost, Time(600));
    let count = |packets, bytes| Count { packets, bytes };
    assert_eq!(stats.dropped, count(2, 800));
    assert_eq!(stats.dropped_early, count(1, 300));
    stats.victims = 3;
    stats.warm(count(9, 9_000), ms(1));
    // The counts so far are the base. All that is measured begins anew.
    assert_eq!(
        stats.base,
        [
            count(9, 9_000),
            count(1, 700),
            count(2, 800),
            Count::default()
        ]
    );
    assert_eq!((stats.max, stats.victims), (0, 0));
    assert_eq!(stats.dropped_early, Count::default());
    assert_eq!(stats.sum(), Default::default());
    assert_eq!(stats.delay.len(), 0);
    assert_eq!(stats.age.as_ref().unwrap().sampled(ms(2)), Some(1..=2));
    assert_eq!(count(9, 9_000).since(count(1, 700)), count(8, 8_300));
}

/// A wire that serves demands one after the other, in whole bins of 10 ms, and the slope of the logarithms of the variances
/// over bins of 2^k: by sums over the whole list.
struct Wire {
    ps_per_byte: u64,
    free: u64,
    /// Ticks of service in each bin.
    bins: Vec<u64>,
}

const BIN: u64 = 10 * MS;

impl Wire {
    fn demand(&mut self, bytes: u64, at: u64) {
        let mut from = self.free.max(at);
        let end = from + bytes * self.ps_per_byte;
        self.free = end;
        while from < end {
            let bin = from / BIN;
            let until = end.min((bin + 1) * BIN);
            self.bins.resize(self.bins.len().max(bin as usize + 1), 0);
            self.bins[bin as usize] += until - from;
            from = until;
        }
    }

    /// log2 of the variance of the means of 2^k bins.
    fn log_variance(&self, k: u32) -> f64 {
        let chunks = self.bins.chunks_exact(1 << k);
        let means: Vec<f64> = chunks
            .map(|bins| bins.iter().sum::<u64>() as f64 / (BIN << k) as f64)
            .collect();
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let squares = means.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        libm::log2(squares / means.len() as f64)
    }

    fn hurst(&self, octaves: std::ops::RangeInclusive<u32>) -> f64 {
        let points: Vec<(f64, f64)> = octaves
            .map(|k| (f64::from(k), self.log_variance(k)))
            .collect();
        let n = points.len() as f64;
        let x: f64 = points.iter().map(|p| p.0).sum();
        let y: f64 = points.iter().map(|p| p.1).sum();
        let xy: f64 = points.iter().map(|p| p.0 * p.1).sum();
        let xx: f64 = points.iter().map(|p| p.0 * p.0).sum();
        1.0 + (n * xy - x * y) / (n * xx - x * x) / 2.0
    }
}

/// 32 of the longest bins of 81.92 s give a variance, and one tick less does not.
#[test]
fn the_hurst_parameter_is_that_of_the_variance_time_plot() {
    let end = (32 * BIN) << 13;
    let mut wire = VarianceTime::new(8_000, Time::ZERO);
    let mut model = Wire {
        ps_per_byte: 8_000,
        free: 0,
        bins: vec![0; (end / BIN) as usize],
    };
    let mut random = Random::stream(1, "models", "hurst");
    let mut at = 0;
    loop {
        // Packets by day and by night: the rate of each minute is another.
        let busy = 1 + at / (60_000 * MS) * 7 % 5;
        at += Span::from_seconds(random.exponential(0.4 / busy as f64)).0;
        if at >= end {
            break;
        }
        let bytes = random.between(64, 400_000);
        wire.demand(bytes, Time(at));
        model.demand(bytes, at);
    }
    model.bins.truncate((end / BIN) as usize);
    let Hurst { all, short, long } = wire.hurst(Time(end));
    for (found, octaves) in [(all, 0..=13), (short, 0..=7), (long, 7..=13)] {
        let due = model.hurst(octaves);
        assert!(
            (found.expect("long enough") - due).abs() < 1e-9,
            "{found:?} {due}"
        );
    }
    let early = wire.clone().hurst(Time(end - 1));
    assert_eq!((early.all, early.long), (None, None));
    // Where nothing varies, no variance has a logarithm.
    let idle = VarianceTime::new(8_000, Time::ZERO).hurst(Time(end));
    assert_eq!((idle.all, idle.short), (None, None));
}

/// Each bit of the instant, the number and the detail changes many bits of the sum, as those of a good hash do: half of 64 on
/// average, with a standard deviation of 4.
#[test]
fn each_bit_of_an_event_changes_the_fingerprint() {
    let of = |at: u64, who: u32, detail: u64| {
        let mut sum = Fingerprint::default();
        sum.add(Mark::Deliver, Time(at), who, detail);
        sum.0
    };
    let base = of(1_234_567_890_123, 77, 5_000);
    let bits = |other: u64| (base ^ other).count_ones();
    let mut all = Vec::new();
    for bit in 0..64 {
        all.push(bits(of(1_234_567_890_123 ^ 1 << bit, 77, 5_000)));
        all.push(bits(of(1_234_567_890_123, 77, 5_000 ^ 1 << bit)));
    }
    for bit in 0..32 {
        all.push(bits(of(1_234_567_890_123, 77 ^ 1 << bit, 5_000)));
    }
    assert!(all.iter().all(|changed| *changed >= 12), "{all:?}");
    let mean = f64::from(all.iter().sum::<u32>()) / all.len() as f64;
    assert!(
        (mean - 32.0).abs() < 4.0 * 4.0 / libm::sqrt(all.len() as f64),
        "{mean}"
    );
}
