//! What is on the air and who senses it: the tables of all stations. `world/air.rs` moves frames; here
//! is what a station knows: its ear (what its receiver senses), its radio (queues, contention, the
//! exchange under way), and its hops (the frames that wait for each neighbour).

use std::collections::VecDeque;

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};
use smallvec::SmallVec;

use super::channel::{ChannelSpec, Link};
use super::mac::{AfterCollision, Category, Contention, MANAGEMENT_CATEGORY, MacSpec};
use super::phy::{self, Phy};
use super::physical::Receivers;
use super::reception::Hearing;
use crate::mechanism::relay::{Ask, Relay};
use crate::mechanism::responder::contention::Contention as Contended;
use crate::network::{Flow, Node, Port};
use crate::packet::{List, Packet, Packets};
use crate::table::Id;

/// No station.
pub const NOBODY: u32 = u32::MAX;

/// All media and stations of a world.
#[derive(Clone, Debug, Default)]
pub struct Air {
    /// Media.
    pub media: Vec<Medium>,
    /// What each station's receiver senses.
    pub ears: Vec<Ear>,
    /// What each station's receiver knows of its frame under the physical channel.
    pub hearings: Vec<Hearing>,
    /// Whom each station's frames reach.
    pub reach: Vec<Vec<Link>>,
    /// Each station's transmitter and queues.
    pub radios: Vec<Radio>,
    /// Hops, by number of the port less `first_port`.
    pub hops: Vec<Hop>,
    /// The first port that stands for a hop.
    pub first_port: u32,
    /// What packets have met on the air so far, by place in the arena.
    pub spent: Vec<Spent>,
}

/// A packet's time on the air that is neither airtime nor queue.
#[derive(Copy, Clone, Debug, Default)]
pub struct Spent {
    /// Ticks first in line, waiting for the medium.
    pub contention: u64,
    /// Ticks of exchanges that failed.
    pub retries: u64,
}

/// A medium and its timing.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Name.
    pub name: String,
    /// Radio.
    pub phy: Phy,
    /// Rules of access.
    pub mac: MacSpec,
    /// Propagation and reception.
    pub channel: ChannelSpec,
    /// Slot time.
    pub slot: Span,
    /// Short interframe space.
    pub sifs: Span,
    /// Propagation delay.
    pub delta: Span,
    /// Energy from which the medium is busy.
    pub busy_from: u64,
    /// By how much a frame must be stronger than all others together to survive them.
    pub capture: f64,
    /// What receivers do under the physical channel; `None` under the disc.
    pub receivers: Option<Receivers>,
    /// RTS on the air.
    pub rts: Span,
    /// CTS.
    pub cts: Span,
    /// ACK.
    pub ack: Span,
    /// MAC header, FCS, LLC and SNAP of a data frame, bytes.
    pub overhead: u64,
    /// How long after its frame a sender that gets no answer waits, before AIFS.
    pub sender_defers: Span,
    /// How long a station that heard a damaged frame waits, before AIFS.
    pub bystander_defers: Span,
    /// How long after an RTS a NAV stands that no frame follows.
    pub nav_holds: Span,
}

impl Medium {
    /// A medium and the spans that follow from it.
    pub fn new(name: String, phy: Phy, mac: MacSpec, channel: ChannelSpec) -> Medium {
        let (slot, sifs, delta) = (
            phy.standard.slot(),
            phy.standard.sifs(),
            channel.propagation(),
        );
        // ACKTimeout and CTSTimeout, 10.3.2.9: SIFS, slot, and the time to begin to receive.
        let timeout = sifs + slot + phy.preamble();
        let (sender_defers, bystander_defers) = match mac.after_collision {
            AfterCollision::Timeout => (timeout, phy.eifs_extra()),
            AfterCollision::Difs => (Span::ZERO, Span::ZERO),
            AfterCollision::Eifs => (phy.eifs_extra(), phy.eifs_extra()),
        };
        let cts = phy.airtime(phy::CTS, phy.control);
        let qos = if mac.access.categories() > 1 {
            phy::QOS
        } else {
            0
        };
        Medium {
            slot,
            sifs,
            delta,
            busy_from: channel.busy_from(),
            capture: channel.capture(),
            receivers: match &channel {
                ChannelSpec::Disc(_) => None,
                ChannelSpec::Physical(physical) => Some(physical.receivers()),
            },
            rts: phy.airtime(phy::RTS, phy.control),
            cts,
            ack: phy.airtime(phy::ACK, phy.control),
            overhead: phy::OVERHEAD + qos,
            sender_defers,
            bystander_defers,
            nav_holds: sifs.times(2) + cts + phy.preamble() + slot.times(2),
            name,
            phy,
            mac,
            channel,
        }
    }

