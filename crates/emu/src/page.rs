//! A page that follows an emulation, served by the emulator itself to this machine alone.
//!
//! `GET /` gives the page, `GET /rows?from=N` the intervals from number N on, `GET /events?from=N` what happened in each of them, as
//! far as it is kept: record files, each behind its number and its length. A request must name the address that was
//! opened in `Host`: a page of another host that has its own name lead here reads nothing.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use backwater_sim::ids::PortId;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::units::Time;
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::system;

/// The longest request that is read, and the most callers at once.
const LONGEST: usize = 8_192;
const CALLERS: usize = 16;
/// Intervals whose events are kept, and for how long after a request new ones are kept.
const KEPT: usize = 120;
const WATCHED_NS: u64 = 3_000_000_000;

/// A listener on the loopback address, and what it has to tell.
pub struct LivePage {
    listener: TcpListener,
    port: u16,
    html: String,
    /// An interval each, as JSON.
    rows: Vec<String>,
    /// Record files of the last intervals while somebody watched, with their numbers.
    pieces: VecDeque<(usize, Vec<u8>)>,
    /// When it was asked last, by the system's clock.
    asked_ns: Option<u64>,
    capacities: Vec<Capacity>,
    callers: Vec<Caller>,
}

struct Caller {
    stream: TcpStream,
    asked: Vec<u8>,
    /// The rest of the answer; none before the request was read.
    answer: Option<Vec<u8>>,
}

/// The opportunities of a trace link as time goes on.
struct Capacity {
    port: String,
    bits: u64,
    coming: Box<dyn Iterator<Item = Time> + Send>,
    next: Option<Time>,
}

impl LivePage {
    /// Listens at a free port. It must be called before the emulator leaves the network of this machine.
    ///
    /// # Errors
    /// The system gives no port.
    pub fn open(html: &str) -> Result<LivePage, Fault> {
        let opened = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| {
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok((listener, port))
        });
        let (listener, port) = opened.map_err(|error| {
            let fix = "run it without the page";
            Fault::system("--live-page", &error, fix)
        })?;
        Ok(LivePage {
            listener,
            port,
            html: html.to_owned(),
            rows: Vec::new(),
            pieces: VecDeque::new(),
            asked_ns: None,
            capacities: Vec::new(),
            callers: Vec::new(),
        })
    }

    /// Where a browser finds it.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Follows the trace links of a world that begins.
    pub(crate) fn follow(&mut self, world: &World) {
        let ports = &world.network().ports;
        let traced = (0..ports.len()).filter_map(|number| {
            let id: PortId = Id::new(number);
            let port = &ports[id];
            let server = port.more.service.server()?;
            let mut coming: Box<dyn Iterator<Item = Time> + Send> =
                Box::new(server.opportunities(Time(u64::MAX)));
            let next = coming.next();
            Some(Capacity {
                port: port.more.name.clone(),
                bits: 8 * server.spec.opportunity,
                coming,
                next,
            })
        });
        self.capacities = traced.collect();
    }

    /// How many intervals it has.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Adds an interval that ended at `end`, `seconds` long.
    pub(crate) fn note(&mut self, mut row: Value, end: Time, seconds: f64) {
        for of in &mut self.capacities {
            let mut bits = 0;
            while of.next.is_some_and(|at| at <= end) {
                bits += of.bits;
                of.next = of.coming.next();
            }
            row["ports"][&of.port]["capacity_bps"] = json!(bits as f64 / seconds);
        }
        self.rows.push(row.to_string());
    }

    /// Adds the events of the interval that was noted last, as a record file.
    pub(crate) fn add_piece(&mut self, piece: Vec<u8>) {
        if self.pieces.len() == KEPT {
            self.pieces.pop_front();
        }
        self.pieces.push_back((self.rows.len() - 1, piece));
    }

    /// Whether somebody has asked a moment ago.
    pub(crate) fn is_watched(&self) -> bool {
        self.asked_ns
            .is_some_and(|at| system::monotonic_ns().saturating_sub(at) < WATCHED_NS)
    }

    /// Answers what has been asked since the last call, as far as callers read it.
    pub(crate) fn serve(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.callers.len() < CALLERS && stream.set_nonblocking(true).is_ok() {
                self.callers.push(Caller {
                    stream,
                    asked: Vec::new(),
                    answer: None,
                });
            }
        }
        let mut callers = std::mem::take(&mut self.callers);
        callers.retain_mut(|caller| {
            if caller.answer.is_none() {
                let open = read(&mut caller.stream, &mut caller.asked);
                let whole = caller.asked.windows(4).any(|end| end == b"\r\n\r\n");
                if !whole && open && caller.asked.len() < LONGEST {
                    return true;
                }
                let request = String::from_utf8_lossy(&caller.asked);
                caller.answer = whole.then(|| self.answer(&request));
            }
            match &mut caller.answer {
                Some(answer) => write(&mut caller.stream, answer),
                None => false,
            }
        });
        self.callers = callers;
    }

    fn answer(&mut self, request: &str) -> Vec<u8> {
        let mut lines = request.lines();
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (method, target) = (
            first.next().unwrap_or_default(),
            first.next().unwrap_or_default(),
        );
        let host = lines.find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then(|| value.trim())
        });
        let mine = [
            format!("127.0.0.1:{}", self.port),
            format!("localhost:{}", self.port),
        ];
        if !host.is_some_and(|host| mine.iter().any(|own| own == host)) {
            return refused("403 Forbidden", "this is not the host of this page\n");
        }
        if method != "GET" {
            return refused("405 Method Not Allowed", "this page is only read\n");
        }
        let from = |path: &str| target.strip_prefix(path).map(str::parse::<usize>);
        if target == "/" {
            return told("200 OK", "text/html; charset=utf-8", self.html.as_bytes());
        }
        if let Some(Ok(from)) = from("/rows?from=") {
            self.asked_ns = Some(system::monotonic_ns());
            let rows = self.rows.get(from..).unwrap_or_default().join(",");
            return told("200 OK", "application/json", format!("[{rows}]").as_bytes());
        }
        match from("/events?from=") {
            Some(Ok(from)) => told("200 OK", "application/octet-stream", &self.events(from)),
            _ => refused(
                "404 Not Found",
                "there is /, /rows?from=0 and /events?from=0\n",
            ),
        }
    }

    /// The pieces from a number on, each behind its number and its length.
    fn events(&self, from: usize) -> Vec<u8> {
        let mut all = Vec::new();
        for (number, piece) in self.pieces.iter().filter(|(number, _)| *number >= from) {
            all.extend_from_slice(&(*number as u32).to_be_bytes());
            all.extend_from_slice(&(piece.len() as u32).to_be_bytes());
            all.extend_from_slice(piece);
        }
        all
    }
}

