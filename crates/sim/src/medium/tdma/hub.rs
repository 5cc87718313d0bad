//! Who has which slots: the hub assigns those of a frame when it knows what terminals ask for.

use std::collections::VecDeque;

use super::spec::Demand;

/// A terminal, as the hub knows it.
#[derive(Clone, Debug)]
pub struct Member {
    /// Slots of each frame that are its own.
    pub constant: u32,
    /// How it asks for more.
    pub demand: Demand,
    /// Most slots of a frame that it gets because it asked.
    pub most: u32,
}

/// The knowledge of a terminal when a frame begins.
#[derive(Copy, Clone, Debug, Default)]
pub struct Asks {
    /// Bytes that came to it in the frame before.
    pub came: u64,
    /// Bytes that wait, the rest of a packet under way included.
    pub waits: u64,
}

/// Slots of a frame, by terminal.
type Plan = Vec<Given>;

#[derive(Copy, Clone, Debug, Default)]
struct Given {
    /// Because it asked.
    asked: u32,
    /// All.
    all: u32,
}

/// The hub of one medium.
#[derive(Clone, Debug)]
pub struct Hub {
    slots: u32,
    slot: u64,
    free: bool,
    members: Vec<Member>,
    /// Bytes asked for by volume that no plan serves yet.
    pending: Vec<u64>,
    /// Plans of the frames to come, the next one first.
    ahead: VecDeque<Plan>,
    /// Frames between a request and the slots that answer it.
    lag: usize,
    /// The terminal that gets a slot next, if it wants one: slots go round, over the ends of frames.
    turn: usize,
}

impl Hub {
    /// A hub that has received no request: in the first `lag` frames terminals have what nobody need ask for.
    pub fn new(slots: u32, slot: u64, free: bool, members: Vec<Member>, lag: usize) -> Hub {
        let mut hub = Hub {
            slots,
            slot,
            free,
            pending: vec![0; members.len()],
            members,
            ahead: VecDeque::new(),
            lag,
            turn: 0,
        };
        let silent = vec![Asks::default(); hub.members.len()];
        for _ in 0..lag {
            let plan = hub.plan(&silent);
            hub.ahead.push_back(plan);
        }
        hub
    }

    /// A frame begins and terminals ask. Gives the slots that each has in it.
    pub fn begin_frame(&mut self, asks: &[Asks]) -> impl Iterator<Item = u32> {
        self.add_volumes(asks);
        let plan = self.plan(asks);
        self.ahead.push_back(plan);
        let now = self.ahead.pop_front().expect("one was added");
        now.into_iter().map(|given| given.all)
    }

    /// Adds what terminals ask for by volume: the bytes that wait, without those that were asked for and those that the terminal's
    /// own slots carry until the answer.
    fn add_volumes(&mut self, asks: &[Asks]) {
        for (number, (member, ask)) in self.members.iter().zip(asks).enumerate() {
            if member.demand == Demand::Volume {
                let given = self.ahead.iter().map(|plan| u64::from(plan[number].asked));
                let answered = given.sum::<u64>() * self.slot;
                let own = u64::from(member.constant) * self.slot * self.lag.max(1) as u64;
                let known = self.pending[number] + answered + own;
                self.pending[number] += ask.waits.saturating_sub(known);
            }
        }
    }

    /// The slots of one frame: own ones, those asked for by rate, those by volume, and then free ones.
    fn plan(&mut self, asks: &[Asks]) -> Plan {
        let own = self.members.iter().map(|member| member.constant);
        let mut plan: Plan = own.map(|all| Given { asked: 0, all }).collect();
        let mut left = self.slots - plan.iter().map(|given| given.all).sum::<u32>();
        for kind in [Demand::Rate, Demand::Volume] {
            let wants = self.wants(kind, asks);
            for (given, got) in plan.iter_mut().zip(self.share(&wants, &mut left)) {
                given.asked += got;
                given.all += got;
            }
        }
        for (pending, given) in self.pending.iter_mut().zip(&plan) {
            *pending = pending.saturating_sub(u64::from(given.asked) * self.slot);
        }
        if self.free {
            let wants = vec![u32::MAX; plan.len()];
            for (given, got) in plan.iter_mut().zip(self.share(&wants, &mut left)) {
                given.all += got;
            }
        }
        plan
    }

    /// How many slots each terminal wants that asks like this.
    fn wants(&self, kind: Demand, asks: &[Asks]) -> Vec<u32> {
        let each = self.members.iter().zip(asks).enumerate();
        let want = each.map(|(number, (member, ask))| {
            let slots = match kind {
                Demand::Rate => {
                    let all = ask.came.div_ceil(self.slot);
                    all.saturating_sub(u64::from(member.constant))
                }
                Demand::None | Demand::Volume => self.pending[number].div_ceil(self.slot),
            };
            match member.demand == kind {
                true => u32::try_from(slots).unwrap_or(u32::MAX).min(member.most),
                false => 0,
            }
        });
        want.collect()
    }

