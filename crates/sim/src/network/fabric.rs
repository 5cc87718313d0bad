//! The fabric of an input-queued switch: frames wait at the inputs, and cells of them cross a crossbar in time slots.
//!
//! In a slot an input sends one cell at most, and an output takes one. Who sends to whom is a matching. Where each input has a queue for
//! each output (virtual output queues), iSLIP finds it and goes on until no pair can be added. Where it has one queue for
//! all outputs, only the head of that queue asks, so it holds up what waits behind it (head-of-line blocking).
//!
//! Reference: N. McKeown, The iSLIP scheduling algorithm for input-queued switches, IEEE/ACM Trans. Networking 7(2), 1999; M. Karol, M. Hluchyj,
//! S. Morgan, Input versus output queueing on a space-division packet switch, IEEE Trans. Commun. 35(12), 1987. Deviations: frames of any length
//! are cut into cells and put together at the output, whose port sends them as usual; an output whose port has a frame waiting takes no cell.

use std::collections::VecDeque;

use backwater_transport::units::{Span, Time};

use crate::ids::PortId;

/// Inputs and outputs that a fabric has at most: one bit each.
pub const MAX_FABRIC_PORTS: usize = 64;

/// How frames wait at an input.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// In one queue for each output.
    VirtualOutputQueues,
    /// In one queue.
    SingleQueue,
}

/// Round-robin pointers of outputs and inputs.
#[derive(Clone, Debug)]
struct Islip {
    grant: Vec<u32>,
    accept: Vec<u32>,
}

/// The first member of a set at or behind `from`, round-robin.
fn next_from(set: u64, from: u32) -> u32 {
    let behind = set & u64::MAX << from;
    match behind {
        0 => set.trailing_zeros(),
        behind => behind.trailing_zeros(),
    }
}

/// The members of a set.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(first as usize)
    })
}

impl Islip {
    fn new(ports: usize) -> Islip {
        Islip {
            grant: vec![0; ports],
            accept: vec![0; ports],
        }
    }

    /// A maximal matching: for each output its input. `requests` has the inputs that ask for each output.
    fn matching(&mut self, requests: &[u64]) -> Vec<Option<usize>> {
        let ports = requests.len() as u32;
        let mut matched = vec![None; requests.len()];
        let (mut free, mut first) = (u64::MAX, true);
        loop {
            let mut grants = vec![0_u64; requests.len()];
            let mut granted = 0;
            for (output, asking) in requests.iter().enumerate() {
                let asking = asking & free;
                if matched[output].is_none() && asking != 0 {
                    let input = next_from(asking, self.grant[output]);
                    grants[input as usize] |= 1 << output;
                    granted |= 1 << input;
                }
            }
            if granted == 0 {
                return matched;
            }
            for input in members(granted) {
                let output = next_from(grants[input], self.accept[input]);
                matched[output as usize] = Some(input);
                free &= !(1 << input);
                // Later rounds leave the pointers: otherwise an output could be starved (McKeown, section II.C).
                if first {
                    self.grant[output as usize] = (input as u32 + 1) % ports;
                    self.accept[input] = (output + 1) % ports;
                }
            }
            first = false;
        }
    }
}

/// Frames that wait for an output, by input.
#[derive(Clone, Debug)]
struct Crosspoint {
    /// Cells of its first frame that have still to cross, from its first cell on; 0 before.
    left: Vec<u32>,
    /// Bytes that wait.
    bytes: Vec<u64>,
    /// Inputs with a frame for it.
    occupied: u64,
}

/// The fabric of a switch.
#[derive(Clone, Debug)]
pub struct Fabric {
    discipline: Discipline,
    /// Room of a queue at an input, in bytes.
    buffer: u64,
    cell: u64,
    slot: Span,
    /// The stage in front of each output port, by its number at the node.
    stages: Vec<PortId>,
    crosspoints: Vec<Crosspoint>,
    /// Outputs of the frames of each input in order of arrival, where it has one queue.
    order: Vec<VecDeque<u8>>,
    islip: Islip,
    /// For each output the input whose cell crosses in this slot.
    matched: Vec<Option<usize>>,
    /// A slot has an event.
    awake: bool,
}

