//! The air: the tables of all stations, and the medium's timing. `world/air.rs` moves frames.

use std::collections::BTreeMap;

use backwater_transport::units::{Span, Time};
use smallvec::{SmallVec, smallvec};

use crate::ids::{FlowId, PortId};
use crate::medium::wifi::air_log::AirLog;
use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::cell::Cell;
use crate::medium::wifi::mac::window::First;
use crate::medium::wifi::phy::channel::{Far, Link, Near, UNIT};
use crate::medium::wifi::phy::fading::Gains;
use crate::medium::wifi::phy::minstrel::Minstrel;
use crate::medium::wifi::phy::power_level::Level;
use crate::medium::wifi::radio::{Hop, Radio};
use crate::medium::wifi::reception::frame_set::FrameSet;
use crate::medium::wifi::reception::hearing::{Coded, Hearing};
use crate::medium::wifi::reception::parts::{Hits, Parts};
use crate::medium::wifi::spec::Aggregation;
use crate::network::Network;
use crate::packet::{Packet, Packets};

pub use crate::medium::wifi::mac::frame::NOBODY;
pub(super) use crate::medium::wifi::mac::frame::Number;
pub use crate::medium::wifi::phy::timing::Medium;

/// All media and stations of a world.
#[derive(Clone, Debug, Default)]
pub struct Air {
    /// Media.
    pub media: Vec<Medium>,
    /// The carrier sense of each station's receiver, unless it follows the record of its cell.
    pub sensing: Vec<CarrierSense>,
    /// The record of each medium whose stations all hear one another.
    pub(super) cells: Vec<Option<Box<Cell>>>,
    /// The power that reaches each station under the physical channel.
    pub(super) levels: Vec<Level>,
    /// The knowledge that each station's receiver has of its frame under the physical channel.
    pub(super) hearings: Vec<Hearing>,
    /// Each station's last frame under the physical channel.
    pub(super) coded: Vec<Coded>,
    /// Whom each station's frames reach.
    pub reach: Vec<Vec<Link>>,
    /// Whom each station's frames can make idle: those they reach, those they only disturb, and their sender.
    pub(super) idlers: Vec<Vec<Number>>,
    /// Each station's frames as those see them whom they reach under the physical channel.
    pub(super) near: Vec<Vec<Near>>,
    /// Their powers at those they only disturb. Most entries of a large network are of this kind and are read at
    /// every frame, so they are small.
    pub(super) far: Vec<Vec<u32>>,
    /// Who has got the frame that ended last, of those it was for.
    pub heard: Vec<u32>,
    /// Which frames of the burst that ended last its receiver does not have; empty where it has all.
    pub(super) damaged: FrameSet,
    /// When the frames of each station's burst are on the air.
    pub(super) parts: Vec<Parts>,
    /// The damage that collisions have done to the burst that each station receives.
    pub(super) hits: Vec<Hits>,
    /// Whether some station overhears what others send to third ones.
    pub(super) eavesdrops: bool,
    /// Who has overheard the data frame that ended last, where somebody does.
    pub(super) overheard: Vec<u32>,
    /// Senders of the frames that receivers have left for a stronger one since `arrive` was called last.
    pub(super) left: Vec<u32>,
    /// The stations that each station's frames made idle.
    pub groups: Vec<Group>,
    /// Each station's transmitter and queues.
    pub radios: Vec<Radio>,
    /// Hops; those on the ways of flows lie together.
    pub hops: Vec<Hop>,
    /// Their numbers by number of the port less `first_port`.
    hop_numbers: Vec<u32>,
    /// The first port that stands for a hop.
    pub first_port: u32,
    /// Gains of channels that fade, where one does.
    pub(super) gains: Option<Box<Gains>>,
    /// Rate control of each hop by what becomes of its frames; empty where no station has it.
    pub(super) minstrels: Vec<Option<Box<Minstrel>>>,
    /// Delay budgets by flow; empty where no flow has one.
    pub budgets: Vec<Option<Span>>,
    /// Members of the groups to which flows send, in the order of the stations.
    pub members: BTreeMap<FlowId, Vec<Member>>,
    /// Frames on the air, where a capture wants them; boxed, since few runs keep them.
    pub(crate) log: Option<Box<AirLog>>,
}

