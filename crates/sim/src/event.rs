//! Everything that can happen next: on purpose a closed list. Simultaneous events are served in
//! the order of `Key`: time, then rank (the order of the variants here: the variant order is
//! behaviour), then owner, then serial.

use backwater_transport::units::Time;

use crate::connection::{Connection, Side};
use crate::mechanism::Control;
use crate::medium::wifi::radio::Radio;
use crate::network::{Flow, Port};
use crate::table::Id;

/// What happens.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A port may have something to do: its frame has left, or a gate opens.
    Wake(Id<Port>),
    /// The frame at the head of this port's wire has reached the far end.
    Arrive(Id<Port>),
    /// The first packet in this box comes out.
    Emerge(Id<Port>),
    /// The reaction time of the oldest notice that waits at this port is over.
    React(Id<Port>),
    /// A notifier's timer for one of its neighbours; stale unless the serial is the current one.
    Refresh {
        /// Whose.
        control: Id<Control>,
        /// Number of the neighbour.
        neighbour: u8,
        /// Serial of the timer.
        epoch: u16,
    },
    /// A source's next demand is due.
    Demand(Id<Flow>),
    /// A packet was handed in from outside.
    Inject {
        /// Its flow.
        flow: Id<Flow>,
        /// Tells the packets apart that wait outside.
        serial: u32,
    },
    /// An end of a connection may have something due.
    Timer {
        /// Which.
        connection: Id<Connection>,
        /// Which end.
        side: Side,
    },
    /// Look for a cycle of closed gates.
    Inspect,
    /// The warm-up is over: metrics begin.
    Warm,
    /// The frame that this station sends has ended.
    Silence(Id<Radio>),
    /// A SIFS after a frame: this station answers, or goes on.
    Answer(Id<Radio>),
    /// A station of those that heard this one last may have counted its slots down.
    Contend(Id<Radio>),
    /// A relay looks at what came in and left.
    Look(Id<Radio>),
    /// A request may have expired at this station.
    Ease(Id<Radio>),
    /// The next packet of a flow that its station holds back may go.
    Release(Id<Flow>),
}

