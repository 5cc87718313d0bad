//! Losses that were none: each retransmission of an episode is shown to have been unnecessary, by a
//! duplicate reported for it (DSACK, RFC 3708) or by an acknowledgement whose timestamp is older than
//! the retransmission (Eifel, RFC 3522). When all are, and nothing else is lost, the answer to the
//! episode is undone (RFC 4015).
//!
//! F-RTO (RFC 5682) is not here. It tells a spurious timeout from the two acknowledgements after it, for
//! connections without timestamps; every segment here has one, and the first acknowledgement's echo tells
//! the same. Recovery without selective acknowledgements (RFC 6582) undoes nothing.

/// One episode.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    active: bool,
    /// It is about bytes from here on.
    from: u64,
    /// Retransmissions.
    resent: u64,
    /// Those shown to have been unnecessary by DSACK, and by timestamps: one may be shown by both.
    by_dsack: u64,
    by_echo: u64,
}

impl Undo {
    /// An episode begins, about bytes from here on. So many retransmissions of these are in flight
    /// already: what the episode before repaired of the data that left after it had begun.
    pub fn begin(&mut self, from: u64, resent: u64) {
        *self = Undo {
            active: true,
            from,
            resent,
            ..Undo::default()
        };
    }

    /// A lost segment was sent again.
    pub fn on_resent(&mut self) {
        self.resent += 1;
    }

    /// A duplicate of what begins at `start` was reported.
    pub fn on_dsack(&mut self, start: u64) {
        self.by_dsack += u64::from(start >= self.from);
    }

    /// The acknowledgement of a retransmitted segment echoes a stamp older than the retransmission.
    pub fn on_echo(&mut self) {
        self.by_echo += 1;
    }

    /// Whether all of the episode is shown to have been none; it is then over. Gives the
    /// retransmissions.
    pub fn verdict(&mut self) -> Option<u64> {
        let shown = self.by_dsack.max(self.by_echo);
        (self.active && shown > 0 && shown >= self.resent).then(|| self.finish())
    }

    /// The episode is shown to have been none.
    pub fn finish(&mut self) -> u64 {
        self.active = false;
        self.resent
    }
}
