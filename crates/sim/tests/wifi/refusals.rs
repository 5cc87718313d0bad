//! Cells of stations that cannot understand each other, and MPDUs that are kept too far apart: refused with place, reason and remedy.

use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::phy::standard::{Band, Phy};
use backwater_sim::spec::Refusal;
use backwater_sim::world::World;
use backwater_transport::units::{Rate, Span};

use crate::aggregate::{mode, saturated_cell};
use crate::cell::{B, BASIC, Cell, G, disc, edca, saturated};

fn refusal(cell: &Cell) -> Refusal {
    World::build(&cell.0).expect_err("a cell that is refused")
}

/// A medium has one standard. A station of 802.11b beside OFDM is refused by its rate with that reason, and one of OFDM beside 802.11b; a rate that no
/// standard has, as no rate.
#[test]
fn a_rate_of_another_standard_is_refused_as_such() {
    let ofdm = "6, 9, 12, 18, 24, 36, 48, 54";
    for (phy, rate, what, fix) in [
        (G, 11_000_000, "a rate of 802.11b", ofdm),
        (G, 5_500_000, "a rate of 802.11b", ofdm),
        (B, 54_000_000, "a rate of OFDM", "1, 2, 5.5, 11"),
        (B, 7_000_000, "no rate of this radio", "1, 2, 5.5, 11"),
    ] {
        let mut cell = Cell::new(1.0, phy, edca(phy, BASIC), disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        cell.flow(a, b, 1, saturated(1500));
        World::build(&cell.0).expect("one standard");
        cell.spec(b).rate = Some(Rate(rate));
        let found = refusal(&cell);
        assert_eq!(found.path, "nodes.s50.rate");
        let what = format!("{rate} bit/s is {what}");
        assert!(found.what.contains(&what), "{found:?}");
        assert_eq!(found.fix, format!("write one of {fix} Mbit/s"));
    }
}

/// A station of 2.4 GHz and one of 6 GHz are on two media of 802.11ax, and no frame gets from one to the other.
#[test]
fn stations_of_two_bands_have_no_route_between_them() {
    let mut cell = saturated_cell(1.0, mode(Format::He, 20, 4, 1), 64, 1);
    World::build(&cell.0).expect("one band");
    let mut other = cell.0.media[0].clone();
    other.name = "six".into();
    other.phy = Phy {
        band: Band::Ghz6,
        ..other.phy
    };
    cell.0.media[0].phy.band = Band::Ghz2;
    cell.0.media.push(other);
    World::build(&cell.0).expect("a band without stations");
    cell.spec(1).medium = 1;
    let found = refusal(&cell);
    let what = "sink is not on the medium of s0";
    assert!(found.what.contains(what), "{found:?}");
    assert!(found.fix.contains("join the two media"), "{found:?}");
}

/// Two stations whose own modes are so fast that 16 us are more than an A-MPDU of 1000 B holds. At 6.5 Mbit/s 16 us are 13 B; at 624 Mbit/s 1248, and two MPDUs of 58 B
/// take 1248 + 62 B.
#[test]
fn a_spacing_that_no_a_mpdu_of_a_station_s_mode_holds_is_refused() {
    let mut cell = saturated_cell(1.0, mode(Format::Vht, 20, 0, 1), 64, 1);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    let limits = high.aggregation.as_mut().expect("a window");
    (limits.bounds.apart, limits.bounds.bytes) = (Span::micros(16), 1000);
    World::build(&cell.0).expect("parts of 64 B");
    for station in [0, 1] {
        cell.spec(station).mode = Some(mode(Format::Vht, 20, 8, 8));
    }
    let found = refusal(&cell);
    assert_eq!(found.path, "media.air.mac.mpdu_spacing");
    let what = "16 us after each other take 1310 B at 624000000 bit/s";
    assert!(found.what.contains(what), "{found:?}");
    assert!(found.fix.contains("a shorter mpdu_spacing"), "{found:?}");
}
