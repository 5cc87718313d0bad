//! Where a switch keeps frames and who may use the space. `Ledger` counts what it holds by ingress
//! and class; `Pool` is a shared memory with dynamic thresholds and headroom.
//!
//! Reference: the switch model of the HPCC authors' ns-3 code; dynamic thresholds after Choudhury and Hahne, ToN 6(2), 1998. A frame is
//! refused only if it fits neither the threshold nor the headroom. The first `reserve` bytes of an
//! (ingress, class) are its own, bytes beyond them up to T = free shared memory >> shift are
//! shared, later ones go to headroom. Departing bytes leave headroom first, then shared memory.

use backwater_transport::walk::Walk;

use crate::limit::MAX_CLASSES;

/// Bytes held by (local ingress port, class).
#[derive(Clone, Debug)]
pub struct Ledger(Vec<[u64; MAX_CLASSES]>);

impl Ledger {
    /// An empty ledger for a node with this many ports.
    pub fn new(ports: usize) -> Ledger {
        Ledger(vec![[0; MAX_CLASSES]; ports])
    }

    pub(crate) fn walk(&self, walk: &mut Walk) {
        self.0
            .as_flattened()
            .iter()
            .for_each(|held| walk.same(*held));
    }

    /// Bytes held.
    pub fn held(&self, ingress: usize, class: usize) -> u64 {
        self.0[ingress][class]
    }

    /// A frame came.
    pub fn add(&mut self, ingress: usize, class: usize, bytes: u64) {
        self.0[ingress][class] += bytes;
    }

    /// A frame left.
    pub fn remove(&mut self, ingress: usize, class: usize, bytes: u64) {
        self.0[ingress][class] -= bytes;
    }
}

/// The bytes that an (ingress, class) uses.
#[derive(Copy, Clone, Debug, std::default::Default, PartialEq, Eq)]
struct Share {
    /// Bytes in reserve and shared memory.
    body: u64,
    /// Bytes in headroom.
    headroom: u64,
}

/// A shared memory. Its own figures lie together, and so do the shares of an interface.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Memory that is neither reserve nor headroom.
    common: u64,
    reserve: u64,
    headroom: u64,
    shift: u32,
    classes: u32,
    used: u64,
    /// By interface, then class.
    shares: Box<[Share]>,
}

impl Pool {
    /// Divides `memory` among `ports` ports × `classes` classes; none if reserves and headroom
    /// exceed it.
    pub fn new(
        memory: u64,
        reserve: u64,
        headroom: u64,
        shift: u32,
        ports: usize,
        classes: usize,
    ) -> Option<Pool> {
        let fixed = (ports * classes) as u64 * (reserve + headroom);
        let common = memory.checked_sub(fixed)?;
        Some(Pool {
            common,
            reserve,
            headroom,
            shift,
            classes: classes as u32,
            used: 0,
            shares: vec![Share::default(); ports * classes].into(),
        })
    }

    pub(crate) fn walk(&self, walk: &mut Walk) {
        walk.same(self.used);
        for Share { body, headroom } in &self.shares {
            walk.same(*body);
            walk.same(*headroom);
        }
    }

    #[inline]
    fn place(&self, ingress: usize, class: usize) -> usize {
        ingress * self.classes as usize + class
    }

    /// Today's threshold on the shared bytes of an (ingress, class).
    pub fn threshold(&self) -> u64 {
        self.common.saturating_sub(self.used) >> self.shift
    }

    /// The threshold while nothing is used.
    pub fn widest(&self) -> u64 {
        self.common >> self.shift
    }

    /// Shared bytes of an (ingress, class).
    pub fn shared(&self, ingress: usize, class: usize) -> u64 {
        self.shares[self.place(ingress, class)]
            .body
            .saturating_sub(self.reserve)
    }

    /// Headroom bytes of an (ingress, class).
    pub fn headroom(&self, ingress: usize, class: usize) -> u64 {
        self.shares[self.place(ingress, class)].headroom
    }

    /// Bytes of headroom that each (ingress, class) may use.
    pub fn most_headroom(&self) -> u64 {
        self.headroom
    }

