//! Scenarios as a person writes them: TOML or JSON, checked, resolved and built into a world.
//!
//! A text becomes a tree with places (`tree`), overrides change the tree (`path`), `decode` checks
//! it against its fields (`shape`, `fields`) and the part tables (`tables`), `resolved` holds what
//! determines the run. What is wrong is refused here, with a `Diagnostic`; nothing fails later.

mod canonical;
mod cell;
mod combinations;
mod counts;
mod decode;
mod diagnostic;
mod document;
mod draws;
mod engine_id;
mod episode;
mod fields;
mod files;
mod fork;
mod kinds;
mod knobs;
mod limits;
mod link_log;
mod metrics;
mod names;
mod options;
mod packed;
mod path;
mod probe;
mod rare;
mod resolved;
mod restart;
mod run;
mod scenario;
mod schema;
mod series;
mod shape;
mod shorthand;
mod spread;
mod stored;
mod tables;
pub mod traces;
mod tree;
mod trial;
mod units;
mod wireless;

pub use combinations::legal_json;
pub use counts::{Counts, Instants};
pub use diagnostic::Diagnostic;
pub use draws::Draws;
pub use engine_id::engine_id;
pub use episode::{Clock, Episode, SEEN, Stage};
pub use files::Folders;
pub use knobs::Knob;
pub use link_log::{LinkEntries, LinkLog, LogTap, MAHIMAHI_QUEUES, UNBOUNDED};
pub use packed::{pack, unpacked};
pub use probe::{Probe, probe};
pub use rare::{Effort, Example, Rare, Replicate, Step, Term};
pub use resolved::{Hosted, Input, Resolved};
pub use restart::Restarted;
pub use run::{Columns, Failure, Keep, NO_FLOW, Names, Observers, Run, Seen, diff};
pub use scenario::Scenario;
pub use schema::schema;
pub use series::{SERIES, interval};
pub use spread::Uneven;
pub use stored::Stored;
pub use tables::{parts_json, units_json};
pub use trial::{Looks, Patch, Trial, Wanted};
pub use units::{percent, rate_advice};
