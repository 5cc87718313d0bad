//! Random streams of stations that begin anew in the middle of a run.

use crate::medium::wifi::air::Air;

impl Air {
    /// Backoffs, errors and queue management are drawn anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        for radio in &mut self.radios {
            radio.random.rekey(by);
            let judged = radio
                .categories
                .iter_mut()
                .filter_map(|c| c.judged.as_mut());
            judged.for_each(|judged| judged.managed.rekey(by));
        }
        for hearing in &mut self.hearings {
            hearing.random.rekey(by);
        }
    }
}
