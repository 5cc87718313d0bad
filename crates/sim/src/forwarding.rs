//! Forwarding tables: which port of a switch, or of a station, leads toward a host. They are written row
//! by row, one for each node; `pack` then brings them into the form in which frames are looked up.
//!
//! In a large network each frame looks into a row that has left the fast caches, so rows have to be short.
//! Most hosts are told apart by the switch they hang on and by no other: hosts that all rows treat alike
//! share a column, where "the port to that very host" counts as alike. And of a row only what differs is kept.
//! Whether a row names one port, the host's own or a group of equal ways cannot be predicted, so all three are read
//! without a branch. Entries that are few and name one port each are read as they were written.

mod ways;

use std::collections::BTreeMap;

use crate::ids::{FlowId, PortId};
use crate::table::Id;
pub use ways::Choose;
use ways::OpenWays;
pub(crate) use ways::{Candidates, Turns};

/// The tables of a world.
#[derive(Clone, Debug, Default)]
pub struct Forwarding {
    hosts: usize,
    /// Row by row, what makes a switch choose unlike the others, and unlike itself in a run with another seed, and whether it is
    /// a switch. Empty once packed.
    salts: Vec<(u32, bool)>,
    /// Row by row: a port, `GROUP` with the number of an ECMP group, or `NOWHERE`. Empty once packed.
    written: Vec<u32>,
    groups: Vec<Vec<PortId>>,
    /// Numbers of the groups.
    known: BTreeMap<Vec<PortId>, u32>,
    /// The written ports, row by row, where they are few and no row names several for a host; the fields that follow are
    /// empty then.
    direct: Vec<u32>,
    columns: Vec<Column>,
    rows: Vec<Row>,
    entries: Vec<Entry>,
    /// Ways that are listed.
    choices: Vec<PortId>,
    /// How switches choose.
    choose: Choose,
    /// Ways from which a switch chooses when a frame arrives.
    open: OpenWays,
    /// The groups of equal ways that some entry names.
    equal: Vec<Vec<PortId>>,
}

/// Marks a written entry that names an ECMP group.
const GROUP: u32 = 0x8000_0000;
/// A written entry without a way.
const NOWHERE: u32 = u32::MAX;
/// The most entries that are read where they were written: they take 64 kB.
const DIRECT: usize = 1 << 14;

/// Where a host's entries stand.
#[derive(Copy, Clone, Debug)]
struct Column {
    number: u32,
    /// The port to the host.
    last: PortId,
}

/// Where a row's entries stand. Only those between two columns are kept, one for each `1 << shift` columns; behind them
/// stands the one of all other columns. In a fabric most of a row is the way up, or the same for a whole group of switches.
#[derive(Copy, Clone, Debug)]
struct Row {
    first: u32,
    /// The first kept, in units of `1 << shift` columns.
    low: u32,
    /// How many are kept.
    count: u32,
    shift: u32,
    salt: u32,
}

/// Ways that are equally short. Ports of one kind were mostly made one after the other, so that two figures say all of them.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The first port; for `LISTED` the place in `ways` of how many there are, behind which they stand.
    first: u32,
    /// From one port to the next.
    step: u16,
    /// Bits of the hash that choose, for two to the power of so many ways.
    mask: u16,
}

impl Entry {
    /// No way, which is port `NONE`.
    const NOWHERE: Entry = Entry::one(u32::MAX);
    /// One way, the port that the host's column names.
    const LAST: Entry = Entry::one(u32::MAX - 1);
    /// The step of ways that no step leads to.
    const LISTED: u16 = u16::MAX;

    const fn one(first: u32) -> Entry {
        Entry {
            first,
            step: 0,
            mask: 0,
        }
    }

    /// These ways, if a step leads from each to the next and they are as many as bits can choose from.
    fn even(choices: &[PortId]) -> Option<Entry> {
        let [first, second, ..] = choices else {
            return Some(Entry::one(choices[0].0));
        };
        let step = second.0.checked_sub(first.0)?;
        let even = choices
            .windows(2)
            .all(|pair| pair[1].0.checked_sub(pair[0].0) == Some(step));
        let fits = step < Entry::LISTED.into() && choices.len().is_power_of_two();
        let mask = u16::try_from(choices.len() - 1).ok()?;
        (even && fits).then_some(Entry {
            first: first.0,
            step: step as u16,
            mask,
        })
    }
}

