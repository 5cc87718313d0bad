//! A world whose controllers `agent` are told what to do, step by step: what a learned controller is trained on.

use std::sync::Arc;

use backwater_sim::ids::ConnectionId;
use backwater_sim::spec::Spec;
use backwater_sim::world::World;
use backwater_transport::controller::{Asks, Driven, MOST_SEGMENTS};
use backwater_transport::units::{Rate, Span, Time};

use crate::diagnostic::Diagnostic;
use crate::knobs::Knob;
use crate::resolved::Resolved;
use crate::trial::{Patch, apply};

/// When an agent is asked.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Clock {
    /// At equal intervals, in ps.
    Every(Span),
    /// This share of the mean round trip of the first agent's last interval later, once so many steps have had a given length.
    /// An interval without a sample is repeated.
    RoundTrips(f64, u64),
    /// After an acknowledgement of an agent that ends a round.
    Rounds,
    /// After so many acknowledgements of an agent.
    Acks(u64),
}

/// An agent's view of an interval, a number each.
pub const SEEN: [&str; 21] = [
    "now_s",
    "dt_s",
    "sent_B",
    "acked_B",
    "lost_B",
    "marked_B",
    "acks",
    "timeouts",
    "rtts",
    "rtt_mean_s",
    "rtt_increase_s",
    "rtt_max_s",
    "rtt_least_mean_s",
    "rtt_min_s",
    "srtt_s",
    "in_flight_B",
    "window_B",
    "pacing_bps",
    "delivered_B",
    "silence_s",
    "mss_B",
];

/// A scenario from which episodes begin.
#[derive(Clone, Debug)]
pub struct Stage {
    resolved: Arc<Resolved>,
    spec: Arc<Spec>,
    agents: Vec<String>,
    knobs: Arc<[Knob]>,
}

impl Stage {
    /// Of a scenario with at least one flow whose controller is driven, and some of its knobs.
    ///
    /// # Errors
    /// It has none, or cannot be built, or a name means no knob.
    pub fn new(resolved: Resolved, knobs: &[String]) -> Result<Stage, Diagnostic> {
        resolved.unhosted("take a part of the tables")?;
        let spec = resolved.spec();
        let driven = spec.flows.iter().filter(|flow| {
            let transport = flow.transport.as_ref();
            transport.is_some_and(|t| t.controller.driven().is_some())
        });
        let agents: Vec<String> = driven.map(|flow| flow.name.clone()).collect();
        if agents.is_empty() {
            let what = "no flow has a controller that is driven from outside";
            let fix = "write controller = { kind = \"agent\" } into a flow with a transport";
            return Err(resolved.refuse("flows", what, fix));
        }
        let mut world = resolved.build_driven(&spec)?;
        let knobs = resolved.knobs(knobs, &mut world)?;
        Ok(Stage {
            knobs: knobs.into(),
            resolved: Arc::new(resolved),
            spec: Arc::new(spec),
            agents,
        })
    }

    /// The flows whose controllers are driven.
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// The knobs that episodes move.
    pub fn knobs(&self) -> &[Knob] {
        &self.knobs
    }

