//! Back-pressure at stations: what watches them, how notices travel, and who answers.
//!
//! In: what comes to a queue, what was sent or lost (`observe_station`), and notices that have arrived. Out: notices in the queue of a
//! station (`management`) or on its data frames (`carried`), and parameters that responders move.
//!
//! * `station_mechanisms` builds them. `overhear` tells detectors what others send on.
//! * `responders` answers notices, `holds` keeps flows to a rate.

pub(super) mod access_point;
pub(super) mod carried;
pub(super) mod holds;
pub(super) mod management;
pub(super) mod observe_station;
pub(super) mod overhear;
pub(super) mod responders;
pub(super) mod station_mechanisms;
pub(super) mod station_view;
pub(super) mod stopped_links;