/// An instant and an event, packed into 128 bits whose order is the order of service.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// Later than any event.
    pub const NEVER: Key = Key(u128::MAX);

    /// Not later than any event at this instant.
    pub fn least(at: u64) -> Key {
        Key(u128::from(at) << 64)
    }

    /// Packs: 64 bit time, 8 rank, 32 owner, 24 serial.
    pub fn new(at: Time, event: Event) -> Key {
        let (rank, owner, serial) = match event {
            Event::Wake(port) => (0u8, port.0, 0),
            Event::Arrive(port) => (1, port.0, 0),
            Event::Emerge(port) => (2, port.0, 0),
            Event::React(port) => (3, port.0, 0),
            Event::Refresh {
                control,
                neighbour,
                epoch,
            } => (4, control.0, u32::from(neighbour) << 16 | u32::from(epoch)),
            Event::Demand(flow) => (5, flow.0, 0),
            Event::Inject { flow, serial } => (6, flow.0, serial & 0x00ff_ffff),
            Event::Timer { connection, side } => (7, connection.0, side as u32),
            Event::Inspect => (8, 0, 0),
            Event::Warm => (9, 0, 0),
            Event::Silence(radio) => (10, radio.0, 0),
            Event::Answer(radio) => (11, radio.0, 0),
            Event::Contend(radio) => (12, radio.0, 0),
            Event::Look(radio) => (13, radio.0, 0),
            Event::Ease(radio) => (14, radio.0, 0),
            Event::Release(flow) => (15, flow.0, 0),
        };
        let tie = u64::from(rank) << 56 | u64::from(owner) << 24 | u64::from(serial);
        Key::of(at, tie)
    }

    /// An instant, and what decides among events at it.
    #[inline]
    pub fn of(at: Time, tie: u64) -> Key {
        Key(u128::from(at.0) << 64 | u128::from(tie))
    }

    /// What decides among events at one instant.
    #[inline]
    pub fn tie(self) -> u64 {
        self.0 as u64
    }

    /// When.
    pub fn at(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    /// The port whose wire a frame leaves, if that is what happens.
    #[inline]
    pub fn arrival(self) -> Option<Id<Port>> {
        let tie = self.0 as u64;
        (tie >> 56 == 1).then(|| Id::raw((tie >> 24) as u32))
    }

    /// What. A caller that asks by kind at once does so with one table of jumps, not two.
    #[inline(always)]
    pub fn event(self) -> Event {
        let tie = self.0 as u64;
        let owner = (tie >> 24) as u32;
        let serial = tie as u32 & 0x00ff_ffff;
        match tie >> 56 {
            0 => Event::Wake(Id::raw(owner)),
            1 => Event::Arrive(Id::raw(owner)),
            2 => Event::Emerge(Id::raw(owner)),
            3 => Event::React(Id::raw(owner)),
            4 => Event::Refresh {
                control: Id::raw(owner),
                neighbour: (serial >> 16) as u8,
                epoch: serial as u16,
            },
            5 => Event::Demand(Id::raw(owner)),
            6 => Event::Inject {
                flow: Id::raw(owner),
                serial,
            },
            7 => Event::Timer {
                connection: Id::raw(owner),
                side: if serial == 0 {
                    Side::Sender
                } else {
                    Side::Receiver
                },
            },
            8 => Event::Inspect,
            9 => Event::Warm,
            10 => Event::Silence(Id::raw(owner)),
            11 => Event::Answer(Id::raw(owner)),
            12 => Event::Contend(Id::raw(owner)),
            13 => Event::Look(Id::raw(owner)),
            14 => Event::Ease(Id::raw(owner)),
            _ => Event::Release(Id::raw(owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_loses_nothing_and_orders_by_time_rank_owner_serial() {
        let in_order = [
            (Time(5), Event::Arrive(Id::raw(9))),
            (Time(6), Event::Wake(Id::raw(u32::MAX))),
            (Time(6), Event::Arrive(Id::raw(0))),
            (Time(6), Event::Arrive(Id::raw(1))),
            (Time(6), Event::Emerge(Id::raw(0))),
            (Time(6), Event::React(Id::raw(0))),
            (
                Time(6),
                Event::Refresh {
                    control: Id::raw(2),
                    neighbour: 63,
                    epoch: 1,
                },
            ),
            (
                Time(6),
                Event::Refresh {
                    control: Id::raw(2),
                    neighbour: 63,
                    epoch: 65_535,
                },
            ),
            (Time(6), Event::Demand(Id::raw(0))),
            (
                Time(6),
                Event::Inject {
                    flow: Id::raw(0),
                    serial: 0,
                },
            ),
            (
                Time(6),
                Event::Inject {
                    flow: Id::raw(0),
                    serial: 1,
                },
            ),
            (
                Time(6),
                Event::Timer {
                    connection: Id::raw(0),
                    side: Side::Sender,
                },
            ),
            (
                Time(6),
                Event::Timer {
                    connection: Id::raw(0),
                    side: Side::Receiver,
                },
            ),
            (Time(6), Event::Inspect),
            (Time(6), Event::Warm),
            (Time(6), Event::Silence(Id::raw(1))),
            (Time(6), Event::Answer(Id::raw(0))),
            (Time(6), Event::Contend(Id::raw(0))),
            (Time(6), Event::Look(Id::raw(0))),
            (Time(6), Event::Ease(Id::raw(0))),
            (Time(6), Event::Release(Id::raw(0))),
            (Time(u64::MAX), Event::Wake(Id::raw(0))),
        ];
        for pair in in_order.windows(2) {
            assert!(
                Key::new(pair[0].0, pair[0].1) < Key::new(pair[1].0, pair[1].1),
                "{pair:?}"
            );
        }
        for (at, event) in in_order {
            let key = Key::new(at, event);
            assert_eq!((key.at(), key.event()), (at, event));
        }
    }
}