    /// Takes a frame in if it finds no headroom in use and stays below the threshold. What this says of
    /// accounts that lag behind departures also holds of the true ones, which can only be lower, and
    /// bookings commute while headroom is not used.
    #[inline]
    pub fn admit_calmly(&mut self, ingress: usize, class: usize, bytes: u64) -> bool {
        let place = self.place(ingress, class);
        let share = &mut self.shares[place];
        let body = share.body + bytes;
        let shared = body.saturating_sub(self.reserve);
        let used = self.used + shared - share.body.saturating_sub(self.reserve);
        let below = shared < self.common.saturating_sub(used) >> self.shift;
        // All three at once: whether the reserve suffices could not be predicted.
        let calm = (share.headroom == 0) & ((shared == 0) | below);
        if calm {
            share.body = body;
            self.used = used;
        }
        calm
    }

    /// Takes a frame in, or says that there is no room.
    pub fn admit(&mut self, ingress: usize, class: usize, bytes: u64) -> bool {
        let threshold = self.threshold();
        let place = self.place(ingress, class);
        let share = &mut self.shares[place];
        let body = share.body + bytes;
        let shared = body.saturating_sub(self.reserve);
        if shared <= threshold {
            self.used += shared - share.body.saturating_sub(self.reserve);
            share.body = body;
            true
        } else if share.headroom + bytes <= self.headroom {
            share.headroom += bytes;
            true
        } else {
            false
        }
    }

    /// Lets a frame go.
    #[inline]
    pub fn release(&mut self, ingress: usize, class: usize, bytes: u64) {
        let place = self.place(ingress, class);
        let share = &mut self.shares[place];
        // No branch: whether the reserve holds all could not be predicted.
        let from_headroom = share.headroom.min(bytes);
        share.headroom -= from_headroom;
        let body = share.body - (bytes - from_headroom);
        self.used -= share.body.max(self.reserve) - body.max(self.reserve);
        share.body = body;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// memory 100, 2 ports × 1 class, reserve 10, headroom 20: common 40, shift 1.
    fn pool() -> Pool {
        Pool::new(100, 10, 20, 1, 2, 1).expect("fits")
    }

    #[test]
    fn bytes_go_to_reserve_then_shared_then_headroom() {
        let mut p = pool();
        assert_eq!(p.threshold(), 20);
        assert!(p.admit(0, 0, 10)); // reserve
        assert_eq!((p.shared(0, 0), p.used), (0, 0));
        assert!(p.admit(0, 0, 10)); // shared 10 ≤ 20; free 30, threshold 15
        assert_eq!((p.shared(0, 0), p.threshold()), (10, 15));
        assert!(p.admit(0, 0, 10)); // 20 > 15: headroom 10
        assert!(p.admit(0, 0, 10)); // headroom 20
        assert!(!p.admit(0, 0, 10)); // neither: 20 > 15, headroom full
        assert_eq!((p.shared(0, 0), p.headroom(0, 0)), (10, 20));
    }

    #[test]
    fn departing_bytes_leave_headroom_first_and_all_comes_back() {
        let mut p = pool();
        for _ in 0..4 {
            assert!(p.admit(0, 0, 10));
        }
        p.release(0, 0, 10);
        assert_eq!((p.headroom(0, 0), p.shared(0, 0)), (10, 10));
        p.release(0, 0, 15); // 10 of headroom, 5 of shared
        assert_eq!((p.headroom(0, 0), p.shared(0, 0), p.used), (0, 5, 5));
        p.release(0, 0, 15);
        assert_eq!((p.used, p.threshold()), (0, 20));
    }

    #[test]
    fn one_port_cannot_take_all_and_the_threshold_falls_as_others_use_memory() {
        let mut p = pool();
        assert!(p.admit(0, 0, 30)); // shared 20 = threshold
        assert_eq!(p.threshold(), 10);
        assert!(p.admit(1, 0, 20)); // shared 10 of port 1
        assert_eq!(p.threshold(), 5);
    }
}
