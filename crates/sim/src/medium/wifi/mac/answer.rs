//! Answers that their addressees miss. Reference: IEEE 802.11-2020 10.3.2.9 (CTS) and 10.3.2.11 (ACK).
//!
//! A station that has sent an RTS or a data frame waits for SIFS + aSlotTime + aRxPHYStartDelay. Where its receiver
//! recognises no preamble in that time (no PHY-RXSTART.indication), the exchange has failed at that timeout. Where it
//! recognises one, the exchange goes on or has failed when that frame ends (PHY-RXEND.indication).
//!
//! An answer whose power alone makes the medium busy keeps its addressee silent to its end, so nothing is lost by
//! looking at it then. A weaker one, below `energy_detect`, makes the medium busy only where its preamble is recognised, and only
//! as long as it is received. Its addressee may count down, and send, before such an answer ends: so the exchange
//! fails at the instant from which the answer is not received, and backoff begins at the timeout.

use crate::medium::wifi::air::Air;

impl Air {
    /// The addressee of the frame that a station sends, if that is an answer which the addressee neither receives
    /// nor senses; told once for each frame.
    pub fn addressee_that_misses(&mut self, station: u32) -> Option<u32> {
        let sender = station as usize;
        let frame = self.radios[sender].frame.as_ref()?;
        let to = frame.to;
        let answers = frame.kind.is_answer();
        if !answers || frame.missed || self.sensing[to as usize].lock == station {
            return None;
        }
        let receivers = self.medium(station).receivers.as_ref();
        let busy_from = receivers.map_or(0, |receivers| receivers.busy_from);
        let mut reached = self.reach[sender].iter().zip(&self.near[sender]);
        if reached.any(|(link, near)| link.to == to && near.power >= busy_from) {
            return None;
        }
        let frame = self.radios[sender].frame.as_mut();
        frame.expect("the frame that it sends").missed = true;
        Some(to)
    }

    /// Takes a station whose frame a receiver has left for a stronger one.
    pub fn next_left(&mut self) -> Option<u32> {
        self.left.pop()
    }
}
