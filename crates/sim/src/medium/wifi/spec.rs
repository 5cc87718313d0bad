//! Media and stations as a scenario writes them.

use backwater_transport::units::{Rate, Span};

use crate::limit::Limit;
use crate::medium::access::Category;
use crate::medium::wifi::mac::category::MacSpec;
use crate::medium::wifi::phy::aggregate::Bounds;
use crate::medium::wifi::phy::channel::ChannelSpec;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::phy::standard::Phy;
use crate::medium::wifi::queue::arrangement::Serving;
use crate::queue::AnyAqm;

/// An 802.11 medium.
#[derive(Clone, Debug)]
pub struct MediumSpec {
    /// Name.
    pub name: String,
    /// Radio.
    pub phy: Phy,
    /// Rules of access.
    pub mac: MacSpec,
    /// Propagation and reception.
    pub channel: ChannelSpec,
    /// The behaviour of stations of 802.11n and later; none for older ones.
    pub high: Option<High>,
}

/// The behaviour of stations of 802.11n and later.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct High {
    /// The mode of their data frames, the fastest where they choose.
    pub mode: Mode,
    /// How they choose.
    pub control: RateControl,
    /// How they aggregate; none where each frame goes alone.
    pub aggregation: Option<Aggregation>,
}

/// How stations choose the modes of their data frames.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum RateControl {
    /// They don't.
    Off,
    /// The fastest mode that loses no greater share of packets of 1500 B at the SNR of the last answer, the slowest at first.
    Ideal(f64),
    /// By what became of their frames.
    Minstrel(Edition),
}

/// Whose rate control by what became of frames it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Edition {
    /// minstrel_ht of Linux since 5.12.
    Linux,
    /// MinstrelHt of ns-3.
    Ns3,
}

impl High {
    /// Those of so many streams up to the fastest MCS, the slowest first.
    fn with_streams(&self, streams: u8) -> impl Iterator<Item = Mode> {
        let fastest = self.mode;
        let with = move |mcs| Mode {
            mcs,
            streams,
            ..fastest
        };
        let legal = |mode: &Mode| mode.checked().is_ok();
        (0..=fastest.mcs).map(with).filter(legal)
    }

    /// The modes among which stations choose, the slowest first.
    pub fn modes(&self) -> Vec<Mode> {
        match self.control {
            RateControl::Off => vec![self.mode],
            RateControl::Ideal(_) => self.with_streams(self.mode.streams).collect(),
            RateControl::Minstrel(_) => {
                let groups = 1..=self.mode.streams;
                let mut modes: Vec<Mode> = groups.flat_map(|n| self.with_streams(n)).collect();
                modes.sort_by_key(Mode::rate);
                modes
            }
        }
    }
}

/// A-MPDUs under block acknowledgement, and A-MSDUs.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Aggregation {
    /// Frames that may be under way: from the first that is not acknowledged on.
    pub window: u16,
    /// The bounds of a PPDU.
    pub bounds: Bounds,
    /// Most bytes of the body of an A-MSDU; 0 where each packet has an MPDU of its own.
    pub msdu: u64,
    /// There are no A-MPDUs: each MPDU goes alone.
    pub alone: bool,
    /// A missing block acknowledgement is asked for; otherwise the data are sent again.
    pub asks: bool,
    /// How long a receiver holds a packet back behind one that is missing; none until that comes or a BAR says that it won't.
    pub reorder: Option<Span>,
}

/// A radio of an 802.11 station.
#[derive(Clone, Debug)]
pub struct StationSpec {
    /// Its medium.
    pub medium: usize,
    /// Metres.
    pub at: [f64; 2],
    /// Buffer of each access category, in frames or IP bytes.
    pub buffer: Limit,
    /// Share of the buffer for packets of the station's own flows, the rest for those it relays; 1 = all
    /// of it for both.
    pub own_share: f64,
    /// Rate of its data frames, instead of the medium's.
    pub rate: Option<Rate>,
    /// Mode of data frames from it and to it, from 802.11n on, instead of the medium's.
    pub mode: Option<Mode>,
    /// Whom it serves next, and what waits where.
    pub serving: Serving,
    /// Whether it serves flows round-robin instead of first come, first served.
    pub in_turn: bool,
    /// Prototype of the active queue management of its access categories; each gets a copy.
    pub aqm: Option<AnyAqm>,
    /// Parameters that differ from the medium's.
    pub categories: [CategorySpec; 4],
}

impl StationSpec {
    /// Name of a node's radio: the node's, and for other radios than its first also the medium's.
    pub fn radio_name(node: &str, of_node: usize, medium: &str) -> String {
        match of_node {
            0 => node.to_owned(),
            _ => format!("{node}>{medium}"),
        }
    }
}

/// Parameters of an access category that were written.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CategorySpec {
    /// Slots of AIFS after the SIFS, 1..=255.
    pub aifsn: Option<u8>,
    /// Contention window after a success.
    pub cw_min: Option<u32>,
    /// Largest contention window.
    pub cw_max: Option<u32>,
    /// TXOP limit.
    pub txop: Option<Span>,
    /// Buffer, at a station.
    pub buffer: Option<Limit>,
}

impl CategorySpec {
    /// The written value, or the default.
    pub fn over(&self, base: Category) -> Category {
        Category {
            aifsn: self.aifsn.unwrap_or(base.aifsn),
            cw_min: self.cw_min.unwrap_or(base.cw_min),
            cw_max: self.cw_max.unwrap_or(base.cw_max),
            txop: self.txop.unwrap_or(base.txop),
        }
    }
}
