//! Parts of the engine beside a second computation of the same thing: short, plain and written for the test alone.

mod cellular;
mod fit;
mod notices;
#[path = "../../../transport/tests/support/options.rs"]
mod options;
mod parts;
mod queue_bounds;
mod queue_periods;
mod queue_rows;
mod queues;
mod record;
mod sources;
mod traces;
mod trees;
