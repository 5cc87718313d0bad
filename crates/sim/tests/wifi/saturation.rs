//! Saturated stations in one collision domain against slot-exact references, each under its own options.
//! The references come from independent slot-by-slot programs (95 % interval ±0.003 Mbit/s); every
//! test runs long enough for a standard error below a fifth of its 0.5 %.

use backwater_sim::medium::wifi::mac::category::AfterCollision;

use crate::cell::{B, BASIC, Cell, G, RTS, dcf, disc, edca, saturated, saturated_cell};

fn close(measured: f64, reference: f64, what: &str) {
    let off = measured / reference - 1.0;
    assert!(
        off.abs() < 0.005,
        "{what}: {measured:.4} Mbit/s against {reference} ({:+.2} %)",
        off * 100.0
    );
}

fn total(cell: &Cell) -> f64 {
    cell.throughputs(1).iter().sum()
}

/// One station never collides: 1500 B in 1986 µs (basic) or 2664 µs (RTS), which is 12000 bit over
/// T_s + 15.5 slots.
#[test]
fn one_station_is_exact() {
    for (phy, mac, reference) in [
        (B, dcf(B, BASIC), 6.0423),
        (B, dcf(B, RTS), 4.5045),
        (G, dcf(G, BASIC), 30.341),
        (G, dcf(G, RTS), 24.717),
    ] {
        close(
            total(&saturated_cell(1, 60.0, phy, mac, 1500)),
            reference,
            "n = 1",
        );
    }
}

#[test]
fn dcf_of_802_11b_without_retry_limit_and_difs_after_collisions() {
    for (n, basic, rts) in [
        (2, 6.3354, 4.7203),
        (3, 6.3564, 4.7822),
        (5, 6.2581, 4.8120),
        (10, 5.9789, 4.7946),
        (20, 5.6123, 4.7371),
        (30, 5.3704, 4.6896),
        (50, 5.0371, 4.6147),
    ] {
        for (above, reference) in [(BASIC, basic), (RTS, rts)] {
            let cell = saturated_cell(n, 300.0, B, dcf(B, above), 1500);
            close(
                total(&cell),
                reference,
                &format!("n = {n}, RTS above {above}"),
            );
        }
    }
}

#[test]
fn dcf_of_802_11b_with_seven_transmissions_and_eifs_after_collisions() {
    for (n, basic, rts) in [
        (2, 6.3028, 4.7021),
        (5, 6.1515, 4.7486),
        (10, 5.8044, 4.6824),
        (20, 5.3629, 4.5651),
        (50, 4.6593, 4.3336),
    ] {
        for (above, reference) in [(BASIC, basic), (RTS, rts)] {
            let mut mac = dcf(B, above);
            mac.retry_short = 7;
            mac.retry_long = 7;
            mac.after_collision = AfterCollision::Eifs;
            let cell = saturated_cell(n, 300.0, B, mac, 1500);
            close(
                total(&cell),
                reference,
                &format!("n = {n}, RTS above {above}"),
            );
        }
    }
}

#[test]
fn packets_of_1300_bytes_from_12_stations() {
    close(
        total(&saturated_cell(12, 300.0, B, dcf(B, BASIC), 1300)),
        5.5913,
        "basic",
    );
    close(
        total(&saturated_cell(12, 300.0, B, dcf(B, RTS), 1300)),
        4.4011,
        "RTS",
    );
    for (above, reference) in [(BASIC, 5.3901), (RTS, 4.2772)] {
        let mut mac = dcf(B, above);
        mac.retry_short = 7;
        mac.retry_long = 7;
        mac.after_collision = AfterCollision::Eifs;
        close(
            total(&saturated_cell(12, 300.0, B, mac, 1300)),
            reference,
            "EIFS, retry 7",
        );
    }
}

#[test]
fn dcf_of_802_11g() {
    for (n, basic, rts) in [
        (2, 30.872, 25.799),
        (5, 29.517, 26.169),
        (10, 27.922, 26.064),
        (20, 26.128, 25.794),
        (50, 23.408, 25.200),
    ] {
        for (above, reference) in [(BASIC, basic), (RTS, rts)] {
            let cell = saturated_cell(n, 60.0, G, dcf(G, above), 1500);
            close(
                total(&cell),
                reference,
                &format!("n = {n}, RTS above {above}"),
            );
        }
    }
}

/// EDCA counts boundaries: AIFSN 2 as DIFS, the window of DCF.
#[test]
fn the_boundary_rule_of_edca() {
    for (n, reference) in [
        (2, 6.3686),
        (5, 6.3088),
        (10, 6.0228),
        (20, 5.6310),
        (50, 4.9757),
    ] {
        let mut mac = edca(B, BASIC);
        mac.categories[1].aifsn = 2;
        let cell = saturated_cell(n, 300.0, B, mac, 1500);
        close(total(&cell), reference, &format!("n = {n}"));
    }
}

/// C at AIFSN 2, A and B at x, all saturated (EDCA, seven transmissions): C's rate, and that of A and B.
#[test]
fn aifs_shares_the_medium_as_in_see_mesh() {
    for (x, relay, sources) in [
        (2, 2.134, 4.267),
        (3, 2.393, 3.974),
        (4, 2.637, 3.701),
        (5, 2.865, 3.445),
        (6, 3.080, 3.204),
        (8, 3.471, 2.769),
        (10, 3.816, 2.386),
        (15, 4.517, 1.614),
        (20, 5.020, 1.047),
        (31, 5.990, 0.031),
    ] {
        let mut mac = edca(B, BASIC);
        mac.categories[1].aifsn = 2;
        let mut cell = Cell::new(600.0, B, mac, disc(100.0, 100.0));
        let sink = cell.station("sink", 0.0, 0.0);
        for (i, aifsn) in [2, x, x].into_iter().enumerate() {
            let station = cell.station(&format!("s{i}"), 1.0 + i as f64, 0.0);
            cell.spec(station).categories[1].aifsn = Some(aifsn);
            cell.flow(station, sink, 1, saturated(1500));
        }
        let rates = cell.throughputs(1);
        close(rates[0], relay, &format!("C, x = {x}"));
        // At 31 A and B send once in two seconds: their 0.5 % would take days.
        if x < 31 {
            close(rates[1] + rates[2], sources, &format!("A + B, x = {x}"));
        }
    }
}

/// Equal opportunities, unequal rates: each of two stations gets L / ΣT, T with its overhead. With
/// backoff and collisions both still get the same, far below what 11 Mbit/s would give.
#[test]
fn a_slow_station_slows_the_fast_one_down() {
    let mut cell = saturated_cell(2, 300.0, B, dcf(B, BASIC), 1500);
    cell.spec(2).rate = Some(backwater_transport::units::Rate(1_000_000));
    let rates = cell.throughputs(1);
    assert!((rates[0] / rates[1] - 1.0).abs() < 0.02, "{rates:?}");
    // Without backoff 0.827 Mbit/s each; contention costs at most a tenth of it.
    assert!(rates[0] < 0.827 && rates[0] > 0.9 * 0.827, "{rates:?}");
}
