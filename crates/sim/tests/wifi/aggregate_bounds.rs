//! What bounds an A-MPDU, and two categories that aggregate at one station, against closed forms.

use backwater_sim::medium::wifi::phy::mode::{Format, Guard, Mode};
use backwater_transport::units::Span;

use crate::aggregate::{assert_near, mode, noisy_cell, saturated_cell};
use crate::cell::{Cell, RTS, saturated};

/// MPDUs of a PPDU on average, where a PPDU takes all that the window allows and each MPDU fails with this chance: those from the first that
/// is not acknowledged on, so many places, but for those that are acknowledged. A state is the set of the latter.
fn mpdus_of_a_window(window: usize, fails: f64) -> f64 {
    let open = |done: usize| -> Vec<usize> { (0..window).filter(|i| done >> i & 1 == 0).collect() };
    let mut chances = vec![0.0; 1 << window];
    chances[0] = 1.0;
    for _ in 0..400 {
        let mut next = vec![0.0; 1 << window];
        for (done, chance) in chances.iter().enumerate() {
            let open = open(done);
            for outcome in 0..1usize << open.len() {
                let (mut then, mut share) = (done, *chance);
                for (bit, place) in open.iter().enumerate() {
                    let came = outcome >> bit & 1;
                    then |= came << place;
                    share *= if came == 1 { 1.0 - fails } else { fails };
                }
                next[then >> then.trailing_ones()] += share;
            }
        }
        chances = next;
    }
    let sent = chances.iter().enumerate();
    sent.map(|(done, chance)| chance * open(done).len() as f64)
        .sum()
}

/// The chance that an MPDU of so many bytes fails at 19.58 dB.
fn fails(bytes: f64) -> f64 {
    1.0 - 0.9f64.powf(bytes / 1458.0)
}

/// A station with best effort and video saturated, which gives nothing up for its age.
fn two_categories(seconds: f64, window: u16) -> Cell {
    let mut cell = noisy_cell(seconds, window, 19.58);
    cell.0.media[0].mac.lifetime = None;
    cell.flow(1, 0, 2, saturated(1500));
    cell
}

/// A window of two or four, and the time of many more. The missing MPDU goes without those behind it that came, and with what the window still has room
/// for; each category by its own window, MPDUs of one packet as those of two. A window that bounds nothing gives 2 and 4.
#[test]
fn a_burst_does_not_go_beyond_its_window() {
    for (window, msdu, bytes) in [
        (2, 0, 1538.0),
        (4, 0, 1538.0),
        (2, 3839, 3076.0),
        (4, 3839, 3076.0),
    ] {
        let mut cell = two_categories(20.0, window);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.aggregation.as_mut().expect("a window").msdu = msdu;
        let (_, report) = cell.run();
        let toward = &report.stations[0].toward;
        let found = toward.frames as f64 / toward.ppdus as f64;
        let expected = mpdus_of_a_window(usize::from(window), fails(bytes));
        assert_near(found, expected, 0.005, &format!("{window} of {bytes} B"));
    }
}

/// 64 packets of 40 B, MPDUs of 78 B whose beginnings are 16 us apart at 65 Mbit/s: parts of 132 B, which are 84 B without that. A-MSDUs of one packet are
/// kept apart as packets are.
#[test]
fn mpdus_kept_apart_cost_what_the_closed_form_has() {
    let ht = mode(Format::Ht, 20, 7, 1);
    for (apart, part) in [(Span::ZERO, 84), (Span::micros(16), 132)] {
        for msdu in [0, 100] {
            let mut cell = saturated_cell(1.0, ht, 64, 1);
            cell.0.flows[0].source = saturated(40);
            let high = cell.0.media[0].high.as_mut().expect("modes");
            let limits = high.aggregation.as_mut().expect("a window");
            (limits.bounds.apart, limits.msdu) = (apart, msdu);
            let ppdu = ht.airtime(63 * part + 82).0 as f64 / 1e6;
            let expected = 64.0 * 320.0 / (43.0 + 67.5 + ppdu + 16.0 + 32.0);
            let found = cell.throughputs(4)[0];
            assert_near(found, expected, 0.005, &format!("{apart:?} {msdu}"));
        }
    }
}

