//! The two ends of all flows with a transport.

use crate::connection::Connection;
use crate::progress::Progress;
use crate::table::Table;

/// The ends, and what they have delivered over time.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// A row for each flow with a transport.
    pub connections: Table<Connection>,
    /// When flows that send without end began to share evenly.
    pub(crate) progress: Progress,
}
