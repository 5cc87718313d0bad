//! Opportunities at milliseconds that the scenario itself lists, as a program makes them.
//!
//! When: at those milliseconds. Repeated, the next pass begins at the last one's instant, as for a file.
//! Reference: the trace files of mahimahi, one number for each line. No deviations.

use std::sync::Arc;

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::file::Recorded;
use super::schedule::{Build, Schedule};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Listed(Recorded);

impl Listed {
    /// Of milliseconds in order, the last above zero.
    ///
    /// # Errors
    /// When the instants are wrong.
    pub fn new(milliseconds: &[u64]) -> Result<Listed, String> {
        if let Some(i) = milliseconds.windows(2).position(|pair| pair[1] < pair[0]) {
            let (before, after) = (milliseconds[i], milliseconds[i + 1]);
            return Err(format!("{after} comes after {before}: the times go back"));
        }
        match milliseconds.last() {
            None => return Err("the list is empty".into()),
            Some(0) => return Err("the last time is 0: the trace has no length".into()),
            Some(_) => {}
        }
        let short = |ms: &u64| {
            u32::try_from(*ms).map_err(|_| format!("{ms} ms are more than 2^32, 49 days"))
        };
        let lines: Arc<[u32]> = milliseconds.iter().map(short).collect::<Result<_, _>>()?;
        Ok(Listed(Recorded::new(lines)))
    }

    /// The opportunities.
    pub fn recorded(&self) -> &Recorded {
        &self.0
    }

    /// The same, repeated or not.
    pub fn repeated(self, repeat: bool) -> Listed {
        Listed(self.0.repeated(repeat))
    }
}

impl Schedule for Listed {
    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time> {
        self.0.next(size, random)
    }
}

pub(super) const PART: Part<Build<Listed>> = Part {
    id: "opportunities",
    aliases: &[],
    summary: "opportunities at milliseconds that are listed",
    source: "trace files of mahimahi, without a file",
    options: &[Opt::new(
        "at_ms",
        Kind::Series,
        Default::Required,
        "the milliseconds, in order, one for each opportunity",
    )],
    build: |args| {
        Listed::new(&args.series("at_ms")).map_err(|what| Refusal {
            option: "at_ms",
            what,
            fix: "write milliseconds in order, such as [0, 3, 3, 7]".to_owned(),
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_the_trace_of_a_file_with_the_same_numbers() {
        let listed = Listed::new(&[0, 4, 10]).unwrap();
        assert_eq!(*listed.recorded().lines(), [0, 4, 10]);
        let mut random = Random::stream(1, "trace", "t");
        let mut take = |mut trace: Listed| -> Vec<u64> {
            (0..5)
                .filter_map(|_| trace.next(1504, &mut random).map(|at| at.0 / 1_000_000_000))
                .collect()
        };
        assert_eq!(take(listed.clone()), [0, 4, 10, 10, 14]);
        assert_eq!(take(listed.repeated(false)), [0, 4, 10]);
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        for (list, why) in [
            (vec![], "empty"),
            (vec![0, 0], "no length"),
            (vec![5, 4], "go back"),
            (vec![1 << 32], "49 days"),
        ] {
            let found = Listed::new(&list).unwrap_err();
            assert!(found.contains(why), "{list:?}: {found}");
        }
    }
}
