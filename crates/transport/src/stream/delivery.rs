//! The bytes that one acknowledgement delivers.

use crate::rate::Newest;
use crate::recovery::Detector;
use crate::scoreboard::{Entry, Run};
use crate::sender_state::AckSummary;
use crate::units::{Span, Time};

/// The bytes that an acknowledgement delivers.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    pub(super) summary: AckSummary,
    /// Delivered bytes that no duplicate acknowledgement had counted.
    pub(super) fresh: u64,
    /// The DSACK block.
    pub(super) dsack: Option<(u64, u64)>,
    /// The timestamp shows that the first segment's retransmission was spurious.
    pub(super) echoed: bool,
}

impl Delivery {
    /// Takes a newly delivered segment, and reports it to the loss detector.
    #[inline]
    pub(super) fn deliver(&mut self, entry: &Entry, detector: &mut Detector, timing: AckTiming) {
        let summary = &mut self.summary;
        summary.acked += u64::from(entry.len);
        summary.segments += 1;
        if summary.newest.is_none_or(|n| entry.number > n.number) {
            summary.newest = Some(Newest {
                number: entry.number,
                again: entry.retransmitted(),
                snapshot: entry.snapshot,
            });
        }
        let len = u64::from(entry.len);
        self.fresh += match detector {
            Detector::Rack(rack) => {
                rack.on_delivered(timing.now, entry, timing.echo, timing.min_rtt);
                len
            }
            Detector::NewReno(newreno) => newreno.uncounted(len, entry.retransmitted()),
            Detector::Sack(_) => len,
        };
    }

    /// The same for consecutive segments that were sent once, with a detector that does not count
    /// duplicates.
    #[inline]
    pub(super) fn deliver_run(&mut self, run: &Run, detector: &mut Detector, timing: AckTiming) {
        if let Detector::Rack(rack) = detector {
            rack.on_run(timing.now, run);
        }
        let summary = &mut self.summary;
        summary.acked += run.bytes;
        summary.segments += run.segments as u32;
        summary.newest = Some(Newest {
            number: run.last.number,
            again: false,
            snapshot: run.last.snapshot,
        });
        self.fresh += run.bytes;
    }
}

/// Times that apply to every segment that an acknowledgement delivers.
#[derive(Copy, Clone, Debug)]
pub(super) struct AckTiming {
    pub(super) now: Time,
    pub(super) echo: Time,
    pub(super) min_rtt: Span,
}