/// Best effort and video saturated at one station, with a reorder timer of 1 ms. Collisions inside the station widen the window of best effort and cost
/// no MPDU: a packet is lost where its MPDU failed and another behind it came, in both categories. PPDUs of 5360 us and acknowledgements of 32 us;
/// `validation/internal_collision.py` has 30.5 of best effort, 152.4 of video and 10.2 internal collisions a second.
#[test]
fn internal_collisions_widen_a_window_and_lose_no_packet() {
    let seconds = 1000.0;
    let mut cell = two_categories(seconds, 64);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.aggregation.as_mut().expect("a window").reorder = Some(Span::millis(1));
    let (_, report) = cell.run();
    for (flow, ppdus) in report.flows.iter().zip([30.5, 152.4]) {
        let (lost, came) = (flow.sums.dropped.packets, flow.sums.delivered.packets);
        let share = lost as f64 / (lost + came) as f64;
        assert_near(share, fails(1538.0) * 27.0 / 28.0, 0.03, "lost");
        let carried = (lost + came) as f64 / seconds / 28.0 / (1.0 - fails(1538.0));
        assert_near(carried, ppdus, 0.03, "PPDUs");
    }
    let internal = report.stations[1].internal as f64 / seconds;
    assert_near(internal, 10.2, 0.03, "internal collisions");
    assert_eq!(report.stations[1].retry_drops, 0);
}

/// ns-3's programs wifi-ht-network, wifi-vht-network and wifi-he-network: UDP payload of 1472 B (700 B in the last) in A-MPDUs of 65,535 B at most, or of 64 and 256 MPDUs;
/// an RTS and a CTS at 6 Mbit/s take 128 us with their SIFS. The engine has what the arithmetic has, and that lies in the range of each program but the one of
/// 802.11n at 40 MHz without RTS: 135.3 Mbit/s for at most 135, where ns-3 sends beacons.
#[test]
fn one_sender_beside_the_ranges_of_ns3_s_programs() {
    let ht = mode(Format::Ht, 20, 0, 1);
    let ht_wide = Mode {
        guard: Guard::Short,
        ..mode(Format::Ht, 40, 7, 1)
    };
    let vht = mode(Format::Vht, 20, 0, 1);
    let vht_wide = Mode {
        guard: Guard::Short,
        ..mode(Format::Vht, 160, 9, 1)
    };
    let he = mode(Format::He, 160, 11, 1);
    for (mode, window, count, ip, rts, answer, [least, most]) in [
        (ht, 64, 2, 1500, false, 68.0, [5.0, 135.0]),
        (ht, 64, 2, 1500, true, 68.0, [5.0, 132.0]),
        (ht_wide, 64, 42, 1500, false, 32.0, [135.0, 135.5]),
        (ht_wide, 64, 42, 1500, true, 32.0, [5.0, 132.0]),
        (vht, 64, 2, 1500, false, 68.0, [5.0, 630.0]),
        (vht, 64, 2, 1500, true, 68.0, [5.0, 565.0]),
        (vht_wide, 64, 42, 1500, false, 32.0, [5.0, 630.0]),
        (vht_wide, 64, 42, 1500, true, 32.0, [5.0, 565.0]),
        (he, 64, 64, 728, false, 32.0, [6.0, 844.0]),
        (he, 64, 64, 728, true, 32.0, [6.0, 745.0]),
        (he, 256, 256, 728, false, 40.0, [6.0, 1033.0]),
    ] {
        let mut cell = saturated_cell(1.0, mode, window, 1);
        cell.0.flows[0].source = saturated(ip);
        if rts {
            cell.0.media[0].mac.rts_above = RTS;
        }
        let high = cell.0.media[0].high.as_mut().expect("modes");
        let limits = high.aggregation.as_mut().expect("a window");
        if mode.format != Format::He {
            limits.bounds.bytes = 65_535;
        }
        let part = 4 + ip + 38;
        let bytes = (count - 1) * part.next_multiple_of(4) + part;
        let before = if rts { 52.0 + 16.0 + 44.0 + 16.0 } else { 0.0 };
        let ppdu = mode.airtime(bytes).0 as f64 / 1e6;
        let cycle = 43.0 + 67.5 + before + ppdu + 16.0 + answer;
        let carried = |bytes: u64| 8.0 * (count * bytes) as f64 / cycle;
        let what = format!("{mode:?}, window {window}, RTS {rts}");
        assert_near(cell.throughputs(4)[0], carried(ip), 0.005, &what);
        let payload = carried(ip - 28);
        assert!((least..=most).contains(&payload), "{what}: {payload}");
    }
}