    /// Whether a frame of power `wanted` is damaged where all frames on the air add up to `all`.
    pub fn damages(&self, wanted: u64, all: u64) -> bool {
        all > wanted && (wanted as f64) < self.capture * (all - wanted) as f64
    }

    /// From the end of a frame of this kind, as it is heard, to the end of the exchange.
    pub fn rest(&self, kind: FrameKind, data: Span) -> Span {
        let answer = |span: Span| self.sifs + span + self.delta;
        match kind {
            FrameKind::Rts => answer(self.cts) + answer(data) + answer(self.ack),
            FrameKind::Cts => answer(data) + answer(self.ack),
            FrameKind::Data => answer(self.ack),
            FrameKind::Ack | FrameKind::Group => Span::ZERO,
        }
    }
}

/// What a station's receiver senses.
#[derive(Copy, Clone, Debug)]
pub struct Ear {
    /// Energy of the frames that it senses.
    pub energy: u64,
    /// Power of the frames on the air that reach it.
    pub power: u64,
    /// Power of the frame it receives.
    pub wanted: u64,
    /// Whose frame it receives; `NOBODY` if none.
    pub lock: u32,
    /// Its last busy period was ended by this station's frame, whose group looks after it.
    pub cover: u32,
    /// That frame is damaged.
    pub damaged: bool,
    /// It sends.
    pub sending: bool,
    /// Sending, receiving, or energy above the threshold.
    pub busy: bool,
    /// Bit c: category c has a counter to run or a frame to send.
    pub counting: u8,
    /// Bit c: category c sends at `busy_since` too.
    pub due: u8,
    /// When it became busy.
    pub busy_since: Time,
    /// When it became idle.
    pub idle_since: Time,
    /// Not idle before then: a timeout or EIFS.
    pub defer: Time,
    /// Network allocation vector.
    pub nav: Time,
    /// A NAV by an RTS, which holds if a frame begins before `nav_check`.
    pub nav_rts: Time,
    /// See `nav_rts`.
    pub nav_check: Time,
    /// Ticks busy.
    pub busy_ticks: u64,
}

impl Ear {
    /// The ear of a station that nobody disturbs.
    pub fn new(station: u32) -> Ear {
        Ear {
            energy: 0,
            power: 0,
            wanted: 0,
            lock: NOBODY,
            cover: station,
            damaged: false,
            sending: false,
            busy: false,
            counting: 0,
            due: 0,
            busy_since: Time::ZERO,
            idle_since: Time::ZERO,
            defer: Time::ZERO,
            nav: Time::ZERO,
            nav_rts: Time::ZERO,
            nav_check: Time::ZERO,
            busy_ticks: 0,
        }
    }

    /// Until when others have the medium, as far as is known.
    pub fn reserved(&self) -> Time {
        self.nav.max(self.nav_rts.min(self.nav_check))
    }

    /// The instant from which interframe spaces count.
    pub fn base(&self) -> Time {
        self.idle_since.max(self.defer).max(self.reserved())
    }

    /// The last of what made it busy is over, a frame of station `by`.
    pub fn fall_silent(&mut self, by: u32, now: Time) {
        if self.busy {
            self.busy = false;
            self.busy_ticks += now.0 - self.busy_since.0;
            self.idle_since = now;
            self.cover = by;
        }
    }

    /// A frame begins: a NAV by an RTS is confirmed.
    pub fn confirm_nav(&mut self, now: Time) {
        if now <= self.nav_check {
            self.nav = self.nav.max(self.nav_rts);
        }
    }
}

/// What is being sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// A data or management frame to one station.
    Data,
    /// Acknowledgement.
    Ack,
    /// A management frame to all neighbours.
    Group,
}

/// A frame on the air.
#[derive(Copy, Clone, Debug)]
pub struct Frame {
    /// What.
    pub kind: FrameKind,
    /// For whom.
    pub to: u32,
    /// When it began.
    pub begin: Time,
    /// From its end to the end of the exchange.
    pub rest: Span,
}

/// What a station sends a SIFS after the frame it received.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing.
    None,
    /// A CTS; `rest` follows it.
    Cts {
        /// To whom.
        to: u32,
        /// From its end to the end of the exchange.
        rest: Span,
    },
    /// The data frame that was cleared.
    Go,
    /// An ACK.
    Ack {
        /// To whom.
        to: u32,
    },
    /// The next exchange of a TXOP.
    Next {
        /// Category.
        category: u8,
        /// End of the TXOP.
        until: Time,
    },
}

