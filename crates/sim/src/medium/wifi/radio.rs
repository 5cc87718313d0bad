//! A station's transmitter: its queues, its contention, the exchange under way, and its hops, which are the
//! frames that wait for each neighbour.

use std::collections::VecDeque;

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};
use smallvec::SmallVec;

use crate::ids::{ControlId, FlowId, NodeId, PortId};
use crate::mechanism::gates::Gates;
use crate::mechanism::notice::Notice;
use crate::mechanism::{AnyResponder, Echo};
use crate::medium::access::{Category, MANAGEMENT_CATEGORY};
use crate::medium::wifi::mac::category::Contention;
use crate::medium::wifi::mac::frame::{Exchange, Frame, Reply};
use crate::medium::wifi::mac::window::Window;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::queue::rounds::RoundRobin;
use crate::packet::List;
use crate::stamp::Shown;

/// A transmitter and its queues. What every frame touches comes first: a large network has more stations than the
/// fast caches have room for.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Radio {
    /// Node.
    pub node: NodeId,
    /// Medium.
    pub medium: u32,
    /// Its host number.
    pub host: u32,
    /// Where the packet went that came last.
    pub route: LastRoute,
    /// Stream of backoffs.
    pub random: Random,
    /// Share of the buffer open to the station's own flows.
    pub own_share: f64,
    /// Part of that for own packets which gates hold back.
    pub blocked_share: f64,
    /// Bytes of the field by which its data frames tell how much it holds.
    pub backlog_field: u64,
    /// Bytes of the field by which its data frames tell how many steps it has taken.
    pub report_field: u64,
    /// Steps that a responder has taken, by category.
    pub steps: [u8; 4],
    /// Rounds of flows by category, where they are served round-robin.
    pub rounds: Option<Box<[RoundRobin; 4]>>,
    /// Contention by category.
    pub categories: SmallVec<[Contention; 1]>,
    /// The frame on the air.
    pub frame: Option<Frame>,
    /// The frame that follows a SIFS later.
    pub reply: Reply,
    /// The station whose frame it follows: its group is served then.
    pub after: u32,
    /// The detector that watches it: (control, place).
    pub watch: Option<(ControlId, usize)>,
    /// The exchange it has begun.
    pub exchange: Option<Exchange>,
    /// Under multiple protection: to whom an RTS has been answered in this TXOP.
    pub protected: Vec<u32>,
    /// Management frames that wait, ahead of the data of the highest category.
    pub notices: VecDeque<Management>,
    /// Notices that wait for a data frame to their station: each frame takes the first as a header field.
    pub fields: Vec<Management>,
    /// Who reads echoes of marks in the ACKs that leave.
    pub echoes: Vec<Echo>,
    /// Own flows that always have something to send and have lost a packet for want of room, once for each.
    pub owed: VecDeque<FlowId>,
    /// Gates that hold back frames of categories, toward next hops or toward destinations.
    pub gates: Option<Box<Gates>>,
    /// Own flows that the relay holds back.
    pub holds: Vec<Held>,
    /// Counters.
    pub count: StationCount,
    /// Counters at the end of the warm-up.
    pub base: Box<StationCount>,
    /// Parameters of its categories before any notice moved them.
    pub written: Box<[Category]>,
    /// How it answers notices, by mechanism.
    pub responders: Vec<(u32, AnyResponder)>,
    /// Numbers of its hops.
    pub hops: Vec<u32>,
    /// Name in results: the node's, and for other radios than its first also the medium's.
    pub name: String,
    /// Laws of explicit feedback that are shown its packets.
    pub laws: Vec<Shown>,
    /// Number among the radios of its node.
    pub of_node: usize,
}

/// Where the last packet that reached a station over the air went on to: most packets go where the one before went.
#[derive(Copy, Clone, Debug)]
pub struct LastRoute {
    /// Its flow.
    pub flow: FlowId,
    /// Its destination host.
    pub to: u32,
    /// The port by which it left.
    pub port: PortId,
}

impl Default for LastRoute {
    fn default() -> LastRoute {
        LastRoute {
            flow: FlowId::NONE,
            to: u32::MAX,
            port: PortId::NONE,
        }
    }
}

/// A notice that waits: a management frame, or a header field of a data frame.
#[derive(Clone, Debug)]
pub struct Management {
    /// For whom; `NOBODY` for all neighbours.
    pub to: u32,
    /// Length of the frame, header and FCS included, or of the field.
    pub bytes: u64,
    /// Who speaks.
    pub control: ControlId,
    /// The notice in it.
    pub notice: Notice,
    /// Its receiver has it; what follows are repetitions.
    pub heard: bool,
    /// Transmissions that failed.
    pub tries: u32,
}

