//! Everything that can happen next: on purpose a closed list. Simultaneous events are served in
//! the order of `Key`: time, then rank (the order of the variants here: the variant order is
//! behaviour), then owner, then serial.

use backwater_transport::units::Time;

use crate::connection::Side;
use crate::ids::{ConnectionId, ControlId, FlowId, NodeId, PortId};

/// An event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something happens to a wire: the step with this number. It comes before all else at that instant.
    Link(u32),
    /// A port may have something to do: its frame has left, or a gate opens.
    Wake(PortId),
    /// The frame at the head of this port's wire has reached the far end.
    Arrive(PortId),
    /// The first packet in this box comes out.
    Emerge(PortId),
    /// The reaction time of the oldest notice that waits at this port is over.
    React(PortId),
    /// A notifier's timer for one of its neighbours; stale unless the serial is the current one.
    Refresh {
        /// Whose.
        control: ControlId,
        /// Number of the neighbour.
        neighbour: u8,
        /// Serial of the timer.
        epoch: u16,
    },
    /// A source's next demand is due.
    Demand(FlowId),
    /// The packet that was injected with this number (56 bits) comes to its node. Numbers count up, so packets of one
    /// instant come in the order in which they were injected.
    Inject(u64),
    /// An end of a connection may have something due.
    Timer {
        /// Which.
        connection: ConnectionId,
        /// Which end.
        side: Side,
    },
    /// Look for a cycle of closed gates.
    Inspect,
    /// The warm-up is over: metrics begin.
    Warm,
    /// Something of a medium that stations share.
    Medium {
        /// The medium.
        kind: MediumKind,
        /// Which of the medium's events.
        code: u8,
        /// Of which station, port or flow.
        owner: u32,
    },
    /// The timer of a detector: it looks at what came in and left.
    Observe {
        /// Of which mechanism at a node.
        control: ControlId,
        /// Number of the place.
        place: u8,
    },
    /// The data frame that brings the oldest notice on this port's wire has reached the far end.
    Carried(PortId),
    /// A slot of an input-queued switch begins: cells cross its fabric.
    Cross(NodeId),
    /// A class of this port may have been paused for too long, or its storm may be over.
    Watchdog(PortId),
    /// The host of this port may give credit to the next of its senders.
    Credit(PortId),
    /// The host of this port may send another notification packet.
    Notify(PortId),
}

/// Media that schedule events of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MediumKind {
    /// 802.11; its codes are in `medium/wifi/events.rs`.
    Wifi,
    /// A frame of slots; its codes are in `medium/tdma/frames.rs`.
    Tdma,
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

    /// Packs: 64 bits of time, 8 of rank, 32 of owner, 24 of serial.
    #[inline(always)]
    pub fn new(at: Time, event: Event) -> Key {
        let (rank, owner, serial) = pack(event);
        let tie = u64::from(rank as u8) << 56 | u64::from(owner) << 24 | u64::from(serial);
        Key::of(at, tie)
    }

    /// An instant, and what decides among events at it.
    #[inline]
    pub fn of(at: Time, tie: u64) -> Key {
        Key(u128::from(at.0) << 64 | u128::from(tie))
    }

    /// The order of events at one instant.
    #[inline]
    pub fn tie(self) -> u64 {
        self.0 as u64
    }

    /// When.
    pub fn at(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    /// The port whose wire a frame leaves, if the event is an arrival.
    #[inline]
    pub fn arrival(self) -> Option<PortId> {
        let tie = self.0 as u64;
        (tie >> 56 == Rank::Arrive as u64).then(|| PortId::raw((tie >> 24) as u32))
    }

    /// The flow whose source's demand is due, if the event is that.
    #[inline]
    pub fn demand(self) -> Option<FlowId> {
        let tie = self.0 as u64;
        (tie >> 56 == Rank::Demand as u64).then(|| FlowId::raw((tie >> 24) as u32))
    }

    /// The event. A caller that matches on it at once gets one jump table, not two.
    #[inline(always)]
    pub fn event(self) -> Event {
        let tie = self.0 as u64;
        unpack(
            (tie >> 56) as u8,
            (tie >> 24) as u32,
            tie as u32 & 0x00ff_ffff,
        )
    }
}

/// Ranks that the calendar has room for.
pub const MAX_RANKS: usize = 32;

/// Gives each event its rank, in the given order, and both directions of the packing. An event without a row does not
/// compile; a row without an event neither. A medium has a rank for each of its codes.
macro_rules! ranks {
    (
        order $($rank:ident)*;
        media $($kind:ident [$($code:ident)*])*;
        $($name:ident $fields:tt packs ($owner:expr, $serial:expr), from |$o:ident, $s:ident| $unpacked:expr;)*
    ) => {
        /// Order of service of simultaneous events.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        enum Rank { $($rank),* }

        const _: () = assert!([$(Rank::$rank),*].len() <= MAX_RANKS);

        /// The ranks of a medium's codes.
        #[inline(always)]
        const fn ranks_of(kind: MediumKind) -> &'static [Rank] {
            match kind {
                $(MediumKind::$kind => &[$(Rank::$code),*],)*
            }
        }

        /// Rank, owner (32 bits) and serial (24 bits) of an event.
        #[inline(always)]
        fn pack(event: Event) -> (Rank, u32, u32) {
            match event {
                $(ranks!(@pattern $name $fields) => (Rank::$name, $owner, $serial),)*
                Event::Medium { kind, code, owner } => (ranks_of(kind)[usize::from(code)], owner, 0),
            }
        }

        #[inline(always)]
        fn unpack(rank: u8, owner: u32, serial: u32) -> Event {
            match rank {
                $(rank if rank == Rank::$name as u8 => {
                    let ($o, $s) = (owner, serial);
                    $unpacked
                })*
                $($(rank if rank == Rank::$code as u8 => {
                    Event::Medium {
                        kind: MediumKind::$kind,
                        code: const { place(ranks_of(MediumKind::$kind), Rank::$code) },
                        owner,
                    }
                })*)*
                _ => unreachable!("no event has rank {rank}"),
            }
        }
    };
    (@pattern $name:ident ()) => { Event::$name };
    (@pattern $name:ident ($($field:ident)+)) => { Event::$name($($field),+) };
    (@pattern $name:ident {$($field:ident)+}) => { Event::$name { $($field),+ } };
}