/// Chooses among ways that are equally short by a hash of the flow and of its destination. The salt of the switch
/// takes part, so that switches in a row don't all choose alike.
#[inline(always)]
fn hash(flow: FlowId, to: u32, salt: u32) -> u32 {
    let salt = u64::from(salt).wrapping_mul(0x9fb2_1c65_1e98_df25);
    let mix = (u64::from(flow.0) << 32 | u64::from(to)) ^ salt;
    let hash = mix.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32) as u32
}

impl Forwarding {
    /// Whether tables of so many rows to `hosts` hosts have fewer than 2^31 entries, which is what fits.
    pub fn fit(rows: usize, hosts: usize) -> bool {
        rows.saturating_mul(hosts) < GROUP as usize
    }

    /// Adds a row without ways to `hosts` hosts, with the salt of its node, which is a switch or not; gives its number.
    pub fn add_row(&mut self, hosts: usize, salt: u32, switch: bool) -> u32 {
        let row = self.salts.len();
        self.hosts = hosts;
        self.salts.push((salt, switch));
        self.written.resize(self.written.len() + hosts, NOWHERE);
        row as u32
    }

    /// Writes that frames to a host leave through this port, or one of these; gives whether that stood there.
    pub fn write(&mut self, row: u32, host: usize, choices: &[PortId]) -> bool {
        let entry = self.entry(choices);
        self.put(row, host, entry)
    }

    /// The entry for these ways.
    pub fn entry(&mut self, choices: &[PortId]) -> u32 {
        match choices {
            [port] => port.0,
            _ => GROUP | self.group(choices),
        }
    }

    /// Writes an entry; gives whether it stood there.
    pub fn put(&mut self, row: u32, host: usize, entry: u32) -> bool {
        let place = row as usize * self.hosts + host;
        std::mem::replace(&mut self.written[place], entry) == entry
    }

    /// The ways that the entries of a row for these hosts name, each once, in no order; none where one of them has no entry.
    pub fn ways(&self, row: u32, hosts: impl Iterator<Item = u32>) -> Option<Vec<PortId>> {
        let row = &self.written[row as usize * self.hosts..][..self.hosts];
        let mut entries: Vec<u32> = hosts.map(|host| row[host as usize]).collect();
        entries.sort_unstable();
        entries.dedup();
        if entries.last() == Some(&NOWHERE) {
            return None;
        }
        let ways = entries.into_iter().flat_map(|entry| match entry & GROUP {
            0 => vec![Id::raw(entry)],
            _ => self.groups[(entry & !GROUP) as usize].clone(),
        });
        Some(ways.collect())
    }

    fn group(&mut self, choices: &[PortId]) -> u32 {
        if let Some(known) = self.known.get(choices) {
            return *known;
        }
        let number = self.groups.len() as u32;
        self.groups.push(choices.to_vec());
        self.known.insert(choices.to_vec(), number);
        number
    }

    /// The egress port toward a host, as written; `NONE` where none is.
    pub fn written(&self, row: u32, flow: FlowId, host: u32) -> PortId {
        match self.written[row as usize * self.hosts + host as usize] {
            NOWHERE => Id::NONE,
            entry if entry & GROUP != 0 => {
                let group = &self.groups[(entry & !GROUP) as usize];
                let hash = hash(flow, host, self.salts[row as usize].0);
                group[(hash % group.len() as u32) as usize]
            }
            port => Id::raw(port),
        }
    }

    /// Whether frames to a host may leave through this port, as written.
    pub fn leads(&self, row: u32, host: usize, port: PortId) -> bool {
        match self.written[row as usize * self.hosts + host] {
            NOWHERE => false,
            entry if entry & GROUP != 0 => self.groups[(entry & !GROUP) as usize].contains(&port),
            entry => entry == port.0,
        }
    }