/// An own flow that a relay holds to a rate, and its packets that wait for their turn.
#[derive(Clone, Debug)]
pub struct Held {
    /// Flow.
    pub flow: FlowId,
    /// Its first hop.
    pub port: PortId,
    /// Rate; none when the hold has ended and packets still wait: they go at the rate of their hop.
    pub rate: Option<Rate>,
    /// When the next packet may go.
    pub next: Time,
    /// Packets that wait.
    pub list: List,
    /// How many.
    pub frames: u64,
}

/// The counts of a station.
#[derive(Clone, Debug, Default)]
pub struct StationCount {
    /// Ticks sending.
    pub airtime: u64,
    /// Ticks its medium was busy.
    pub busy: u64,
    /// Frames sent, control frames included.
    pub frames: u64,
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
    /// The frames that came toward it, where stations aggregate.
    pub toward: Toward,
}

/// The frames that came toward a station, from all that sent to it.
#[derive(Copy, Clone, Debug, Default)]
pub struct Toward {
    /// Ticks of exchanges with it.
    pub airtime: u64,
    /// PPDUs with data.
    pub ppdus: u64,
    /// Their frames.
    pub frames: u64,
}

impl StationCount {
    /// Counts since `base`.
    pub fn since(&self, base: &StationCount) -> StationCount {
        StationCount {
            airtime: self.airtime - base.airtime,
            busy: self.busy - base.busy,
            frames: self.frames - base.frames,
            attempts: self.attempts - base.attempts,
            failures: self.failures - base.failures,
            internal: self.internal - base.internal,
            retry_drops: self.retry_drops - base.retry_drops,
            management: self.management - base.management,
            aifsn: std::array::from_fn(|c| self.aifsn[c] - base.aifsn[c]),
            moved: self.moved,
            toward: Toward {
                airtime: self.toward.airtime - base.toward.airtime,
                ppdus: self.toward.ppdus - base.toward.ppdus,
                frames: self.toward.frames - base.toward.frames,
            },
        }
    }
}

/// How a station serves the port toward a neighbour: where its frames go, and what has become of the first ones of each category.
/// Queues and accounts are the port's.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Hop {
    /// The port whose frames it serves.
    pub port: PortId,
    /// Whose.
    pub from: u32,
    /// The neighbour; `NOBODY` for a group.
    pub to: u32,
    /// Rate of data frames.
    pub rate: Rate,
    /// Their mode, from 802.11n on.
    pub mode: Option<Mode>,
    /// The frames that were tried, by category.
    pub windows: SmallVec<[Window; 1]>,
    /// Ticks of exchanges on it.
    pub airtime: u64,
}

/// A hop is read at every frame: it takes two cache lines.
const _: () = assert!(size_of::<Hop>() == 128);

/// An access category of a station, which contends on its own (an EDCAF of 802.11; under DCF a station has one).
#[derive(Copy, Clone, Debug)]
pub(crate) struct Edcaf {
    /// The station.
    pub station: u32,
    /// The number of the category.
    pub number: usize,
}

/// The frames of a category that wait for one hop.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Line {
    /// The hop.
    pub hop: u32,
    /// The number of the category.
    pub number: usize,
}

/// The room that a frame took of a station's buffer.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Freed {
    /// Whether the packet came from the station itself, or by a wire.
    pub own: bool,
    /// Bytes of the frame.
    pub size: u64,
    /// The flow of the packet.
    pub flow: FlowId,
}

impl Radio {
    /// Reads a word of each cache line that a packet touches on its way into a queue.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        let first = u64::from(self.host);
        self.categories
            .iter()
            .fold(first, |read, c| read ^ c.prefetch())
    }

    /// The category of a class.
    pub fn category(&self, class: u8) -> usize {
        usize::from(class).min(self.categories.len() - 1)
    }

    /// When it sends, if the medium, idle since `base`, stays so; `NEVER` if it has nothing to send.
    #[inline]
    pub fn expiry(&self, base: Time, slot: Span) -> Time {
        // DCF has one, and a group asks all of its stations at the end of each frame.
        if let [only] = &self.categories[..] {
            return match only.wants_medium() {
                true => only.expiry(base, slot),
                false => Time::NEVER,
            };
        }
        let waiting = self.categories.iter().filter(|c| c.wants_medium());
        waiting
            .map(|c| c.expiry(base, slot))
            .min()
            .unwrap_or(Time::NEVER)
    }

    /// Whether management frames go with this category.
    pub fn is_top(&self, category: usize) -> bool {
        category == MANAGEMENT_CATEGORY.min(self.categories.len() - 1)
    }
}