/// The code of a medium that has this rank.
const fn place(ranks: &[Rank], rank: Rank) -> u8 {
    let mut code = 0;
    while ranks[code] as u8 != rank as u8 {
        code += 1;
    }
    code as u8
}

ranks! {
    order Link Wake Arrive Emerge React Refresh Demand Inject Timer Inspect Warm WifiSilence WifiAnswer WifiContend Observe
        WifiExpire WifiRelease WifiOpen WifiReorder Carried Cross TdmaFrame TdmaSlot Watchdog Credit Notify;
    media Wifi [WifiSilence WifiAnswer WifiContend WifiExpire WifiRelease WifiOpen WifiReorder] Tdma [TdmaFrame TdmaSlot];
    Link(step) packs (step, 0), from |owner, _serial| Event::Link(owner);
    Wake(port) packs (port.0, 0), from |owner, _serial| Event::Wake(PortId::raw(owner));
    Arrive(port) packs (port.0, 0), from |owner, _serial| Event::Arrive(PortId::raw(owner));
    Emerge(port) packs (port.0, 0), from |owner, _serial| Event::Emerge(PortId::raw(owner));
    React(port) packs (port.0, 0), from |owner, _serial| Event::React(PortId::raw(owner));
    Refresh {control neighbour epoch} packs (control.0, u32::from(neighbour) << 16 | u32::from(epoch)),
        from |owner, serial| Event::Refresh {
            control: ControlId::raw(owner),
            neighbour: (serial >> 16) as u8,
            epoch: serial as u16,
        };
    Demand(flow) packs (flow.0, 0), from |owner, _serial| Event::Demand(FlowId::raw(owner));
    Inject(number) packs ((number >> 24) as u32, number as u32 & 0x00ff_ffff),
        from |owner, serial| Event::Inject(u64::from(owner) << 24 | u64::from(serial));
    Timer {connection side} packs (connection.0, side as u32),
        from |owner, serial| Event::Timer {
            connection: ConnectionId::raw(owner),
            side: if serial == Side::Sender as u32 { Side::Sender } else { Side::Receiver },
        };
    Inspect() packs (0, 0), from |_owner, _serial| Event::Inspect;
    Warm() packs (0, 0), from |_owner, _serial| Event::Warm;
    Observe {control place} packs (control.0, u32::from(place)),
        from |owner, serial| Event::Observe { control: ControlId::raw(owner), place: serial as u8 };
    Carried(port) packs (port.0, 0), from |owner, _serial| Event::Carried(PortId::raw(owner));
    Cross(node) packs (node.0, 0), from |owner, _serial| Event::Cross(NodeId::raw(owner));
    Watchdog(port) packs (port.0, 0), from |owner, _serial| Event::Watchdog(PortId::raw(owner));
    Credit(port) packs (port.0, 0), from |owner, _serial| Event::Credit(PortId::raw(owner));
    Notify(port) packs (port.0, 0), from |owner, _serial| Event::Notify(PortId::raw(owner));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn wifi(code: u8, owner: u32) -> Event {
        Event::Medium {
            kind: MediumKind::Wifi,
            code,
            owner,
        }
    }

    fn tdma(code: u8, owner: u32) -> Event {
        Event::Medium {
            kind: MediumKind::Tdma,
            code,
            owner,
        }
    }

    #[test]
    fn packing_loses_nothing_and_orders_by_time_rank_owner_serial() {
        let in_order = [
            (Time(5), Event::Arrive(Id::raw(9))),
            (Time(6), Event::Link(3)),
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
            (Time(6), Event::Inject(0)),
            (Time(6), Event::Inject(0x00ff_ffff)),
            (Time(6), Event::Inject(0x0100_0000)),
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
            (Time(6), wifi(0, 1)),
            (Time(6), wifi(1, 0)),
            (Time(6), wifi(2, 0)),
            (
                Time(6),
                Event::Observe {
                    control: Id::raw(0),
                    place: 255,
                },
            ),
            (Time(6), wifi(3, 0)),
            (Time(6), wifi(4, 0)),
            (Time(6), wifi(5, 0)),
            (Time(6), Event::Carried(Id::raw(0))),
            (Time(6), Event::Cross(Id::raw(0))),
            (Time(6), tdma(0, 1)),
            (Time(6), tdma(1, 0)),
            (Time(6), Event::Watchdog(Id::raw(0))),
            (Time(6), Event::Credit(Id::raw(0))),
            (Time(6), Event::Notify(Id::raw(0))),
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