    /// Sends to `entrance` what would go to `main`.
    pub fn lead(&mut self, main: PortId, entrance: PortId) {
        let ports = self.groups.iter_mut().flatten();
        ports.filter(|p| **p == main).for_each(|p| *p = entrance);
        let rows = self.written.iter_mut().filter(|row| **row == main.0);
        rows.for_each(|row| *row = entrance.0);
    }

    /// Ends the writing. `last` names for each host the port at its only neighbour that leads to it,
    /// `NONE` where there is none.
    pub fn pack(&mut self, last: &[PortId], choose: Choose) {
        self.choose = choose;
        if self.written.len() <= DIRECT && self.groups.is_empty() {
            self.direct = std::mem::take(&mut self.written);
            self.salts = Vec::new();
            return;
        }
        self.pack_columns(last);
    }

    /// Brings rows that are long, or name groups, into columns and entries.
    fn pack_columns(&mut self, last: &[PortId]) {
        let mut seen: BTreeMap<u32, Entry> = BTreeMap::from([(NOWHERE, Entry::NOWHERE)]);
        let mut numbers: BTreeMap<Vec<Entry>, u32> = BTreeMap::new();
        let mut columns = Vec::new();
        for (host, own) in last.iter().enumerate() {
            let entries = self.written.iter().skip(host).step_by(last.len());
            let column: Vec<Entry> = entries
                .zip(&self.salts)
                .map(|(entry, (salt, switch))| match *entry {
                    entry if entry == own.0 && entry != NOWHERE => Entry::LAST,
                    entry => *seen.entry(entry).or_insert_with(|| match entry & GROUP {
                        0 => Entry::one(entry),
                        _ => {
                            let group = &self.groups[(entry & !GROUP) as usize];
                            match *switch && self.choose != Choose::Hash && group.len() > 1 {
                                true => Entry::one(self.open.add(group, *salt)),
                                false => lay(&mut self.choices, group),
                            }
                        }
                    }),
                })
                .collect();
            let next = numbers.len() as u32;
            let number = *numbers.entry(column).or_insert(next);
            columns.push(Column { number, last: *own });
        }
        let mut all = vec![Vec::new(); self.salts.len()];
        let mut in_order: Vec<_> = numbers.into_iter().collect();
        in_order.sort_by_key(|(_, number)| *number);
        for (column, _) in in_order {
            all.iter_mut()
                .zip(column)
                .for_each(|(row, entry)| row.push(entry));
        }
        for (row, (salt, _)) in all.into_iter().zip(std::mem::take(&mut self.salts)) {
            self.lay_row(&row, salt);
        }
        self.columns = columns;
        self.written = Vec::new();
        let named = seen.keys().filter(|e| **e != NOWHERE && **e & GROUP != 0);
        self.equal = named
            .map(|entry| std::mem::take(&mut self.groups[(entry & !GROUP) as usize]))
            .collect();
        self.groups = Vec::new();
        self.known = BTreeMap::new();
    }

    /// Lays down a row, in as few entries as say all.
    fn lay_row(&mut self, row: &[Entry], salt: u32) {
        let widest = row.len().max(1).ilog2();
        let alike = |shift: &u32| row.chunks(1 << shift).all(|c| c.iter().all(|e| *e == c[0]));
        let ends = [row.first(), row.last()];
        let kept = (0..=widest).filter(alike).flat_map(|shift| {
            ends.map(|other| {
                let other = other.copied().unwrap_or(Entry::NOWHERE);
                let some = row.iter().step_by(1 << shift);
                let low = some.clone().take_while(|e| **e == other).count();
                let end = some
                    .clone()
                    .rposition(|e| *e != other)
                    .map_or(low, |last| last + 1);
                (end - low, low, shift, other)
            })
        });
        let (count, low, shift, other) = kept.min_by_key(|k| k.0).expect("columns one by one");
        self.rows.push(Row {
            first: self.entries.len() as u32,
            low: low as u32,
            count: count as u32,
            shift,
            salt,
        });
        let some = row.iter().step_by(1 << shift).skip(low).take(count);
        self.entries.extend(some);
        self.entries.push(other);
    }

