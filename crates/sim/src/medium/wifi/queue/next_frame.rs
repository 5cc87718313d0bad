//! Which frame a station sends next. It is settled at the attempt, not before: until then gates may close or open, and
//! active queue management may drop, mark or reorder what waits.

use backwater_transport::units::Time;

use crate::cause::Cause;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::radio::Line;
use crate::shared::Shared;

impl Air {
    /// The frame that a category sends next: a management frame (`Some(None)`), the first frame of a hop, or nothing. Frames whose lifetime is
    /// over are given up first.
    pub(crate) fn next_frame(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<Option<u32>> {
        loop {
            let next = self.first_in_line(cx, station, number, now)?;
            match next {
                Some(hop) if self.has_expired(cx, station, hop, number, now) => {
                    self.give_up(cx, Line { hop, number }, Cause::Expired, now, now);
                }
                _ => return Some(next),
            }
        }
    }

    fn first_in_line(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<Option<u32>> {
        let radio = &self.radios[station as usize];
        if radio.is_top(number) && !radio.notices.is_empty() {
            return Some(None);
        }
        let first = self.hop_served_first(&mut cx.network, &cx.mechanisms, station, number, now);
        let radio = &self.radios[station as usize];
        let c = &radio.categories[number];
        let hop = if first.is_some() {
            first
        } else if radio.gates.is_none() && c.arranged.is_none() {
            match (c.current, &c.hops[..]) {
                (Some(hop), _) => Some(hop),
                (None, [hop]) => Some(*hop),
                _ => self.longest_in_line(station, number, &cx.network, |_| true),
            }
        } else {
            self.choose_at_station(cx, station, number, now)
        };
        let hop = hop?;
        let air = &mut *self;
        if let Some(rounds) = &mut air.radios[station as usize].rounds {
            let served = &air.hops[hop as usize];
            if let Some(first) = served.first(&cx.network, number).waits() {
                rounds[number].serve(cx.network.spent[first].round);
            }
        }
        Some(Some(hop))
    }

    /// The hop whose first frame a category sends next, where gates or queue management have a say.
    fn choose_at_station(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<u32> {
        let c = &self.radios[station as usize].categories[number];
        let current = c.current;
        let takes_turns = c.arranged.as_ref().is_some_and(|a| a.turns.is_some());
        for hop in c.hops.clone() {
            self.bring_forward(&mut cx.network, station, number, hop, now);
        }
        let open = |hop: u32| self.hop_opens(&cx.network, station, number, hop, now) <= now;
        // Under block acknowledgement frames that were tried wait for their hop's turn.
        let pins = |hop: &u32| {
            let window = &self.hops[*hop as usize].windows[number];
            open(*hop) && !(takes_turns && window.session().is_some())
        };
        if let Some(hop) = current.filter(pins) {
            return Some(hop);
        }
        if takes_turns {
            return self.choose_by_turn(cx, station, number, now);
        }
        let found = self.longest_in_line(station, number, &cx.network, open);
        found.or_else(|| self.take_managed(cx, station, number, now))
    }

    /// A station's counter runs out: categories whose frames are all held back, or were all dropped, take no part until a
    /// gate opens or a frame comes. True where some category still has a frame to send.
    pub(crate) fn has_frames_ready(&mut self, cx: &mut Shared, station: u32, now: Time) -> bool {
        let radio = &self.radios[station as usize];
        let managed = radio.categories.iter().any(|c| c.manages());
        let expire = self.medium(station).mac.lifetime.is_some();
        if radio.gates.is_none() && !managed && !expire {
            return true;
        }
        let gated = radio.gates.is_some();
        let (mut ready, _) = self.settle_due(cx, station, now);
        // A frame that is lost now may shut a gate, so those that had a frame are asked again until all agree.
        let mut again = gated && (managed || expire);
        while again && ready {
            (ready, again) = self.settle_due(cx, station, now);
        }
        ready
    }

    /// Asks the categories that are due what they send: whether some category has a frame, and whether one takes no part from now on.
    fn settle_due(&mut self, cx: &mut Shared, station: u32, now: Time) -> (bool, bool) {
        let (mut ready, mut fell) = (false, false);
        for number in 0..self.radios[station as usize].categories.len() {
            let medium = self.medium(station);
            let sense = &self.sensing[station as usize];
            let c = &self.radios[station as usize].categories[number];
            let due = match sense.busy {
                true => sense.due >> number & 1 == 1,
                false => c.wants_medium() && c.expiry(sense.base(), medium.slot) == now,
            };
            if !due {
                continue;
            }
            if self.next_frame(cx, station, number, now).is_some() {
                ready = true;
            } else {
                fell = true;
                self.become_dormant(&mut cx.run.calendar, station, number, now);
            }
        }
        (ready, fell)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use backwater_transport::part::{Args, Value};
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::{Bytes, Rate, Span, Time};

    use crate::limit::Limit;
    use crate::mechanism::gates::{Bar, Bucket, Gates};
    use crate::medium::wifi::test_line::line;
    use crate::source::SOURCES;
    use crate::spec::{FlowOptions, FlowSpec, NodeKind, Spec};
    use crate::targets::Destination;
    use crate::world::World;

    const SHUT: Time = Time(600_000_000_000);

    /// 80 packets of 1000 B in 640 ms from station 0 to each of its two neighbours.
    pub(crate) fn two_flows() -> Spec {
        let mut spec = line(&[0.0, 60.0, -60.0]);
        let NodeKind::Station(radios) = &mut spec.nodes[0].kind else {
            unreachable!("a line of stations");
        };
        radios[0].buffer = Limit::Packets(200);
        let row = SOURCES.iter().find(|p| p.id == "cbr").expect("one");
        let args = Args(vec![
            ("packet", Value::Bytes(Bytes(1000))),
            ("rate", Value::Rate(Rate(1_000_000))),
            ("phase", Value::Choice("start")),
        ]);
        for to in [1, 2] {
            spec.flows.push(FlowSpec {
                name: format!("f{to}"),
                from: 0,
                to: Destination::Node(to),
                class: 1,
                ecn: Ecn::NotEct,
                packet: Bytes(1000),
                start: Span::ZERO,
                stop: Span::millis(640),
                source: (row.build)(&args).expect("legal"),
                options: FlowOptions::default(),
                after: None,
                route: None,
                transport: None,
            });
        }
        spec
    }

    fn bar(classes: u8, next: Option<u32>, hosts: Option<Vec<u64>>, bucket: Option<Bucket>) -> Bar {
        Bar {
            key: 1,
            classes,
            hosts: hosts.map(Into::into),
            next,
            until: SHUT,
            bucket,
        }
    }

    /// Packets delivered of both flows before the bar expires and at the end, and ticks at closed gates.
    fn run(bar: Bar) -> ([u64; 2], [u64; 2], [u128; 2]) {
        let mut world = World::build(&two_flows()).expect("a legal line");
        let mut gates = Gates::default();
        gates.lower(Time::ZERO, bar);
        world.media.air.radios[0].gates = Some(Box::new(gates));
        world.advance(Time(SHUT.0 - 1));
        let count = |w: &World| [0, 1].map(|f| w.network().flows.0[f].stats.delivered.packets);
        let before = count(&world);
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        let gated = [0, 1].map(|f| {
            let sum = &report.flows[f].sums.sum;
            let parts = sum.serial + sum.queue + sum.gate + sum.contention + sum.retries;
            assert_eq!(sum.total, parts + sum.propagation);
            sum.gate
        });
        (before, count(&world), gated)
    }

    /// A gate toward one neighbour holds back its frames and no others; they leave when it opens, and the time they waited is
    /// that of a closed gate.
    #[test]
    fn a_gate_toward_a_neighbour_holds_back_its_frames_and_no_others() {
        let (before, after, gated) = run(bar(0xff, Some(1), None, None));
        assert_eq!(before[0], 0);
        assert!(before[1] >= 74, "{before:?}");
        assert_eq!(after, [80, 80]);
        // The 75 packets of the first 600 ms wait 300 ms on average.
        let mean = gated[0] as f64 / 75.0 / 1e9;
        assert!((mean - 300.0).abs() < 30.0, "{mean} ms");
        assert!(gated[1] < gated[0] / 50, "{gated:?}");
    }

    /// The same by destination, where both neighbours could be next.
    #[test]
    fn a_gate_toward_a_destination_lets_others_pass() {
        let (before, after, _) = run(bar(0xff, None, Some(vec![0b010]), None));
        assert_eq!(before[0], 0);
        assert!(before[1] >= 74, "{before:?}");
        assert_eq!(after, [80, 80]);
    }

    /// A gate for a class holds back the class; one for another class changes nothing.
    #[test]
    fn a_gate_for_a_class_holds_back_that_class() {
        // The one queue of DCF has the number 0 among the categories.
        let (before, after, _) = run(bar(0b01, None, None, None));
        assert_eq!((before, after), ([0, 0], [80, 80]));
        let (before, _, gated) = run(bar(0b10, None, None, None));
        assert!(before.iter().all(|n| *n >= 74), "{before:?}");
        assert_eq!(gated, [0, 0]);
    }

    /// A bucket of 200 kbit/s lets a frame of 1018 B go every 40.7 ms: 15 in 600 ms, and one for its depth of nothing.
    #[test]
    fn a_bucket_toward_a_neighbour_holds_its_frames_to_a_rate() {
        let bucket = Bucket {
            rate: Rate(200_000),
            tolerance: Span::ZERO,
            due: Time::ZERO,
        };
        let (before, after, _) = run(bar(0xff, Some(1), None, Some(bucket)));
        assert!((14..=15).contains(&before[0]), "{before:?}");
        assert!(before[1] >= 74, "{before:?}");
        assert_eq!(after, [80, 80]);
    }
}
