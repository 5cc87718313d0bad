//! What leaves at a place in one look, and the writes that it takes.

use backwater_transport::units::Time;
use backwater_wire::ip;

use crate::join::{self, Joins, Joint, Piece};
use crate::offload::{HEADER, Run};
use crate::payloads::Payloads;

/// Most runs of a write: each is a piece, and the headers are one (IOV_MAX is 1024).
const MOST_RUNS: usize = 1000;

/// Neighbouring segments of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// The packet.
    pub kept: usize,
    /// Its segments.
    pub run: Run,
}

/// Packets that leave at a place, in their order.
#[derive(Debug, Default)]
pub struct Leaving {
    /// Neighbouring segments of packets.
    pub runs: Vec<Neighbours>,
    /// When each packet is due.
    pub due: Vec<Time>,
}

impl Leaving {
    /// Adds a segment.
    pub fn push(&mut self, kept: usize, segment: usize, mark: bool, due: Time) {
        self.due.push(due);
        if let Some(last) = self.runs.last_mut()
            && (last.kept, last.run.first + last.run.count, last.run.mark) == (kept, segment, mark)
        {
            last.run.count += 1;
            return;
        }
        let run = Run {
            first: segment,
            count: 1,
            mark,
        };
        self.runs.push(Neighbours { kept, run });
    }
}

/// The pieces of the write with which the first of these runs leave, and how many of them leave so. `room` holds headers.
pub fn pieces<'a>(
    runs: &[Neighbours],
    payloads: &'a Payloads,
    joins: Joins,
    room: &'a mut [Vec<u8>; 2],
) -> (Vec<&'a [u8]>, usize) {
    let [headers, next] = room;
    match joined(runs, payloads, joins, headers, next) {
        Some(parts) => {
            let count = parts.len();
            let own: &[u8] = headers;
            ([own].into_iter().chain(parts).collect(), count)
        }
        None => (alone(runs[0], payloads, headers), 1),
    }
}

/// Writes the headers of the super-packet that the first of these runs become, and gives what follows them: a piece for each run. None
/// where the first stays alone.
fn joined<'a>(
    runs: &[Neighbours],
    payloads: &'a Payloads,
    joins: Joins,
    headers: &mut Vec<u8>,
    next: &mut Vec<u8>,
) -> Option<Vec<&'a [u8]>> {
    let part = |one: &Neighbours, headers: &mut Vec<u8>| {
        let kept = payloads.get(one.kept);
        join::compose(&kept.cut, one.run, kept.whole(), headers)
    };
    let (first, others) = runs.split_first()?;
    if others.is_empty() || joins == Joins::default() {
        return None;
    }
    let payload = part(first, headers)?;
    let mut joint = Joint::begin(headers, payload, joins)?;
    let mut parts = vec![payload];
    for one in others.iter().take(MOST_RUNS - 1) {
        let Some(payload) = part(one, next) else {
            break;
        };
        if !joint.take(Piece {
            headers: next,
            payload,
        }) {
            break;
        }
        parts.push(payload);
    }
    if parts.len() == 1 {
        return None;
    }
    joint.finish();
    Some(parts)
}

