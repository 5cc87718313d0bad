//! Moves packets between devices and a world whose time is the clock's. Departures are the world's instants: a late wake-up
//! delays the packet at hand and no other.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use backwater_sim::ids::NodeId;
use backwater_sim::world::{Exit, Fate, Injected, World};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use crate::arrivals::Arrivals;
use crate::certificate::Certificate;
use crate::clock::Clock;
use crate::join::Joins;
use crate::leaving::{self, Leaving};
use crate::offload::{Cut, HEADER};
use crate::payloads::{self, Payloads};
use crate::sent::Sent;
use crate::system::{self, Poller, Ready};
use crate::waits::{Lateness, Rests, Thrift};
use backwater_wire::ip;

/// Longest packet that a device hands over.
const LONGEST: usize = HEADER + 65_536;
/// Segments read from one device before others have their turn.
const BURST: usize = 64;
/// The longest sleep. One that takes longer shows that the driver was stopped, which a sleep without an end would hide.
const SLEEP: Span = Span::millis(5);

/// A node of the world behind which real programs are.
#[derive(Debug)]
pub struct RealNode {
    /// The node.
    pub node: NodeId,
    /// Its packets.
    pub device: OwnedFd,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
    /// Where packets to unknown addresses go.
    pub otherwise: Option<NodeId>,
}

/// How long the driver looks for packets and instants without sleeping.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Before an instant of the world: how much earlier it stops sleeping at most.
    pub before: Span,
    /// Wake-ups that have been seen decide how much earlier, and packets that come often are taken together.
    pub saves: bool,
    /// After the last packet: how long it goes on looking for the next.
    pub after: Span,
}

impl Patience {
    /// Exact while packets come and go.
    pub const EXACT: Patience = Patience {
        before: Span::micros(150),
        saves: false,
        after: Span::millis(3),
    };
    /// Sleeps whenever nothing is due, and naps where packets come often.
    pub const LOW_CPU: Patience = Patience {
        before: Span::micros(150),
        saves: true,
        after: Span::ZERO,
    };
}

/// A world with its devices.
#[derive(Debug)]
pub struct Driver {
    /// The world.
    pub world: World,
    /// Where real programs are.
    pub places: Vec<RealNode>,
    /// How well it went.
    pub certificate: Certificate,
    /// When it began.
    pub clock: Clock,
    routes: BTreeMap<IpAddr, NodeId>,
    payloads: Payloads,
    patience: Patience,
    poller: Poller,
    buffer: Vec<u8>,
    /// Headers of the packet that is being written, and of the next that may be joined to it.
    headers: [Vec<u8>; 2],
    /// The packets that leave at each place.
    leaving: Vec<Leaving>,
    /// Which packets leave as one where they are of one flow and due at the same look.
    pub joins: Joins,
    /// When a packet came or went last.
    busy: Time,
    arrivals: Arrivals,
    /// Packets go to the other place without the world: what the devices alone can do.
    pub raw: bool,
    rests: Rests,
    lateness: Lateness,
    thrift: Thrift,
    /// Which devices may have packets.
    ready: Ready,
    /// CPU seconds that it took.
    pub cpu_s: f64,
    /// The packets that left, where they are kept.
    pub(crate) sent: Option<Sent>,
}