    /// The egress port toward a host, once packed; open where the switch chooses when the frame arrives.
    #[inline(always)]
    pub fn egress(&self, row: u32, flow: FlowId, to: u32) -> PortId {
        let place = row as usize * self.hosts + to as usize;
        if let Some(port) = self.direct.get(place) {
            return Id::raw(*port);
        }
        self.packed(row, flow, to)
    }

    /// The same where the tables had to be packed.
    #[inline(always)]
    fn packed(&self, row: u32, flow: FlowId, to: u32) -> PortId {
        let Column { number, last } = self.columns[to as usize];
        let Row {
            first,
            low,
            count,
            shift,
            salt,
        } = self.rows[row as usize];
        let place = (number >> shift).wrapping_sub(low).min(count);
        let entry = self.entries[(first + place) as usize];
        let hash = hash(flow, to, salt);
        if entry.step == Entry::LISTED {
            return self.listed(entry.first as usize, hash);
        }
        let first = match entry == Entry::LAST {
            true => last.0,
            false => entry.first,
        };
        let further = (hash & u32::from(entry.mask)) * u32::from(entry.step);
        Id::raw(first.wrapping_add(further))
    }

    /// Whether frames that go there may leave through a port.
    pub fn may_take(&self, way: PortId, port: PortId) -> bool {
        match way.is_open() && !way.is_none() {
            true => self.open.has(way, port),
            false => way == port,
        }
    }

    /// A port that frames which go there may leave through.
    pub fn some_port(&self, way: PortId) -> PortId {
        match way.is_open() && !way.is_none() {
            true => self.open.first(way),
            false => way,
        }
    }

    /// Ports of which a frame that arrives takes the one with the shortest queue.
    pub(crate) fn candidates(&self, turns: &mut Turns, open: PortId) -> Candidates {
        self.open.candidates(turns, open, self.choose)
    }

    /// The groups of equal ways, once packed: ports of one node that lead some packets to their destination equally well.
    pub(crate) fn equal(&self) -> &[Vec<PortId>] {
        &self.equal
    }

    /// The turns of all ways at the start of a run.
    pub(crate) fn turns(&self) -> Turns {
        self.open.turns()
    }

    /// One of the ways that are listed there.
    #[inline(never)]
    fn listed(&self, place: usize, hash: u32) -> PortId {
        let choices = self.choices[place].0;
        self.choices[place + 1 + (hash % choices) as usize]
    }
}