/// The pieces of a run that leaves as a packet of its own.
fn alone<'a>(one: Neighbours, payloads: &'a Payloads, headers: &'a mut Vec<u8>) -> Vec<&'a [u8]> {
    let Neighbours { kept, run } = one;
    let kept = payloads.get(kept);
    let (cut, whole) = (kept.cut, kept.whole());
    if cut.is_whole(run) && !run.mark {
        return vec![whole];
    }
    if cut.segments() == 1 {
        // A copy of the packet may leave without the mark.
        headers.clear();
        headers.extend_from_slice(whole);
        ip::mark(&mut headers[HEADER..]);
        return vec![headers];
    }
    let payload = cut.compose(run, &whole[HEADER..], headers);
    vec![headers, payload]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::{Cut, KIND_UDP, NEEDS_CHECKSUM, native, put};
    use backwater_transport::segment::Ecn;

    const BOTH: Joins = Joins {
        tcp: true,
        udp: true,
    };

    /// A datagram of IPv6 of 1, or a super-packet of more, segments of 100 B.
    fn datagram(segments: usize) -> Vec<u8> {
        let length = 8 + 100 * segments;
        let mut all = vec![0; HEADER + 40 + length];
        all[0] = NEEDS_CHECKSUM;
        all[1] = if segments > 1 { KIND_UDP } else { 0 };
        for (at, value) in [(2, 48), (4, 100), (6, 40), (8, 6)] {
            all[at..at + 2].copy_from_slice(&(value as u16).to_ne_bytes());
        }
        let packet = &mut all[HEADER..];
        (packet[0], packet[6], packet[7]) = (0x62, 17, 64);
        put(packet, 0, 0x6020);
        put(packet, 4, length as u16);
        put(packet, 44, length as u16);
        // All addresses are zero, so protocol and length are the pseudo-header.
        put(packet, 46, 17 + length as u16);
        all
    }

    fn keep(payloads: &mut Payloads, segments: usize) -> usize {
        let mut bytes = datagram(segments);
        let cut = Cut::read(&bytes[..HEADER], &bytes[HEADER..]).expect("a packet");
        assert_eq!(cut.segments(), segments);
        let length = bytes.len();
        payloads.keep(&mut bytes, length, cut, Ecn::Ect0)
    }

    /// How many segments each write has.
    fn writes(leaving: &Leaving, payloads: &Payloads, joins: Joins) -> Vec<usize> {
        let (mut runs, mut all) = (&leaving.runs[..], Vec::new());
        while !runs.is_empty() {
            let mut room = Default::default();
            let (pieces, count) = super::pieces(runs, payloads, joins, &mut room);
            let length: usize = pieces.iter().map(|piece| piece.len()).sum();
            let segments = (length - HEADER - 48) / 100;
            if segments > 1 {
                let head: Vec<u8> = pieces.concat();
                assert_eq!((head[1], native(&head, 4)), (KIND_UDP, 100));
            }
            all.push(segments);
            runs = &runs[count..];
        }
        all
    }

    #[test]
    fn packets_that_were_read_singly_leave_in_one_write() {
        let (mut payloads, mut leaving) = (Payloads::default(), Leaving::default());
        for _ in 0..5 {
            let kept = keep(&mut payloads, 1);
            leaving.push(kept, 0, false, Time(7));
        }
        assert_eq!(writes(&leaving, &payloads, BOTH), [5]);
        assert_eq!(writes(&leaving, &payloads, Joins::default()), [1; 5]);
        assert_eq!(leaving.due, [Time(7); 5]);
    }

    #[test]
    fn what_is_left_of_super_packets_is_joined_and_a_marked_packet_is_not() {
        let (mut payloads, mut leaving) = (Payloads::default(), Leaving::default());
        let (a, b, c) = (
            keep(&mut payloads, 10),
            keep(&mut payloads, 10),
            keep(&mut payloads, 1),
        );
        for segment in 7..10 {
            leaving.push(a, segment, false, Time(0));
        }
        for segment in [0, 1, 2, 3, 5] {
            leaving.push(b, segment, segment == 3, Time(0));
        }
        leaving.push(c, 0, true, Time(0));
        let runs: Vec<(usize, usize, usize)> = leaving
            .runs
            .iter()
            .map(|one| (one.kept, one.run.first, one.run.count))
            .collect();
        assert_eq!(
            runs,
            [(a, 7, 3), (b, 0, 3), (b, 3, 1), (b, 5, 1), (c, 0, 1)]
        );
        assert_eq!(writes(&leaving, &payloads, BOTH), [6, 1, 1, 1]);
        let alone = writes(&leaving, &payloads, Joins::default());
        assert_eq!(alone, [3, 3, 1, 1, 1]);
    }
}
