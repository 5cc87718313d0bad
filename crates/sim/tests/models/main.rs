//! Parts of the engine beside a second computation of the same thing: short, plain and written for the test alone.

mod burst_laws;
mod calendar;
mod cellular;
mod congestion;
mod controls;
mod cues;
mod detectors;
mod edges;
mod fit;
mod notices;
mod notifiers;
mod parts;
mod queue_bounds;
mod queue_periods;
mod queue_rows;
mod queues;
mod rates;
mod record;
mod recordings;
mod requests;
mod responders;
mod shapes;
mod source_laws;
mod sources;
mod stops;
mod tables;
mod traces;
mod trees;
mod voices;

use backwater_transport_testing::options;
