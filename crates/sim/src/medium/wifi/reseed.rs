//! Random streams of stations that begin anew in the middle of a run.

use crate::medium::wifi::air::Air;

impl Air {
    /// Backoffs, errors, gains, probes and queue management are drawn anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        for radio in &mut self.radios {
            radio.random.rekey(by);
            for category in &mut radio.categories {
                if let Some(arranged) = &mut category.arranged {
                    arranged.rekey(by);
                }
            }
        }
        if let Some(gains) = &mut self.gains {
            gains.rekey(by);
        }
        for minstrel in self.minstrels.iter_mut().flatten() {
            minstrel.rekey(by);
        }
        for hearing in &mut self.hearings {
            hearing.random.rekey(by);
        }
    }
}
