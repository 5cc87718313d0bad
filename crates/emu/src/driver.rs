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

use crate::certificate::Certificate;
use crate::clock::Clock;
use crate::ip;
use crate::payloads::Payloads;
use crate::system::{self, Poller};

/// Longest packet that a device hands over.
const LONGEST: usize = 65_536;
/// Packets read from one device before others have their turn.
const BURST: usize = 64;

/// A node of the world behind which real programs are.
#[derive(Debug)]
pub struct Place {
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
    /// Before an instant of the world: how much earlier it stops sleeping.
    pub before: Span,
    /// After the last packet: how long it goes on looking for the next.
    pub after: Span,
}

impl Patience {
    /// Exact while packets come and go.
    pub const EXACT: Patience = Patience {
        before: Span::micros(150),
        after: Span::millis(3),
    };
    /// Sleeps whenever nothing is due.
    pub const LOW_CPU: Patience = Patience {
        before: Span::micros(20),
        after: Span::ZERO,
    };
}

/// A world with its devices.
#[derive(Debug)]
pub struct Driver {
    /// The world.
    pub world: World,
    /// Where real programs are.
    pub places: Vec<Place>,
    /// How well it went.
    pub certificate: Certificate,
    /// When it began.
    pub clock: Clock,
    routes: BTreeMap<IpAddr, NodeId>,
    payloads: Payloads,
    patience: Patience,
    poller: Poller,
    buffer: Vec<u8>,
    /// When a packet came or went last.
    busy: Time,
    /// Packets go to the other place without the world: what the devices alone can do.
    pub raw: bool,
    /// CPU seconds that it took.
    pub cpu_s: f64,
}

impl Driver {
    /// Drives a world from now on. `wakes` are further descriptors that end a sleep.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn new(
        world: World,
        places: Vec<Place>,
        patience: Patience,
        wakes: &[&OwnedFd],
    ) -> io::Result<Driver> {
        let devices = places.iter().map(|place| &place.device);
        let poller = Poller::new(devices.chain(wakes.iter().copied()))?;
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
            busy: Time::ZERO,
            raw: false,
            cpu_s: 0.0,
        })
    }

    /// Takes what came, serves what is due, gives what came out; then sleeps until there is more to do, at most until
    /// `latest`.
    ///
    /// # Errors
    /// A device that is gone.
    pub fn poll_once(&mut self, latest: Time) -> io::Result<()> {
        for place in 0..self.places.len() {
            self.take(place)?;
        }
        let now = self.clock.now();
        self.world.advance(now);
        for exit in self.world.take_exits() {
            self.give(exit)?;
        }
        self.rest(latest)
    }

    /// Reads what programs at a place have sent.
    fn take(&mut self, place: usize) -> io::Result<()> {
        for _ in 0..BURST {
            let device = &self.places[place].device;
            let Some(length) = system::read(device, &mut self.buffer)? else {
                return Ok(());
            };
            self.certificate.taken += 1;
            self.busy = self.clock.now();
            match self.raw {
                true => self.hand_over(place, length),
                false => self.enter(place, length),
            }
        }
        Ok(())
    }

    /// Writes the packet in the buffer to the other place.
    fn hand_over(&mut self, place: usize, length: usize) {
        let other = &self.places[(place + 1) % self.places.len()];
        match system::write(&other.device, &self.buffer[..length]) {
            Ok(_) => self
                .certificate
                .left(self.clock.now().since(self.busy).0 / 1000),
            Err(_) => self.certificate.refused += 1,
        }
    }

    /// Injects the packet in the buffer.
    fn enter(&mut self, place: usize, length: usize) {
        let packet = &self.buffer[..length];
        let Place {
            node, otherwise, ..
        } = self.places[place];
        let known = ip::destination(packet).and_then(|to| self.routes.get(&to).copied());
        let to = known.filter(|to| *to != node).or(otherwise);
        let (Some(seen), Some(to)) = (ip::read(packet), to) else {
            self.certificate.foreign += 1;
            return;
        };
        let tag = self.payloads.keep(packet);
        let injected = Injected {
            to,
            class: 0,
            len: Bytes(length as u64),
            ecn: seen.ecn,
            hash: Some(seen.hash),
            tag,
        };
        let at = self.busy.max(self.world.now());
        if self.world.inject(at, node, injected).is_err() {
            self.payloads.free(tag);
            self.certificate.refused += 1;
        }
    }

    /// Writes a packet that came out to the programs at its node.
    fn give(&mut self, exit: Exit) -> io::Result<()> {
        if exit.fate != Fate::Delivered {
            self.certificate.modelled += 1;
            self.payloads.free(exit.tag);
            return Ok(());
        }
        let packet = self.payloads.get_mut(exit.tag);
        if exit.ecn == Ecn::Ce && ip::read(packet).is_some_and(|seen| seen.ecn != Ecn::Ce) {
            ip::mark(packet);
        }
        let place = self.places.iter().find(|place| place.node == exit.node);
        let written = place.map(|place| system::write(&place.device, packet));
        self.payloads.free(exit.tag);
        self.busy = self.clock.now();
        match written {
            Some(Ok(_)) => self.certificate.left(self.busy.since(exit.at).0 / 1000),
            _ => self.certificate.refused += 1,
        }
        Ok(())
    }

    fn rest(&mut self, latest: Time) -> io::Result<()> {
        let due = self.world.next_due().unwrap_or(Time::NEVER).min(latest);
        let now = self.clock.now();
        let until = Time(due.0.saturating_sub(self.patience.before.0));
        let looks = self.busy.after(self.patience.after);
        if until <= now || looks > now {
            return Ok(());
        }
        self.poller.sleep(self.clock.system_ns(until))
    }

    /// Packets that are in the world.
    pub fn held(&self) -> usize {
        self.payloads.held()
    }
}
