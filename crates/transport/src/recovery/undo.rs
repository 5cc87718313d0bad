//! Spurious losses. DSACK (RFC 3708) or a timestamp echo older than the retransmission (Eifel, RFC
//! 3522) shows that a retransmission was unnecessary. When all retransmissions of an episode were, and
//! nothing else is lost, the window reduction is undone (RFC 4015).
//!
//! F-RTO (RFC 5682) is not implemented. It detects a spurious timeout without timestamps from the next
//! two acknowledgements; here every segment has a timestamp, and the first echo shows the same.
//! Recovery without SACK (RFC 6582) never undoes a reduction.

use crate::walk::{OnTheWay, Walk};

/// One episode.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    active: bool,
    /// First byte of the episode.
    from: u64,
    /// Retransmissions.
    resent: u64,
    /// Unnecessary retransmissions shown by DSACK and by timestamps. Both may show the same one.
    by_dsack: u64,
    by_echo: u64,
}

impl Undo {
    /// An episode that is over is begun anew before it counts again.
    pub(crate) fn walk(&mut self, walk: &mut Walk, on_the_way: &OnTheWay) {
        let Undo {
            active,
            from,
            resent,
            by_dsack,
            by_echo,
        } = self;
        walk.same(*active);
        if *active {
            walk.above(from, on_the_way.byte);
            walk.same(*resent);
            walk.same(*by_dsack);
            walk.same(*by_echo);
        }
    }

    /// An episode begins at byte `from`. `resent` retransmissions are already in flight: the episode
    /// before sent them.
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

    /// The acknowledgement of a retransmitted segment echoes a timestamp older than the retransmission.
    pub fn on_echo(&mut self) {
        self.by_echo += 1;
    }

    /// The number of retransmissions if all of them were unnecessary. The episode is then over.
    pub fn all_spurious(&mut self) -> Option<u64> {
        let shown = self.by_dsack.max(self.by_echo);
        (self.active && shown > 0 && shown >= self.resent).then(|| self.finish())
    }

    /// Ends the episode as spurious. Returns its number of retransmissions.
    pub fn finish(&mut self) -> u64 {
        self.active = false;
        self.resent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Span, Time};
    use crate::walk::Repeat;

    /// RFC 3708, RFC 3522: every retransmission of the episode must be shown to be needless, by duplicates of its bytes or by echoes; each
    /// episode is undone once.
    #[test]
    fn an_episode_is_spurious_when_all_its_retransmissions_were_needless() {
        let mut undo = Undo::default();
        assert_eq!(undo.all_spurious(), None);
        undo.begin(1000, 0);
        assert_eq!(undo.all_spurious(), None, "nothing was shown");
        undo.on_resent();
        undo.on_resent();
        undo.on_dsack(999);
        undo.on_dsack(1000);
        undo.on_echo();
        assert_eq!(undo.all_spurious(), None, "one of two");
        undo.on_dsack(2000);
        assert_eq!(undo.all_spurious(), Some(2));
        assert_eq!(undo.all_spurious(), None);
        undo.begin(5000, 1);
        undo.on_echo();
        assert_eq!(undo.all_spurious(), Some(1));
    }
    /// A packet is on its way, of bytes from there on.
    fn on_the_way(byte: u64) -> OnTheWay {
        OnTheWay {
            packets: 1,
            byte,
            ..OnTheWay::default()
        }
    }

    fn seen(undo: &Undo, mut walk: Walk, byte: u64) -> crate::walk::Seen {
        undo.clone().walk(&mut walk, &on_the_way(byte));
        walk.seen().expect("no part that is not visited")
    }

    /// What was sent again in an episode, and what was shown of it, decides how it ends. After it nothing of it counts.
    #[test]
    fn an_episode_is_part_of_the_state_until_it_is_over() {
        let begun = |from, resent, shown: fn(&mut Undo)| {
            let mut undo = Undo::default();
            undo.begin(from, resent);
            shown(&mut undo);
            undo
        };
        let all = [
            Undo::default(),
            begun(9_500, 0, |_| {}),
            begun(9_600, 0, |_| {}),
            begun(9_500, 1, |_| {}),
            begun(9_500, 1, |undo| undo.on_resent()),
            begun(9_500, 1, |undo| undo.on_dsack(9_500)),
            begun(9_500, 1, |undo| undo.on_echo()),
        ];
        let states = all.map(|undo| seen(&undo, Walk::look(Time(7)), 9_000).state);
        for (n, state) in states.iter().enumerate() {
            assert!(!states[..n].contains(state), "{n}: {state:?}");
        }
        let over = begun(9_500, 1, |undo| {
            undo.on_dsack(9_500);
            undo.finish();
        });
        let state = seen(&over, Walk::look(Time(7)), 9_000).state;
        assert_eq!(state, states[0]);
        // Duplicates of older bytes are on their way no more.
        let [old, older] = [5_000, 4_000].map(|from| begun(from, 1, |_| {}));
        let state = |undo| seen(undo, Walk::look(Time(7)), 9_000).state;
        assert_eq!(state(&old), state(&older));
    }

    /// Four periods of 1000 B after an episode from 9000 on began again at 10,000, it is the one from 14,000 on.
    #[test]
    fn an_episode_that_is_skipped_begins_where_it_would_have() {
        let mut undo = Undo::default();
        undo.begin(9_000, 1);
        let before = seen(&undo, Walk::keep(Time(0)), 9_000);
        undo.begin(10_000, 1);
        let after = seen(&undo, Walk::keep(Time(10)), 10_000);
        let repeat = Repeat {
            period: Span(10),
            began: Time(0),
            periods: 4,
        };
        let mut walk = Walk::write(Time(10), before, after, repeat);
        undo.walk(&mut walk, &on_the_way(10_000));
        undo.on_dsack(13_999);
        assert_eq!(undo.all_spurious(), None);
        undo.on_dsack(14_000);
        assert_eq!(undo.all_spurious(), Some(1));
    }
}
