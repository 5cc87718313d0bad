//! Queue and buffer of ports as written: by `ports."PATTERN"` and by trace links. The most specific row holds
//! (`names::rank`), field by field. Rows have no order: a JSON object has none.

use std::cmp::Reverse;

use backwater_sim::limit::Limit;
use backwater_sim::queue::{self, QUEUES, Queue};
use backwater_sim::spec::{Action, watchdog};
use backwater_sim::stamp::{AnyStamp, HOSTED, STAMPS};
use backwater_transport::units::Bytes;

use super::parts::{self, Made};
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::{PORT, TRIM, WATCHDOG, WATCHDOG_FIELDS};
use crate::files::Files;
use crate::tree::{Node, Value};
use crate::{names, units};

/// A value and where it was written.
#[derive(Clone, Debug)]
pub struct Written<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub node: Node,
}

/// Queue and buffer of one row of `ports`, or of a trace link.
#[derive(Clone, Debug)]
pub struct Setting {
    queue: Option<Written<(Queue, Made)>>,
    buffer: Option<Written<Limit>>,
    stamp: Option<Written<(AnyStamp, Made)>>,
    stamped_by: Option<Written<()>>,
    trim: Option<Written<u8>>,
    watchdog: Option<Written<watchdog::Terms>>,
}

impl Setting {
    /// Reads `queue`, `buffer`, `stamp`, `stamped_by`, `trim` and `watchdog`.
    pub fn read(record: &Record<'_>, files: &mut Files<'_>) -> Result<Setting, Diagnostic> {
        let mut setting = Setting {
            queue: None,
            buffer: None,
            stamp: None,
            stamped_by: None,
            trim: None,
            watchdog: None,
        };
        if let Some(node) = record.get("queue") {
            let part = parts::named_among(
                &[QUEUES, queue::HOSTED, queue::added().rows()],
                "queue",
                node,
            )?;
            let value = parts::make(part, node, &[], files)?;
            let node = node.clone();
            setting.queue = Some(Written { value, node });
        }
        if let Some(node) = record.get("buffer") {
            let value = capacity(node)?;
            let node = node.clone();
            setting.buffer = Some(Written { value, node });
        }
        if let Some(node) = record.get("stamp") {
            let part = parts::named_among(&[STAMPS, HOSTED], "stamp", node)?;
            let value = parts::make(part, node, &[], files)?;
            let node = node.clone();
            setting.stamp = Some(Written { value, node });
        }
        if let Some(node) = record.get("stamped_by") {
            let node = node.clone();
            setting.stamped_by = Some(Written { value: (), node });
        }
        if let Some(node) = record.get(TRIM) {
            let (value, node) = (record.args.count(TRIM) as u8, node.clone());
            setting.trim = Some(Written { value, node });
        }
        if let Some(node) = record.get(WATCHDOG) {
            let args = Record::read(node, WATCHDOG_FIELDS, &[], files)?.args;
            let action = args.choice("action");
            let action = Action::ALL.iter().find(|(name, _)| *name == action);
            let value = watchdog::Terms {
                detection: args.span("detection"),
                restoration: args.span("restoration"),
                action: action.expect("one of its words").1,
            };
            let node = node.clone();
            setting.watchdog = Some(Written { value, node });
        }
        Ok(setting)
    }
}

/// All rows, by name or pattern.
#[derive(Default)]
pub struct Settings {
    /// The most specific first.
    rows: Vec<(String, Setting)>,
}

impl Settings {
    /// Reads `ports`; `names` are those of all ports. `links` are the settings that trace links have for
    /// their own ports; a row of `ports` with the port's name goes before them.
    pub fn read(
        top: &Record<'_>,
        names: &[&str],
        links: impl Iterator<Item = (String, Setting)>,
        files: &mut Files<'_>,
    ) -> Result<Settings, Diagnostic> {
        let mut rows = Vec::new();
        let entries = top.get("ports").map_or(Ok(&[][..]), Node::table)?;
        for entry in entries {
            select(&entry.key, names).map_err(|f| f.at(&entry.origin))?;
            let record = Record::read(&entry.node, PORT, &[], files)?;
            rows.push((entry.key.clone(), Setting::read(&record, files)?));
        }
        rows.extend(links);
        rows.sort_by(|(a, _), (b, _)| {
            let key = |name| (Reverse(names::rank(name)), name);
            key(a.as_str()).cmp(&key(b.as_str()))
        });
        Ok(Settings { rows })
    }

    /// The queue of a port.
    pub fn queue(&self, port: &str) -> Result<Option<&(Queue, Made)>, Diagnostic> {
        let best = self.best(port, "queue", |s| s.queue.as_ref())?;
        Ok(best.map(|written| &written.value))
    }

    /// The law of a port.
    pub fn stamp(&self, port: &str) -> Result<Option<&(AnyStamp, Made)>, Diagnostic> {
        let best = self.best(port, "stamp", |s| s.stamp.as_ref())?;
        Ok(best.map(|written| &written.value))
    }

    /// The list of egresses whose laws stamp what departs from a port.
    pub fn stamped_by(&self, port: &str) -> Result<Option<&Node>, Diagnostic> {
        let best = self.best(port, "stamped_by", |s| s.stamped_by.as_ref())?;
        Ok(best.map(|written| &written.node))
    }

