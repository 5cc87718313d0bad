//! The numbers in the columns of a record file: what an event has beyond what those before it lead to expect.
//! `python/backwater/model/record_columns.py` describes them and reads them.

use std::collections::BTreeMap;

use backwater_sim::record::What;

/// Columns in their order. A number is the difference from the one before among the rows that are equal in `group`.
pub const COLUMNS: [(&str, &[&str]); 8] = [
    ("what", &[]),
    ("place", &[]),
    ("flow", &["what", "place"]),
    ("seq", &["what", "place", "flow"]),
    ("class", &["what", "place", "flow"]),
    ("size_B", &["what", "place", "flow"]),
    ("time_ps", &[]),
    ("value", &["what", "place"]),
];

/// A row. `what`, `place` and `flow` are the numbers that the file gives them; times are ticks.
pub struct Event {
    pub sort: What,
    pub what: usize,
    pub place: usize,
    pub flow: usize,
    pub seq: i64,
    pub class: i64,
    pub size: i64,
    pub at: i64,
    pub value: i64,
}

/// What was last in each group.
#[derive(Default)]
pub struct Differences {
    now: i64,
    /// Of each event at each place.
    flows: Vec<i64>,
    values: Vec<i64>,
    /// Number, class and size, of each event at each place, and flow.
    packets: BTreeMap<(usize, usize), [i64; 3]>,
    /// The smoothed round trip of each flow.
    round_trips: Vec<i64>,
    /// Where each packet under way was first and last seen, by flow and number.
    ways: BTreeMap<(usize, i64), Way>,
}

#[derive(Clone, Copy)]
struct Way {
    first: i64,
    last: i64,
}

impl Differences {
    /// The numbers of a row, in the order of `COLUMNS`.
    pub fn of(&mut self, event: &Event) -> [i64; 8] {
        let pair = event.place * What::ALL.len() + event.what;
        let way = self.way(event);
        let follows = match event.sort {
            What::Enqueue | What::Deliver => way.map(|way| way.last),
            _ => None,
        };
        let above = std::mem::replace(&mut self.now, event.at);
        let packet = self.packets.entry((pair, event.flow)).or_default();
        let [seq, class, size] = [event.seq, event.class, event.size];
        let last = std::mem::replace(packet, [seq, class, size]);
        let rest = self.unexpected(event, way);
        [
            event.what as i64,
            event.place as i64,
            difference(at(&mut self.flows, pair), event.flow as i64),
            seq.wrapping_sub(last[0]),
            class.wrapping_sub(last[1]),
            size.wrapping_sub(last[2]),
            event.at.wrapping_sub(follows.unwrap_or(above)),
            difference(at(&mut self.values, pair), rest),
        ]
    }

    /// What is known of the event's packet from before, and from now on.
    fn way(&mut self, event: &Event) -> Option<Way> {
        if event.flow == 0 {
            return None;
        }
        let key = (event.flow, event.seq);
        match event.sort {
            What::Enqueue | What::Send => {
                let known = self.ways.get_mut(&key);
                let before = known.as_deref().copied();
                let first = before.map_or(event.at, |way| way.first);
                let last = event.at;
                match known {
                    Some(way) => way.last = last,
                    None => drop(self.ways.insert(key, Way { first, last })),
                }
                before
            }
            What::Deliver | What::Drop => self.ways.remove(&key),
            _ => None,
        }
    }

    /// The value beyond what is expected: a wait and a delay follow from the times of the packet, and seven eighths of a
    /// smoothed round trip from the one before (RFC 6298, section 2.3).
    fn unexpected(&mut self, event: &Event, way: Option<Way>) -> i64 {
        let expected = match event.sort {
            What::Send => way.map_or(0, |way| event.at - way.last),
            What::Deliver => way.map_or(0, |way| event.at - way.first),
            What::Srtt => {
                let known = at(&mut self.round_trips, event.flow);
                let before = std::mem::replace(known, event.value);
                before - (before >> 3)
            }
            _ => 0,
        };
        event.value.wrapping_sub(expected)
    }
}

/// The entry of a list that grows to hold it.
pub fn at<T: Clone + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if index >= list.len() {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

fn difference(before: &mut i64, value: i64) -> i64 {
    value.wrapping_sub(std::mem::replace(before, value))
}
