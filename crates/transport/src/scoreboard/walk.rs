//! The state of a scoreboard, for `skip`. Identities of segments move with their stream, and their order of transmission is that of
//! their numbers.

use super::Scoreboard;
use super::entry::Entry;
use super::ranges::SackRanges;
use crate::walk::{Base, Walk};

impl Scoreboard {
    /// The number of the first transmission that is in flight.
    pub(crate) fn first_number(&self) -> Option<u64> {
        self.oldest().map(|id| self.entry(id).number)
    }

    pub(crate) fn walk(&mut self, walk: &mut Walk, base: &Base) {
        for id in self.ids() {
            walk.same(1u64);
            let mut entry = self.entry(id);
            entry.walk(walk, base);
            if walk.writes() {
                self.ring.segment_mut(id).set(&entry);
            }
        }
        walk.same(0u64);
        let first = self.ring.base();
        let mut moved = first;
        walk.count(&mut moved);
        if walk.writes() {
            self.ring.shift(moved - first);
            self.order.shift(moved - first);
        }
        let Scoreboard {
            ring: _,
            order: _,
            end,
            number,
            in_flight,
            lost,
            lost_from,
            ranges,
            sacked_segments,
        } = self;
        walk.long(end, base.byte);
        walk.long(number, base.number);
        walk.same(*in_flight);
        walk.same(*lost);
        // None lies below the first either.
        *lost_from = moved;
        ranges.walk(walk, base);
        walk.same(*sacked_segments);
    }
}

impl SackRanges {
    fn walk(&mut self, walk: &mut Walk, base: &Base) {
        walk.same(self.0.len() as u64);
        for (from, to) in &mut self.0 {
            walk.long(from, base.byte);
            walk.long(to, base.byte);
        }
    }
}

impl Entry {
    fn walk(&mut self, walk: &mut Walk, base: &Base) {
        let Entry {
            start,
            len,
            state,
            retransmissions,
            number,
            snapshot,
        } = self;
        walk.long(start, base.byte);
        walk.same(*len);
        walk.same(*state as u64);
        walk.same(*retransmissions);
        walk.long(number, base.number);
        snapshot.walk(walk, base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Snapshot;
    use crate::scoreboard::State;
    use crate::units::{Span, Time};
    use crate::walk::Repeat;

    const MSS: u64 = 1000;
    const BASE: Base = Base {
        number: 0,
        byte: 0,
        upto: 0,
        delivered: 0,
        lost: 0,
        ce_bytes: 0,
    };

    /// Segments from the first to the last were sent one a tick; the first is lost, the third has come.
    fn board(first: u64, last: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        let mut push = |n: u64| {
            let snapshot = Snapshot {
                sent: Time(n),
                first_sent: Time(n),
                delivered_time: Time(n),
                ..Snapshot::default()
            };
            board.push(n * MSS, MSS as u32, n, snapshot);
        };
        (0..last).for_each(&mut push);
        (0..first).for_each(|_| board.pop());
        board.mark_lost(first);
        board.sack((first + 2) * MSS, (first + 3) * MSS, |_| {});
        board
    }

    fn kept(first: u64, last: u64) -> crate::walk::Seen {
        let base = Base {
            number: last,
            byte: last * MSS,
            ..BASE
        };
        let mut walk = Walk::keep(Time(last));
        board(first, last).walk(&mut walk, &base);
        walk.seen().expect("all is visited")
    }

    /// A period of five segments in a ring of sixteen slots: after seven more it is the board of 35 segments later, through which an
    /// acknowledgement goes as through that.
    #[test]
    fn a_board_moves_as_if_its_segments_had_been_sent() {
        let (before, mut after) = (kept(3, 10), kept(8, 15));
        assert!(after.recurs(&before, Span(5)).is_some());
        let repeat = Repeat {
            period: Span(5),
            began: Time(10),
            periods: 7,
        };
        let mut moved = board(8, 15);
        let mut walk = Walk::write(Time(15), before, after, repeat);
        moved.walk(&mut walk, &BASE);
        let mut served = board(43, 50);
        assert_eq!(moved.ids(), served.ids());
        assert_eq!((moved.end, moved.number), (served.end, served.number));
        assert_eq!(moved.ranges(), served.ranges());
        assert_eq!(
            (moved.first_lost(), served.first_lost()),
            (Some(43), Some(43))
        );
        for id in served.ids() {
            let of = |board: &Scoreboard| {
                let Entry {
                    start,
                    number,
                    state,
                    snapshot,
                    ..
                } = board.entry(id);
                (start, number, state, snapshot.sent)
            };
            assert_eq!(of(&moved), of(&served));
        }
        let sent = |board: &Scoreboard| {
            let from = board.oldest();
            let ids = std::iter::successors(from, |id| board.next_sent(*id));
            ids.collect::<Vec<u64>>()
        };
        assert_eq!(sent(&moved), [44, 46, 47, 48, 49]);
        assert_eq!(sent(&moved), sent(&served));
        moved.retransmit(43, 50, Snapshot::default());
        assert_eq!(sent(&moved), [44, 46, 47, 48, 49, 43]);
        assert_eq!(moved.entry(43).state, State::InFlight);
    }
}
