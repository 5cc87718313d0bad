//! The sums of a flow with a transport.

use backwater_transport::controller::Controller;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use crate::connection::ConnectionStats;
use crate::ends::Ends;
use crate::ids::ConnectionId;
use crate::world::ConnectionReport;

impl Ends {
    pub(crate) fn connection_report(
        &mut self,
        id: ConnectionId,
        now: Time,
        stats: fn(&mut ConnectionStats) -> ConnectionStats,
    ) -> ConnectionReport {
        let connection = &mut self.connections[id];
        let totals = connection.totals();
        let [delivered, retransmitted, segments] =
            std::array::from_fn(|i| totals[i] - connection.stats.base[i]);
        let mut stats = stats(&mut connection.stats);
        stats.window(stats.window, now);
        ConnectionReport {
            connection: id,
            acks: connection.acks,
            written: connection.written,
            delivered,
            retransmitted,
            segments,
            stats,
            warning: connection.sender.warnings(),
            no_timer: connection.sender.has_no_timer(),
            header: connection.sender.controller().congestion_header(),
            approach: connection.sender.controller().approach(),
            ecn: connection.sender.controller().ecn(),
        }
    }
}
