//! Parts of the engine beside a second computation of the same thing: short, plain and written for the test alone.

mod cellular;
mod congestion;
mod controls;
mod cues;
mod detectors;
mod edges;
mod fit;
mod notices;
mod notifiers;
#[path = "../../../transport/tests/support/options.rs"]
mod options;
mod parts;
mod queues;
mod record;
mod requests;
mod responders;
mod sources;
mod stops;
mod traces;
mod trees;
mod voices;
