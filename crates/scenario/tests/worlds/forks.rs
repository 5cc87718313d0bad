//! Random worlds are changed in the middle of their runs: what a change does not refuse keeps the invariants, and happens again
//! when it is done again.

use backwater_scenario::{Folders, Instants, Patch, Resolved, Scenario};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use crate::check::EVENTS;
use crate::dice::Dice;
use crate::generator::Tables;

const WORLDS: u64 = 200;

/// A change of a random world.
#[derive(Clone, Debug)]
enum Change {
    Typed(Patch),
    Written(String, Value),
    Fresh(String),
}

fn resolve(scenario: &Value) -> Option<Resolved> {
    let text = scenario.to_string();
    let read = Scenario::from_json(text, "world.json", Folders::default());
    read.and_then(|s| s.resolve(None)).ok()
}

fn draw(dice: &mut Dice<'_>, scenario: &Value, world: &World) -> Change {
    let network = world.network();
    let port = dice.below(network.ports.0.len());
    let port = network.ports.0[port].more.name.clone();
    let name = |dice: &mut Dice<'_>, table: &str| {
        let names: Vec<&String> = scenario[table]
            .as_object()
            .map_or(vec![], |t| t.keys().collect());
        match names.len() {
            0 => String::new(),
            count => names[dice.below(count)].clone(),
        }
    };
    let (link, flow) = (name(dice, "links"), name(dice, "flows"));
    match dice.below(9) {
        0 => Change::Typed(Patch::Buffer(port, 1 + dice.below(20) as u64)),
        1 => Change::Typed(Patch::Rate(link, 1_000_000 * (1 + dice.below(50) as u64))),
        2 => Change::Typed(Patch::Delay(link, Span::micros(dice.below(20_000) as u64))),
        3 => {
            let at_ms = Instants::Listed((0..500).step_by(3).collect());
            Change::Typed(Patch::Opportunities(port, at_ms))
        }
        4 => Change::Typed(Patch::Rates(port, vec![0, 20], vec![1_000_000, 5_000_000])),
        5 => Change::Fresh(flow),
        6 => {
            let kinds = [
                "fifo",
                "codel",
                "fq-codel",
                "pie",
                "red",
                "dualpi2",
                "strict-priority",
            ];
            let queue = json!({"queue": {"kind": dice.of(&kinds)}});
            Change::Written(format!("ports/{port}"), queue)
        }
        7 => {
            let controller = json!({"kind": dice.of(&["cubic", "bbr1", "newreno", "fixed"])});
            Change::Written(format!("flows/{flow}/controller"), controller)
        }
        _ => Change::Written(format!("flows/{flow}/delayed_ack"), json!("25 ms")),
    }
}

/// Makes a change; false where it is refused.
fn apply(change: &Change, scenario: &mut Value, at: &mut Resolved, world: &mut World) -> bool {
    match change {
        Change::Typed(patch) => at.patch(world, std::slice::from_ref(patch)).is_ok(),
        Change::Fresh(flow) => at
            .begin_controllers(world, std::slice::from_ref(flow))
            .is_ok(),
        Change::Written(path, value) => {
            let mut place = &mut *scenario;
            for name in path.split('/') {
                if !place.is_object() {
                    return false;
                }
                place = &mut place[name];
            }
            *place = value.clone();
            let Some(to) = resolve(scenario) else {
                return false;
            };
            let changed = at.change(world, &to).is_ok();
            *at = to;
            changed
        }
    }
}

/// Runs a scenario, changes it at some instants, and gives the fingerprint of the end, and how many changes were made; none
/// where one was refused half-way.
fn run(scenario: &Value, changes: &[(Time, Change)]) -> Option<(u64, usize)> {
    let mut scenario = scenario.clone();
    let mut at = resolve(&scenario)?;
    let mut world = at.build().ok()?;
    let mut made = 0;
    for (then, change) in changes {
        world.advance(*then);
        let (mut fork, mut text, mut of) = (world.clone(), scenario.clone(), at.clone());
        if apply(change, &mut text, &mut of, &mut fork) {
            (world, scenario, at) = (fork, text, of);
            made += 1;
        }
    }
    let ended = world.advance_some(EVENTS);
    let report = world.report();
    assert!(report.conserved, "{changes:?}");
    let _ = ended;
    Some((report.fingerprint, made))
}

#[test]
fn random_worlds_with_random_forks_keep_every_invariant_and_replay() {
    let tables = Tables::new();
    let mut all = 0;
    for seed in 0..WORLDS {
        let mut dice = Dice::of_seed(1_000_000 + seed);
        let scenario = tables.scenario(&mut dice);
        let Some(mut world) = resolve(&scenario).and_then(|r| r.build().ok()) else {
            continue;
        };
        // Stations that do not hear one another have no port that could change.
        if world.network().ports.0.is_empty() {
            continue;
        }
        let mut plain = world.clone();
        let ended = plain.advance_some(EVENTS);
        let end = plain.now();
        // A fork that changes nothing goes on as the run does.
        let half = Time(end.0 / 2);
        world.advance(half);
        let mut fork = world.clone();
        drop(world);
        fork.advance(end);
        if ended {
            assert_eq!(
                fork.report().fingerprint,
                plain.report().fingerprint,
                "world {seed}"
            );
        }
        let changes: Vec<(Time, Change)> = (1..=3)
            .map(|part| (Time(end.0 / 4 * part), draw(&mut dice, &scenario, &plain)))
            .collect();
        let once = run(&scenario, &changes);
        assert_eq!(once, run(&scenario, &changes), "world {seed}: {scenario}");
        all += once.map_or(0, |(_, made)| made);
    }
    // Most changes name something that the world has not.
    assert!(all >= 60, "only {all} changes were made");
}
