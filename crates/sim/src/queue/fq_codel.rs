//! Detects: CoDel, in a queue for each flow.
//! Tells: as CoDel. Where a frame does not fit, the longest queue loses its head.
//! Responds: left to the sender's controller; flows share the line by deficit round robin, and one
//! that has just begun to send goes first.
//! Reference: RFC 8290.
//! Differences: a flow is hashed by its number and destination, since those stand for the 5-tuple;
//! an overflow drops as many frames as are in the way, not a batch of up to 64; the hash is
//! perturbed once. `hosts` divides a flow's quantum by the flows of its host, as CAKE does.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::Rate;

use super::aqm::{Aqm, Frame, Parties, Verdict};
use super::codel::{self, Law};
use super::row::{Build, ClassQueue, Made, Room};
use crate::limit::Limit;

/// The queues and their turns.
#[derive(Clone, Debug)]
pub struct FqCodel {
    law: Law,
    quantum: i64,
    hosts: Hosts,
    salt: u64,
    flows: Vec<Flow>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Flows in the lists, by host.
    load: BTreeMap<u32, i64>,
}

/// A flow's queue.
#[derive(Clone, Debug, Default)]
struct Flow {
    state: codel::State,
    credit: i64,
    /// In one of the lists.
    listed: bool,
    host: u32,
}

/// Which host's flows share a quantum.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Hosts {
    Ignored,
    Source,
    Destination,
}

impl FqCodel {
    fn new(law: Law, quantum: u64, flows: usize, hosts: Hosts) -> FqCodel {
        FqCodel {
            law,
            quantum: quantum as i64,
            hosts,
            salt: 0,
            flows: vec![Flow::default(); flows],
            new: VecDeque::new(),
            old: VecDeque::new(),
            load: BTreeMap::new(),
        }
    }

    /// What the flow earns at its turn.
    fn share(&self, flow: usize) -> i64 {
        let load = self.load.get(&self.flows[flow].host).copied();
        (self.quantum / load.unwrap_or(1)).max(1)
    }

    fn list(&mut self, flow: usize) {
        if self.hosts != Hosts::Ignored {
            *self.load.entry(self.flows[flow].host).or_default() += 1;
        }
        self.flows[flow].listed = true;
        self.flows[flow].credit = self.share(flow);
        self.new.push_back(flow);
    }

    fn unlist(&mut self, flow: usize) {
        self.flows[flow].listed = false;
        if let Some(load) = self.load.get_mut(&self.flows[flow].host) {
            *load -= 1;
            if *load == 0 {
                self.load.remove(&self.flows[flow].host);
            }
        }
    }
}

impl Aqm for FqCodel {
    fn attach(&mut self, _rate: Rate, random: &mut Random) {
        self.salt = random.between(0, u64::MAX - 1);
    }

    fn queues(&self) -> usize {
        self.flows.len()
    }

    fn classify(&mut self, packet: &Parties) -> usize {
        let key = u64::from(packet.flow) << 32 | u64::from(packet.to);
        let mix = (key ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mix = (mix ^ mix >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let flow = (mix >> 32) as usize % self.flows.len();
        if !self.flows[flow].listed {
            self.flows[flow].host = match self.hosts {
                Hosts::Ignored => 0,
                Hosts::Source => packet.from,
                Hosts::Destination => packet.to,
            };
        }
        flow
    }

    fn victim(&self, arriving: &Frame, queues: &[ClassQueue]) -> Option<usize> {
        let held = |i: usize| {
            let joins = if i == arriving.queue {
                arriving.size
            } else {
                0
            };
            queues[i].bytes + joins
        };
        // The lowest number among equals.
        let longest = (0..queues.len()).rev().max_by_key(|i| held(*i))?;
        (!queues[longest].list.is_empty()).then_some(longest)
    }

    fn push(&mut self, frame: &Frame, _random: &mut Random) -> Verdict {
        if !self.flows[frame.queue].listed {
            self.list(frame.queue);
        }
        Verdict::Accept
    }

    fn choose(&mut self, queues: &[ClassQueue]) -> usize {
        loop {
            let (flow, new) = match (self.new.front(), self.old.front()) {
                (Some(flow), _) => (*flow, true),
                (None, Some(flow)) => (*flow, false),
                (None, None) => unreachable!("a flow with a waiting frame is in a list"),
            };
            let list = if new { &mut self.new } else { &mut self.old };
            if self.flows[flow].credit <= 0 {
                list.pop_front();
                self.old.push_back(flow);
                let share = self.share(flow);
                self.flows[flow].credit += share;
            } else if queues[flow].list.is_empty() {
                list.pop_front();
                self.flows[flow].state.emptied();
                // Else a flow that sends now and then would always go first.
                if new {
                    self.old.push_back(flow);
                } else {
                    self.unlist(flow);
                }
            } else {
                return flow;
            }
        }
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        let flow = &mut self.flows[frame.queue];
        let verdict = self.law.judge(&mut flow.state, frame);
        if verdict != Verdict::Drop {
            flow.credit -= frame.size as i64;
        }
        verdict
    }

    fn emptied(&mut self) {
        while let Some(flow) = self.new.pop_front().or_else(|| self.old.pop_front()) {
            self.flows[flow].state.emptied();
            self.unlist(flow);
        }
    }
}

/// The row.
pub const PART: Part<Build<FqCodel>> = Part {
    id: "fq-codel",
    aliases: &["fq_codel"],
    summary: "flow queues under deficit round robin with priority for new flows, CoDel in each",
    source: "RFC 8290; hosts: CAKE (Høiland-Jørgensen et al., LANMAN 2018)",
    options: &[
        codel::TARGET,
        codel::INTERVAL,
        codel::MTU,
        codel::ECN,
        Opt::new(
            "flows",
            Kind::Count,
            Default::Is("1024"),
            "queues that flows are hashed to",
        )
        .at_least("1")
        .at_most("65536"),
        Opt::new(
            "quantum",
            Kind::Bytes,
            Default::Is("1514 B"),
            "bytes a flow sends at its turn",
        )
        .at_least("1 B")
        .at_most("1 MB"),
        Opt::new(
            "hosts",
            Kind::Choice(&["ignored", "source", "destination"]),
            Default::Is("ignored"),
            "whose flows share a quantum, so that hosts are served alike whatever their number of flows",
        ),
    ],
    build: |args| {
        let law = Law {
            target: args.span("target"),
            interval: args.span("interval"),
            frame: args.bytes("mtu").0,
            mark: args.flag("ecn"),
        };
        let hosts = match args.choice("hosts") {
            "source" => Hosts::Source,
            "destination" => Hosts::Destination,
            _ => Hosts::Ignored,
        };
        let flows = args.count("flows") as usize;
        Ok(Made {
            room: Room::Default(Limit::Packets(10_240)),
            ..FqCodel::new(law, args.bytes("quantum").0, flows, hosts).into()
        })
    },
};
