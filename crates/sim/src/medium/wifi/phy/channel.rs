//! Which stations receive which, and with what power. A channel turns positions into links, once; afterwards a transmission
//! touches only the stations on its sender's list.

use backwater_transport::units::{Rate, Span};

use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::phy::physical::{Physical, Receivers};
use crate::medium::wifi::phy::standard::{Phy, Standard};
use crate::medium::wifi::spec::{High, RateControl};

/// Model of propagation and reception.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelSpec {
    /// Unit disc.
    Disc(Disc),
    /// Powers and errors.
    Physical(Physical),
}

/// Unit disc: within `transmit` a frame is understood, within `sense` the medium is busy, within
/// `interfere` a frame damages another. Distances count in whole metres, rounded, so that a place
/// written as (71 m, 71 m) lies at 100 m.
#[derive(Clone, Debug, PartialEq)]
pub struct Disc {
    /// Metres.
    pub transmit: f64,
    /// Metres.
    pub sense: f64,
    /// Metres.
    pub interfere: f64,
    /// A frame survives others that are weaker by so many decibels (power falls with the fourth power
    /// of the distance); without it any overlap damages it.
    pub capture: Option<f64>,
    /// From every station to every other.
    pub propagation: Span,
}

/// The effect of a station's transmission on another.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The other.
    pub to: u32,
    /// Whether it can be understood there.
    pub decodes: bool,
    /// Whether it makes the medium busy there.
    pub senses: bool,
    /// Its part of the signal or interference there.
    pub power: u64,
}

/// A link under the physical channel, as a receiver asks for it.
#[derive(Copy, Clone, Debug)]
pub(in crate::medium::wifi) struct Near {
    /// Its power there.
    pub power: u64,
    /// Power of all else up to which its preamble is recognised; less than none if never.
    pub covers: i64,
    /// Power of all else up to which a receiver leaves its frame for it.
    pub overrides: i64,
}

impl Near {
    /// The range that a frame covers that cannot be understood.
    pub const NOTHING: i64 = i64::MIN;
}

/// The effect of a station's transmission on one that cannot understand it under the physical channel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Far {
    /// The other.
    pub to: u32,
    /// Its part of the interference there.
    pub power: u32,
}

/// Power of a frame at the transmission range, or of the noise, in the units of `Link::power`.
pub(in crate::medium::wifi) const UNIT: f64 = (1 << 20) as f64;

/// Greatest power of one frame: a thousand of them add up.
pub(in crate::medium::wifi) const MOST: f64 = (1u64 << 52) as f64;

/// Distance in whole metres.
pub fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    libm::round(libm::hypot(a[0] - b[0], a[1] - b[1]))
}

impl ChannelSpec {
    /// Propagation delay.
    pub fn propagation(&self) -> Span {
        match self {
            ChannelSpec::Disc(disc) => disc.propagation,
            ChannelSpec::Physical(physical) => physical.propagation,
        }
    }

    /// Whom each station's frames reach and whom they only disturb, in the order of the stations. Names and
    /// seed are for the shadowing.
    pub fn links(
        &self,
        seed: u64,
        names: &[&str],
        places: &[[f64; 2]],
    ) -> Vec<(Vec<Link>, Vec<Far>)> {
        let link = |from: usize, to: usize| match self {
            ChannelSpec::Disc(disc) => disc.link(to as u32, distance(places[from], places[to])),
            ChannelSpec::Physical(physical) => {
                let [a, b] = [places[from], places[to]];
                let metres = libm::hypot(a[0] - b[0], a[1] - b[1]);
                physical.link(seed, [names[from], names[to]], to as u32, metres)
            }
        };
        let others = |from: usize| (0..places.len()).filter(move |to| *to != from);
        let far = |link: &Link| match self {
            ChannelSpec::Disc(_) => None,
            ChannelSpec::Physical(_) if link.decodes => None,
            // Whom a frame reaches changes with its gain.
            ChannelSpec::Physical(physical) if physical.fading.is_some() => None,
            ChannelSpec::Physical(_) => u32::try_from(link.power).ok(),
        };
        let of = |from: usize| {
            let links = others(from).filter_map(|to| link(from, to));
            let (disturbed, reach): (Vec<Link>, Vec<Link>) = links.partition(|l| far(l).is_some());
            let to = disturbed.iter().map(|l| l.to);
            let powers = disturbed.iter().filter_map(far);
            (
                reach,
                to.zip(powers)
                    .map(|(to, power)| Far { to, power })
                    .collect(),
            )
        };
        (0..places.len()).map(of).collect()
    }

