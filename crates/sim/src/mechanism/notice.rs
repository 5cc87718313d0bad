//! The notice of a mechanism to another place. Its bytes on a wire are made in `backwater_wire::ethernet`, those of a management
//! frame in `backwater_wire::wifi`.

use std::sync::Arc;

use backwater_transport::units::{Rate, Span, Time};
use backwater_transport::walk::Walk;

use crate::ids::{FlowId, PortId};
use backwater_wire::control_size;
use backwater_wire::ethernet::{self, FrameKind};

/// A set of hosts: bit h of the words is host number h.
pub type Hosts = Arc<[u64]>;

/// In place of the number of a mechanism: the notice comes from the card of a host, whatever its scenario's mechanisms are.
pub const CARD: u32 = u32::MAX;

/// Whether a set holds a host.
pub fn holds(set: &[u64], host: u32) -> bool {
    set[host as usize / 64] >> (host % 64) & 1 == 1
}

/// The words of a set of hosts.
pub(super) fn walk_hosts(walk: &mut Walk, hosts: Option<&Hosts>) {
    walk.same(hosts.map_or(u64::MAX, |words| words.len() as u64));
    let words = hosts.into_iter().flat_map(|words| words.iter());
    words.for_each(|word| walk.same(*word));
}

/// The key of the notices of a mechanism that replace one another; the others add a number below 2^40 to it.
pub fn first_key(mechanism: u32) -> u64 {
    u64::from(mechanism) << 40
}

/// A notice: what it covers, and what is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Number of the mechanism whose responder answers it.
    pub mechanism: u32,
    /// How its frame is laid out.
    pub form: Form,
    /// Classes it speaks of: bit c is class c, or access category c.
    pub classes: u8,
    /// The request.
    pub ask: Ask,
    /// Destinations it speaks of; none speaks of all.
    pub hosts: Option<Hosts>,
    /// The congested queue's port: by it victims are told from culprits.
    pub origin: PortId,
    /// The congested classes at `origin`.
    pub origin_classes: u8,
    /// Tells notices of different origins apart where they don't replace one another.
    pub key: u64,
}

/// The request of a notice.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Ask {
    /// To send nothing for so many units of its carrier; zero ends it.
    Stop(u16),
    /// To send no faster than this for so many units; zero ends it.
    Limit(Rate, u16),
    /// To send less or more, a step.
    Step(Step),
    /// A station to itself: what one of its own flows should get.
    Own(OwnFlow),
}

/// A step.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Step {
    /// Less, or more.
    pub less: bool,
    /// The rate of all flows covered together.
    pub rate: Rate,
    /// How long it holds; none holds until the next step.
    pub expiry: Option<Span>,
    /// How long after that the next step is taken back.
    pub period: Span,
}

impl Step {
    /// When a step that is taken now is over.
    pub fn until(&self, now: Time) -> Time {
        self.expiry.map_or(Time::NEVER, |expiry| now + expiry)
    }
}

/// An own flow of a station that forwards others'.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OwnFlow {
    /// Which.
    pub flow: FlowId,
    /// The rate at which it leaves, bit/s.
    pub gets: f64,
    /// The rate at which each forwarded flow leaves, bit/s; none where nothing is forwarded.
    pub forwarded: Option<f64>,
    /// Whether the station is congested.
    pub congested: bool,
}

/// How a frame with a notice is laid out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// 802.3x PAUSE.
    Pause,
    /// 802.1Qbb priority PAUSE.
    Pfc,
    /// Extension frame naming addresses, a rate, or both.
    Extension,
    /// A request for a step, in a management frame of so many bytes.
    Request(u64),
    /// A Congestion Notification element in a Mesh Action frame of 802.11s.
    Congestion(Durations),
}

impl Form {
    /// Whether it stops all that a neighbour sends, whatever its class.
    pub fn names_no_class(self) -> bool {
        self == Form::Pause
    }
}

/// For how long congestion is expected to last, by access category; zero ends it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Durations {
    /// In units.
    pub units: [u16; 4],
    /// Their length.
    pub unit: Span,
    /// Who is no neighbour in the routing tree ignores it.
    pub to_tree: bool,
    /// The element has a destination's address, the group's where it speaks of all destinations (IEEE 802.11-2012).
    pub addressed: bool,
}

impl Notice {
    /// A host's card asks to stop a class, or all that is sent to it, for as long as a frame can say, or no longer.
    pub fn of_card(class: Option<u8>, stop: bool) -> Notice {
        Notice {
            mechanism: CARD,
            form: match class {
                Some(_) => Form::Pfc,
                None => Form::Pause,
            },
            classes: class.map_or(0xff, |class| 1 << class),
            ask: Ask::Stop(if stop { u16::MAX } else { 0 }),
            hosts: None,
            origin: PortId::NONE,
            origin_classes: 0,
            key: 0,
        }
    }

    /// How long it holds, in units of its carrier, where it counts them; zero ends it.
    pub fn quanta(&self) -> u16 {
        match self.ask {
            Ask::Stop(quanta) | Ask::Limit(_, quanta) => quanta,
            Ask::Step(_) | Ask::Own(_) => 0,
        }
    }

    /// The notices to each category, where a frame speaks of several at once; else the notice itself.
    pub fn by_category(&self) -> Vec<Notice> {
        let Form::Congestion(durations) = self.form else {
            return vec![self.clone()];
        };
        let of = |(category, units): (usize, &u16)| Notice {
            classes: 1 << category,
            ask: Ask::Stop(*units),
            ..self.clone()
        };
        match self.classes {
            // It names destinations for one category.
            _ if self.hosts.is_some() => vec![self.clone()],
            // One queue for all categories.
            0xff => vec![self.clone()],
            _ => durations.units.iter().enumerate().map(of).collect(),
        }
    }

