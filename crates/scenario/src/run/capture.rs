//! Records and captures of a run, written as it goes.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use backwater_sim::connection::Header;
use backwater_sim::ids::FlowId;
use backwater_sim::medium::wifi::air::NOBODY;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Carried};
use backwater_sim::medium::wifi::wifi_bytes;
use backwater_sim::network::Role;
use backwater_sim::packet::Traffic;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_wire::control_size::add_field;
use backwater_wire::ethernet::{self, Between, EVERYBODY, FrameKind};
use backwater_wire::pcapng::Capture;

/// Bytes of the header of an Ethernet frame.
const ETHERNET: usize = 14;

/// Frames on the air, in the order of their beginnings.
pub type Frames = Vec<AirFrame>;

/// Writes records as lines of text. An emulation writes half a million in a second: whole numbers are written without the
/// general formatting of text, a fifth of the time.
pub fn write_records(world: &World, records: &[Record], out: &mut impl Write) -> io::Result<()> {
    let mut number = itoa::Buffer::new();
    let mut line = Vec::new();
    for r in records {
        let (s, ps) = (r.at.0 / 1_000_000_000_000, r.at.0 % 1_000_000_000_000);
        let flow = if r.flow.is_none() {
            ""
        } else {
            &world.network().flows[r.flow].name
        };
        line.clear();
        line.extend_from_slice(number.format(s).as_bytes());
        line.push(b'.');
        let ps = number.format(ps);
        line.extend_from_slice(&[b'0'; 12][ps.len()..]);
        line.extend_from_slice(ps.as_bytes());
        for text in [
            r.what.name(),
            &world.network().ports[r.port].more.name,
            flow,
        ] {
            line.push(b',');
            line.extend_from_slice(text.as_bytes());
        }
        let frame = backwater_sim::packet::frame(u64::from(r.len));
        let class = u64::from(r.traffic.class());
        for value in [u64::from(r.seq), class, frame, r.value] {
            line.push(b',');
            line.extend_from_slice(number.format(value).as_bytes());
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// Transmissions as the wire saw them, and lost packets with the reason.
pub fn capture_records(
    world: &World,
    records: &[Record],
    frames: &[AirFrame],
    capture: &mut Capture<BufWriter<File>>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut frames = frames.iter().peekable();
    for r in records {
        while let Some(frame) = frames.next_if(|f| f.at <= r.at) {
            capture_air_frame(world, frame, capture)?;
        }
        // Of a hop over the air the frames themselves are captured.
        if r.port.index() >= wires(world) {
            continue;
        }
        let port = &world.network().ports[r.port];
        let comment = match r.what {
            What::Send => None,
            What::Drop => Some(format!(
                "dropped: {} at {}",
                backwater_sim::cause::Cause::ALL[r.value as usize].name(),
                port.more.name
            )),
            _ => continue,
        };
        bytes.clear();
        let size = backwater_sim::packet::frame(u64::from(r.len)) as u32;
        let (source, local) = (port.node.0, port.local);
        if !r.flow.is_none() {
            let between = Between {
                src_host: world.network().flows[r.flow].from.0,
                dst_host: world.network().hosts[r.to as usize].0,
                port: local,
            };
            let kind = frame_kind(world, r.flow, r.seq, r.traffic, r.header.as_deref());
            ethernet::write(&mut bytes, between, size, u32::from(r.len), &kind);
        }
        if let Some(notice) = &r.notice {
            let hosts = notice.host_numbers().into_iter();
            let addresses: Vec<u32> = hosts.map(|h| world.network().hosts[h as usize].0).collect();
            let kind = notice.frame_kind(&addresses);
            let between = Between {
                src_host: source,
                dst_host: 0,
                port: local,
            };
            match r.flow.is_none() {
                true => ethernet::write(&mut bytes, between, size, 0, &kind),
                false => add_field(&mut bytes, &kind),
            }
        }
        capture.frame(r.at.0, r.port.0, &bytes, comment.as_deref())?;
    }
    frames.try_for_each(|frame| capture_air_frame(world, frame, capture))
}

/// Ports that are ends of wires; those of hops over the air follow.
pub fn wires(world: &World) -> usize {
    world.network().ports.len() - world.air().hops.len()
}

fn capture_air_frame(
    world: &World,
    frame: &AirFrame,
    capture: &mut Capture<BufWriter<File>>,
) -> io::Result<()> {
    let packets = match &frame.body {
        Some(Body::Packet(packet, ..)) => std::slice::from_ref(packet),
        Some(Body::Joined(packets, _)) => packets,
        _ => &[],
    };
    let ips: Vec<Vec<u8>> = packets.iter().map(|p| ip_bytes(world, frame, p)).collect();
    let ips: Vec<&[u8]> = ips.iter().map(Vec::as_slice).collect();
    let radio = &world.air().radios[frame.from as usize];
    let medium = &world.air().media[radio.medium as usize];
    let node = |station: u32| world.air().radios[station as usize].node.0;
    let mut bytes = Vec::new();
    wifi_bytes::write(&mut bytes, medium, frame, node, &ips);
    let interface = wires(world) as u32 + radio.medium;
    capture.frame(frame.at.0, interface, &bytes, None)
}

/// The IP packet that a frame carries for a packet of the model.
fn ip_bytes(world: &World, frame: &AirFrame, packet: &Carried) -> Vec<u8> {
    let between = Between {
        src_host: world.network().flows[packet.flow].from.0,
        dst_host: match frame.to {
            NOBODY => EVERYBODY,
            _ => world.network().hosts[packet.to as usize].0,
        },
        port: 0,
    };
    let header = packet.header.as_deref();
    let kind = frame_kind(world, packet.flow, packet.seq, packet.traffic, header);
    let mut bytes = Vec::new();
    ethernet::write(&mut bytes, between, 0, u32::from(packet.len), &kind);
    let said = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    bytes.truncate(ETHERNET + said);
    bytes.split_off(ETHERNET)
}

/// The content of a frame of a flow: a segment, an acknowledgement, or a datagram.
fn frame_kind<'a>(
    world: &World,
    flow: FlowId,
    seq: u32,
    traffic: Traffic,
    header: Option<&'a Header>,
) -> FrameKind<'a> {
    let (class, ecn) = (traffic.class(), traffic.ecn() as u8);
    if let (Role::Data(id) | Role::Acks(id), Some(header)) =
        (world.network().flows[flow].role, header)
    {
        let connection = &world.ends.connections[id];
        if let (true, Some(header)) = (connection.protocol.row().tcp, header.said()) {
            return FrameKind::Tcp {
                flow: connection.data.0,
                seq: u64::from(seq),
                class,
                ecn,
                header,
            };
        }
    }
    FrameKind::Udp {
        flow: flow.0,
        seq: u64::from(seq),
        class,
        ecn,
    }
}
