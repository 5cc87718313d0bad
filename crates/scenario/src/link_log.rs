//! A run's link as a log of mahimahi. The header names what mahimahi's names; its clock begins with the run.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::log::{Entry, Log};
use backwater_sim::spec::Service;
use backwater_sim::table::Id;
use backwater_sim::world::World;

use crate::decode::DEFAULT_QUEUE;
use crate::diagnostic::{Diagnostic, Fault, Origin};
use crate::resolved::Resolved;
use crate::run::Failure;

/// Entries of a link's log, in their order.
pub type LinkEntries = Vec<Entry>;

/// A log that is written while the run goes on, or when it ends.
pub struct LinkLog {
    path: String,
    file: BufWriter<File>,
    port: PortId,
    /// Until it is written.
    header: Vec<String>,
}

impl LinkLog {
    /// Has the server of a trace link note what happens; `link` is its name or that of its port.
    ///
    /// # Errors
    /// No such trace link, or a file that cannot be created.
    pub fn open(
        world: &mut World,
        resolved: &Resolved,
        link: &str,
        path: &Path,
    ) -> Result<LinkLog, Failure> {
        let found = find(resolved, link).map_err(|d| Failure::Refused(Box::new(d)))?;
        let port = Id::new(found.port);
        let server = world.network_mut().ports[port].more.service.server_mut();
        server.expect("a trace link has a server").journal = Some(Box::default());
        let path = path.display().to_string();
        let file = File::create(&path).map_err(|e| Failure::Io(path.clone(), e))?;
        let header = vec![
            format!(
                "# mahimahi mm-link ({}) [{}] > {path}",
                found.name, found.trace
            ),
            format!("# queue: {}", found.queue),
            "# init timestamp: 0".to_owned(),
            "# base timestamp: 0".to_owned(),
        ];
        Ok(LinkLog {
            path,
            file: BufWriter::new(file),
            port,
            header,
        })
    }

    /// Gives the log the header that mm-link writes in real time: direction, command line, instant of its beginning (Unix
    /// time in milliseconds) and the boxes around the link.
    #[must_use]
    pub fn headed(mut self, way: &str, command: &str, begun_ms: u64, config: &str) -> LinkLog {
        let link = self.header[0].find('[').unwrap_or(0);
        let begin = format!("# mahimahi mm-link ({way}) {}", &self.header[0][link..]);
        self.header = vec![
            begin,
            format!("# command line: {command}"),
            self.header[1].clone(),
            format!("# init timestamp: {begun_ms}"),
            "# base timestamp: 0".to_owned(),
            format!("# mahimahi config: {config}"),
        ];
        self
    }

    /// Where its entries come from.
    pub fn tap(&self) -> LogTap {
        LogTap(self.port)
    }

    /// Writes entries into the file at once: a process that is killed leaves a log of what it did.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn extend(&mut self, entries: LinkEntries) -> Result<(), Failure> {
        let part = Log {
            header: std::mem::take(&mut self.header),
            entries,
        };
        let written = self.file.write_all(part.write().as_bytes());
        let done = written.and_then(|()| self.file.flush());
        done.map_err(|e| Failure::Io(self.path.clone(), e))
    }

    /// Writes the rest, up to the present of the world.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn close(mut self, world: &mut World) -> Result<(), Failure> {
        let entries = self.tap().take(world, true);
        self.extend(entries)
    }
}

/// The link of a log, whose entries one thread takes out of the world and another may write.
#[derive(Copy, Clone, Debug)]
pub struct LogTap(PortId);

impl LogTap {
    /// Takes what happened before the present millisecond of the world and was not taken yet; with `over` up to the present.
    pub fn take(self, world: &mut World, over: bool) -> LinkEntries {
        let now = world.now();
        let server = world.network_mut().ports[self.0].more.service.server_mut();
        server.expect("it was opened").take_entries(now, over)
    }
}

/// A trace link as a log names it.
struct Found {
    port: usize,
    name: String,
    trace: String,
    queue: String,
}

fn find(resolved: &Resolved, wanted: &str) -> Result<Found, Diagnostic> {
    let (links, ports) = (resolved.links(), resolved.ports());
    let mut names = Vec::new();
    for (index, port) in ports.iter().enumerate() {
        let Some(link) = links.get(index / 2) else {
            break;
        };
        let trace = link.directions[index % 2]
            .as_ref()
            .and_then(|w| w.trace.as_ref());
        let (Some(trace), Some(way)) = (trace, &link.spec.directions[index % 2]) else {
            continue;
        };
        if way.name != wanted && port.spec.name != wanted {
            names.push(way.name.as_str());
            continue;
        }
        if let Service::Trace(server) = &way.service
            && server.trains().is_some()
        {
            let what = format!(
                "mahimahi's log of `{wanted}`: what trains let go uses no opportunity, and the format has no line for that"
            );
            let fix = "leave the log out, or write the heavy trace as the link's trace";
            return Err(Fault::new(what, fix).at(&Origin::Set("--mahimahi-log".into())));
        }
        let file = trace.args.has("file").then(|| trace.args.file("file").path);
        return Ok(Found {
            port: index,
            name: way.name.clone(),
            trace: file.unwrap_or_else(|| trace.id.to_owned()),
            queue: queue(port.queue.id, port.spec.buffer),
        });
    }
    let what = format!("there is no trace link `{wanted}`");
    let origin = Origin::Set("--mahimahi-log".into());
    Err(Fault::unknown(what, wanted, names).at(&origin))
}

/// mahimahi's words for queues, and the queues of the table that they mean. Reference: mm-link(1).
pub const MAHIMAHI_QUEUES: [(&str, &str); 5] = [
    (UNBOUNDED, "infinite"),
    ("droptail", "fifo"),
    ("drophead", "drop-head"),
    ("codel", "codel-mahimahi"),
    ("pie", "pie-mahimahi"),
];

/// mahimahi's word for a queue without a bound.
pub const UNBOUNDED: &str = "infinite";

/// A queue in mahimahi's words, where it has any.
fn queue(id: &str, buffer: Limit) -> String {
    if buffer == Limit::Unlimited {
        return UNBOUNDED.to_owned();
    }
    let plain = if id == DEFAULT_QUEUE { "fifo" } else { id };
    let word = MAHIMAHI_QUEUES.iter().find(|(_, kind)| *kind == plain);
    let kind = word.map_or(id, |(word, _)| word);
    match buffer {
        Limit::Packets(n) => format!("{kind} [packets={n}]"),
        Limit::Bytes(bytes) => format!("{kind} [bytes={}]", bytes.0),
        Limit::Unlimited => unreachable!("returned above"),
    }
}
