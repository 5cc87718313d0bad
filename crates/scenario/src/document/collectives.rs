//! Collectives: how long each took, and the two bandwidths by which they are compared.
//!
//! Reference: the performance page of NCCL's tests. With S bytes at each of n ranks and a time t, the algorithm bandwidth is S / t. The bus
//! bandwidth is that times what the link of each rank must carry in each direction for every byte of S: 2 (n − 1) / n in an all-reduce, (n − 1) / n
//! in an all-to-all. So it does not depend on n where links are the limit. Differences: bits and not bytes per second.

use backwater_sim::network::Role;
use backwater_sim::world::{Report, World};
use serde_json::{Value, json};

use super::TICKS;
use crate::decode::flows::ranks::Ranks;
use crate::resolved::Resolved;

/// A row for each collective of the scenario.
pub fn rows(resolved: &Resolved, world: &World, report: &Report) -> Vec<Value> {
    let row = |one: Ranks| {
        let seconds = time(&one, world, report);
        let per_s = |bits: f64| seconds.filter(|s| *s > 0.0).map(|s| bits / s);
        let bits = one.size as f64 * 8.0;
        let n = one.ranks as f64;
        let share = if one.reduces { 2.0 } else { 1.0 } * (n - 1.0) / n;
        json!({
            "id": one.row,
            "ranks": one.ranks,
            "size_B": one.size,
            "collective_s": seconds,
            "algbw_bps": per_s(bits),
            "busbw_bps": per_s(bits * share),
        })
    };
    resolved.collectives().into_iter().map(row).collect()
}

/// From the start to the last delivery; none while transfers are missing.
fn time(one: &Ranks, world: &World, report: &Report) -> Option<f64> {
    let (mut delivered, mut last) = (0, 0);
    for flow in &report.flows {
        let of = &world.network().flows[flow.flow];
        let mine = of.name.split('/').next() == Some(one.row.as_str());
        if let (true, Role::Data(id)) = (mine, of.role) {
            let (count, at) = report.connections[id.index()].stats.delivered;
            delivered += count;
            last = last.max(at.0);
        }
    }
    let whole = delivered == one.transfers;
    whole.then(|| (last - one.start.0) as f64 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Keep, Run};
    use crate::{Folders, Scenario};

    fn row(algorithm: &str, duration: &str) -> Value {
        let text = format!(
            r#"
            schema = "backwater/scenario/1"
            duration = "{duration}"
            topology = {{ kind = "star", hosts = 3, rate = "100 Gbit/s", delay = "2337 ns", bottleneck = "100 Gbit/s", max_frame = "4200 B" }}
            flows.f = {{ from = "*", to = "*", pattern = "ranks", start = "100 us", transport = "roce", packet = "4030 B", controller = {{ kind = "fixed", window = "1000 packets" }}, source = {{ kind = "collective", algorithm = "{algorithm}", size = "1 MB" }} }}
            "#
        );
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        let mut run = Run::new(&scenario.resolve(None).unwrap(), Keep::default()).unwrap();
        while !run.step().unwrap() {}
        run.finish().unwrap().0["collectives"][0].clone()
    }

    /// Four ranks with 1 MB each on an idle star. A packet of 4,000 B of payload takes 4,152 B of the line with the acknowledgement that comes
    /// at the same time, a step 5 us besides: 250 packets in 1 MB. The time of NCCL's ring counts 2 (n − 1) steps of S / n, the bus bandwidth is
    /// 1.5 S / t; an all-to-all counts n − 1 steps, and .75 S / t. So both are the rate of the payload, 96.3 Gbit/s, less what the steps take.
    #[test]
    fn bandwidths_are_those_of_their_definitions() {
        let packet = 4152.0 * 8.0 / 100e9;
        for (algorithm, seconds, share) in [
            ("ring", 6.0 * (5e-6 + 62.5 * packet), 1.5),
            ("recursive-doubling", 2.0 * (5e-6 + 250.0 * packet), 1.5),
            ("rabenseifner", 4.0 * 5e-6 + 375.0 * packet, 1.5),
            ("all-to-all", 3.0 * (5e-6 + 62.5 * packet), 0.75),
        ] {
            let row = row(algorithm, "1 ms");
            let near = |name: &str, expected: f64| {
                let found = row[name].as_f64().expect("a number");
                assert!(
                    (found / expected - 1.0).abs() < 0.02,
                    "{algorithm}: {name} {found} {expected}"
                );
            };
            near("collective_s", seconds);
            near("algbw_bps", 8e6 / seconds);
            near("busbw_bps", share * 8e6 / seconds);
            assert_eq!(
                (&row["ranks"], &row["size_B"]),
                (&json!(4), &json!(1_000_000))
            );
        }
    }

    /// A ring takes 155 us from 100 us on.
    #[test]
    fn a_collective_that_has_not_ended_has_no_bandwidth() {
        let row = row("ring", "240 us");
        for name in ["collective_s", "algbw_bps", "busbw_bps"] {
            assert_eq!(row[name], Value::Null);
        }
    }
}
