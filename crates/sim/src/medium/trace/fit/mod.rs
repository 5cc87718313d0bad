//! Which parameters of a generator come nearest to a recording. An estimator is a file here and a row of
//! `ESTIMATORS`; what it finds is what a person would write, to three digits, so that the trace that is
//! described beside the recording is the one that the printed parameters give.

mod constant;
mod cox;
mod random_walk;
mod wander;

use backwater_transport::part::{Args, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use super::any_trace::{AnyTrace, TRACES};
use super::portrait::{Portrait, Recording};
use wander::{Wander, deviation, reflected};

/// How the options of a generator are found.
#[derive(Debug)]
pub struct Estimator {
    /// The generator's id in `TRACES`.
    pub id: &'static str,
    /// Every option's value, for a recording that is long enough.
    fit: fn(&Recording) -> Found,
}

/// What an estimator finds.
struct Found {
    options: Args,
    /// Why the options may be wrong, and what to do.
    warning: Option<String>,
}

impl Found {
    /// Options that nothing speaks against.
    fn sure(options: Args) -> Found {
        let warning = None;
        Found { options, warning }
    }
}

/// Every generator that can be fitted. For a period or an adversary a recording says too little.
pub static ESTIMATORS: &[Estimator] =
    &[cox::ESTIMATOR, random_walk::ESTIMATOR, constant::ESTIMATOR];

/// No shorter recording is fitted: a rate in a second must be seen to change.
const SHORTEST_S: f64 = 20.0;
/// Nor a longer one: the model is run many times as long.
const LONGEST_S: f64 = 100_000.0;
/// Nor one with fewer opportunities.
const FEWEST: usize = 200;
/// Runs of the fitted generator that are described.
pub const RUNS: u64 = 20;

/// A fitted generator.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The generator's id.
    pub id: &'static str,
    /// Its options.
    pub options: Args,
    /// Why the options may be wrong, and what to do.
    pub warning: Option<String>,
    /// The recording.
    pub recording: Portrait,
    /// As many runs of the generator, each as long as the recording.
    pub runs: Vec<Portrait>,
}

impl Estimator {
    /// Fits the generator to a recording.
    ///
    /// # Errors
    /// Why the recording does not do.
    pub fn fit(&self, recording: &Recording) -> Result<Fit, String> {
        if recording.seconds() < SHORTEST_S || recording.stamps.len() < FEWEST {
            return Err(format!(
                "the trace has {} opportunities in {} s: a fit wants {FEWEST} in {SHORTEST_S} s",
                recording.stamps.len(),
                recording.seconds()
            ));
        }
        if recording.seconds() > LONGEST_S {
            let length = recording.seconds();
            return Err(format!("the trace lasts {length} s, more than {LONGEST_S}"));
        }
        let Found { options, warning } = (self.fit)(recording);
        let length = Span::millis(recording.length);
        let run = |seed| {
            let mut random = Random::stream(seed, "trace", "fit");
            let trace = build(self.id, &options);
            Recording::of(
                trace,
                recording.opportunity,
                length,
                usize::MAX,
                &mut random,
            )
            .portrait()
        };
        let runs = (1..=RUNS).map(run).collect();
        Ok(Fit {
            id: self.id,
            options,
            warning,
            recording: recording.portrait(),
            runs,
        })
    }
}

fn build(id: &str, options: &Args) -> AnyTrace {
    let part = TRACES.iter().find(|part| part.id == id);
    (part.expect("a row").build)(options).expect("an estimator keeps the bounds")
}

/// To three digits, which is more than a recording of minutes tells.
fn rounded(x: f64) -> f64 {
    if x == 0.0 {
        return 0.0;
    }
    let unit = libm::pow(10.0, libm::floor(libm::log10(x.abs())) - 2.0);
    libm::round(x / unit) * unit
}

fn rate(bps: f64, least: f64, most: f64) -> Value {
    Value::Rate(Rate(libm::round(rounded(bps).clamp(least, most)) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_kept() {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        assert!(near(rounded(10_234_567.0), 10_200_000.0));
        assert!(near(rounded(0.056_789), 0.056_8));
        assert!(near(rounded(999.6), 1000.0));
        assert_eq!(rounded(0.0), 0.0);
    }

    #[test]
    fn what_is_too_short_or_too_long_is_refused() {
        let short = Recording {
            stamps: (0..10_000).collect(),
            length: 10_000,
            opportunity: 1504,
        };
        assert!(ESTIMATORS[0].fit(&short).unwrap_err().contains("in 10 s"));
        // A file of a few lines may last for weeks.
        let long = Recording {
            stamps: (0..1000).map(|n| n * 1_000_000).collect(),
            length: 1_000_000_000,
            opportunity: 1504,
        };
        let why = ESTIMATORS[0].fit(&long).unwrap_err();
        assert!(why.contains("more than 100000"), "{why}");
    }
}
