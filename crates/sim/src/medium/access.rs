//! Access categories: the parameters by which a transmitter that shares its medium gets at it.

use backwater_transport::units::Span;

/// Parameters of an access category.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// Slots of AIFS after the SIFS.
    pub aifsn: u8,
    /// Contention window after a success.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
    /// Time a station may keep the medium; zero = one exchange.
    pub txop: Span,
}

/// Names of the access categories, lowest first.
pub const CATEGORIES: [&str; 4] = ["BK", "BE", "VI", "VO"];
/// The category of management frames.
pub const MANAGEMENT_CATEGORY: usize = 3;
