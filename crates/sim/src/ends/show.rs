//! Records of what has changed about a sender.

use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use crate::books::Books;
use crate::connection::Shown;
use crate::ends::Ends;
use crate::ids::ConnectionId;
use crate::network::Network;
use crate::packet::Traffic;
use crate::record::{Record, What};

impl Ends {
    /// Records what has changed about the sender.
    #[cold]
    pub(crate) fn show(
        &mut self,
        network: &Network,
        books: &mut Books,
        id: ConnectionId,
        now: Time,
    ) {
        let c = &mut self.connections[id];
        let inspect = c.sender.inspect();
        let shown = Shown {
            window: inspect.window,
            threshold: inspect.controller.ssthresh,
            srtt: inspect.srtt,
            pacing: inspect.pacing.map(|rate| rate.0),
        };
        let before = std::mem::replace(&mut c.shown, shown);
        let (flow, number) = (c.data, c.sender.counters().segments);
        let rows = [
            (What::Window, Some(shown.window), Some(before.window)),
            (What::Threshold, shown.threshold, before.threshold),
            (What::Srtt, Some(shown.srtt.0), Some(before.srtt.0)),
            (What::Pacing, shown.pacing, before.pacing),
        ];
        let port = network.first_port(flow);
        // A connection has one receiver.
        let to = network.flows[flow].to.iter().next().unwrap_or(0);
        for (what, value, before) in rows {
            let Some(value) = value.filter(|_| value != before) else {
                continue;
            };
            let records = books.record.as_mut().expect("a run that is recorded");
            records.push(Record {
                at: now,
                what,
                port,
                flow,
                seq: number as u32,
                to,
                len: 0,
                traffic: Traffic::default(),
                value,
                gated: 0,
                notice: None,
                header: None,
            });
        }
    }
}
