//! The trace link: exact vectors, both emulators' published behaviour, boxes, generated traces.

mod box_rules;
mod boxes;
mod change;
mod fit;
mod generated;
mod light;
mod log;
mod model;
mod net;
mod notes;
#[path = "../support/outside.rs"]
mod outside;
mod queues;
mod redraw;
mod served;
#[path = "../support/statistics.rs"]
mod statistics;
mod vectors;
mod window;