/// The exchange that a station has begun.
#[derive(Copy, Clone, Debug)]
pub struct Exchange {
    /// Category.
    pub category: u8,
    /// The hop whose first frame it carries; `None` for a management frame.
    pub hop: Option<u32>,
    /// For whom.
    pub to: u32,
    /// Airtime of the data frame.
    pub data: Span,
    /// Its bytes.
    pub bytes: u64,
    /// Its rate.
    pub rate: Rate,
    /// Whether it began with an RTS.
    pub rts: bool,
    /// Whether the CTS came.
    pub cleared: bool,
    /// When it began.
    pub begun: Time,
    /// Until when the station may keep the medium.
    pub txop_end: Time,
    /// When the last frame of its sender ended.
    pub own_end: Time,
}

/// A transmitter and its queues.
#[derive(Clone, Debug)]
pub struct Radio {
    /// Node.
    pub node: Id<Node>,
    /// Medium.
    pub medium: u32,
    /// The node's row in the forwarding tables.
    pub row: u32,
    /// Its host number.
    pub host: u32,
    /// Stream of backoffs.
    pub random: Random,
    /// Contention by category.
    pub categories: SmallVec<[Contention; 4]>,
    /// Share of the buffer open to the station's own flows.
    pub own_share: f64,
    /// Numbers of its hops.
    pub hops: Vec<u32>,
    /// The frame on the air.
    pub frame: Option<Frame>,
    /// Its congestion control, if it is a relay that has one.
    pub relay: Option<Box<Relay>>,
    /// Categories that requests have moved.
    pub stepped: [Option<Stepped>; 4],
    /// Own flows that the relay holds back.
    pub holds: Vec<Held>,
    /// What follows a SIFS later.
    pub reply: Reply,
    /// Management frames that wait, ahead of the data of the highest category.
    pub notices: VecDeque<Management>,
    /// The exchange it has begun.
    pub exchange: Option<Exchange>,
    /// Instant of the group's pending event.
    pub armed: Time,
    /// Counters.
    pub count: StationCount,
    /// Counters at the end of the warm-up.
    pub base: StationCount,
}

/// A management frame that waits.
#[derive(Clone, Debug)]
pub struct Management {
    /// For whom; `NOBODY` for all neighbours.
    pub to: u32,
    /// Length, header and FCS included.
    pub bytes: u64,
    /// What it asks for.
    pub ask: Ask,
    /// How its receiver answers.
    pub respond: Contended,
    /// How long it holds, and by how much a step is taken back earlier afterwards.
    pub holds: [Span; 2],
    /// Its receiver has it; what follows are repetitions.
    pub heard: bool,
    /// Transmissions that failed.
    pub tries: u32,
}

/// How far a category has stepped back.
#[derive(Copy, Clone, Debug)]
pub struct Stepped {
    /// Steps.
    pub level: u8,
    /// When a step is taken back.
    pub until: Time,
    /// And how long after it the next.
    pub period: Span,
    /// What a step moves.
    pub respond: Contended,
    /// Parameters without any.
    pub base: Category,
}

/// An own flow that a relay holds to a rate, and its packets that wait for their turn.
#[derive(Clone, Debug)]
pub struct Held {
    /// Flow.
    pub flow: Id<Flow>,
    /// Its first hop.
    pub port: Id<Port>,
    /// Rate.
    pub rate: Rate,
    /// When the next packet may go.
    pub next: Time,
    /// Packets that wait.
    pub list: List,
    /// How many.
    pub frames: u64,
}

/// What a station counts.
#[derive(Clone, Debug, Default)]
pub struct StationCount {
    /// Ticks sending.
    pub airtime: u64,
    /// Ticks its medium was busy.
    pub busy: u64,
    /// Exchanges begun, those with one receiver.
    pub attempts: u64,
    /// Of these, failed.
    pub failures: u64,
    /// Categories that lost to a higher one of the same station.
    pub internal: u64,
    /// Frames given up.
    pub retry_drops: u64,
    /// Management frames sent.
    pub management: u64,
    /// AIFSN × ticks, by category, up to `moved`.
    pub aifsn: [u64; 4],
    /// When AIFSN was added up last.
    pub moved: Time,
}

impl StationCount {
    /// What came since `base`.
    pub fn since(&self, base: &StationCount) -> StationCount {
        StationCount {
            airtime: self.airtime - base.airtime,
            busy: self.busy - base.busy,
            attempts: self.attempts - base.attempts,
            failures: self.failures - base.failures,
            internal: self.internal - base.internal,
            retry_drops: self.retry_drops - base.retry_drops,
            management: self.management - base.management,
            aifsn: std::array::from_fn(|c| self.aifsn[c] - base.aifsn[c]),
            moved: self.moved,
        }
    }
}

