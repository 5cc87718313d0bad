//! The trace link: exact vectors, both emulators' published behaviour, boxes, generated traces.

mod boxes;
mod fit;
mod generated;
mod log;
mod net;
mod queues;
mod vectors;
mod window;