/// A station of a group.
#[derive(Copy, Clone, Debug)]
pub struct Member {
    /// Which.
    pub station: u32,
    /// Packets that it received.
    pub received: u64,
    /// The same at the end of the warm-up.
    pub base: u64,
    /// Of those received since, how many had entered before.
    pub early: u64,
}

impl Member {
    /// A station that has received nothing.
    pub fn new(station: u32) -> Member {
        Member {
            station,
            received: 0,
            early: 0,
            base: 0,
        }
    }
}

/// The stations that one's frames made idle, which have one event together: those that have a counter to run
/// or a frame to send, by their numbers in the list of `Air::idlers`.
#[derive(Clone, Debug)]
pub struct Group {
    /// Instant of the pending event.
    pub armed: Time,
    /// Bit n: station n may belong to the group.
    members: SmallVec<[u64; 4]>,
}

impl Group {
    /// A group of so many stations, to which nobody belongs.
    fn new(stations: usize) -> Group {
        Group {
            armed: Time::NEVER,
            members: smallvec![0; stations.div_ceil(64)],
        }
    }

    /// The station of this number belongs to it.
    #[inline]
    pub(super) fn add(&mut self, number: Number) {
        self.members[usize::from(number) / 64] |= 1 << (number % 64);
    }

    /// The same as bits, 64 in a word. A frame's end takes them once for all stations.
    #[inline]
    pub(super) fn members(&mut self) -> Members<'_> {
        Members(&mut self.members)
    }

    /// The first number from this on of a station that may belong to the group.
    fn next(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.members.get(word)? >> (from % 64) << (from % 64);
        while bits == 0 {
            word += 1;
            bits = *self.members.get(word)?;
        }
        Some(64 * word + bits.trailing_zeros() as usize)
    }
}

/// The members of a group while a frame ends.
pub(super) struct Members<'a>(&'a mut [u64]);

impl Members<'_> {
    /// A station of this number hears nothing any more, after a frame of station `by`.
    #[inline(always)]
    pub(super) fn take(&mut self, number: usize, sense: &mut CarrierSense, by: u32, now: Time) {
        if sense.become_idle(by, number as Number, now) && sense.counting != 0 {
            self.0[number / 64] |= 1 << (number % 64);
        }
    }
}

impl Air {
    /// Keeps every frame from now on.
    pub(crate) fn start_log(&mut self) {
        self.log = Some(Box::new(AirLog::new(self.radios.len(), self.hops.len())));
    }

    /// Adds a station; whom it reaches is told later.
    pub fn add(&mut self, radio: Radio, hearing: Hearing) {
        self.sensing
            .push(CarrierSense::new(self.radios.len() as u32));
        let receivers = self.media[radio.medium as usize].receivers.as_ref();
        self.levels.push(Level::silent(receivers));
        self.hearings.push(hearing);
        self.coded.push(Coded::default());
        self.parts.push(Parts::default());
        self.hits.push(Hits::default());
        self.near.push(Vec::new());
        self.reach.push(Vec::new());
        self.far.push(Vec::new());
        self.idlers.push(vec![self.radios.len() as Number]);
        self.groups.push(Group::new(1));
        self.radios.push(radio);
    }

    /// The port that stands for the hop from a station to another, or to `NOBODY` for its group.
    pub fn hop_to(&self, station: u32, to: u32) -> Option<PortId> {
        let hops = self.radios[station as usize].hops.iter();
        let mut hops = hops.map(|number| &self.hops[*number as usize]);
        hops.find(|hop| hop.to == to).map(|hop| hop.port)
    }

