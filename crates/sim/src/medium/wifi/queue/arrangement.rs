//! The places where packets wait at a station, beyond a list for each hop: queue management in front of the lists, one instance for all neighbours of
//! a category or one for each, a bound on what has left it, and turns.
//!
//! Reference: Høiland-Jørgensen et al., Ending the Anomaly, USENIX ATC 2017; Linux, mac80211 (queues of each station) and ath9k (`ATH_MAX_QDEPTH`, 123).

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use crate::medium::wifi::queue::turns::{Turn, Turns};
use crate::queue::{AnyAqm, ClassQueue, Managed};

/// Packets of a category behind queue management where stations aggregate and nothing else is written: `ATH_MAX_QDEPTH` of
/// Linux's ath9k, 512 / 4 - 5.
const DRIVER: u32 = 123;

/// For how much time on the air packets may wait behind the queues of neighbours. See `airtime_limit`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AirtimeLimits {
    /// For one neighbour, in any case.
    pub low: Span,
    /// For one neighbour, while little waits for all.
    pub high: Span,
    /// The airtime that counts as little for all.
    pub total: Span,
}

/// How a station serves its neighbours.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Serving {
    /// Whom a category serves next.
    pub turn: Turn,
    /// Whether queue management has an instance for each neighbour of a category, not one for all.
    pub each: bool,
    /// Packets of a category behind queue management; none where a packet leaves it when it is sent.
    pub driver: Option<u32>,
    /// Where each neighbour has an instance: for how long packets may wait behind it, if they leave it before they are sent.
    pub airtime: Option<AirtimeLimits>,
}

/// Queue management and turns of an access category.
#[derive(Clone, Debug, Default)]
pub struct Arrangement {
    /// Instances of queue management.
    pub judged: Vec<Judged>,
    /// The hop of each instance; empty where one is for all.
    hops: Vec<u32>,
    /// The prototype of instances for single hops.
    each: Option<Prototype>,
    /// Most packets behind queue management.
    pub driver: Option<u32>,
    /// Most airtime there.
    pub airtime: Option<AirtimeLimits>,
    /// Turns, where the oldest packet does not go first.
    pub turns: Option<Turns>,
}

/// The parts of an instance of queue management.
#[derive(Clone, Debug)]
struct Prototype {
    aqm: AnyAqm,
    /// Rate that the algorithm is told.
    rate: Rate,
    /// Seed of the run.
    seed: u64,
    /// Name of its stream.
    stream: String,
    /// The keys by which streams were keyed anew so far.
    rekeyed: Vec<u64>,
}

impl Prototype {
    fn instance(&self, stream: &str) -> Judged {
        let mut random = Random::stream(self.seed, "queue", stream);
        self.rekeyed.iter().for_each(|by| random.rekey(*by));
        Judged {
            managed: Managed::new(&self.aqm, self.rate, random),
            one: [ClassQueue::default()],
            held: 0,
            bytes: 0,
        }
    }
}

/// Active queue management in front of a radio. Frames wait here until one is chosen for an attempt: which one it is is settled then, not
/// before.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The algorithm, and its own queues.
    pub managed: Managed,
    /// The only queue, where the algorithm has none of its own.
    pub one: [ClassQueue; 1],
    /// Packets in all of them.
    pub held: u32,
    /// Their bytes.
    pub bytes: u64,
}

impl Judged {
    /// The queues that it manages.
    pub fn queues(&self) -> &[ClassQueue] {
        match self.managed.queues.is_empty() {
            true => &self.one,
            false => &self.managed.queues,
        }
    }

    /// One of them.
    pub fn queue_mut(&mut self, number: usize) -> &mut ClassQueue {
        match self.managed.queues.is_empty() {
            true => &mut self.one[number],
            false => &mut self.managed.queues[number],
        }
    }
}

impl Arrangement {
    /// That of a station's category, where it has queue management or turns; the algorithm is told a rate, and has a stream of the seed
    /// of the run. An instance for a single hop is made when its first packet comes.
    pub fn of(
        aqm: Option<&AnyAqm>,
        serving: &Serving,
        aggregates: bool,
        (rate, seed, stream): (Rate, u64, String),
    ) -> Option<Arrangement> {
        let aqm = match (aqm, serving.driver) {
            (Some(aqm), _) => Some(aqm.clone()),
            (None, Some(_)) => Some(AnyAqm::first_in_first_out()),
            (None, None) => None,
        };
        let mut made = Arrangement {
            turns: Turns::of(serving.turn),
            ..Arrangement::default()
        };
        if let Some(aqm) = aqm {
            let prototype = Prototype {
                aqm,
                rate,
                seed,
                stream,
                rekeyed: Vec::new(),
            };
            if serving.each {
                made.each = Some(prototype);
                made.airtime = serving.airtime;
            } else {
                made.judged.push(prototype.instance(&prototype.stream));
                made.driver = serving.driver.or(aggregates.then_some(DRIVER));
            }
        }
        (made.manages() || made.turns.is_some()).then_some(made)
    }

    /// Whether packets are judged.
    #[inline]
    pub fn manages(&self) -> bool {
        self.each.is_some() || !self.judged.is_empty()
    }

    /// Whether each hop has an instance.
    #[inline]
    pub fn for_single_hops(&self) -> bool {
        self.each.is_some()
    }

    /// The instance of a hop, if it has one.
    pub fn found(&self, hop: u32) -> Option<usize> {
        match self.each {
            None => (!self.judged.is_empty()).then_some(0),
            Some(_) => self.hops.iter().position(|h| *h == hop),
        }
    }

    /// Instances draw anew from now on, those too that are made later.
    pub fn rekey(&mut self, by: u64) {
        self.judged.iter_mut().for_each(|j| j.managed.rekey(by));
        if let Some(prototype) = &mut self.each {
            prototype.rekeyed.push(by);
        }
    }

    /// The instance of a hop, made where it has none.
    pub fn made_for(&mut self, hop: u32) -> usize {
        if let Some(found) = self.found(hop) {
            return found;
        }
        let prototype = self.each.as_ref().expect("a managed category");
        let stream = format!("{}.{hop}", prototype.stream);
        let made = prototype.instance(&stream);
        self.hops.push(hop);
        self.judged.push(made);
        self.judged.len() - 1
    }

    /// A hop has a packet that can be sent at its turn.
    pub fn join_turns(&mut self, hop: u32) {
        if let Some(turns) = &mut self.turns {
            turns.join(hop);
        }
    }

    /// Packets that queue management holds for a hop.
    pub fn held_for(&self, hop: u32) -> u32 {
        self.found(hop).map_or(0, |place| self.judged[place].held)
    }

    /// Packets that queue management holds.
    pub fn held(&self) -> u32 {
        self.judged.iter().map(|judged| judged.held).sum()
    }
}
