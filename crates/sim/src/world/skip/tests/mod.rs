//! A state that differs in one thing is another state, and none that differs in what nothing depends on.

mod build;
mod ends;
mod parts;

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Span, Time};
use backwater_transport::walk::Seen;

use super::*;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::network::{Network, Traits};
use crate::queue::{QUEUES, Scheduler};
use crate::table::Id;
use backwater_transport_testing::options;
use build::{overloaded_ring, paused, ring, windows};

fn seen(world: &World) -> Seen {
    world.seen(true, Timers::Stay).expect("all is visited")
}

/// Things that are otherwise in a world, each with its name.
type Changes = &'static [(&'static str, fn(&mut World))];

/// Whether a period may lie between the first state and the second.
fn recurs(before: &World, after: &World) -> bool {
    seen(after).recurs(&seen(before), Span(1)).is_some()
}

fn network(world: &mut World) -> &mut Network {
    &mut world.shared.network
}

/// The port at which most frames wait.
fn busiest(world: &World) -> PortId {
    let network = &world.shared.network;
    let ids = network
        .ports
        .ids()
        .max_by_key(|id| network.ports[*id].waiting);
    ids.expect("a port")
}

fn port(world: &mut World) -> &mut crate::network::Port {
    let id = busiest(world);
    &mut network(world).ports[id]
}

/// The first packet that waits there.
fn first(world: &World) -> PacketId {
    let id = busiest(world);
    let queue = world.shared.network.ports[id].queues().iter();
    let mut lists = queue.filter(|queue| !queue.list.is_empty());
    lists.next().expect("one waits").list.head()
}

fn packet(world: &mut World) -> &mut crate::packet::Packet {
    let id = first(world);
    &mut network(world).packets[id]
}

const DIFFERENT: Changes = &[
    ("the rate of a wire", |w| port(w).ps_per_byte += 1),
    ("its length", |w| port(w).delay.0 += 1),
    ("frames that wait", |w| port(w).waiting += 1),
    ("the frame in transmission", |w| port(w).sending += 1),
    ("its class", |w| port(w).sending_class += 1),
    ("where it came from", |w| port(w).sending_entry += 1),
    ("classes that wait", |w| port(w).held ^= 2),
    ("flags", |w| port(w).set(Traits::SHORTENED, true)),
    ("bytes of a queue", |w| port(w).queue.bytes += 1),
    ("frames of a queue", |w| port(w).queue.packets += 1),
    ("the next choice", |w| port(w).next_try.0 += 1),
    ("the end of the gap", |w| port(w).gap_until.0 += 1),
    ("until when gates are closed", |w| {
        let now = w.clock.now;
        port(w).shut_until = Time(now.0 + 1);
    }),
    ("a departure that is waited for", |w| {
        let now = w.clock.now;
        port(w).more.awaited = Time(now.0 + 1);
    }),
    ("frames that may overtake", |w| {
        let now = w.clock.now;
        port(w).more.overtakes = Time(now.0 + 1);
    }),
    ("a wake that is armed", |w| {
        let now = w.clock.now;
        port(w).more.armed = Time(now.0 + 1);
    }),
    ("a flow that misses a packet", |w| {
        port(w).more.missing.push_back(Id::raw(0))
    }),
    ("alarms of a node", |w| {
        network(w).nodes[Id::raw(0)].alarms += 1
    }),
    ("where a packet goes", |w| packet(w).to += 1),
    ("its length", |w| packet(w).len += 1),
    ("its class", |w| {
        packet(w).traffic = crate::packet::Traffic::new(3, Ecn::Ect0)
    }),
    ("its codepoint", |w| {
        let class = packet(w).class();
        packet(w).traffic = crate::packet::Traffic::new(class, Ecn::Ce);
    }),
    ("where it came in", |w| packet(w).entry += 1),
    ("its number", |w| packet(w).seq += 1),
    ("the wire that it came over", |w| {
        packet(w).ingress = Id::raw(77)
    }),
    ("when it was born", |w| packet(w).born.0 += 1),
    ("when it came", |w| packet(w).at.0 += 1),
    ("its time on wires", |w| packet(w).serial += 1),
    ("its time in queues", |w| packet(w).waited += 1),
    ("its time at gates", |w| packet(w).gated += 1),
    ("when a flow ends", |w| {
        network(w).flows[Id::raw(0)].stop.0 -= 1
    }),
    ("the demand that is due", |w| {
        network(w).flows[Id::raw(0)].due += 1
    }),
    ("the stream of a source", |w| {
        network(w).flows[Id::raw(0)].random.unit();
    }),
    ("whether it has begun", |w| {
        network(w).flows[Id::raw(0)].entered.packets = 0
    }),
    ("the end of the run", |w| w.clock.end.0 += 1),
    ("the table of forwarding", |w| w.link_events.active += 1),
    ("the end of the warm-up", |w| {
        w.shared.run.books.warm_until = match w.shared.run.books.warm_until {
            None => Some(Time(1)),
            Some(_) => None,
        };
    }),
    ("an event", |w| {
        let at = Time(w.clock.now.0 + 5);
        w.shared.run.calendar.push(at, Event::Demand(Id::raw(0)));
    }),
];

