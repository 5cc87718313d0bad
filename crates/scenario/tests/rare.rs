//! Chances of rare events by splitting, held against closed forms and a chain that is solved here.

use std::sync::LazyLock;

use backwater_scenario::{Effort, Folders, Rare, Replicate, Resolved, Scenario, Term};
use backwater_transport::units::Time;

const RUNS: u32 = 250;
const REPLICATES: u64 = 20;
/// The 0.975 quantile of Student's t with 19 degrees of freedom.
const T: f64 = 2.093;
const FRAME: u64 = 1518;

fn resolved(text: &str) -> Resolved {
    let read = Scenario::from_toml(text, "rare.toml", Folders::default()).expect("a scenario");
    read.resolve(Some(1)).expect("a scenario")
}

/// A link with Poisson opportunities, ten in a second.
fn exponential(rho: f64) -> Resolved {
    let rate = (rho * 10.0 * 8.0 * 1500.0).round();
    served(&format!(r#"kind = "poisson", rate = "{rate} bit/s""#))
}

fn served(source: &str) -> Resolved {
    let peak = 2 * 10 * 8 * 1504;
    resolved(&format!(
        r#"
schema = "backwater/scenario/1"
duration = "1000000 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
flows.f = {{ from = "S", to = "D", source = {{ packet = "1500 B", {source} }} }}
[links.q]
from = "S"
to = "D"
kind = "trace"
clock = "exact"
queue = {{ kind = "infinite" }}
[links.q.trace]
kind = "cox"
peak = "{peak} bit/s"
volatility = "1 bit/s"
reversion = 20
sticky = "0 %"
outage = "1 ms"
burst = 1
[links.back]
from = "D"
to = "S"
rate = "1 Gbit/s"
delay = "0 s"
"#
    ))
}

/// A wire that takes a packet in 1 ms: 1538 B at 12.304 Mbit/s.
fn constant(rho: f64) -> Resolved {
    let rate = (rho * 1000.0 * 8.0 * 1500.0).round();
    resolved(&format!(
        r#"
schema = "backwater/scenario/1"
duration = "100000 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ ends = ["S", "D"], rate = "12304 kbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "1000 packets" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "poisson", packet = "1500 B", rate = "{rate} bit/s" }} }}
"#
    ))
}

/// Up to `level` in a busy period of the port.
fn overflow(term: &Term, level: u64, after: Time) -> Rare {
    let terms = || vec![term.clone()];
    Rare {
        event: terms(),
        level,
        score: terms(),
        empty: terms(),
        after,
        to: Time(90_000 * 1_000_000_000_000),
    }
}

fn effort(replicate: u64) -> Effort {
    Effort {
        seed: 1,
        replicate,
        runs: RUNS,
    }
}

fn replicates(of: &Resolved, rare: &Rare) -> Vec<Replicate> {
    let levels = of.rare_levels(rare, 1, RUNS).expect("levels");
    let run = |replicate| of.rare_replicate(rare, &levels, effort(replicate));
    (0..REPLICATES)
        .map(|n| run(n).expect("a replicate"))
        .collect()
}

/// The chances of replicates by RESTART, with as many runs at each level.
fn restarts(of: &Resolved, rare: &Rare, levels: &[u64], each: u32) -> Vec<f64> {
    let numbers = vec![each; levels.len()];
    let chance = |replicate| {
        let found = of.restart_replicate(rare, levels, &numbers, effort(replicate));
        let hits = found.expect("a replicate").hits;
        let counted = |(zone, hits): (usize, u64)| hits as f64 / f64::from(each).powi(zone as i32);
        (0..).zip(hits).map(counted).sum::<f64>() / f64::from(RUNS)
    };
    (0..REPLICATES).map(chance).collect()
}

/// The truth lies in the interval of the mean of all replicates, and that is narrower than the truth.
fn covers(found: &[Replicate], truth: f64) {
    let share = |hits: &u64| *hits as f64 / f64::from(RUNS);
    let chance = |one: &Replicate| one.hits.iter().map(share).product::<f64>();
    mean_covers(&found.iter().map(chance).collect::<Vec<_>>(), truth);
}

fn mean_covers(values: &[f64], truth: f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let half = T * (squares / (n - 1.0) / n).sqrt();
    assert!((mean - truth).abs() < half, "{mean} ± {half}, not {truth}");
    assert!(
        half < 0.5 * truth,
        "{mean} ± {half} says nothing of {truth}"
    );
}

/// From a customer in M/M/1 up to twenty before it is empty, by fixed effort.
static RUIN: LazyLock<Vec<Replicate>> = LazyLock::new(|| replicates(&exponential(0.5), &ruin()));

fn ruin() -> Rare {
    overflow(&Term::Waiting("S>D".into()), 20, Time(2_000_000_000_000))
}

#[test]
fn m_m_1_rises_to_twenty_before_it_is_empty_as_often_as_a_gamblers_ruin() {
    let rho: f64 = 0.5;
    let truth = (1.0 / rho - 1.0) / (rho.powi(-20) - 1.0);
    covers(&RUIN, truth);
}

/// The chance of M/D/1 from the beginning of the first service, by the chain of the numbers at beginnings of services: from
/// i it is hit where n - i packets come in the service, else the next number is one less and what came.
fn chain(rho: f64, n: usize) -> f64 {
    let poisson = |k: usize| (1..=k).fold((-rho).exp(), |p, i| p * rho / i as f64);
    let mut chances = vec![0.0; n];
    // Gauss-Seidel: each pass goes through all states; the chain leaves them geometrically.
    for _ in 0..20_000 {
        for i in 1..n {
            let stay: f64 = (0..n - i).map(|k| poisson(k) * chances[i + k - 1]).sum();
            let below: f64 = (0..n - i).map(poisson).sum();
            chances[i] = stay + 1.0 - below;
        }
    }
    chances[1]
}

