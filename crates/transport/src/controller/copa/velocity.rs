//! How fast the window moves: the velocity doubles while the direction stays.

use super::{Copa, MAX_VELOCITY, Variant};
use crate::controller_interface::Ack;

impl Copa {
    /// Once a round: compares the window's direction with that of the round before, and adjusts the
    /// velocity.
    pub(super) fn update_velocity(&mut self, ack: &Ack) {
        let due = match self.variant {
            Variant::Paper => ack.round_start,
            Variant::GenericCc => ack.now > self.round.began.after(ack.rtt.unwrap_or(ack.srtt)),
            Variant::Mvfst => ack.now >= self.round.began.after(ack.srtt),
        };
        if !due {
            return;
        }
        match self.variant {
            Variant::GenericCc => {
                let clear = self.round.votes.abs() > 2 * self.round.acks / 3;
                let up = self.round.votes > 0;
                self.velocity = match (clear, up == self.up) {
                    (true, true) => self.velocity * 2.0,
                    _ => 1.0,
                };
                if clear {
                    self.up = up;
                }
            }
            Variant::Paper | Variant::Mvfst => {
                let up = self.window > self.round.window;
                if up == self.up {
                    self.rounds_same_direction += 1;
                } else {
                    self.set_direction(up);
                }
                if self.rounds_same_direction >= 3 {
                    self.velocity *= 2.0;
                }
            }
        }
        self.velocity = self.velocity.clamp(1.0, MAX_VELOCITY);
        self.begin_round(ack.now);
    }

    pub(super) fn set_direction(&mut self, up: bool) {
        self.up = up;
        self.velocity = 1.0;
        self.rounds_same_direction = 0;
    }
}
