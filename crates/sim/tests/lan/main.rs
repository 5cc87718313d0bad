//! The switched LAN: worlds built by hand, held against closed forms and against what each
//! mechanism is for.

mod ahead;
mod alarms;
mod altered;
mod aqm;
mod balance;
mod bare;
mod bounds;
mod carried;
mod change;
mod control;
mod custom;
mod dead_wire;
mod deadlock;
mod delay;
mod departures;
mod destinations;
mod detectors;
mod determinism;
mod ends;
mod extremes;
mod fabric;
mod from_outside;
mod headroom;
mod heard;
mod input_queued;
mod judged;
mod jumps;
mod lagging;
mod law_departures;
mod laws;
mod long_wires;
mod managed;
mod model;
mod net;
mod nic;
mod numbers;
mod outage;
#[path = "../support/outside.rs"]
mod outside;
mod pause;
mod property;
mod purpose;
mod queues;
#[path = "../support/random.rs"]
mod random;
mod rate;
mod relieved;
mod roomy;
mod rows;
mod shown;
mod since;
mod skip;
mod skipped;
mod slots;
mod standing;
mod starvation;
#[path = "../support/statistics.rs"]
mod statistics;
mod still_to_come;
mod storm;
mod terminals;
mod timing;
mod transport;
mod victims;
mod ways;
