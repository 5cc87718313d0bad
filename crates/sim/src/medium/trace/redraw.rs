//! An opportunity that waits is drawn again, for copies of a run that shall not share it.

use backwater_transport::units::Time;

use super::stream::Turn;
use super::{Schedule, Server, ServerSpec};

/// How often an opportunity is drawn again until one lies behind the present.
const REDRAWS: usize = 1000;

impl Server {
    /// The opportunity that waits is drawn again, among all that could come after what has happened. Draws until one lies behind
    /// the present, from the state that the trace had before, so that whatever its law is, the new one has the law of the old.
    /// Gives what whoever else reads the trace has to be told; none where nothing is drawn again: nothing of the trace is random,
    /// it has ended, or others have looked further.
    pub(crate) fn redraw(&mut self, now: Time, by: u64, read: u64) -> Option<(u64, Turn)> {
        if !self.spec.trace.is_random() || self.present == Time::NEVER {
            return None;
        }
        while self.next <= now {
            self.advance();
        }
        let after = self.stream.drawn - 1;
        if self.next == Time::NEVER || read.max(self.drawn()) != self.stream.drawn {
            return None;
        }
        let (trace, mut stream) = (*self.origin).clone();
        let mut spec = ServerSpec {
            trace,
            ..self.spec.clone()
        };
        while stream.drawn < after {
            stream.next(&mut spec);
        }
        // The first opportunity of another trace has a law of its own.
        if stream.changes_here() {
            return None;
        }
        let mut random = stream.another(after);
        random.rekey(by);
        for _ in 0..REDRAWS {
            let turn = Turn::Again(spec.trace.clone(), random.clone());
            let at = spec.trace.clone().next(spec.opportunity, &mut random);
            if spec.clock(at).is_some_and(|at| at > now) {
                self.stream.give_back();
                self.turn(after, &turn);
                self.advance();
                return Some((after, turn));
            }
        }
        // How often it fails does not depend on what waits, so to keep that leaves its law.
        None
    }
}
