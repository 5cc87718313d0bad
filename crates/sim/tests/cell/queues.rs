//! A link with Poisson opportunities is the server of M/M/1/K: what no packet wants is lost, and the wait for the
//! next opportunity has no memory. Room for K packets includes the one that is served next.
//!
//! Loss is (1-ρ)ρᴷ/(1-ρᴷ⁺¹), and 1/(K+1) at ρ = 1; the mean number is ρ/(1-ρ) - (K+1)ρᴷ⁺¹/(1-ρᴷ⁺¹), and K/2 at
//! ρ = 1 (Kleinrock, Queueing Systems I, section 3.6); by Little's law it is the rate of what is carried times its time.

use backwater_sim::limit::Limit;
use backwater_sim::spec::Service;
use backwater_sim::world::{Report, World};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::{MAHIMAHI, direction, generated, source, spec};
use crate::statistics::agrees;

/// Opportunities in a second.
const PACE: u64 = 1000;
const WARMUP: u64 = 2;
const SECONDS: u64 = 602;
const PACKET: u64 = 1500;

/// The rate returns to the middle within a second and stays there: a Poisson process of `PACE`.
fn link(seed: u64, load: f64, room: u64) -> Report {
    let peak = 2 * PACE * 8 * MAHIMAHI.opportunity;
    let poisson = generated(
        "cox",
        &[
            ("peak", Value::Rate(Rate(peak))),
            ("volatility", Value::Rate(Rate(1))),
            ("reversion", Value::Number(20.0)),
            ("sticky", Value::Share(0.0)),
            ("outage", Value::Span(Span::millis(1))),
            ("burst", Value::Number(1.0)),
        ],
    );
    let mut trace = direction(poisson, MAHIMAHI, MAHIMAHI.first, vec![]);
    let served = trace.as_mut().expect("a direction");
    if let Service::Trace(server) = &mut served.service {
        server.milliseconds = false;
    }
    let mut spec = spec([trace, None], SECONDS as f64);
    spec.seed = seed;
    spec.warmup = Span::secs(WARMUP);
    spec.ports[0].buffer = Limit::Packets(room);
    let rate = load * (PACE * 8 * PACKET) as f64;
    spec.flows[0].source = source(
        "poisson",
        &[
            ("packet", Value::Bytes(Bytes(PACKET))),
            ("rate", Value::Rate(Rate(rate.round() as u64))),
        ],
    );
    let mut world = World::build(&spec).expect("a link");
    world.advance(world.end());
    world.report()
}

/// Loss and mean number of M/M/1/K.
fn theory(rho: f64, k: i32) -> (f64, f64) {
    if rho == 1.0 {
        return (1.0 / f64::from(k + 1), f64::from(k) / 2.0);
    }
    let whole = 1.0 - rho.powi(k + 1);
    let loss = (1.0 - rho) * rho.powi(k) / whole;
    let number = rho / (1.0 - rho) - f64::from(k + 1) * rho.powi(k + 1) / whole;
    (loss, number)
}

#[test]
fn losses_and_numbers_are_those_of_m_m_1_k() {
    for (room, rho, loss_width) in [
        (10, 0.8, 0.08),
        (10, 1.0, 0.05),
        (10, 1.2, 0.03),
        (50, 1.0, 0.15),
    ] {
        let reports: Vec<Report> = (1..=10).map(|seed| link(seed, rho, room)).collect();
        let of = |f: &dyn Fn(&Report) -> f64| reports.iter().map(f).collect::<Vec<f64>>();
        let (loss, number) = theory(rho, room as i32);
        let lost = of(&|r| r.all.dropped.packets as f64 / r.all.entered.packets as f64);
        agrees(&format!("M/M/1/{room} {rho} loss"), &lost, loss, loss_width);
        let seconds = (SECONDS - WARMUP) as f64;
        let present = of(&|r| Span(r.flows[0].sums.sum.total as u64).seconds() / seconds);
        agrees(&format!("M/M/1/{room} {rho} number"), &present, number, 0.1);
    }
}