    /// The stations to which each one's data frames can go, in the order of the stations: those that understand it,
    /// under the physical channel at a rate that keeps the target. `rates` are those of stations that have their own.
    pub fn neighbours(
        &self,
        seed: u64,
        names: &[&str],
        places: &[[f64; 2]],
        (phy, high): (&Phy, Option<&High>),
        rates: &[Option<Rate>],
    ) -> Vec<Vec<usize>> {
        let modes = high.map(|high| (high.modes(), high.control));
        let receivers = self.receivers(phy.standard, modes);
        let usable = |link: &Link, own: Option<Rate>| {
            let rate = |r: &Receivers| r.rate(link.power, own, phy.data);
            link.decodes && receivers.as_ref().is_none_or(|r| rate(r).is_some())
        };
        let links = self.links(seed, names, places).into_iter().zip(rates);
        let to = |((reach, _), own): ((Vec<Link>, Vec<Far>), &Option<Rate>)| {
            let usable = reach.iter().filter(|link| usable(link, *own));
            usable.map(|link| link.to as usize).collect()
        };
        links.map(to).collect()
    }

    /// The rules of receivers under the physical channel.
    pub fn receivers(
        &self,
        standard: Standard,
        modes: Option<(Vec<Mode>, RateControl)>,
    ) -> Option<Receivers> {
        match self {
            ChannelSpec::Disc(_) => None,
            ChannelSpec::Physical(physical) => {
                let plain = physical.receivers(standard);
                Some(match modes {
                    Some((modes, control)) => plain.with_modes(modes, control, physical),
                    None => plain,
                })
            }
        }
    }

    /// By how much a frame must be stronger than all others together to survive them under the disc.
    pub fn capture(&self) -> f64 {
        match self {
            ChannelSpec::Physical(_) => f64::INFINITY,
            ChannelSpec::Disc(disc) => {
                let ratio = |db: f64| libm::pow(10.0, db / 10.0);
                disc.capture.map_or(f64::INFINITY, ratio)
            }
        }
    }
}

impl Disc {
    fn link(&self, to: u32, metres: f64) -> Option<Link> {
        let heard = metres <= self.transmit;
        let power = if heard || metres <= self.interfere {
            let ratio = self.transmit / metres.max(1.0);
            (UNIT * ratio * ratio * ratio * ratio).clamp(1.0, MOST) as u64
        } else {
            0
        };
        let senses = heard || metres <= self.sense;
        (power > 0 || senses).then_some(Link {
            to,
            decodes: heard,
            senses,
            power,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::physical::tests::plain;
    use super::*;

    /// In the middle of a grid of 80 m a station is understood within 192.2 m, which is 2.1 dB above the noise, and counts up to
    /// 686.0 m, 20 dB below it, however large the grid is.
    #[test]
    fn a_frame_reaches_no_more_stations_in_a_larger_network() {
        let within = |metres: f64| {
            let side = -9..=9;
            let points = side.clone().flat_map(|x| side.clone().map(move |y| (x, y)));
            let near = |(x, y): &(i32, i32)| 80.0 * f64::from(x * x + y * y).sqrt() < metres;
            points.filter(near).count() - 1
        };
        let (near, all) = (within(192.2), within(686.0));
        for side in [19, 25] {
            let points = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
            let places: Vec<[f64; 2]> = points
                .map(|(x, y)| [80.0 * f64::from(x), 80.0 * f64::from(y)])
                .collect();
            let names = vec![""; places.len()];
            let links = ChannelSpec::Physical(plain()).links(1, &names, &places);
            let (reach, far) = &links[places.len() / 2];
            assert_eq!(
                (reach.len(), reach.len() + far.len()),
                (near, all),
                "{side}"
            );
            assert!(links.iter().all(|(r, f)| r.len() + f.len() <= all));
        }
    }

    /// Under the unit disc a frame goes to those within `transmit`; who only senses it is no neighbour.
    #[test]
    fn a_station_that_only_senses_is_no_neighbour() {
        let disc = ChannelSpec::Disc(Disc {
            transmit: 100.0,
            sense: 250.0,
            interfere: 250.0,
            capture: None,
            propagation: Span::ZERO,
        });
        let phy = Phy {
            standard: Standard::HrDsss,
            data: Rate(11_000_000),
            control: Rate(1_000_000),
            answer: crate::medium::wifi::phy::standard::Answer::Control,
            short_preamble: false,
            band: crate::medium::wifi::phy::standard::Band::Ghz2,
        };
        let places = [[0.0, 0.0], [100.0, 0.0], [200.0, 0.0]];
        let near = disc.neighbours(1, &["", "", ""], &places, (&phy, None), &[None; 3]);
        assert_eq!(near, [vec![1], vec![0, 2], vec![1]]);
    }
}
