//! The switched LAN: worlds built by hand, held against closed forms and against what each
//! mechanism is for.

mod deadlock;
mod detectors;
mod extremes;
mod net;
mod pause;
mod property;
mod queues;
mod timing;
mod victims;
