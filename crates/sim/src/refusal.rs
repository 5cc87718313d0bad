//! Why a world cannot be built or changed.

/// Why a world cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Path of the offending field in the scenario, such as "flows.f1.to".
    pub path: String,
    /// The error.
    pub what: String,
    /// The text to write instead.
    pub fix: String,
}

/// Why a change is refused, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchangeable {
    /// The reason.
    pub what: String,
    /// The remedy.
    pub fix: &'static str,
}