fn refused(status: &str, text: &str) -> Vec<u8> {
    told(status, "text/plain", text.as_bytes())
}

/// An answer that no other page may frame, and no cache keeps.
fn told(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Reads what is there; false at the end of the connection.
fn read(stream: &mut TcpStream, text: &mut Vec<u8>) -> bool {
    let mut block = [0; 2048];
    while text.len() < LONGEST {
        match stream.read(&mut block) {
            Ok(0) => return false,
            Ok(n) => text.extend_from_slice(&block[..n]),
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
    true
}

/// Writes what the caller takes now; whether something is left for later.
fn write(stream: &mut TcpStream, answer: &mut Vec<u8>) -> bool {
    while !answer.is_empty() {
        match stream.write(answer) {
            Ok(n) if n > 0 => drop(answer.drain(..n)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The status of an answer, and its body.
    fn ask(page: &mut LivePage, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.set_nonblocking(true).unwrap();
        let mut text = Vec::new();
        loop {
            page.serve();
            if !read(&mut stream, &mut text) {
                break;
            }
        }
        let text = String::from_utf8_lossy(&text);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head[9..12].to_owned(), body.to_owned())
    }

    #[test]
    fn it_answers_its_own_host_alone_and_gives_rows_from_a_number_on() {
        let mut page = LivePage::open("<p>page</p>").unwrap();
        assert!(!page.is_watched());
        for t in 1..=3 {
            page.note(json!({"t_s": t, "ports": {}}), Time(0), 1.0);
        }
        let host = format!("127.0.0.1:{}", page.port);
        let get =
            |target: &str, host: &str| format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(
            ask(&mut page, &get("/", &host)),
            ("200".into(), "<p>page</p>".into())
        );
        let (status, body) = ask(&mut page, &get("/rows?from=2", &host));
        let rows: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status.as_str(), &rows[0]["t_s"]), ("200", &json!(3)));
        assert_eq!(rows.as_array().unwrap().len(), 1);
        assert_eq!(ask(&mut page, &get("/rows?from=9", &host)).1, "[]");
        assert!(page.is_watched());
        for piece in [b"one", b"two"] {
            page.add_piece(piece.to_vec());
        }
        assert_eq!(
            ask(&mut page, &get("/events?from=2", &host)).1,
            "\0\0\0\u{2}\0\0\0\u{3}one\0\0\0\u{2}\0\0\0\u{3}two"
        );
        assert_eq!(ask(&mut page, &get("/events?from=3", &host)).1, "");
        let evil = format!("evil.example:{}", page.port);
        assert_eq!(ask(&mut page, &get("/rows?from=0", &evil)).0, "403");
        assert_eq!(ask(&mut page, "GET / HTTP/1.1\r\n\r\n").0, "403");
        assert_eq!(ask(&mut page, &get("/etc/passwd", &host)).0, "404");
        assert_eq!(ask(&mut page, &get("/rows?from=x", &host)).0, "404");
        let post = get("/", &host).replace("GET", "POST");
        assert_eq!(ask(&mut page, &post).0, "405");
    }
}
