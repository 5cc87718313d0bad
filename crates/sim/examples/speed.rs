#[path = "../tests/lan/net.rs"]
#[allow(dead_code)]
mod net;
use backwater_sim::spec::Limit;
use backwater_transport::part::Value;
use backwater_transport::units::*;
use net::*;
fn main() {
    let pause = std::env::args().nth(1).is_some_and(|a| a == "p");
    let src = || {
        source(
            "exponential-on-off",
            &[
                ("packet", Value::Bytes(Bytes(1500))),
                ("rate", Value::Rate(Rate(9_700_000))),
                ("on", Value::Span(Span::millis(100))),
                ("off", Value::Span(Span::millis(300))),
            ],
        )
    };
    let mut net = Net::new(
        std::env::args()
            .nth(2)
            .map_or(6000.0, |s| s.parse().unwrap()),
    );
    let (x, d) = (net.switch("X"), net.host("D"));
    for i in 1..=3 {
        let s = net.obeying_host(&format!("S{i}"));
        net.link(s, x, 10 * MBIT);
        net.flow(&format!("f{i}"), s, d, src());
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.0.ports[port].buffer = Limit::Packets(100);
    if pause {
        net.recipe("pause", &[port], &[]);
    }
    let mut w = net.world();
    let t = std::time::Instant::now();
    w.advance(w.end());
    let e = t.elapsed().as_nanos() as f64;
    let (ev, hops) = (w.events, w.packet_hops);
    let r = w.report();
    println!(
        "{} hops, {} events, {:.1} ns/hop, dropped {} of {} control {}",
        hops,
        ev,
        e / hops as f64,
        r.dropped,
        r.entered,
        r.control
    );
}
