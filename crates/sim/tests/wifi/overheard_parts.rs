//! Bursts of which a station that overhears them misses some frames.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Fate};
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::targets::Destination;
use backwater_transport::units::Span;

use crate::aggregate::{cell, mode};
use crate::attempts::log;
use crate::cell::{disc, once, saturated};
use crate::ez_flow::PARTS;
use crate::mechanisms::mechanism;
use crate::thresholds::channel;

/// Numbers of the packets that were overheard.
#[derive(Clone, Debug)]
struct Witness(Arc<Mutex<Vec<u32>>>);

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Overheard(seen) = moment {
            self.0.lock().expect("one thread").push(seen.packet.seq);
        }
        None
    }
}

/// A sends bursts of up to so many frames to B, and L overhears them. J, which A and B don't hear and which lies as far from L as A does, sends once, from this instant in
/// us on. Gives the frames of the run, the numbers of A's packets that were whole at L by arithmetic, and those that it overheard.
fn overheard(channel: ChannelSpec, window: u16, at: u64) -> (Vec<AirFrame>, Vec<u32>, Vec<u32>) {
    let mut cell = cell(0.05, mode(Format::Ht, 20, 3, 1), window, false, 100.0);
    cell.0.media[0].channel = channel;
    let [a, b, l, j, k] = [
        ("a", 0.0),
        ("b", -50.0),
        ("l", 90.0),
        ("j", 180.0),
        ("k", 190.0),
    ]
    .map(|(name, x)| cell.station(name, x, 0.0));
    cell.flow(a, b, 1, saturated(1500));
    let jams = cell.flow(j, k, 1, once(60));
    cell.0.flows[jams].to = Destination::Group(vec![k]);
    cell.0.flows[jams].start = Span::micros(at);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut witness = mechanism(PARTS, vec![l], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(heard.clone())));
    cell.0.mechanisms = vec![witness];
    let (frames, _) = log(&cell);
    let jam = frames.iter().find(|f| f.from == j as u32).expect("a frame");
    // 20 us, 98 B at 6 Mbit/s in 34 symbols, and one of propagation.
    let (begins, ends) = (jam.at, jam.at + Span::micros(20 + 4 * 34 + 1));
    let mut whole = Vec::new();
    for frame in frames.iter().filter(|f| f.from == a as u32) {
        let Some(Body::Packet(packet, ..)) = &frame.body else {
            panic!("a frame with a packet");
        };
        let begun = frame.at + frame.part.expect("a part").after;
        // 1544 B at 26 Mbit/s; the last one of a burst is four bytes shorter.
        let hit = begun < ends && begins < begun + Span::micros(475);
        if frame.fate != Fate::OnAir && !hit {
            whole.push(packet.seq);
        }
    }
    let heard = heard.lock().expect("one thread").clone();
    (frames, whole, heard)
}

/// L misses the frames in whose time J's falls and no others, under the disc and under the physical channel, where A's frames are 15 dB above the noise: a second frame of two
/// or more, 100 us behind its beginning.
#[test]
fn a_station_overhears_the_frames_of_a_burst_that_are_whole_at_it() {
    for window in [2, 64] {
        for channel in [
            disc(100.0, 100.0),
            ChannelSpec::Physical(channel(-85.0, -85.0)),
        ] {
            let (frames, ..) = overheard(channel.clone(), window, 49_000);
            let second = frames.windows(2).filter(|pair| pair[0].at == pair[1].at);
            let second = second
                .map(|pair| &pair[1])
                .find(|f| f.at.0 > Span::millis(20).0);
            let second = second.expect("a burst");
            let begun = second.at + second.part.expect("a part").after;
            let at = begun.0 / Span::micros(1).0 + 100;
            let (frames, whole, heard) = overheard(channel, window, at);
            let sent = frames
                .iter()
                .filter(|f| f.from == 0 && f.fate != Fate::OnAir);
            assert_eq!(whole.len() + 1, sent.count());
            assert_eq!(heard, whole, "{window}");
        }
    }
}
