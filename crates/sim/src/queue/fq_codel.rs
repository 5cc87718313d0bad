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
use backwater_transport::units::{Rate, Time};

use super::aqm::{Aqm, Frame, Parties, Verdict};
use super::codel::{self, Law};
use super::row::{Build, ClassQueue, ECN, Made, Room};
use crate::knob::Knob;
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

    /// The bytes that the flow earns at its turn.
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
    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::target("target", &mut self.law.target))
    }

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
        self.take_over(frame);
        Verdict::Accept
    }

    fn take_over(&mut self, frame: &Frame) {
        if !self.flows[frame.queue].listed {
            self.list(frame.queue);
        }
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

    fn emptied(&mut self, _now: Time) {
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
        ECN,
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

#[cfg(test)]
mod test_edges;
#[cfg(test)]
mod tests {
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::Span;

    use super::*;
    use crate::packet::{Packet, Packets};

    const LAW: Law = Law {
        target: Span::millis(5),
        interval: Span::millis(100),
        frame: 1518,
        mark: true,
    };

    fn frame(queue: usize, now: Time, sojourn: Span) -> Frame {
        Frame {
            now,
            queue,
            size: 1500,
            ecn: Ecn::Ect0,
            sojourn,
            bytes: 150_000,
            packets: 100,
        }
    }

    /// Queues that each hold a packet.
    fn waiting(count: usize) -> Vec<ClassQueue> {
        let mut packets = Packets::default();
        let mut queues = vec![ClassQueue::default(); count];
        for queue in &mut queues {
            let id = packets.create(Packet::example(Time::ZERO));
            packets.append(&mut queue.list, id);
        }
        queues
    }

    /// Which of these flows, always backlogged, send the frames.
    fn served(fq: &mut FqCodel, flows: usize, frames: usize) -> Vec<usize> {
        let mut random = Random::stream(1, "test", "fq-codel");
        for flow in 0..flows {
            fq.push(&frame(flow, Time::ZERO, Span::ZERO), &mut random);
        }
        let queues = waiting(flows);
        let mut next = || {
            let flow = fq.choose(&queues);
            fq.pop(&frame(flow, Time::ZERO, Span::ZERO));
            flow
        };
        (0..frames).map(|_| next()).collect()
    }

    /// RFC 8290 section 4.2: a flow sends while its credit is positive, and a quantum is added at each turn. A quantum
    /// of two frames: two of each.
    #[test]
    fn a_turn_is_a_quantum() {
        let mut fq = FqCodel::new(LAW, 3000, 3, Hosts::Ignored);
        assert_eq!(served(&mut fq, 3, 8), [0, 0, 1, 1, 2, 2, 0, 0]);
    }

    /// Two flows of one host and one of another: the hosts get a half each, so the shares are a quarter, a quarter
    /// and a half.
    #[test]
    fn flows_of_a_host_share_its_quantum() {
        let mut fq = FqCodel::new(LAW, 3000, 3, Hosts::Source);
        for (flow, host) in [(0, 7), (1, 7), (2, 9)] {
            fq.flows[flow].host = host;
        }
        let sent = served(&mut fq, 3, 4004);
        for (flow, expected) in [(0, 1001), (1, 1001), (2, 2002)] {
            let count = sent.iter().filter(|one| **one == flow).count();
            assert!(count.abs_diff(expected) <= 2, "{flow}: {count}");
        }
        fq.emptied(Time::ZERO);
        assert!(fq.load.is_empty(), "{:?}", fq.load);
        assert!(fq.flows.iter().all(|flow| !flow.listed));
    }

    /// A flow whose queue runs empty begins a new interval: the delay must stay above target for all of it.
    #[test]
    fn a_flow_that_runs_empty_forgets_its_delay() {
        let mut fq = FqCodel::new(LAW, 3000, 2, Hosts::Ignored);
        let mut random = Random::stream(1, "test", "fq-codel");
        let ms = |n: u64| Time(Span::millis(n).0);
        let late = |n| frame(0, ms(n), Span::millis(50));
        fq.push(&late(0), &mut random);
        fq.push(&frame(1, ms(0), Span::ZERO), &mut random);
        assert_eq!(fq.pop(&late(0)), Verdict::Accept);
        let mut queues = waiting(2);
        queues[0] = ClassQueue::default();
        assert_eq!(fq.choose(&queues), 1);
        // 100 ms after the first frame, but no interval since the queue was empty.
        assert_eq!(fq.pop(&late(100)), Verdict::Accept);
        assert_eq!(fq.pop(&late(200)), Verdict::Mark);
    }

    /// RFC 8290 section 4.1.1: a flow that comes to the lists has a quantum of credit, whatever it had when it left them.
    #[test]
    fn a_flow_that_comes_again_has_a_quantum() {
        let mut fq = FqCodel::new(LAW, 3000, 2, Hosts::Ignored);
        let mut random = Random::stream(1, "test", "fq-codel");
        let now = |flow| frame(flow, Time::ZERO, Span::ZERO);
        fq.push(&now(0), &mut random);
        fq.pop(&now(0));
        fq.push(&now(1), &mut random);
        let mut queues = waiting(2);
        queues[0] = ClassQueue::default();
        // Flow 0 has nothing left: its turns pass, and it leaves the lists with half a quantum.
        for _ in 0..3 {
            assert_eq!(fq.choose(&queues), 1);
            fq.pop(&now(1));
        }
        assert!(!fq.flows[0].listed);
        fq.push(&now(0), &mut random);
        let queues = waiting(2);
        let sent: Vec<usize> = (0..3)
            .map(|_| {
                let flow = fq.choose(&queues);
                fq.pop(&now(flow));
                flow
            })
            .collect();
        assert_eq!(sent, [0, 0, 1]);
    }
}
