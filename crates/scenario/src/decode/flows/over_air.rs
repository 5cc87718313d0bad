//! The fields of flows in scenarios that have 802.11 media.

use backwater_sim::medium::access::CATEGORIES;
use backwater_transport::part::{Args, Value};
use backwater_transport::units::Bytes;

use crate::decode::record::Record;
use crate::diagnostic::{Diagnostic, Fault};

/// Headers of IPv4 (RFC 791) and UDP (RFC 768): no IP packet of a flow is shorter.
const HEADERS: Bytes = Bytes(28);

/// Refuses packets shorter than their headers, the flow's or its source's. Ethernet pads them; 802.11 would send what can't be.
pub(super) fn check_size(
    record: &Record<'_>,
    packet: Bytes,
    source: &Args,
) -> Result<(), Diagnostic> {
    let own = match source.find("packet") {
        Some(Value::Bytes(bytes)) => *bytes,
        _ => HEADERS,
    };
    let (short, field) = match packet < HEADERS {
        true => (packet, "packet"),
        false => (own, "source"),
    };
    if short >= HEADERS {
        return Ok(());
    }
    let node = record.get(field).unwrap_or_else(|| record.need("source"));
    let what = format!(
        "`{}`: packets of {} B are shorter than the headers of IPv4 and UDP",
        node.path, short.0
    );
    let fix = format!(
        "write 28 B or more, or \"{} B\" if that is what the headers carry",
        short.0 + HEADERS.0
    );
    Err(node.refuse(Fault::new(what, fix)))
}

/// Over the air what comes back has the category of the data.
pub(super) fn check_way_back(record: &Record<'_>) -> Result<(), Diagnostic> {
    for name in ["ack_class", "cnp_class"] {
        if let Some(node) = record.get(name) {
            let what = format!(
                "`{}`: where there are 802.11 media, what comes back has the category of the data",
                node.path
            );
            return Err(node.refuse(Fault::new(what, format!("remove `{name}`"))));
        }
    }
    Ok(())
}

/// The class of a host's flow, or the access category of a station's. Where there are 802.11 media (`airy`), flows of hosts
/// may pass stations too, so they may name an access category, and are best effort like those of stations.
pub(super) fn class(record: &Record<'_>, station: bool, airy: bool) -> Result<u8, Diagnostic> {
    let args = &record.args;
    if let (true, Some(node)) = (station, record.get("class")) {
        let what = format!("`{}`: stations have access categories", node.path);
        return Err(node.refuse(Fault::new(what, "write ac = \"BE\" (BK, BE, VI or VO)")));
    }
    if let (false, Some(node)) = (airy, record.get("ac")) {
        let what = format!("`{}` goes with scenarios that have 802.11 media", node.path);
        return Err(node.refuse(Fault::new(what, "write a class from 0 to 7")));
    }
    if let (Some(_), Some(node)) = (record.get("class"), record.get("ac")) {
        let what = format!("`{}`: the flow has a class already", node.path);
        return Err(node.refuse(Fault::new(what, "remove `class` or `ac`")));
    }
    if !airy || record.get("class").is_some() {
        return Ok(u8::try_from(args.count("class")).expect("at most 7"));
    }
    let name = match args.has("ac") {
        true => args.choice("ac"),
        false => "BE",
    };
    let number = CATEGORIES.iter().position(|c| *c == name);
    Ok(number.expect("one of its words") as u8)
}