#[test]
fn m_d_1_rises_to_ten_as_often_as_the_chain_of_its_services_says() {
    let truth = chain(0.7, 10);
    assert!((truth / 1.768_749e-3 - 1.0).abs() < 1e-5, "{truth}");
    let rare = overflow(&Term::Bytes("S>D".into()), 10 * FRAME, Time::ZERO);
    covers(&replicates(&constant(0.7), &rare), truth);
}

/// The chance to reach `n` before 0 from a batch, by the chain of its jumps: a batch more, or one less.
fn batches(rho: f64, batch: usize, n: usize) -> f64 {
    let up = rho / batch as f64 / (1.0 + rho / batch as f64);
    let mut chances = vec![0.0; n + batch];
    chances[n..].fill(1.0);
    for _ in 0..20_000 {
        for i in 1..n {
            chances[i] = up * chances[i + batch] + (1.0 - up) * chances[i - 1];
        }
    }
    chances[batch]
}

#[test]
fn a_batch_passes_several_levels_at_one_instant() {
    let (rho, batch): (f64, usize) = (0.6, 4);
    let rate = (rho * 10.0 * 8.0 * 1500.0).round();
    let of = served(&format!(
        r#"kind = "batch-poisson", batch = {batch}, rate = "{rate} bit/s""#
    ));
    let rare = overflow(&Term::Waiting("S>D".into()), 30, Time(2_000_000_000_000));
    let levels = [2, 3, 4, 8, 14, 22];
    let run = |replicate| {
        let found = of.rare_replicate(&rare, &levels, effort(replicate));
        found.expect("a replicate")
    };
    let found: Vec<Replicate> = (0..REPLICATES).map(run).collect();
    // The first batch has four: nobody misses these levels.
    assert_eq!(found[0].hits[..3], [u64::from(RUNS); 3]);
    let truth = batches(rho, batch, 30);
    covers(&found, truth);
    mean_covers(&restarts(&of, &rare, &levels[2..], 3), truth);
}

#[test]
fn restart_finds_the_gamblers_ruin_and_the_chain_of_services() {
    let rare = ruin();
    let levels = [2, 4, 6, 8, 10, 12, 14, 16, 18];
    let truth = 1.0 / (2.0_f64.powi(20) - 1.0);
    mean_covers(&restarts(&exponential(0.5), &rare, &levels, 4), truth);
    let rare = overflow(&Term::Bytes("S>D".into()), 10 * FRAME, Time::ZERO);
    let levels = [3 * FRAME, 6 * FRAME, 8 * FRAME];
    mean_covers(&restarts(&constant(0.7), &rare, &levels, 3), chain(0.7, 10));
}

#[test]
fn a_run_that_goes_on_alone_at_each_level_is_a_plain_run() {
    let (of, level) = (exponential(0.5), 4);
    let rare = overflow(&Term::Waiting("S>D".into()), level, Time(2_000_000_000_000));
    let found = of.restart_replicate(&rare, &[2, 3], &[1, 1], effort(0));
    let found = found.expect("a replicate");
    let plain = of
        .rare_replicate(&rare, &[], effort(0))
        .expect("a replicate");
    assert_eq!(found.hits, [0, 0, plain.hits[0]]);
    assert_eq!(found.squares, plain.hits[0] as f64);
    assert_eq!(found.events.iter().sum::<u64>(), plain.events[0]);
}

#[test]
fn a_question_whose_answer_is_known_is_refused() {
    let of = exponential(0.5);
    let rare = overflow(&Term::Waiting("S>D".into()), 20, Time::ZERO);
    let refused = |rare: &Rare, what: &str| {
        let found = of.rare_levels(rare, 1, RUNS).expect_err(what);
        assert!(found.what.contains(what), "{found}");
    };
    let level = |level| Rare {
        level,
        ..rare.clone()
    };
    refused(&level(0), "each run begins with this level");
    let late = Time(2_000_000 * 1_000_000_000_000);
    let to = |to| Rare { to, ..rare.clone() };
    refused(&to(late), "lies after");
    refused(&to(Time::ZERO), "does not lie before");
    let nowhere = overflow(&Term::Bytes("S>X".into()), 1, Time::ZERO);
    refused(&nowhere, "no port `S>X`");
    let nothing = Rare {
        score: Vec::new(),
        ..rare.clone()
    };
    refused(&nothing, "there is nothing to count");
}

#[test]
fn an_example_is_made_again_from_its_seed_and_copies() {
    let of = exponential(0.5);
    let rare = ruin();
    let levels = [2, 4, 6, 8, 10, 12, 14, 16, 18];
    let by_restart = (0..4).filter_map(|replicate| {
        let found = of.restart_replicate(&rare, &levels, &[4; 9], effort(replicate));
        found.expect("a replicate").example
    });
    let examples = RUIN.iter().filter_map(|one| one.example.clone());
    let mut made = 0;
    for (seed, steps, at, fingerprint) in examples.chain(by_restart) {
        let mut spec = of.spec();
        spec.seed = seed;
        let mut world = of.build_hosted(&spec).expect("a world");
        for step in steps {
            world.advance(step.at);
            world.reseed(step.reseed);
            world.redraw(step.reseed);
        }
        world.advance(at);
        assert_eq!(world.fingerprint(), fingerprint);
        made += 1;
    }
    assert!(made >= 12, "only {made} of 24 replicates have one");
}