    /// The stations that a station's frames reach or disturb under the physical channel, and their power there in
    /// multiples of the noise.
    pub fn powers(&self, station: u32) -> impl Iterator<Item = (u32, f64)> {
        let sender = station as usize;
        let reached = self.reach[sender].iter().map(|link| (link.to, link.power));
        let beyond = &self.idlers[sender][self.reach[sender].len()..];
        let disturbed = beyond.iter().zip(&self.far[sender]);
        let disturbed = disturbed.map(|(to, power)| (u32::from(*to), u64::from(*power)));
        let all = reached.chain(disturbed);
        all.map(|(to, power)| (to, power as f64 / UNIT))
    }

    /// The hop for which a port stands; none for a port with a wire.
    pub fn hop(&self, port: PortId) -> Option<&Hop> {
        let place = port.0.checked_sub(self.first_port)?;
        let number = self.hop_numbers.get(place as usize)?;
        Some(&self.hops[*number as usize])
    }

    /// Whether a packet in a station's queue came from the station's own node or over a wire, not over the air: it
    /// enters the mesh here.
    pub fn enters_with(&self, packet: &Packet) -> bool {
        packet.ingress.is_none() || packet.ingress.0 < self.first_port
    }

    /// The number of the hop for which a port stands.
    pub fn hop_number(&self, port: PortId) -> u32 {
        self.hop_numbers[(port.0 - self.first_port) as usize]
    }

    /// Adds the hop for which the next port stands.
    pub fn push_hop(&mut self, hop: Hop) {
        let number = self.hops.len() as u32;
        self.radios[hop.from as usize].hops.push(number);
        self.hop_numbers.push(number);
        self.hops.push(hop);
    }

    /// Lets the hops that lie on the way of some flow lie together, in the order in which they were added.
    pub fn gather_hops(&mut self, is_used: &[bool]) {
        let hops = std::mem::take(&mut self.hops).into_iter();
        let (used, idle): (Vec<_>, Vec<_>) = hops.zip(is_used).partition(|(_, used)| **used);
        self.hops = used.into_iter().chain(idle).map(|(hop, _)| hop).collect();
        for (number, hop) in self.hops.iter().enumerate() {
            self.hop_numbers[(hop.port.0 - self.first_port) as usize] = number as u32;
        }
        // Numbers of hops are those of their ports, so far.
        for number in self.radios.iter_mut().flat_map(|radio| &mut radio.hops) {
            *number = self.hop_numbers[*number as usize];
        }
    }

    /// Says whom a station's frames reach, and whom they disturb.
    pub fn join(&mut self, station: u32, reach: Vec<Link>, far: Vec<Far>) {
        let to = reach.iter().map(|link| link.to);
        let others = to.chain(far.iter().map(|far| far.to));
        let short = |number: u32| Number::try_from(number).expect("stations that fit the tables");
        let idlers: Vec<Number> = others.chain([station]).map(short).collect();
        let station = station as usize;
        self.sensing[station].number = short(idlers.len() as u32 - 1);
        self.groups[station] = Group::new(idlers.len());
        if let Some(receivers) = &self.medium(station as u32).receivers {
            self.near[station] = reach.iter().map(|link| receivers.near(link)).collect();
        }
        self.far[station] = far.iter().map(|far| far.power).collect();
        (self.reach[station], self.idlers[station]) = (reach, idlers);
    }

    /// The medium of a station.
    pub fn medium(&self, station: u32) -> &Medium {
        &self.media[self.radios[station as usize].medium as usize]
    }

    /// The aggregation of the medium of a hop, where its frames are sent under block acknowledgement.
    pub(in crate::medium::wifi) fn aggregation(
        &self,
        hop: u32,
        number: usize,
    ) -> Option<&Aggregation> {
        let served = &self.hops[hop as usize];
        served.windows[number].session()?;
        let high = self.medium(served.from).high.as_ref()?;
        high.aggregation.as_ref()
    }

