//! Slices that overlap lie in lanes, one below the other.

use backwater_transport::units::Time;

use super::tracks::{Track, Tracks};

/// Lanes below a track, and until when they are in use.
#[derive(Default)]
pub struct Lanes(Vec<(Track, Time)>);

impl Lanes {
    /// A lane that is free from `begin` on, and is in use to `end`. A new one lies below `parent`.
    pub fn take(
        &mut self,
        tracks: &mut Tracks,
        (parent, name): (Track, &str),
        (begin, end): (Time, Time),
    ) -> Track {
        if let Some(lane) = self.0.iter_mut().find(|lane| lane.1 <= begin) {
            lane.1 = end;
            return lane.0;
        }
        let track = tracks.track(name, Some(parent), None);
        self.0.push((track, end));
        track
    }
}
