//! Packets themselves as they left to programs, for a capture: with the headers that programs and kernels wrote.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use backwater_transport::units::Time;
use backwater_wire::pcapng::{Capture, Interface, LinkType};

use crate::fault::Fault;
use crate::offload;

/// Packets that were written to devices and are in no capture yet.
#[derive(Debug, Default)]
pub struct Sent {
    bytes: Vec<u8>,
    /// When it was written, to the device of which place, and how long it is with the device's header.
    each: Vec<(Time, u32, usize)>,
}

impl Sent {
    /// Adds a packet that was written to the device of a place, in pieces.
    pub(crate) fn add(&mut self, at: Time, place: usize, pieces: &[&[u8]]) {
        let before = self.bytes.len();
        for piece in pieces {
            self.bytes.extend_from_slice(piece);
        }
        let length = self.bytes.len() - before;
        self.each.push((at, place as u32, length));
    }

    /// How many.
    pub(crate) fn packets(&self) -> usize {
        self.each.len()
    }
}

/// A capture of them. Its interfaces are the places of programs, its times those of the wall clock.
pub(crate) struct SentCapture {
    name: String,
    file: Capture<BufWriter<File>>,
    begun_ns: u64,
}

impl SentCapture {
    /// Opens a capture of an emulation that begins at this nanosecond since 1970, with programs at the nodes of these names.
    pub(crate) fn create(path: &Path, begun_ns: u64, names: &[&str]) -> Result<SentCapture, Fault> {
        let name = path.display().to_string();
        let interfaces: Vec<Interface<'_>> = names
            .iter()
            .map(|name| Interface {
                name,
                speed_bps: 0,
                link: LinkType::Ip,
            })
            .collect();
        let made = File::create(path).and_then(|file| {
            Capture::new(BufWriter::new(file), env!("CARGO_PKG_VERSION"), &interfaces)
        });
        let file = made.map_err(|error| failed(&name, &error))?;
        Ok(SentCapture {
            name,
            file,
            begun_ns,
        })
    }

    /// Adds packets.
    pub(crate) fn extend(&mut self, sent: &Sent) -> Result<(), Fault> {
        let mut from = 0;
        for &(at, place, length) in &sent.each {
            let at_ns = self.begun_ns + at.0 / 1000;
            let mut written = Ok(());
            offload::each_packet(&sent.bytes[from..from + length], |packet| {
                let one = self.file.at_ns(at_ns, place, packet, None);
                if written.is_ok() {
                    written = one;
                }
            });
            written.map_err(|error| failed(&self.name, &error))?;
            from += length;
        }
        Ok(())
    }

    /// Writes the rest.
    pub(crate) fn finish(self) -> Result<(), Fault> {
        let done = self.file.finish();
        done.map(|_| ()).map_err(|error| failed(&self.name, &error))
    }
}

fn failed(name: &str, error: &std::io::Error) -> Fault {
    Fault::system(name, error, "give another file")
}