    /// Whether all obey who hear it; else neighbours in the routing tree do.
    pub fn is_for_all_receivers(&self) -> bool {
        !matches!(self.form, Form::Congestion(durations) if durations.to_tree)
    }

    /// Unit of its times, where it brings its own.
    pub fn unit(&self) -> Option<Span> {
        match self.form {
            Form::Congestion(durations) => Some(durations.unit),
            _ => None,
        }
    }

    /// The rate it names.
    pub fn rate(&self) -> Option<Rate> {
        match self.ask {
            Ask::Limit(rate, _) => Some(rate),
            Ask::Step(step) => Some(step.rate),
            Ask::Stop(_) | Ask::Own(_) => None,
        }
    }

    /// Whether a later notice to the same place makes it needless.
    pub fn replaced_by(&self, later: &Notice) -> bool {
        let about = |n: &Notice| (n.mechanism, n.key, n.classes);
        let kind = |n: &Notice| std::mem::discriminant(&n.ask);
        about(self) == about(later) && kind(self) == kind(later)
    }

    /// Whether its timer starts when the frame in transmission has left: the pause timer does (IEEE 802.3, figure 31B-2),
    /// those of priorities are set at the indication (IEEE 802.1Q, clause 36).
    pub fn waits_for_frame(&self) -> bool {
        self.form != Form::Pfc
    }

    /// Whether what it says to its receiver is the same.
    pub fn says_like(&self, other: &Notice) -> bool {
        let said = |n: &Notice| (n.mechanism, n.key, n.form, n.classes, n.ask);
        said(self) == said(other) && self.hosts == other.hosts
    }

    /// Whether both change the same gates or bars, so that the later one overrules the earlier.
    pub fn concerns_like(&self, other: &Notice) -> bool {
        (self.mechanism, self.key) == (other.mechanism, other.key)
    }

    /// Whether it asks for a step.
    pub fn is_step(&self) -> bool {
        matches!(self.ask, Ask::Step(_))
    }

    /// The lowest class it speaks of.
    pub fn class(&self) -> usize {
        self.classes.trailing_zeros() as usize
    }

    /// Bytes of its control frame on a wire, header and FCS included.
    pub fn frame_size(&self) -> u64 {
        let addresses = self.host_numbers();
        u64::from(control_size::control_size(&self.frame_kind(&addresses)))
    }

    /// Bytes of it as a header field of a data frame: its control frame without addresses, type, padding and FCS.
    pub fn field_size(&self) -> u64 {
        let addresses = self.host_numbers();
        u64::from(control_size::control_field(&self.frame_kind(&addresses)))
    }

    /// Its hosts, where they are too many for their addresses and a map names them.
    pub fn map(&self) -> Option<&[u64]> {
        let hosts = self.hosts.as_deref()?;
        let named: u32 = hosts.iter().map(|word| word.count_ones()).sum();
        (named as usize > ethernet::MOST_ADDRESSES).then_some(hosts)
    }

    /// The control frame's layout for the capture; `addresses` are its host numbers.
    pub fn frame_kind<'a>(&'a self, addresses: &'a [u32]) -> FrameKind<'a> {
        let (classes, quanta) = (self.classes, self.quanta());
        if let Some(hosts) = self.map() {
            return FrameKind::Map {
                classes,
                rate_bps: self.rate().map(|rate| rate.0),
                quanta,
                hosts,
            };
        }
        match (self.form, self.rate()) {
            (Form::Pause, _) => FrameKind::Pause { quanta },
            (Form::Pfc, _) => {
                let of = |class: usize| (classes >> class & 1 == 1).then_some(quanta);
                FrameKind::Pfc {
                    quanta: std::array::from_fn(of),
                }
            }
            (Form::Extension | Form::Request(_) | Form::Congestion(_), None) => {
                FrameKind::Destinations {
                    quanta,
                    classes,
                    addresses,
                }
            }
            (Form::Extension | Form::Request(_) | Form::Congestion(_), Some(rate)) => {
                FrameKind::Rate {
                    classes,
                    rate_bps: rate.0,
                    quanta,
                    addresses,
                }
            }
        }
    }

    /// Host numbers named, in order.
    pub fn host_numbers(&self) -> Vec<u32> {
        let words = self.hosts.as_deref().unwrap_or(&[]);
        (0..words.len() as u32 * 64)
            .filter(|h| holds(words, *h))
            .collect()
    }
}
impl Notice {
    /// Visits what it says, for `skip`.
    pub(crate) fn walk(&self, walk: &mut Walk) {
        let Notice {
            mechanism,
            form,
            classes,
            ask,
            hosts,
            origin,
            origin_classes,
            key,
        } = self;
        let form = match form {
            Form::Pause => 0u64,
            Form::Pfc => 1,
            Form::Extension => 2,
            // Over the air.
            Form::Request(_) | Form::Congestion(_) => 3,
        };
        let (asked, rate) = match ask {
            Ask::Stop(units) => (u64::from(*units), 0),
            Ask::Limit(rate, units) => (1 << 32 | u64::from(*units), rate.0),
            Ask::Step(_) | Ask::Own(_) => (2 << 32, 0),
        };
        if form == 3 || asked == 2 << 32 {
            walk.unable("mechanisms", "a notice asks for a step");
        }
        walk.same(form << 8 | u64::from(*classes));
        for value in [asked, rate, u64::from(*mechanism), *key] {
            walk.same(value);
        }
        walk_hosts(walk, hosts.as_ref());
        walk.same(origin.0);
        walk.same(*origin_classes);
    }
}