    /// Shares the slots that are left, one by one: whoever wants less than an equal share gets all of it.
    fn share(&mut self, wants: &[u32], left: &mut u32) -> Vec<u32> {
        let mut got = vec![0; wants.len()];
        let mut open: u64 = wants.iter().map(|want| u64::from(*want)).sum();
        while *left > 0 && open > 0 {
            let number = self.turn;
            if got[number] < wants[number] {
                got[number] += 1;
                *left -= 1;
                open -= 1;
            }
            self.turn = (number + 1) % wants.len();
        }
        got
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: u64 = 100;

    fn hub(slots: u32, lag: usize, free: bool, members: &[(u32, Demand, u32)]) -> Hub {
        let member = |&(constant, demand, most)| Member {
            constant,
            demand,
            most,
        };
        Hub::new(slots, SLOT, free, members.iter().map(member).collect(), lag)
    }

    fn next(hub: &mut Hub, asks: &[(u64, u64)]) -> Vec<u32> {
        let asks: Vec<Asks> = asks
            .iter()
            .map(|&(came, waits)| Asks { came, waits })
            .collect();
        hub.begin_frame(&asks).collect()
    }

    #[test]
    fn own_slots_need_no_request() {
        let mut hub = hub(10, 3, false, &[(2, Demand::None, 0), (5, Demand::None, 0)]);
        for _ in 0..5 {
            assert_eq!(next(&mut hub, &[(0, 900), (0, 0)]), [2, 5]);
        }
    }

    #[test]
    fn a_volume_is_answered_once_and_after_the_lag() {
        let mut hub = hub(10, 2, false, &[(0, Demand::Volume, 10)]);
        // 250 B want three slots. They wait until the answer, and are asked for once.
        assert_eq!(next(&mut hub, &[(250, 250)]), [0]);
        assert_eq!(next(&mut hub, &[(0, 250)]), [0]);
        assert_eq!(next(&mut hub, &[(0, 250)]), [3]);
        assert_eq!(next(&mut hub, &[(0, 0)]), [0]);
    }

    #[test]
    fn a_volume_larger_than_a_frame_is_spread_over_frames() {
        let mut hub = hub(4, 0, false, &[(0, Demand::Volume, 3)]);
        // Seven slots at three a frame.
        assert_eq!(next(&mut hub, &[(0, 700)]), [3]);
        assert_eq!(next(&mut hub, &[(0, 400)]), [3]);
        assert_eq!(next(&mut hub, &[(0, 100)]), [1]);
        assert_eq!(next(&mut hub, &[(0, 0)]), [0]);
    }

    #[test]
    fn a_rate_is_asked_for_anew_in_each_frame_and_own_slots_count() {
        let mut hub = hub(10, 1, false, &[(1, Demand::Rate, 10)]);
        assert_eq!(next(&mut hub, &[(350, 350)]), [1]);
        // Four slots for 350 B, one of them its own.
        assert_eq!(next(&mut hub, &[(0, 250)]), [4]);
        assert_eq!(next(&mut hub, &[(0, 0)]), [1]);
    }

    #[test]
    fn shares_are_max_min_fair_and_the_rest_goes_round() {
        let asks = [(0, 100), (0, 9000), (0, 9000)];
        let member = (0, Demand::Volume, 99);
        let mut hub = hub(10, 0, false, &[member; 3]);
        // One wants a slot, the others share nine: the odd one goes round.
        assert_eq!(next(&mut hub, &asks), [1, 5, 4]);
        assert_eq!(next(&mut hub, &[(0, 100), (0, 8500), (0, 8600)]), [1, 4, 5]);
        assert_eq!(next(&mut hub, &[(0, 100), (0, 8100), (0, 8100)]), [1, 5, 4]);
    }

    #[test]
    fn rates_go_before_volumes_and_free_slots_come_last() {
        let members = [
            (0, Demand::Volume, 99),
            (0, Demand::Rate, 99),
            (1, Demand::None, 0),
        ];
        let mut wanted = hub(10, 0, true, &members);
        assert_eq!(next(&mut wanted, &[(0, 9000), (700, 0), (0, 0)]), [2, 7, 1]);
        let mut idle = hub(10, 0, true, &members);
        assert_eq!(next(&mut idle, &[(0, 0), (0, 0), (0, 0)]), [3, 3, 4]);
        let mut kept = hub(10, 0, false, &members);
        assert_eq!(next(&mut kept, &[(0, 0), (0, 0), (0, 0)]), [0, 0, 1]);
    }
}
