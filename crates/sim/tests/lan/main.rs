//! The switched LAN: worlds built by hand, held against closed forms and against what each
//! mechanism is for.

mod ahead;
mod alarms;
mod aqm;
mod balance;
mod change;
mod custom;
mod dead_wire;
mod deadlock;
mod delay;
mod detectors;
mod determinism;
mod extremes;
mod fabric;
mod from_outside;
mod headroom;
mod input_queued;
mod judged;
mod lagging;
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
mod since;
mod skip;
mod slots;
mod starvation;
#[path = "../support/statistics.rs"]
mod statistics;
mod storm;
mod terminals;
mod timing;
mod transport;
mod victims;
mod ways;
