//! 802.3x PAUSE: what it promises on the wire.

use crate::net::*;
use backwater_sim::record::What;
use backwater_transport::part::Value;
use backwater_transport::units::Time;

/// A PAUSE whose refresh comes late, because it waits behind data in the other direction, ends when
/// its timer does: the port sends on at that instant, to the tick.
#[test]
fn a_pause_that_was_renewed_ends_when_the_later_timer_does() {
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    let [out, _] = net.link(s, x, 10 * MBIT);
    let port = net.link(x, d, MBIT)[0];
    net.buffer(port, 5_000);
    // Shortest frames, so that one which left in the past would also have arrived there.
    net.flow("f", s, d, script((0..2000).map(|_| (0, 46))));
    // Frames of 1518 bytes the other way, 1.2208 ms each, at a spacing that isn't the refresh's.
    net.flow(
        "back",
        d,
        s,
        script((0..60).map(|i| (i * 12_500 * US, 1500))),
    );
    let quantum = 51_200_000; // 512 bit at 10 Mbit/s
    net.recipe("pause", &[port], &[("quanta", Value::Count(30))]);
    let (_, records) = net.run_recorded();
    let of = |what: What| {
        let mine = records.iter().filter(move |r| r.what == what);
        let mine = mine.filter(|r| r.port.index() == out);
        mine.map(|r| (r.at.0, r.value)).collect::<Vec<_>>()
    };
    let (knobs, sends) = (of(What::Knob), of(What::Send));
    let mut ran_out = 0;
    for pair in knobs.windows(2).filter(|pair| pair[0].1 > 0) {
        let until = pair[0].0 + pair[0].1 * quantum;
        if until < pair[1].0 {
            // The frame that was on its way when the pause began ends at most 57.6 µs later.
            let next = sends.iter().find(|s| s.0 > pair[0].0 + 60 * US);
            let next = next.expect("frames are left").0;
            assert_eq!(Time(next), Time(until), "paused at {}", Time(pair[0].0));
            ran_out += 1;
        }
    }
    assert!(ran_out > 0, "a pause has to run out: {knobs:?}");
}