/// What nothing depends on, and what is known otherwise.
const ALIKE: Changes = &[
    ("most bytes", |w| port(w).max_bytes += 1),
    ("marks", |w| port(w).more.sent.marked += 1),
    ("deliveries", |w| {
        network(w).flows[Id::raw(0)].stats.delivered.add(1)
    }),
    ("losses", |w| {
        network(w).flows[Id::raw(0)].stats.last_lost.0 += 1
    }),
    ("hops", |w| w.shared.run.books.packet_hops += 1),
    ("notices", |w| w.shared.run.books.notices_heard += 1),
    ("looks for deadlock", |w| {
        let at = Time(w.clock.now.0 + 5);
        w.shared.run.calendar.push(at, Event::Inspect);
    }),
];

fn compare(world: &World, different: Changes, alike: Changes) {
    assert!(recurs(world, world));
    for (what, change) in different {
        let mut other = world.clone();
        change(&mut other);
        assert!(!recurs(world, &other), "{what}");
    }
    for (what, change) in alike {
        let mut other = world.clone();
        change(&mut other);
        assert!(recurs(world, &other), "{what}");
    }
}

#[test]
fn each_part_of_a_network_is_part_of_its_state() {
    let mut world = World::build(&paused()).expect("a legal network");
    let at = |us| Time::ZERO + Span::micros(us);
    world.advance(at(3_000));
    // At an instant at which a frame is in transmission and others wait.
    let mut more = 3_000;
    while world.shared.network.ports[busiest(&world)].waiting < 3 {
        more += 7;
        world.advance(at(more));
    }
    compare(&world, DIFFERENT, ALIKE);
}

const ENDS: Changes = &[
    ("whether its source waits", |w| {
        connection(w).waiting ^= true
    }),
    ("bytes of a transfer", |w| transfers(w)[0].1 += 1),
    ("when it was written", |w| transfers(w)[1].2.0 += 2),
    ("a transfer more", |w| {
        let last = *transfers(w).back().expect("some");
        transfers(w).push_back(last);
    }),
    ("when its sender falls silent", |w| {
        connection(w).stop.0 -= 1
    }),
    ("the present window", |w| connection(w).stats.window += 1),
    ("the least window", |w| connection(w).stats.least -= 1),
];

fn connection(world: &mut World) -> &mut crate::connection::Connection {
    &mut world.ends.connections[Id::raw(0)]
}

fn transfers(world: &mut World) -> &mut std::collections::VecDeque<(u64, u64, Time)> {
    connection(world).transfers.as_mut().expect("transfers")
}