    /// Bytes of headers and FCS of a data frame of a station, those of its mechanisms included that every data frame has.
    #[inline]
    pub(in crate::medium::wifi) fn header_bytes(&self, station: u32) -> u64 {
        let radio = &self.radios[station as usize];
        self.medium(station).overhead + radio.backlog_field + radio.report_field
    }

    /// Bytes of the field that the next data frame to a station takes.
    #[inline]
    pub(in crate::medium::wifi) fn field_toward(&self, station: u32, to: u32) -> Option<u64> {
        let mut fields = self.radios[station as usize].fields.iter();
        fields.find(|f| f.to == to).map(|f| f.bytes)
    }

    /// When the station sends, if the medium stays idle; `NEVER` if it has nothing to send.
    pub fn expiry(&self, station: u32) -> Time {
        let radio = &self.radios[station as usize];
        radio.expiry(
            self.sensing[station as usize].base(),
            self.medium(station).slot,
        )
    }

    /// A category has a counter to run or a frame to send.
    pub fn count_down(&mut self, station: u32, category: usize) {
        self.leave_record(station);
        let sense = &mut self.sensing[station as usize];
        sense.counting |= 1 << category;
        if !sense.busy {
            self.groups[sense.cover as usize].add(sense.number);
        }
    }

    /// The first station from this number on that may belong to a group, and its number.
    #[inline]
    pub fn next_member(&self, group: u32, from: usize) -> Option<(usize, u32)> {
        let number = self.groups[group as usize].next(from)?;
        Some((number, u32::from(self.idlers[group as usize][number])))
    }

    /// The earliest instant at which a station of a group would send; drops those that no longer belong to
    /// it.
    pub fn soonest(&mut self, group: u32) -> Time {
        let mut soonest = self.soonest_in_cell(group);
        let slot = self.medium(group).slot;
        let members = &mut self.groups[group as usize].members;
        let idlers = self.idlers[group as usize].chunks(64);
        for (word, idlers) in members.iter_mut().zip(idlers) {
            let mut bits = *word;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let station = usize::from(idlers[bit as usize]);
                let sense = &self.sensing[station];
                if sense.cover != group {
                    *word &= !(1 << bit);
                } else if !sense.busy {
                    let base = sense.base();
                    // Nobody sends before the medium is idle.
                    if base < soonest {
                        soonest = soonest.min(self.radios[station].expiry(base, slot));
                    }
                }
            }
        }
        soonest
    }

    /// The station's medium becomes busy.
    pub fn freeze(&mut self, station: u32, now: Time) {
        let radio = &mut self.radios[station as usize];
        let medium = &self.media[radio.medium as usize];
        self.sensing[station as usize].freeze(radio, medium, now);
    }

    /// The hop whose first frame has been in line longest, among those that may send; none where none may. The packet
    /// is at the head of the hop's queue, unless a ghost is.
    pub fn longest_in_line(
        &self,
        station: u32,
        category: usize,
        network: &Network,
        may_send: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let radio = &self.radios[station as usize];
        let arrival = |hop: &u32| {
            let hop = &self.hops[*hop as usize];
            match hop.first(network, category) {
                First::Ghost(ghost) => ghost.at,
                First::Waits(first) if radio.rounds.is_some() => Time(network.spent[first].round),
                First::Waits(first) => network.packets[first].at,
                First::None => unreachable!("a hop without a frame"),
            }
        };
        let hops = radio.categories[category].hops.iter();
        let first = hops
            .filter(|hop| may_send(**hop))
            .map(|hop| (arrival(hop), *hop))
            .min();
        first.map(|(_, hop)| hop)
    }

    /// The packets of flows that stations hold to a rate, each with its port.
    pub fn held<'a>(&'a self, packets: &'a Packets) -> impl Iterator<Item = (PortId, &'a Packet)> {
        let holds = self.radios.iter().flat_map(|radio| &radio.holds);
        holds.flat_map(move |h| packets.walk(&h.list).map(|p| (h.port, p)))
    }
}

#[cfg(test)]
mod test_groups;
