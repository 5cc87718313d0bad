//! The trace link: exact vectors, both emulators' published behaviour, boxes, generated traces.

mod boxes;
mod generated;
mod net;
mod vectors;
mod window;
