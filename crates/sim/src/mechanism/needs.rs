//! The needs of a part of a mechanism, and the abilities that it gives to the others. From these follows which detector, notifier and
//! responder work together on which medium (`legal`), and what the place must keep for them.

/// Tables of a kind's rows `PART`: each line has a part and what it needs. `NEEDS` lists these in the tables' order.
macro_rules! rows {
    ($(
        $(#[$doc:meta])* pub static $TABLE:ident;
        $($module:ident needs $needs:expr,)*
    )*) => {
        $(
            $(#[$doc])*
            pub static $TABLE: &[Part<Build>] = &[$($module::PART),*];
        )*

        /// The needs of each row, in the order of the tables.
        pub static NEEDS: &[Needs] = &[$($($needs,)*)*];
    };
}
pub(super) use rows;

/// A set of conditions: those a part needs, or those a medium or another part meets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Set(u32);

impl Set {
    /// Nothing.
    pub const NONE: Set = Set(0);
    /// A queue of frames that wait to leave the place that is watched.
    pub const QUEUE: Set = Set(1);
    /// Frames come in over interfaces of their own.
    pub const INTERFACES: Set = Set(1 << 1);
    /// Memory that ports share by dynamic thresholds.
    pub const POOL: Set = Set(1 << 2);
    /// The busy share of a medium that others send on as well.
    pub const BUSY: Set = Set(1 << 3);
    /// Rates of what comes and leaves, over a window.
    pub const RATES: Set = Set(1 << 4);
    /// Bytes held by neighbour.
    pub const HOLDINGS: Set = Set(1 << 5);
    /// A buffer with a limit.
    pub const BOUND: Set = Set(1 << 6);
    /// An 802.11 transmitter, told by an 802.11 station.
    pub const TRANSMITTER: Set = Set(1 << 7);
    /// 802.11 management frames.
    pub const MANAGEMENT: Set = Set(1 << 8);
    /// A notice that names a rate.
    pub const RATE: Set = Set(1 << 9);
    /// Gates at the place that is told.
    pub const GATES: Set = Set(1 << 10);
    /// An 802.11 station that is told.
    pub const STATION: Set = Set(1 << 11);

    /// A carrier with room for more than one bit: addresses, a rate, or a request.
    pub const ROOM: Set = Set(1 << 12);

    /// Frames that other stations send to third ones.
    pub const OVERHEARING: Set = Set(1 << 13);
    /// A detector that watches the queue of the next station.
    pub const NEXT_QUEUE: Set = Set(1 << 14);
    /// A responder that contends less, step by step.
    pub const STEPS: Set = Set(1 << 15);

    /// How long frames have waited.
    pub const SOJOURN: Set = Set(1 << 16);

    /// The abilities that every medium gives that carries notices: its queues are watched, and the told place has gates.
    pub const EVERYWHERE: Set = Set::RATES
        .and(Set::HOLDINGS)
        .and(Set::BOUND)
        .and(Set::SOJOURN)
        .and(Set::GATES);

    /// Both sets together.
    pub const fn and(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    /// Whether it holds all of another set.
    pub const fn has(self, other: Set) -> bool {
        self.0 & other.0 == other.0
    }

    /// The needs that this set has and the other has not.
    pub const fn without(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    /// Its conditions, one by one.
    pub fn iter(self) -> impl Iterator<Item = Set> {
        (0..u32::BITS)
            .map(move |bit| Set(self.0 & 1 << bit))
            .filter(|one| *one != Set::NONE)
    }
}

/// The needs of a part, and the abilities that it gives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// It works only where the medium or another part gives these.
    pub needs: Set,
    /// It gives these to the other parts.
    pub gives: Set,
}

impl Needs {
    /// A part that needs these.
    pub const fn of(needs: Set) -> Needs {
        Needs {
            needs,
            gives: Set::NONE,
        }
    }

    /// The same, and gives those.
    pub const fn giving(self, gives: Set) -> Needs {
        Needs { gives, ..self }
    }

    /// The places that a detector with these needs watches, as `at` names them.
    pub fn at(self) -> &'static str {
        if self.needs.has(Set::INTERFACES) {
            "ports through which frames come in: at = [\"W>A\"] counts what switch W holds of A's frames, and A is told"
        } else if self.needs.has(Set::BUSY) || self.needs.has(Set::OVERHEARING) {
            "stations: at = [\"G\"] watches station G"
        } else {
            "ports by which frames leave: at = [\"W>D\"] watches what waits at W for D, and those who send there are told; \
             or stations: at = [\"G\"]"
        }
    }
}