    /// The buffer of a port.
    pub fn buffer(&self, port: &str) -> Result<Option<&Written<Limit>>, Diagnostic> {
        self.best(port, "buffer", |s| s.buffer.as_ref())
    }

    /// The class of headers of frames that find a port's queue full, and where it was written.
    pub fn trim(&self, port: &str) -> Result<Option<(u8, &Node)>, Diagnostic> {
        let best = self.best(port, TRIM, |s| s.trim.as_ref())?;
        Ok(best.map(|written| (written.value, &written.node)))
    }

    /// The watchdog of a port of a switch; patterns leave out those of hosts.
    pub fn watchdog(&self, port: &str, host: bool) -> Result<Option<watchdog::Terms>, Diagnostic> {
        let rows = self.rows.iter();
        let named = rows.filter(|(name, _)| !host || name == port);
        let named = named
            .filter_map(|(_, setting)| setting.watchdog.as_ref())
            .next();
        match (self.best(port, WATCHDOG, |s| s.watchdog.as_ref())?, named) {
            (Some(_), Some(written)) if host => {
                let what = format!("`{}`: {port} is the port of a host", written.node.path);
                let fix = "name a port of a switch: the card that pauses is at its far end";
                Err(written.node.refuse(Fault::new(what, fix)))
            }
            (Some(best), _) if !host => Ok(Some(best.value)),
            _ => Ok(None),
        }
    }

    /// The value of the most specific row that sets a field of a port. Two patterns that are equally
    /// specific and set different values are refused.
    fn best<'a, T>(
        &'a self,
        port: &str,
        field: &str,
        get: impl Fn(&'a Setting) -> Option<&'a Written<T>>,
    ) -> Result<Option<&'a Written<T>>, Diagnostic> {
        let mut matching = self
            .rows
            .iter()
            .filter(|(pattern, _)| names::matches(pattern, port))
            .filter_map(|(pattern, setting)| Some((pattern, get(setting)?)));
        let Some((first, best)) = matching.next() else {
            return Ok(None);
        };
        let rival = matching
            .take_while(|(p, _)| names::is_pattern(p) && names::rank(p) == names::rank(first))
            .find(|(_, written)| !written.node.same(&best.node));
        let Some((second, rival)) = rival else {
            return Ok(Some(best));
        };
        let what = format!(
            "`ports`: `{first}` and `{second}` both set `{field}` of {port}, and neither is more specific"
        );
        let fix = format!("write `{field}` of ports.\"{port}\", or in one of the two rows only");
        Err(rival.node.refuse(Fault::new(what, fix)))
    }
}

/// The indices of the ports that a name or pattern means, or a refusal when it means none.
pub fn select(pattern: &str, ports: &[&str]) -> Result<Vec<usize>, Fault> {
    let found: Vec<usize> = ports
        .iter()
        .enumerate()
        .filter(|(_, p)| names::matches(pattern, p))
        .map(|(i, _)| i)
        .collect();
    if found.is_empty() {
        let what = format!("no port matches `{pattern}`");
        return Err(Fault::unknown(what, pattern, ports.iter().copied()));
    }
    Ok(found)
}

/// "50 kB", "100 packets" or "unlimited".
pub fn capacity(node: &Node) -> Result<Limit, Diagnostic> {
    let examples = "\"50 kB\", \"100 packets\" or \"unlimited\"";
    let text = match &node.value {
        Value::Text(text) => text,
        Value::Integer(n) => return Err(node.refuse(units::bare(&n.to_string(), &units::SIZE))),
        _ => return Err(node.mismatch("a buffer", &format!("write {examples}"))),
    };
    if text == "unlimited" {
        return Ok(Limit::Unlimited);
    }
    let limit = if text.ends_with("packets") {
        units::packets(text).map(Limit::Packets)
    } else {
        units::bytes(text).map(Limit::Bytes)
    };
    match limit {
        Ok(Limit::Packets(0) | Limit::Bytes(Bytes(0))) => {
            let what = format!("`{}`: a buffer of size 0 drops every frame", node.path);
            Err(node.refuse(Fault::new(what, format!("write {examples}"))))
        }
        Ok(limit) => Ok(limit),
        Err(fault) => {
            let fix = if fault.nearest.is_empty() {
                format!("{}; a buffer is {examples}", fault.fix)
            } else {
                fault.fix
            };
            Err(node.refuse(Fault {
                what: format!("`{}`: {}", node.path, fault.what),
                fix,
                ..fault
            }))
        }
    }
}

/// Coordinates of a place, metres.
pub fn place(node: &Node) -> Result<[f64; 2], Diagnostic> {
    let list = node.list()?;
    if list.len() != 2 {
        let what = format!(
            "`{}` has {} coordinates: a place has two",
            node.path,
            list.len()
        );
        return Err(node.refuse(Fault::new(what, "write at = [\"0 m\", \"100 m\"]")));
    }
    let mut at = [0.0; 2];
    for (metres, item) in at.iter_mut().zip(list) {
        *metres = units::signed(item.text()?, "m").map_err(|f| item.refuse(f))?;
    }
    Ok(at)
}