impl Fabric {
    /// A fabric that holds nothing.
    pub fn new(
        discipline: Discipline,
        buffer: u64,
        cell: u64,
        slot: Span,
        stages: Vec<PortId>,
    ) -> Fabric {
        let ports = stages.len();
        let crosspoint = Crosspoint {
            left: vec![0; ports],
            bytes: vec![0; ports],
            occupied: 0,
        };
        Fabric {
            discipline,
            buffer,
            cell,
            slot,
            stages,
            crosspoints: vec![crosspoint; ports],
            order: vec![VecDeque::new(); ports],
            islip: Islip::new(ports),
            matched: vec![None; ports],
            awake: false,
        }
    }

    /// The stage in front of an output.
    pub fn stage(&self, output: usize) -> PortId {
        self.stages[output]
    }

    /// Takes a frame into the queue at its input, or says that it is full.
    pub fn admit(&mut self, input: usize, output: usize, bytes: u64) -> bool {
        let held = match self.discipline {
            Discipline::VirtualOutputQueues => self.crosspoints[output].bytes[input],
            Discipline::SingleQueue => self.crosspoints.iter().map(|c| c.bytes[input]).sum(),
        };
        if held + bytes > self.buffer {
            return false;
        }
        let crosspoint = &mut self.crosspoints[output];
        crosspoint.bytes[input] += bytes;
        crosspoint.occupied |= 1 << input;
        if self.discipline == Discipline::SingleQueue {
            self.order[input].push_back(output as u8);
        }
        true
    }

    /// The slot that needs an event because a frame has come: the next one to begin; none where it has one.
    pub fn next_slot_for_arrival(&mut self, now: Time) -> Option<Time> {
        let slept = !std::mem::replace(&mut self.awake, true);
        let begun = now.0.div_ceil(self.slot.0) * self.slot.0;
        slept.then_some(Time(begun))
    }

    /// The slot behind the one that begins now; none where nothing waits.
    pub fn next_slot(&mut self, now: Time) -> Option<Time> {
        self.awake = self.crosspoints.iter().any(|c| c.occupied != 0);
        self.awake.then(|| now + self.slot)
    }

    /// A slot is over: the pairs (output, input) whose frame has crossed with its last cell.
    pub fn end_slot(&mut self) -> Vec<(usize, usize)> {
        let mut crossed = Vec::new();
        for (output, input) in self.matched.iter().enumerate() {
            let Some(input) = *input else { continue };
            let left = &mut self.crosspoints[output].left[input];
            *left -= 1;
            if *left == 0 {
                crossed.push((output, input));
            }
        }
        self.matched.fill(None);
        crossed
    }

    /// A frame has crossed; `last` says that no other waits behind it.
    pub fn release(&mut self, input: usize, output: usize, bytes: u64, last: bool) {
        let crosspoint = &mut self.crosspoints[output];
        crosspoint.bytes[input] -= bytes;
        if last {
            crosspoint.occupied &= !(1 << input);
        }
        self.order[input].pop_front();
    }

    /// Outputs for which a frame waits.
    pub fn wanted(&self) -> Vec<usize> {
        let all = self.crosspoints.iter().enumerate();
        all.filter(|(_, c)| c.occupied != 0)
            .map(|(output, _)| output)
            .collect()
    }

    /// A slot begins, in which these outputs take a cell. `size` gives the bytes of the first frame of an input in front of a stage.
    pub fn begin_slot(&mut self, open: u64, size: impl Fn(PortId, usize) -> u64) {
        let requests: Vec<u64> = (0..self.stages.len())
            .map(|output| match open >> output & 1 {
                0 => 0,
                _ => self.asking(output),
            })
            .collect();
        self.matched = self.islip.matching(&requests);
        for (output, input) in self.matched.iter().enumerate() {
            let Some(input) = *input else { continue };
            let left = &mut self.crosspoints[output].left[input];
            if *left == 0 {
                *left = size(self.stages[output], input).div_ceil(self.cell) as u32;
            }
        }
    }

