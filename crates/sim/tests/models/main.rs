//! Parts of the engine beside a second computation of the same thing: short, plain and written for the test alone.

mod burst_laws;
mod calendar;
mod cellular;
mod fit;
mod notices;
#[path = "../../../transport/tests/support/options.rs"]
mod options;
mod parts;
mod queues;
mod record;
mod source_laws;
mod sources;
mod traces;
mod trees;