    /// An episode at its beginning.
    ///
    /// # Errors
    /// A patch that names nothing, or a scenario that cannot be built.
    pub fn begin(
        &self,
        patches: &[Patch],
        clock: Clock,
        first: Span,
    ) -> Result<Episode, Diagnostic> {
        let world = if patches.is_empty() {
            self.resolved.build_driven(&self.spec)?
        } else {
            let mut spec = (*self.spec).clone();
            for patch in patches {
                apply(&mut spec, patch).map_err(|refusal| self.resolved.refusal(refusal))?;
            }
            self.resolved.build_driven(&spec)?
        };
        Ok(Episode::new(world, self.knobs.clone(), clock, first))
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Episode {
    world: World,
    agents: Vec<ConnectionId>,
    knobs: Arc<[Knob]>,
    /// Flows whose controllers may do something wrong.
    foreign: Vec<ConnectionId>,
    clock: Clock,
    /// The next step's length where a clock tells it.
    interval: Span,
    steps: u64,
    began: Time,
}

impl Episode {
    fn new(mut world: World, knobs: Arc<[Knob]>, clock: Clock, first: Span) -> Episode {
        let agents = world.all_driven();
        let asks = match clock {
            Clock::Every(_) | Clock::RoundTrips(..) => Asks::Never,
            Clock::Rounds => Asks::Rounds,
            Clock::Acks(each) => Asks::Acks(each),
        };
        for id in &agents {
            world.steer(*id, &mut |agent: &mut Driven| agent.ask(asks));
        }
        Episode {
            foreign: world.foreign(),
            world,
            agents,
            knobs,
            clock,
            interval: match clock {
                Clock::Every(each) => each,
                Clock::RoundTrips(..) | Clock::Rounds | Clock::Acks(_) => first,
            },
            steps: 0,
            began: Time::ZERO,
        }
    }

    /// The fault of a flow's controller.
    pub fn failed(&self, stage: &Stage) -> Option<Diagnostic> {
        stage.resolved.failed(&self.world, &self.foreign)
    }

    /// Agents, in the order of their flows.
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// Whether the scenario has come to its end.
    pub fn ended(&self) -> bool {
        self.world.now() >= self.world.end()
    }

    /// Whether the source of an agent's flow has ended.
    pub fn stopped(&self, agent: usize) -> bool {
        let connection = &self.world.ends.connections[self.agents[agent]];
        connection.stop <= self.world.now()
    }

    /// The world.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Tells each agent its window in bytes and its pacing in bit/s, two numbers each, and after all agents each knob its value.
    /// NaN leaves one as it is, an infinite pacing is none, and knobs that are left out stay.
    pub fn tell(&mut self, settings: &[f64]) {
        let (settings, values) = settings.split_at(2 * self.agents.len());
        let turned = self.knobs.iter().zip(values);
        for (knob, value) in turned.filter(|(_, value)| !value.is_nan()) {
            self.world.turn(&knob.place, *value);
        }
        for (id, pair) in self.agents.iter().zip(settings.chunks_exact(2)) {
            self.world.steer(*id, &mut |agent: &mut Driven| {
                let (mut window, mut pacing) = agent.settings();
                if pair[0] >= 0.0 {
                    window = (pair[0] as u64).min(MOST_SEGMENTS * agent.mss());
                }
                if pair[1] == f64::INFINITY {
                    pacing = None;
                } else if pair[1] >= 0.0 {
                    pacing = Some(Rate((pair[1] as u64).max(1)));
                }
                agent.tell(window, pacing);
            });
        }
        self.began = self.world.now();
    }

    /// Advances by a step: to the next instant of the clock, or to the end of the scenario.
    pub fn advance(&mut self) {
        let (now, end) = (self.world.now(), self.world.end());
        match self.clock {
            Clock::Every(_) | Clock::RoundTrips(..) => {
                self.world.advance(now.after(self.interval).min(end));
            }
            Clock::Rounds | Clock::Acks(_) => {
                self.world.advance_until_asked(&self.agents, end);
            }
        }
        for id in &self.agents {
            self.world.end_interval(*id);
        }
        self.steps += 1;
        if let Clock::RoundTrips(share, given) = self.clock
            && self.steps >= given
            && let Some(mean) = self.agent(0).interval().mean_rtt()
        {
            self.interval = Span::from_seconds(share * mean).max(Span(1));
        }
    }

    fn agent(&self, number: usize) -> &Driven {
        let found = self.world.driven(self.agents[number]);
        found.expect("agents stay what they are")
    }

    /// The view of each agent since it was told, as `SEEN` names it.
    pub fn look(&self, seen: &mut [f64]) {
        let now = self.world.now();
        for (number, row) in seen.chunks_exact_mut(SEEN.len()).enumerate() {
            let agent = self.agent(number);
            let (interval, heard) = (agent.interval(), &agent.heard);
            let (window, pacing) = agent.settings();
            row.copy_from_slice(&[
                now.0 as f64 / 1e12,
                now.since(self.began).0 as f64 / 1e12,
                interval.sent as f64,
                interval.acked as f64,
                interval.lost as f64,
                interval.marked as f64,
                interval.acks as f64,
                interval.timeouts as f64,
                interval.rtts.len() as f64,
                heard.mean,
                interval.increase(),
                interval
                    .rtts
                    .iter()
                    .max()
                    .map_or(0.0, |most| *most as f64 / 1e12),
                heard.least_mean,
                match heard.min_rtt {
                    Span::MAX => 0.0,
                    least => least.seconds(),
                },
                heard.srtt.seconds(),
                heard.in_flight as f64,
                window as f64,
                pacing.map_or(f64::INFINITY, |rate| rate.0 as f64),
                heard.delivered as f64,
                now.since(heard.at).seconds(),
                agent.mss() as f64,
            ]);
        }
    }
}
