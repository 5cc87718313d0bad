//! A run as a trace for Perfetto. Below `nodes` each node has a track for each port: a slice for each transmission, and a counter of its queue.
//! Below `flows` each flow has its packets: a slice from creation to delivery or loss, in it a slice for each part of the delay at each port, and
//! counters of window, threshold, round trip and pacing rate. Packets of a flow that are on their way at one time lie in lanes one below the
//! other. An arrow leads from a packet to its transmissions. Below `collectives` are the steps of each rank (`steps.rs`).
//!
//! Where a gate held the packet back, `closed gate` is the last part of its waiting, as long as the gate did: records say how long, not when.
//! At a port of an 802.11 station contention and failed exchanges belong to `queue`. Of a packet to a group the first delivery ends the slice.

mod lanes;
mod steps;
mod tracks;
mod wire;

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use backwater_sim::cause::Cause;
use backwater_sim::ends::Step;
use backwater_sim::ids::PortId;
use backwater_sim::medium::service::Service;
use backwater_sim::packet::frame;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};

use lanes::Lanes;
use steps::Steps;
use tracks::{Name, Note, Track, Tracks};

/// Parts of the delay at a port, in their order; behind the names of flows.
const PARTS: [&str; 4] = ["queue", "closed gate", "serialisation", "propagation"];
/// The events at a port or of a packet.
const EVENTS: [&str; 4] = ["lost", "marked", "control frame", "knob"];
/// Counters of a flow and their units.
const COUNTERS: [(What, &str, &str); 4] = [
    (What::Window, "cwnd", "B"),
    (What::Threshold, "ssthresh", "B"),
    (What::Srtt, "smoothed RTT", "ps"),
    (What::Pacing, "pacing rate", "bit/s"),
];

/// A trace that is being written.
pub struct Perfetto {
    path: PathBuf,
    tracks: Tracks,
    ports: Vec<OfPort>,
    flows: Vec<OfFlow>,
    steps: Steps,
    packets: BTreeMap<(u32, u32), Passage>,
    /// Passages that are over: their room is used again.
    spare: Vec<Vec<Hop>>,
    arrows: u64,
    names: u64,
}

/// Tracks of a port.
struct OfPort {
    track: Track,
    node: Track,
    /// A counter for each class queue.
    queues: Vec<Track>,
    /// The track of the values that responders move at a station.
    moved: Option<Track>,
    held: Vec<u64>,
    /// Frames whose last bits leave then: instant, class queue, bytes.
    leaving: VecDeque<(Time, usize, u64)>,
}

/// Tracks of a flow.
struct OfFlow {
    track: Track,
    counters: [Option<Track>; 4],
    lanes: Lanes,
}

/// A packet on its way.
struct Passage {
    arrow: u64,
    hops: Vec<Hop>,
}

/// A packet at a port.
#[derive(Copy, Clone)]
struct Hop {
    port: PortId,
    came: Time,
    /// When its transmission began and the end of its serialisation; none while it waits.
    sent: Option<(Time, Option<Time>)>,
    gated: u64,
}

