//! The carrier sense of a station's receiver, and the instant until which the medium is not its own.

use backwater_transport::units::{Span, Time};

use crate::medium::wifi::mac::frame::{Frame, FrameKind, NOBODY, Number};
use crate::medium::wifi::phy::timing::Medium;
use crate::medium::wifi::radio::Radio;

/// The carrier sense of a station's receiver. The fields that most frames touch come first, in a cache line.
#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
pub struct CarrierSense {
    /// Whose frame it receives; `NOBODY` if none.
    pub lock: u32,
    /// Its last busy period was ended by this station's frame, whose contention group it belongs to.
    pub cover: u32,
    /// That frame is damaged.
    pub damaged: bool,
    /// It sends.
    pub sending: bool,
    /// Sending, receiving, or energy above the threshold.
    pub busy: bool,
    /// Bit c: category c has a counter to run or a frame to send.
    pub counting: u8,
    /// Bit c: category c sends at `since` too.
    pub due: u8,
    /// Others damage the burst that it receives.
    pub hit: bool,
    /// Its number in the group of `cover`.
    pub number: Number,
    /// Under the physical channel: when a bit of that frame may fail; `NEVER` if none does before there is news.
    pub suspect: Time,
    /// When it became busy, or idle.
    pub since: Time,
    /// Ticks busy up to `since`.
    pub busy_ticks: u64,
    /// Not idle before then: a timeout or EIFS.
    pub defer: Time,
    /// Network allocation vector.
    pub nav: Time,
    /// See `nav_rts`.
    pub nav_check: Time,
    /// A NAV by an RTS, which holds if a frame begins before `nav_check`.
    pub nav_rts: Time,
    /// Saved TXOP holder: whose exchange set the NAV. 10.22.2.4.
    pub holder: u32,
    /// Under the disc: how many frames it senses.
    pub energy: u32,
    /// Under the disc: power of the frames on the air that reach it.
    pub power: u64,
    /// Under the disc: power of the frame it receives.
    pub wanted: u64,
}

impl CarrierSense {
    /// The sense of a station that nobody disturbs.
    pub fn new(station: u32) -> CarrierSense {
        CarrierSense {
            lock: NOBODY,
            cover: station,
            damaged: false,
            sending: false,
            busy: false,
            counting: 0,
            due: 0,
            hit: false,
            number: 0,
            suspect: Time::NEVER,
            since: Time::ZERO,
            busy_ticks: 0,
            defer: Time::ZERO,
            nav: Time::ZERO,
            nav_check: Time::ZERO,
            nav_rts: Time::ZERO,
            holder: NOBODY,
            energy: 0,
            power: 0,
            wanted: 0,
        }
    }

    /// Until when others have the medium, as far as is known.
    pub fn reserved(&self) -> Time {
        self.nav.max(self.nav_rts.min(self.nav_check))
    }

    /// The instant from which interframe spaces count, at a station whose medium is idle.
    #[inline]
    pub fn base(&self) -> Time {
        self.since.max(self.defer).max(self.reserved())
    }

    /// The medium becomes busy: the counters of its radio stop.
    #[inline(always)]
    pub(in crate::medium::wifi) fn freeze(
        &mut self,
        radio: &mut Radio,
        medium: &Medium,
        now: Time,
    ) {
        if self.counting != 0 {
            self.stop_counters(radio, medium, now);
        } else {
            self.due = 0;
        }
        self.busy = true;
        self.since = now;
    }

    /// The counters of its radio stop.
    #[inline(never)]
    fn stop_counters(&mut self, radio: &mut Radio, medium: &Medium, now: Time) {
        self.due = 0;
        let base = self.base();
        if now < base {
            return;
        }
        for (number, c) in radio.categories.iter_mut().enumerate() {
            if self.counting >> number & 1 == 0 {
                continue;
            }
            if c.freeze(base, now, medium.slot, medium.mac.countdown) {
                self.due |= 1 << number;
            }
            if c.slots == 0 && !c.wants_medium() {
                self.counting &= !(1 << number);
            }
        }
    }

    /// The last of what made it busy is over, a frame of station `by`, in whose group it has this number. False if it
    /// was idle before.
    #[inline]
    pub(in crate::medium::wifi) fn become_idle(
        &mut self,
        by: u32,
        number: Number,
        now: Time,
    ) -> bool {
        if self.busy {
            self.busy = false;
            self.busy_ticks += now.0 - self.since.0;
            self.since = now;
            self.cover = by;
            self.number = number;
            return true;
        }
        false
    }

    /// The frame that it received has ended: what station `here` learns from it. True if it is whole and for
    /// this station, or for all.
    #[inline]
    pub(in crate::medium::wifi) fn end_reception(
        &mut self,
        here: u32,
        frame: &Frame,
        medium: &Medium,
        now: Time,
    ) -> bool {
        self.lock = NOBODY;
        if self.damaged {
            self.defer = now + medium.bystander_defers;
            return false;
        }
        self.defer = now;
        if frame.kind == FrameKind::CfEnd {
            (self.nav, self.nav_rts) = (self.nav.min(now), Time::ZERO);
        }
        if frame.to == here || frame.to == NOBODY {
            return true;
        }
        if frame.rest > Span::ZERO {
            let until = now + frame.rest;
            self.holder = frame.holder;
            if frame.kind == FrameKind::Rts && medium.mac.nav_reset {
                self.nav_rts = until;
                self.nav_check = now + medium.nav_holds;
            } else {
                self.nav = self.nav.max(until);
            }
        }
        false
    }

    /// A frame begins: a NAV by an RTS is confirmed.
    pub fn confirm_nav(&mut self, now: Time) {
        if now <= self.nav_check {
            self.nav = self.nav.max(self.nav_rts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_frames_touch_of_an_ear_lies_in_a_cache_line() {
        assert_eq!(std::mem::align_of::<CarrierSense>(), 64);
        assert_eq!(std::mem::offset_of!(CarrierSense, nav_rts), 64);
    }

    /// 10.3.2.4: a NAV by an RTS may be taken back unless a frame begins in time; then it holds to its end.
    #[test]
    fn a_frame_in_time_confirms_the_nav_of_an_rts() {
        let us = |n| Time::ZERO + Span::micros(n);
        for (begins, reserved) in [(40, 900), (50, 900), (51, 50)] {
            let mut sense = CarrierSense::new(0);
            (sense.nav_rts, sense.nav_check) = (us(900), us(50));
            assert_eq!(sense.reserved(), us(50));
            sense.confirm_nav(us(begins));
            assert_eq!(sense.reserved(), us(reserved), "{begins}");
        }
    }
}