impl Driver {
    /// Drives a world from now on. `wakes` are further descriptors that end a sleep.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn new(
        world: World,
        places: Vec<RealNode>,
        patience: Patience,
        wakes: &[&OwnedFd],
    ) -> io::Result<Driver> {
        let devices = places.iter().map(|place| &place.device);
        let poller = Poller::new(devices.chain(wakes.iter().copied()))?;
        let arrivals = Arrivals::new(places.len());
        let leaving = places.iter().map(|_| Leaving::default()).collect();
        let routes = places
            .iter()
            .flat_map(|place| place.addresses.iter().map(|a| (*a, place.node)))
            .collect();
        Ok(Driver {
            world,
            places,
            certificate: Certificate::default(),
            clock: Clock::begin(),
            routes,
            payloads: Payloads::default(),
            patience,
            poller,
            buffer: vec![0; LONGEST],
            headers: Default::default(),
            leaving,
            joins: Joins::default(),
            busy: Time::ZERO,
            arrivals,
            raw: false,
            rests: Rests::default(),
            lateness: Lateness::default(),
            thrift: Thrift::default(),
            ready: Ready::ALL,
            cpu_s: 0.0,
            sent: None,
        })
    }

    /// Closes the devices at the end, side by side: the kernel takes tens of milliseconds for each, most of them waiting.
    pub fn close_devices(&mut self) {
        std::thread::scope(|threads| {
            for place in std::mem::take(&mut self.places) {
                threads.spawn(move || drop(place.device));
            }
        });
    }

    /// Takes what came, serves what is due, gives what came out; then sleeps until there is more to do, at most until
    /// `latest`. Says whether one of the further descriptors ended the sleep.
    ///
    /// # Errors
    /// A device that is gone.
    pub fn poll_once(&mut self, latest: Time) -> io::Result<bool> {
        let ready = std::mem::replace(&mut self.ready, Ready::ALL);
        for place in (0..self.places.len()).filter(|place| ready.is(*place)) {
            self.take(place)?;
        }
        let now = self.clock.now();
        self.world.advance(now);
        for exit in self.world.take_exits() {
            self.give(exit);
        }
        for place in 0..self.places.len() {
            self.write(place);
        }
        self.rest(latest)
    }

    /// Reads what programs at a place have sent.
    fn take(&mut self, place: usize) -> io::Result<()> {
        let mut taken = 0;
        while taken < BURST {
            let device = &self.places[place].device;
            let Some(length) = system::read(device, &mut self.buffer)? else {
                self.arrivals.found_empty(place, self.clock.now());
                return Ok(());
            };
            self.busy = self.clock.now();
            let read = (length > HEADER).then(|| self.buffer[..length].split_at(HEADER));
            let Some(cut) = read.and_then(|(header, packet)| Cut::read(header, packet)) else {
                self.certificate.taken += 1;
                self.certificate.foreign += 1;
                continue;
            };
            let unread = self.arrivals.waited(place, self.busy);
            self.certificate.read(unread);
            taken += cut.segments();
            self.certificate.supers += u64::from(cut.segments() > 1);
            self.certificate.taken += cut.segments() as u64;
            match self.raw {
                true => self.hand_over(place, length, cut),
                false => self.enter(place, length, cut),
            }
        }
        self.arrivals.left_some(place);
        Ok(())
    }

    /// Writes the packet in the buffer to the other place.
    fn hand_over(&mut self, place: usize, length: usize, cut: Cut) {
        let other = &self.places[(place + 1) % self.places.len()];
        let written = system::write(&other.device, &self.buffer[..length]);
        let waited = self.arrivals.waited(place, self.busy);
        let late_ns = (self.clock.now().since(self.busy).0 + waited.0) / 1000;
        self.certificate.writes += u64::from(written.is_ok());
        for _ in 0..cut.segments() {
            match written {
                Ok(_) => self.certificate.left(late_ns),
                Err(_) => self.certificate.refused += 1,
            }
        }
    }

    /// Injects the packet in the buffer, segment after segment.
    fn enter(&mut self, place: usize, length: usize, cut: Cut) {
        let packet = &self.buffer[HEADER..length];
        let RealNode {
            node, otherwise, ..
        } = self.places[place];
        let known = ip::destination(packet).and_then(|to| self.routes.get(&to).copied());
        let to = known.filter(|to| *to != node).or(otherwise);
        let (Some(seen), Some(to)) = (ip::read(packet), to) else {
            self.certificate.foreign += cut.segments() as u64;
            return;
        };
        let kept = self.payloads.keep(&mut self.buffer, length, cut, seen.ecn);
        self.payloads.get_mut(kept).waited = self.arrivals.waited(place, self.busy);
        let at = self.busy.max(self.world.now());
        // Where there are stations the flows of a scenario are best effort, too, unless they say otherwise.
        let class = match self.world.has_categories() {
            false => 0,
            true => ip::access_category(seen.precedence),
        };
        for segment in 0..cut.segments() {
            let injected = Injected {
                to,
                class,
                len: Bytes(cut.segment_length(segment) as u64),
                ecn: seen.ecn,
                hash: Some(seen.hash),
                tag: payloads::tag(kept, segment),
            };
            if self.world.inject(at, node, injected).is_err() {
                self.payloads.release(kept, 1);
                self.certificate.refused += 1;
            }
        }
    }

    /// Has a segment that came out leave at its node.
    fn give(&mut self, exit: Exit) {
        let (kept, segment) = payloads::split(exit.tag);
        match exit.fate {
            Fate::Delivered => {}
            Fate::Copied => return self.payloads.hold(kept, 1),
            Fate::Dropped(_) => {
                self.certificate.modelled += 1;
                return self.payloads.release(kept, 1);
            }
        }
        let Some(place) = self.places.iter().position(|p| p.node == exit.node) else {
            self.certificate.refused += 1;
            self.payloads.release(kept, 1);
            return;
        };
        let mark = exit.ecn == Ecn::Ce && self.payloads.get(kept).ecn != Ecn::Ce;
        self.leaving[place].push(kept, segment, mark, exit.at);
    }

    /// Writes what leaves at a place to the programs there.
    fn write(&mut self, place: usize) {
        let mut leaving = std::mem::take(&mut self.leaving[place]);
        let (mut runs, mut due) = (&leaving.runs[..], &leaving.due[..]);
        while !runs.is_empty() {
            let headers = &mut self.headers;
            let (pieces, count) = leaving::pieces(runs, &self.payloads, self.joins, headers);
            let written = system::write_pieces(&self.places[place].device, &pieces);
            self.busy = self.clock.now();
            if let (Some(sent), Ok(_)) = (&mut self.sent, &written) {
                sent.add(self.busy, place, &pieces);
            }
            self.certificate.writes += u64::from(written.is_ok());
            for one in &runs[..count] {
                let waited = self.payloads.get(one.kept).waited;
                let (of_run, others) = due.split_at(one.run.count);
                for at in of_run {
                    match written {
                        Ok(_) => {
                            let late = self.busy.since(*at).0 + waited.0;
                            self.certificate.left(late / 1000);
                        }
                        Err(_) => self.certificate.refused += 1,
                    }
                }
                self.payloads.release(one.kept, one.run.count);
                due = others;
            }
            runs = &runs[count..];
        }
        leaving.runs.clear();
        leaving.due.clear();
        self.leaving[place] = leaving;
    }

    fn rest(&mut self, latest: Time) -> io::Result<bool> {
        let due = self.world.next_due().unwrap_or(Time::NEVER).min(latest);
        let now = self.clock.now();
        self.thrift.awake(now, self.busy);
        let nap = self.thrift.nap().filter(|_| self.patience.saves);
        let until = Time(due.0.saturating_sub(self.before().0)).min(now.after(SLEEP));
        let looks = until <= now || self.busy.after(self.patience.after) > now;
        if self.arrivals.look_again(now) {
            return Ok(false);
        }
        let real_time = self.certificate.real_time;
        let rest = || self.rests.due(now, due).filter(|_| real_time && looks);
        if let Some(end) = nap.or_else(rest) {
            system::sleep_until_ns(self.clock.system_ns(end));
            let woke = self.clock.now();
            self.arrivals.slept(end, woke);
            self.rests.took(now, woke);
            self.thrift.napped(woke);
            return Ok(false);
        }
        if looks {
            return Ok(false);
        }
        self.ready = self.poller.sleep(self.clock.system_ns(until))?;
        let woke = self.clock.now();
        self.arrivals.slept(until, woke);
        self.rests.took(now, woke);
        self.thrift.slept(woke);
        self.lateness.ended(until, woke);
        Ok(self.ready.is_from(self.places.len()))
    }

    /// How much earlier than an instant of the world it stops sleeping.
    fn before(&self) -> Span {
        match self.patience.saves {
            true => self.lateness.allowance(self.patience.before),
            false => self.patience.before,
        }
    }

    /// Packets that are in the world.
    pub fn held(&self) -> usize {
        self.payloads.held()
    }
}