    /// Inputs that ask for an output.
    fn asking(&self, output: usize) -> u64 {
        let occupied = self.crosspoints[output].occupied;
        match self.discipline {
            Discipline::VirtualOutputQueues => occupied,
            Discipline::SingleQueue => members(occupied)
                .filter(|input| self.order[*input].front() == Some(&(output as u8)))
                .fold(0, |set, input| set | 1 << input),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// McKeown's property 2 at full load: pointers that collide once are apart from the next slot on, so each pair is served once
    /// in N slots.
    #[test]
    fn under_full_load_islip_serves_each_pair_once_in_n_slots() {
        let ports = 4;
        let mut islip = Islip::new(ports);
        let all = vec![0b1111; ports];
        for _ in 0..ports * ports {
            islip.matching(&all);
        }
        let mut served = vec![vec![0; ports]; ports];
        for _ in 0..ports {
            for (output, input) in islip.matching(&all).into_iter().enumerate() {
                served[output][input.expect("a maximal matching of all is perfect")] += 1;
            }
        }
        assert_eq!(served, vec![vec![1; ports]; ports]);
    }

    #[test]
    fn a_matching_is_maximal() {
        let mut islip = Islip::new(3);
        // Input 0 is asked for by all outputs, input 1 by the last: two pairs.
        let matched = islip.matching(&[0b001, 0b001, 0b011]);
        let pairs: Vec<_> = matched.iter().flatten().collect();
        assert_eq!(pairs.len(), 2, "{matched:?}");
    }

    /// By hand from McKeown, section II.B: a pointer moves one beyond its partner, and only where the grant was accepted. Output 0 is
    /// asked by all inputs, output 1 by input 0.
    #[test]
    fn pointers_move_one_beyond_an_accepted_partner() {
        let mut islip = Islip::new(3);
        let requests = [0b111, 0b001, 0];
        let slots: Vec<_> = (0..4).map(|_| islip.matching(&requests)).collect();
        // Input 0 takes output 0, so output 1 keeps its pointer.
        assert_eq!(slots[0], [Some(0), None, None]);
        assert_eq!(slots[1], [Some(1), Some(0), None]);
        assert_eq!(slots[2], [Some(2), Some(0), None]);
        // Both outputs grant input 0. Its pointer stands behind output 1, so output 0 is the next.
        assert_eq!(slots[3], [Some(0), None, None]);
    }

    /// McKeown, section II.C: pairs that a later round adds leave the pointers.
    #[test]
    fn a_later_round_leaves_the_pointers() {
        let mut islip = Islip::new(3);
        // Both outputs grant input 0, which takes output 0. In the second round output 1 takes input 1.
        assert_eq!(islip.matching(&[0b001, 0b011, 0]), [Some(0), Some(1), None]);
        // So output 1 still begins with input 0, and not behind input 1.
        assert_eq!(islip.matching(&[0, 0b101, 0]), [None, Some(0), None]);
        // Input 1 has not moved either: of outputs 0 and 2 it takes the first.
        assert_eq!(islip.matching(&[0b010, 0, 0b010]), [Some(1), None, None]);
    }

    /// A queue at an input takes what fills it to the byte, and not a byte more: each queue on its own, or one for all outputs.
    #[test]
    fn an_input_takes_what_fits_to_the_byte() {
        let fabric = |discipline| {
            let stages = vec![PortId::new(0), PortId::new(1)];
            Fabric::new(discipline, 3000, 64, Span::micros(1), stages)
        };
        let mut queues = fabric(Discipline::VirtualOutputQueues);
        assert!(queues.admit(0, 0, 1500) && queues.admit(0, 0, 1500));
        assert!(!queues.admit(0, 0, 1));
        // Another output and another input have queues of their own.
        assert!(queues.admit(0, 1, 3000) && queues.admit(1, 0, 2999));
        assert!(!queues.admit(1, 0, 2));
        queues.release(0, 0, 1500, false);
        assert!(!queues.admit(0, 0, 1501));
        assert!(queues.admit(0, 0, 1500));
        let mut one = fabric(Discipline::SingleQueue);
        assert!(one.admit(0, 0, 1500) && one.admit(0, 1, 1500));
        assert!(!one.admit(0, 1, 1));
        assert!(one.admit(1, 1, 3000));
    }
}
