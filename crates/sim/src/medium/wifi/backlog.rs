//! Bytes that wait for a hop, over time.

use backwater_transport::units::Time;

/// Bytes of frames in the queues of a hop.
#[derive(Copy, Clone, Debug, Default)]
pub struct Backlog {
    held: u64,
    /// Since when so many.
    since: Time,
    /// Bytes × ticks up to then.
    area: u128,
    most: u64,
}

impl Backlog {
    /// A frame of so many bytes has joined.
    #[inline]
    pub fn grow(&mut self, bytes: u64, now: Time) {
        self.move_on(now);
        self.held += bytes;
        self.most = self.most.max(self.held);
    }

    /// One has left, or was lost.
    #[inline]
    pub fn shrink(&mut self, bytes: u64, now: Time) {
        self.move_on(now);
        self.held -= bytes;
    }

    #[inline]
    fn move_on(&mut self, now: Time) {
        self.area += u128::from(self.held) * u128::from(now.0 - self.since.0);
        self.since = now;
    }

    /// Bytes × ticks up to `now`.
    pub fn area(&self, now: Time) -> u128 {
        self.area + u128::from(self.held) * u128::from(now.0 - self.since.0)
    }

    /// Most bytes held since `restart`.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The most counts from now on.
    pub fn restart(&mut self) {
        self.most = self.held;
    }
}