/// A write each 2 ms whose acknowledgement comes after 200 ms. Of its transfers the second was written an instant later: neither did it
/// stay nor did it move by a period.
#[test]
fn each_part_of_two_ends_is_part_of_their_state() {
    let mut world = World::build(&windows()).expect("a legal network");
    world.advance(Time::ZERO + Span::micros(900_001));
    assert!(transfers(&mut world).len() > 20);
    compare(&world, ENDS, &[]);
}

/// A ring of ports that may be stopped can stand still; a line can't, nor a ring of which one port alone tells others to stop.
#[test]
fn ports_that_may_wait_for_one_another_form_a_ring() {
    let circle = World::build(&ring([true; 3])).expect("a legal network");
    assert!(circle.gates_form_a_ring());
    let open = World::build(&ring([true, false, false])).expect("a legal network");
    assert!(!open.gates_form_a_ring());
    let line = World::build(&paused()).expect("a legal network");
    assert!(!line.gates_form_a_ring());
}

/// Three flows of 9 Mbit/s over two links each of a ring of 10 Mbit/s end in a deadlock. Before it, in a stretch of four periods of which the
/// next has it, the look that would find it is found: the one that finds it in a run that is served.
#[test]
fn the_first_look_that_would_find_a_deadlock_is_found() {
    let world = World::build(&overloaded_ring()).expect("a legal network");
    let mut served = world.clone();
    served.advance(Time::ZERO + Span::millis(900));
    let deadlock = served.report().deadlock.expect("a deadlock");
    let mut before = world;
    let now = Time::ZERO + Span::millis(5);
    before.advance(now);
    let period = Span(deadlock.at.since(now).0 + Span::millis(15).0);
    let stretch = |periods| Repeat {
        period,
        began: Time::ZERO,
        periods,
    };
    for periods in [1, 4] {
        let found = before.finds_deadlock(stretch(periods));
        assert_eq!(found, Some(deadlock.at), "{periods}");
    }
}

/// The flow whose deliveries are counted has delivered as much as was counted, right behind each stretch that was skipped.
#[test]
fn deliveries_are_counted_from_the_end_of_a_stretch_on() {
    let mut spec = ring([true, false, false]);
    spec.duration = Span::secs(30);
    let stops = spec.flows.iter_mut().map(|flow| &mut flow.stop);
    stops.for_each(|stop| *stop = Span::secs(30));
    let mut world = World::build(&spec).expect("a legal network");
    world.skip_recurrences().expect("all is visited");
    let (end, mut stretches) = (world.clock.end, 0);
    while world.serve_or_skip(end, 1) == Step::Served {
        let skip = world.skip.as_deref().expect("it skips");
        if skip.stretches.len() == stretches {
            continue;
        }
        stretches = skip.stretches.len();
        let flow = &world.shared.network.flows[skip.anchor.expect("an anchor")];
        assert_eq!(skip.delivered, flow.stats.delivered.packets);
    }
    assert!(stretches > 0);
}

/// A port that has sent nothing in a period although one frame waits may be part of a deadlock, so that nothing is skipped from the present
/// on. Where nothing waits, the port may rest.
#[test]
fn a_port_that_stands_still_with_a_frame_is_looked_at() {
    let mut world = World::build(&ring([true; 3])).expect("a legal network");
    let now = Time::ZERO + Span::micros(5_001);
    world.advance(now);
    world.settle();
    let repeat = Repeat {
        period: Span::micros(1),
        began: Time::ZERO + Span::micros(5_000),
        periods: 9,
    };
    assert_eq!(world.finds_deadlock(repeat), None);
    let ports = &mut network(&mut world).ports;
    let idle = |id: &PortId| ports[*id].waiting == 0 && ports[*id].free_at() <= repeat.began;
    let id = ports.ids().find(idle).expect("a port at rest");
    ports[id].waiting = 1;
    assert_eq!(world.finds_deadlock(repeat), Some(now));
}