impl Perfetto {
    /// A trace of this world.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path, world: &World) -> io::Result<Perfetto> {
        let file = File::create(path)?;
        let network = &world.network();
        let flows = network.flows.iter().map(|f| f.name.as_str());
        let names = flows.chain(PARTS).chain(EVENTS);
        let mut tracks = Tracks::new(file, names);
        let all = tracks.track("nodes", None, None);
        let nodes: Vec<Track> = network
            .nodes
            .iter()
            .map(|node| tracks.track(&node.name, Some(all), None))
            .collect();
        let ports = network.ports.iter().map(|port| {
            let node = nodes[port.node.index()];
            OfPort {
                track: tracks.track(&port.more.name, Some(node), None),
                node,
                queues: Vec::new(),
                moved: None,
                held: vec![0; port.queues().len()],
                leaving: VecDeque::new(),
            }
        });
        let ports = ports.collect();
        let all = tracks.track("flows", None, None);
        let flows = network.flows.iter().map(|flow| OfFlow {
            track: tracks.track(&flow.name, Some(all), None),
            counters: [None; 4],
            lanes: Lanes::default(),
        });
        let flows: Vec<OfFlow> = flows.collect();
        Ok(Perfetto {
            path: path.to_owned(),
            tracks,
            ports,
            names: flows.len() as u64,
            flows,
            steps: Steps::default(),
            packets: BTreeMap::new(),
            spare: Vec::new(),
            arrows: 0,
        })
    }

    /// The file.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Adds events, in order of time.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn extend(&mut self, world: &World, records: &[Record]) -> io::Result<()> {
        for record in records {
            self.leave_until(record.port, record.at);
            match record.what {
                What::Enqueue => self.enqueue(world, record),
                What::Send => self.send(world, record),
                What::Deliver => self.arrive(world, record, None),
                What::Drop => self.arrive(
                    world,
                    record,
                    Some(Cause::ALL[record.value as usize].name()),
                ),
                What::Mark => self.at_port(record, 1),
                // Its transmission is a slice.
                What::Notice => {}
                What::Knob => self.at_port(record, 3),
                What::Window | What::Threshold | What::Srtt | What::Pacing => self.count(record),
                // A responder moved a value at a station.
                moved => self.count_moved(record, moved.name()),
            }
            self.tracks.spill()?;
        }
        Ok(())
    }

    /// Adds steps of collectives that have ended.
    pub fn extend_steps(&mut self, world: &World, steps: &[Step]) {
        self.steps.extend(&mut self.tracks, world, steps);
    }

    /// Ends the trace: packets on their way and queues as they are.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(&mut self, world: &World) -> io::Result<()> {
        let (now, under_way) = (world.now(), std::mem::take(&mut self.packets));
        for ((flow, number), passage) in under_way {
            self.draw(world, (flow, number), &passage, now, None);
        }
        for id in world.network().ports.ids() {
            self.leave_until(id, now);
        }
        self.tracks.flush()
    }

    fn event_name(&self, number: u64) -> Name {
        1 + self.names + PARTS.len() as u64 + number
    }

    fn at_port(&mut self, record: &Record, event: u64) {
        let name = self.event_name(event);
        let track = self.ports[record.port.index()].track;
        self.tracks.instant(record.at, track, name, None);
    }

    fn enqueue(&mut self, world: &World, record: &Record) {
        let queue = world.network().ports[record.port].queue_of(record.traffic.class());
        self.ports[record.port.index()].held[queue] = record.value;
        self.count_queue(world, record.port, queue, record.at);
        let (arrows, spare) = (&mut self.arrows, &mut self.spare);
        let passage = self
            .packets
            .entry((record.flow.0, record.seq))
            .or_insert_with(|| {
                *arrows += 1;
                Passage {
                    arrow: *arrows,
                    hops: spare.pop().unwrap_or_default(),
                }
            });
        passage.hops.push(Hop {
            port: record.port,
            came: record.at,
            sent: None,
            gated: 0,
        });
    }

    fn send(&mut self, world: &World, record: &Record) {
        let port = &world.network().ports[record.port];
        let size = frame(u64::from(record.len));
        let serialised = match port.more.service {
            Service::Line => Some(record.at + Span(port.frame_time(size))),
            _ => None,
        };
        let of = &mut self.ports[record.port.index()];
        let track = of.track;
        if record.flow.is_none() {
            let name = self.event_name(2);
            self.tracks
                .begin(record.at, track, name, None, &[(Note::Bytes, size)]);
            return self.tracks.end(serialised.unwrap_or(record.at), track);
        }
        of.leaving.push_back((
            serialised.unwrap_or(record.at),
            port.queue_of(record.traffic.class()),
            size,
        ));
        let Some(passage) = self.packets.get_mut(&(record.flow.0, record.seq)) else {
            return;
        };
        let before: u64 = passage.hops.iter().map(|hop| hop.gated).sum();
        let Some(hop) = passage
            .hops
            .iter_mut()
            .rev()
            .find(|hop| hop.port == record.port)
        else {
            return;
        };
        hop.sent = Some((record.at, serialised));
        hop.gated = record.gated.saturating_sub(before);
        if let Some(end) = serialised {
            let notes = [(Note::Number, u64::from(record.seq)), (Note::Bytes, size)];
            let name = 1 + u64::from(record.flow.0);
            self.tracks
                .begin(record.at, track, name, Some(passage.arrow), &notes);
            self.tracks.end(end, track);
        }
    }

    /// A packet has reached its host, or is lost.
    fn arrive(&mut self, world: &World, record: &Record, cause: Option<&str>) {
        let key = (record.flow.0, record.seq);
        let Some(mut passage) = self.packets.remove(&key) else {
            if cause.is_some() {
                self.at_port(record, 0);
            }
            return;
        };
        if cause.is_some() {
            // A packet that is lost in a queue leaves it.
            let waits = |hop: &&Hop| hop.port == record.port && hop.sent.is_none();
            if passage.hops.last().filter(waits).is_some() {
                let queue = world.network().ports[record.port].queue_of(record.traffic.class());
                self.leave(record.port, queue, frame(u64::from(record.len)), record.at);
            }
            self.at_port(record, 0);
        }
        self.draw(world, key, &passage, record.at, cause);
        passage.hops.clear();
        self.spare.push(passage.hops);
    }

    /// Draws a packet from its creation to this instant.
    fn draw(
        &mut self,
        world: &World,
        (flow, number): (u32, u32),
        passage: &Passage,
        end: Time,
        cause: Option<&str>,
    ) {
        let Some(first) = passage.hops.first() else {
            return;
        };
        let of = &mut self.flows[flow as usize];
        let lane = of
            .lanes
            .take(&mut self.tracks, (of.track, "packets"), (first.came, end));
        let delay = end.since(first.came).0;
        let notes = [(Note::Number, u64::from(number)), (Note::DelayPs, delay)];
        let arrow = Some(passage.arrow);
        self.tracks
            .begin(first.came, lane, 1 + u64::from(flow), arrow, &notes);
        let parts = 1 + self.names;
        for (index, hop) in passage.hops.iter().enumerate() {
            let until = passage.hops.get(index + 1).map_or(end, |next| next.came);
            let (sent, serialised) = hop.sent.unwrap_or((until, None));
            let sent = sent.clamp(hop.came, until);
            let free = Time(sent.0 - hop.gated.min(sent.0 - hop.came.0));
            let shared = world.network().ports[hop.port].waits_at_medium();
            // A packet leaves a trace link, box or station when it comes to the next node.
            let left = serialised.unwrap_or(until).clamp(sent, until);
            let instants = [hop.came, free, sent, left, until];
            debug_assert!(!shared || left == until);
            for (part, ends) in instants
                .windows(2)
                .enumerate()
                .filter(|(_, ends)| ends[0] < ends[1])
            {
                self.tracks
                    .begin(ends[0], lane, parts + part as u64, None, &[]);
                self.tracks.end(ends[1], lane);
            }
        }
        if cause.is_some() {
            let name = self.event_name(0);
            self.tracks.instant(end, lane, name, cause);
        }
        self.tracks.end(end, lane);
    }

    /// Frames whose last bits have left by then leave their queue.
    fn leave_until(&mut self, id: PortId, now: Time) {
        while let Some((at, queue, size)) = self.ports[id.index()]
            .leaving
            .front()
            .copied()
            .filter(|l| l.0 <= now)
        {
            self.ports[id.index()].leaving.pop_front();
            self.leave(id, queue, size, at);
        }
    }

    fn leave(&mut self, id: PortId, queue: usize, size: u64, at: Time) {
        let of = &mut self.ports[id.index()];
        of.held[queue] = of.held[queue].saturating_sub(size);
        if let Some(track) = of.queues.get(queue) {
            self.tracks.count(at, *track, of.held[queue]);
        }
    }

    fn count_queue(&mut self, world: &World, id: PortId, queue: usize, at: Time) {
        let of = &mut self.ports[id.index()];
        if of.queues.is_empty() {
            let name = &world.network().ports[id].more.name;
            let several = of.held.len() > 1;
            for class in 0..of.held.len() {
                let name = match several {
                    true => format!("{name} queue of class {class}"),
                    false => format!("{name} queue"),
                };
                let track = self.tracks.track(&name, Some(of.node), Some("B"));
                of.queues.push(track);
            }
        }
        self.tracks.count(at, of.queues[queue], of.held[queue]);
    }

    fn count_moved(&mut self, record: &Record, name: &str) {
        let of = &mut self.ports[record.port.index()];
        let track = *of
            .moved
            .get_or_insert_with(|| self.tracks.track(name, Some(of.node), Some("")));
        self.tracks.count(record.at, track, record.value);
    }

    fn count(&mut self, record: &Record) {
        let number = COUNTERS.iter().position(|(what, ..)| *what == record.what);
        let number = number.expect("a counter of a flow");
        let (_, name, unit) = COUNTERS[number];
        let of = &mut self.flows[record.flow.index()];
        let track = *of.counters[number]
            .get_or_insert_with(|| self.tracks.track(name, Some(of.track), Some(unit)));
        self.tracks.count(record.at, track, record.value);
    }
}
