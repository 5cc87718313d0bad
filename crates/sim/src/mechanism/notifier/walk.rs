//! The state of standing notices, for `skip`.

use backwater_transport::units::Span;
use backwater_transport::walk::Walk;

use super::standing::Standing;
use super::voice::{Neighbour, Voice};

impl Standing {
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let Standing {
            terms,
            number: _,
            respond: _,
            neighbours,
            voices,
        } = self;
        for neighbour in neighbours {
            let Neighbour {
                to: _,
                refresh: _,
                closed,
                epoch,
                timing,
            } = neighbour;
            walk.same(*closed);
            walk.same(*timing);
            walk.short(epoch);
        }
        voices
            .iter_mut()
            .for_each(|voice| voice.walk(walk, terms.window));
    }

    /// The serial of the live timer of a neighbour.
    pub(crate) fn epoch(&self, neighbour: u8) -> u16 {
        self.neighbours[usize::from(neighbour)].epoch
    }
}

impl Voice {
    fn walk(&mut self, walk: &mut Walk, window: Span) {
        let Voice {
            port: _,
            line: _,
            drain,
            one_queue: _,
            audience: _,
            told,
            origin,
            heard,
            behind: _,
            named,
        } = self;
        drain.iter().for_each(|rate| walk.same(rate.0));
        told.iter().for_each(|set| walk.same(*set));
        origin.iter().for_each(|port| walk.same(port.0));
        for at in heard.as_flattened_mut() {
            walk.same(at.is_some());
            match at {
                Some(at) if walk.now().since(*at) <= window => walk.time(at),
                Some(at) => {
                    walk.same(u64::MAX);
                    walk.last(at);
                }
                None => {}
            }
        }
        for hosts in named {
            let words = hosts.as_deref().unwrap_or(&[]);
            walk.same(words.len() as u64);
            words.iter().for_each(|word| walk.same(*word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::notifier::Audience;
    use crate::mechanism::notifier::voice::VoiceSpec;
    use crate::table::Id;
    use backwater_transport::units::{Rate, Time};

    /// Two queues may have stopped one neighbour, and it stays stopped when the first of them is calm again. Whose word it has is told
    /// by nothing else.
    #[test]
    fn who_was_told_is_seen() {
        let spec = VoiceSpec {
            port: Id::NONE,
            line: Rate(1_000_000),
            one_queue: true,
            audience: 0b11,
            behind: None,
        };
        let mut voice = Voice::new(&spec, Audience::Feeders, 2);
        let mut state = |class: usize, told: u64| {
            voice.told[class] = told;
            let mut walk = Walk::look(Time::ZERO);
            voice.walk(&mut walk, Span::ZERO);
            walk.seen().expect("no part that is not visited").state
        };
        let states = [(0, 0), (0, 1), (0, 2), (3, 2)].map(|(class, told)| state(class, told));
        for (n, one) in states.iter().enumerate() {
            assert!(!states[..n].contains(one), "{n}");
        }
    }
}