/// A port that stalled at the beginning of a period and has sent nothing since may be part of a deadlock, and one that stalled later may not.
#[test]
fn a_port_that_stalled_as_a_period_began_is_looked_at() {
    let mut world = World::build(&ring([true; 3])).expect("a legal network");
    let began = Time::ZERO + Span::micros(5_000);
    world.advance(Time(began.0 + 1_000_000));
    let repeat = Repeat {
        period: Span::micros(1),
        began,
        periods: 9,
    };
    for (from, looked) in [(began, true), (Time(began.0 + 1), false)] {
        let mut world = world.clone();
        let ports = &mut network(&mut world).ports;
        let id = ports.ids().next().expect("a port");
        ports[id].set(Traits::STALLED, true);
        ports[id].stall_from = from;
        let found = world.finds_deadlock(repeat);
        assert_eq!(found == Some(world.clock.now), looked, "{from}");
    }
}

/// A report says that books agree, and that they do not where a packet more has entered, a queue counts a byte more than its frames have, a notice more was
/// sent, or a packet is in no list.
#[test]
fn books_that_do_not_agree_are_told() {
    let mut world = World::build(&paused()).expect("a legal network");
    world.advance(Time::ZERO + Span::millis(20));
    assert!(world.clone().report().conserved);
    let wrong: Changes = &[
        ("a packet more", |w| {
            network(w).flows[Id::raw(0)].entered.packets += 1
        }),
        ("a byte more", |w| {
            network(w).ports[Id::raw(0)].queue.bytes += 1
        }),
        ("a notice more", |w| w.shared.run.books.notices_sent += 1),
        ("a packet in no list", |w| {
            let flow = Id::raw(0);
            let entered = network(w).flows[flow].entered;
            w.shared.create(flow, 100, 0, Ecn::NotEct, w.clock.now);
            network(w).flows[flow].entered = entered;
        }),
    ];
    for (what, change) in wrong {
        let mut world = world.clone();
        change(&mut world);
        assert!(!world.report().conserved, "{what}");
    }
}

/// A card does not ask a flow again that had nothing to send, before something has happened to it. A packet is written every 2 ms and takes
/// 0.9 ms of the line.
#[test]
fn a_flow_with_nothing_to_send_rests_at_its_card() {
    let mut spec = windows();
    let transport = spec.flows[0].transport.as_mut().expect("a transport");
    transport.pulled = true;
    let mut world = World::build(&spec).expect("a legal network");
    let rests = |world: &World| {
        let card = world.ends.cards.values().next().expect("a card");
        card.turn(0).is_none()
    };
    assert!(!rests(&world));
    for ms in 10..20 {
        world.advance(Time::ZERO + Span::millis(ms));
        let network = &world.shared.network;
        let busy = network.ports[Id::raw(0)].free_at() > world.clock.now;
        assert!(busy || rests(&world), "{ms}");
    }
    assert!(world.shared.network.flows[Id::raw(0)].entered.packets >= 9);
}

/// A frame of class 0 or of class 1 has been sent last, which leaves nothing of a turn of one frame: the next turn is another's.
#[test]
fn the_turn_of_a_scheduler_is_part_of_the_state() {
    let state = |id: &str, class: u8| {
        let row = QUEUES.iter().find(|row| row.id == id).expect("a row");
        let built = (row.build)(&options::read(row.options, &[]));
        let mut scheduler = built.expect("legal options").scheduler;
        let sent = scheduler.pick(1 << class, 1 << class, |_| 1518);
        assert_eq!(sent, usize::from(class));
        let mut walk = Walk::look(Time::ZERO);
        scheduler.walk(&mut walk);
        walk.seen().expect("all is visited").state
    };
    for id in ["wrr", "drr"] {
        assert_ne!(state(id, 0), state(id, 1), "{id}");
        assert_eq!(state(id, 1), state(id, 1), "{id}");
    }
}