/// Lays down the ways of a written entry.
fn lay(choices: &mut Vec<PortId>, group: &[PortId]) -> Entry {
    Entry::even(group).unwrap_or_else(|| {
        let place = choices.len() as u32;
        choices.push(Id::new(group.len()));
        choices.extend(group);
        Entry {
            first: place,
            step: Entry::LISTED,
            mask: 0,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows of entries: none, one of the switch's ports, or a group of them; sometimes the host's own.
    fn row(hosts: usize) -> impl Strategy<Value = Vec<Vec<u32>>> {
        let choices = prop_oneof![
            1 => Just(vec![]),
            4 => (0u32..3).prop_map(|p| vec![p]),
            4 => (2usize..9).prop_map(|n| (0..n as u32).collect()),
            2 => Just(vec![1000]),
        ];
        prop::collection::vec(choices, hosts)
    }

    proptest! {
        #[test]
        fn packed_rows_say_what_was_written(
            rows in (1usize..20).prop_flat_map(|hosts| prop::collection::vec(row(hosts), 1..6)),
            flows in prop::collection::vec(any::<u32>(), 1..9)
        ) {
            let hosts = rows[0].len();
            // Every host has a port of its own that leads to it; a row names it by 1000.
            let last: Vec<PortId> = (0..hosts).map(|h| Id::new(1000 + h)).collect();
            let mut tables = Forwarding::default();
            for (number, row) in rows.iter().enumerate() {
                prop_assert_eq!(tables.add_row(hosts, 7 * number as u32, true), number as u32);
                for (host, choices) in row.iter().enumerate().filter(|(_, choices)| !choices.is_empty()) {
                    let port = |choice: &u32| match choice {
                        1000 => last[host],
                        choice => Id::raw(*choice + 100 * number as u32),
                    };
                    let choices: Vec<PortId> = choices.iter().map(port).collect();
                    prop_assert!(!tables.write(number as u32, host, &choices));
                    prop_assert!(tables.write(number as u32, host, &choices));
                }
            }
            let mut packed = tables.clone();
            packed.pack(&last, Choose::Hash);
            let mut columns = tables.clone();
            columns.pack_columns(&last);
            for (number, row) in rows.iter().enumerate() {
                for host in (0..hosts).filter(|h| !row[*h].is_empty()) {
                    for flow in flows.iter().map(|f| Id::raw(*f)) {
                        let choice = tables.written(number as u32, flow, host as u32);
                        prop_assert!(tables.leads(number as u32, host, choice));
                        prop_assert_eq!(packed.egress(number as u32, flow, host as u32), choice);
                        prop_assert_eq!(columns.egress(number as u32, flow, host as u32), choice);
                    }
                }
            }
        }
    }

    #[test]
    fn few_entries_are_read_as_they_were_written_unless_one_names_several_ways() {
        let packed = |hosts: usize, ways: &[PortId]| {
            let mut tables = Forwarding::default();
            tables.add_row(hosts, 0, true);
            (0..hosts).for_each(|host| {
                tables.write(0, host, &[Id::raw(7)]);
            });
            tables.write(0, 0, ways);
            tables.pack(&vec![Id::NONE; hosts], Choose::Hash);
            tables
        };
        let (one, several) = ([Id::raw(7)], [Id::raw(7), Id::raw(8)]);
        assert_eq!(packed(DIRECT, &one).direct, [7; DIRECT]);
        assert!(packed(DIRECT, &several).direct.is_empty());
        assert!(packed(DIRECT + 1, &one).direct.is_empty());
    }

    #[test]
    fn tables_end_at_2_to_the_31_entries() {
        // The root of 2^31 is 46340.95.
        assert!(Forwarding::fit(46_340, 46_340));
        assert!(!Forwarding::fit(46_341, 46_341));
        assert!(!Forwarding::fit(usize::MAX, 2));
    }

    #[test]
    fn hosts_of_one_switch_share_a_column() {
        // Two switches with four hosts each; port 10 + h leads to host h, 1 and 2 to the other switch.
        let last: Vec<PortId> = (10..18).map(Id::raw).collect();
        let mut tables = Forwarding::default();
        for switch in 0..2u32 {
            assert_eq!(tables.add_row(8, 0, true), switch);
            for (host, port) in last.iter().enumerate() {
                let own = host / 4 == switch as usize;
                let choice = if own { *port } else { Id::raw(1 + switch) };
                tables.write(switch, host, &[choice]);
            }
        }
        tables.pack_columns(&last);
        assert!(tables.columns.iter().all(|column| column.number < 2));
    }

    #[test]
    fn of_a_row_is_kept_what_differs() {
        // Sixteen hosts at four switches, and three above: the first knows two of the four switches and a way to the others,
        // the second knows pairs of them, the third has one way to all.
        let last = [Id::NONE; 16];
        let mut tables = Forwarding::default();
        let choices: [fn(u32) -> u32; 3] = [
            |s| if s == 1 || s == 2 { 10 + s } else { 9 },
            |s| 20 + s / 2,
            |_| 30,
        ];
        // One that tells the switches apart, so that they have columns.
        let all = choices.iter().chain([&((|s| 40 + s) as fn(u32) -> u32)]);
        for (number, choice) in all.clone().enumerate() {
            assert_eq!(tables.add_row(16, 0, true), number as u32);
            for host in 0..16 {
                tables.write(number as u32, host, &[Id::raw(choice(host as u32 / 4))]);
            }
        }
        tables.pack_columns(&last);
        let counts: Vec<u32> = tables.rows.iter().map(|row| row.count).collect();
        assert_eq!(counts, [2, 1, 0, 3]);
        for (number, choice) in all.enumerate() {
            for host in 0..16 {
                let port = tables.egress(number as u32, Id::raw(7), host);
                assert_eq!(port, Id::raw(choice(host / 4)));
            }
        }
    }
}