/// The way from a station to a neighbour, and the frames that wait for it.
#[derive(Clone, Debug)]
pub struct Hop {
    /// The port that stands for it in results.
    pub port: Id<Port>,
    /// Whose.
    pub from: u32,
    /// The neighbour.
    pub to: u32,
    /// Rate of data frames.
    pub rate: Rate,
    /// Queues by category.
    pub queues: SmallVec<[HopQueue; 1]>,
    /// Ticks of exchanges on it.
    pub airtime: u64,
    /// The same at the end of the warm-up.
    pub airtime_base: u64,
}

/// The frames of a category that wait for a neighbour.
#[derive(Clone, Debug, Default)]
pub struct HopQueue {
    /// Frames, oldest first.
    pub list: List,
    /// The first frame was tried.
    pub tried: Tried,
}

/// What has become of the first frame of a queue.
#[derive(Copy, Clone, Debug, Default)]
pub struct Tried {
    /// Transmissions of an RTS, or of a frame without one, that failed.
    pub short: u32,
    /// Transmissions after RTS/CTS that failed.
    pub long: u32,
    /// Ticks of exchanges that failed.
    pub spent: u64,
    /// The frame reached its receiver, and the ACK did not come back: the packet is there, and the
    /// sender repeats a frame of so many bytes.
    pub ghost: Option<Ghost>,
}

/// A frame whose packet has moved on.
#[derive(Copy, Clone, Debug)]
pub struct Ghost {
    /// IP bytes.
    pub len: u16,
    /// When it came into the queue.
    pub at: Time,
    /// Whether it was of the station's own.
    pub own: bool,
    /// Its flow.
    pub flow: Id<Flow>,
}

impl Radio {
    /// The category of a class.
    pub fn category(&self, class: u8) -> usize {
        usize::from(class).min(self.categories.len() - 1)
    }

    /// Whether management frames go with this category.
    pub fn is_top(&self, category: usize) -> bool {
        category == MANAGEMENT_CATEGORY.min(self.categories.len() - 1)
    }
}

impl Air {
    /// The medium of a station.
    pub fn medium(&self, station: u32) -> &Medium {
        &self.media[self.radios[station as usize].medium as usize]
    }

    /// When the station sends, if the medium stays idle; `NEVER` if it has nothing to send.
    pub fn expiry(&self, station: u32) -> Time {
        let radio = &self.radios[station as usize];
        let base = self.ears[station as usize].base();
        let slot = self.media[radio.medium as usize].slot;
        let waiting = radio.categories.iter().filter(|c| c.frames > 0);
        waiting
            .map(|c| c.expiry(base, slot))
            .min()
            .unwrap_or(Time::NEVER)
    }

    /// The station's medium becomes busy.
    pub fn freeze(&mut self, station: u32, now: Time) {
        let ear = &mut self.ears[station as usize];
        ear.busy = true;
        ear.busy_since = now;
        ear.due = 0;
        if ear.counting == 0 {
            return;
        }
        let base = ear.base();
        if now < base {
            return;
        }
        let radio = &mut self.radios[station as usize];
        let medium = &self.media[radio.medium as usize];
        for (number, c) in radio.categories.iter_mut().enumerate() {
            if ear.counting >> number & 1 == 0 {
                continue;
            }
            if c.freeze(base, now, medium.slot, medium.mac.countdown) {
                ear.due |= 1 << number;
            }
            if c.slots == 0 && c.frames == 0 {
                ear.counting &= !(1 << number);
            }
        }
    }

    /// The frame that a category would send next: its hop. The packet is at the head of the hop's
    /// queue, unless a ghost is.
    pub fn head(&self, station: u32, category: usize, packets: &Packets) -> u32 {
        let radio = &self.radios[station as usize];
        if let Some(hop) = radio.categories[category].current {
            return hop;
        }
        let arrival = |hop: &u32| {
            let queue = &self.hops[*hop as usize].queues[category];
            match queue.tried.ghost {
                Some(ghost) => Some(ghost.at),
                None => (!queue.list.is_empty()).then(|| packets[queue.list.head()].at),
            }
        };
        let first = radio
            .hops
            .iter()
            .filter_map(|hop| arrival(hop).map(|at| (at, *hop)))
            .min();
        first.expect("a category with frames has a hop with one").1
    }

    /// The packets of all queues, each with the port that stands for its hop.
    pub fn held<'a>(
        &'a self,
        packets: &'a Packets,
    ) -> impl Iterator<Item = (Id<Port>, &'a Packet)> {
        let queued = self.hops.iter().flat_map(move |hop| {
            let lists = hop.queues.iter().map(|q| &q.list);
            lists.flat_map(move |list| packets.walk(list).map(|p| (hop.port, p)))
        });
        let held = self.radios.iter().flat_map(move |radio| {
            let holds = radio.holds.iter();
            holds.flat_map(move |h| packets.walk(&h.list).map(|p| (h.port, p)))
        });
        queued.chain(held)
    }
}
