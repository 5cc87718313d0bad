//! Wireshark's command line reads our captures: every frame whole, every checksum right, pause
//! times, class vectors, drop reasons and port names where a person looks for them.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::process::Command;

use backwater_wire::control_size::control_size;
use backwater_wire::ethernet::{Between, FrameKind, MIN_FRAME, write};
use backwater_wire::pcapng::{Capture, Interface, LinkType};

const PORTS: [Interface<'_>; 3] = [
    Interface {
        name: "S>W",
        speed_bps: 100_000_000,
        link: LinkType::Ethernet,
    },
    Interface {
        name: "W>S",
        speed_bps: 100_000_000,
        link: LinkType::Ethernet,
    },
    Interface {
        name: "W>D",
        speed_bps: 10_000_000,
        link: LinkType::Ethernet,
    },
];

/// A capture and the file it goes to.
struct CaptureFile {
    path: PathBuf,
    capture: Capture<Vec<u8>>,
}

impl CaptureFile {
    fn new(name: &str) -> CaptureFile {
        CaptureFile {
            path: PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name),
            capture: Capture::new(Vec::new(), "1.2.3", &PORTS).expect("a vector takes everything"),
        }
    }

    fn data(
        &mut self,
        at_ps: u64,
        port: u32,
        ip_len: u32,
        (flow, seq): (u32, u64),
        drop: Option<&str>,
    ) {
        let kind = FrameKind::Udp {
            flow,
            seq,
            class: (flow % 8) as u8,
            ecn: (seq % 4) as u8,
        };
        let mut bytes = Vec::new();
        let between = Between {
            src_host: 0,
            dst_host: 2,
            port,
        };
        write(&mut bytes, between, ip_len + 18, ip_len, &kind);
        self.capture
            .frame(at_ps, port, &bytes, drop)
            .expect("written");
    }

    fn control(&mut self, at_ps: u64, kind: &FrameKind<'_>) {
        let mut bytes = Vec::new();
        let between = Between {
            src_host: 1,
            dst_host: 0,
            port: 1,
        };
        write(&mut bytes, between, control_size(kind), 0, kind);
        self.capture.frame(at_ps, 1, &bytes, None).expect("written");
    }

    /// The named fields of each frame; none where tshark is not installed.
    fn read(self, fields: &[&str]) -> Option<Vec<Vec<String>>> {
        let CaptureFile { path, capture } = self;
        fs::write(&path, capture.finish().expect("flushed")).expect("the test folder is writable");
        let mut tshark = Command::new("tshark");
        // A folder that does not exist keeps the user's own preferences out.
        tshark.env("WIRESHARK_CONFIG_DIR", path.with_extension("preferences"));
        tshark.arg("-r").arg(&path);
        tshark.args([
            "-n",
            "-T",
            "fields",
            "-E",
            "separator=/t",
            "-E",
            "occurrence=a",
        ]);
        for check in [
            "eth.check_fcs:TRUE",
            "ip.check_checksum:TRUE",
            "udp.check_checksum:TRUE",
        ] {
            tshark.args(["-o", check]);
        }
        for field in fields {
            tshark.args(["-e", field]);
        }
        let output = match tshark.output() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Not by `eprintln!`, which a passing test swallows.
                writeln!(
                    io::stderr(),
                    "skipped: tshark is not installed, so nobody reads {path:?}"
                )
                .expect("standard error is open");
                return None;
            }
            output => output.expect("tshark starts"),
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        fs::remove_file(&path).expect("the capture was there");
        let rows = String::from_utf8(output.stdout).expect("UTF-8");
        let cells = |row: &str| row.split('\t').map(str::to_owned).collect();
        Some(rows.lines().map(cells).collect())
    }
}

const GOOD: &str = "1";

#[test]
fn data_and_drops_are_read_as_written() {
    let mut file = CaptureFile::new("data.pcapng");
    file.data(1_999, 0, 1500, (5, 0x1_0007), None);
    file.data(
        1_000_000_000_000,
        2,
        46,
        (5, 2),
        Some("dropped: buffer-full at W>D"),
    );
    file.data(1_000_000_001_000, 2, 28, (0, 3), None);
    file.data(1_000_000_002_000, 2, 9000, (70_000, 1), None);
    let Some(frames) = file.read(&[
        "frame.time_epoch",
        "frame.interface_name",
        "frame.comment",
        "frame.packet_flags_direction",
        "frame.packet_flags_fcs_length",
        "frame.len",
        "eth.src",
        "eth.dst",
        "ip.src",
        "ip.dst",
        "ip.len",
        "ip.id",
        "ip.dsfield.dscp",
        "ip.dsfield.ecn",
        "udp.srcport",
        "udp.dstport",
    ]) else {
        return;
    };
    let expected = [
        // 40 is CS5; 61440 + 5.
        "0.000000001|S>W||0x00000002|4|1518|02:00:00:00:00:00|02:00:00:02:00:00|10.0.0.0|10.0.0.2|1500|0x0007|40|3|61445|61440",
        "1.000000000|W>D|dropped: buffer-full at W>D|0x00000002|4|64|02:00:00:00:00:00|02:00:00:02:00:00|10.0.0.0|10.0.0.2|46|0x0002|40|2|61445|61440",
        "1.000000001|W>D||0x00000002|4|64|02:00:00:00:00:00|02:00:00:02:00:00|10.0.0.0|10.0.0.2|28|0x0003|0|3|61440|61440",
        // 70000 = 17 * 4096 + 368.
        "1.000000002|W>D||0x00000002|4|9018|02:00:00:00:00:00|02:00:00:02:00:00|10.0.0.0|10.0.0.2|9000|0x0001|0|1|61808|61457",
    ];
    let read: Vec<String> = frames.iter().map(|frame| frame.join("|")).collect();
    assert_eq!(read, expected);
}

#[test]
fn pause_times_and_class_vectors_are_decoded() {
    let mut file = CaptureFile::new("control.pcapng");
    file.control(0, &FrameKind::Pause { quanta: 65_535 });
    file.control(0, &FrameKind::Pause { quanta: 0 });
    let mut quanta = [None; 8];
    quanta[0] = Some(0);
    quanta[3] = Some(1234);
    quanta[7] = Some(65_535);
    file.control(0, &FrameKind::Pfc { quanta });
    let Some(frames) = file.read(&[
        "frame.protocols",
        "eth.src",
        "eth.dst",
        "macc.opcode",
        "macc.pause_time",
        "macc.cbfc.enbv",
        "macc.cbfc.pause_time.c0",
        "macc.cbfc.pause_time.c1",
        "macc.cbfc.pause_time.c2",
        "macc.cbfc.pause_time.c3",
        "macc.cbfc.pause_time.c4",
        "macc.cbfc.pause_time.c5",
        "macc.cbfc.pause_time.c6",
        "macc.cbfc.pause_time.c7",
        // Any of these would be a note in Wireshark's list of oddities.
        "_ws.expert",
    ]) else {
        return;
    };
    let head = "eth:ethertype:macc|02:00:00:01:00:01|01:80:c2:00:00:01";
    let expected = [
        format!("{head}|0x0001|65535||||||||||"),
        format!("{head}|0x0001|0||||||||||"),
        format!("{head}|0x0101||0x0089|0|0|0|1234|0|0|0|65535|"),
    ];
    let read: Vec<String> = frames.iter().map(|frame| frame.join("|")).collect();
    assert_eq!(read, expected);
}

#[test]
fn no_frame_is_malformed_and_every_checksum_is_right() {
    let mut file = CaptureFile::new("checksums.pcapng");
    let mut data = 0;
    // Strides that reach every class, ECN value, byte of the sequence number and length modulo 4.
    for flow in (0..1 << 24).step_by(65_521) {
        for seq in [0, u64::from(flow) << 7, u64::MAX / (u64::from(flow) + 1)] {
            let ip_len = 28 + (seq % 1473) as u32;
            file.data(data * 1_000, data as u32 % 3, ip_len, (flow, seq), None);
            data += 1;
        }
    }
    let many: Vec<u32> = (0..300).collect();
    let (quanta, rate_bps) = (7, 1_000_000);
    file.control(0, &FrameKind::Pause { quanta });
    file.control(
        0,
        &FrameKind::Pfc {
            quanta: [Some(7); 8],
        },
    );
    for (classes, addresses) in [(0, &many[..0]), (1, &many[..1]), (0xFF, &many[..])] {
        file.control(
            0,
            &FrameKind::Destinations {
                quanta,
                classes,
                addresses,
            },
        );
        file.control(
            0,
            &FrameKind::Rate {
                classes,
                rate_bps,
                quanta,
                addresses,
            },
        );
    }
    let Some(frames) = file.read(&[
        "frame.protocols",
        "eth.fcs.status",
        "ip.checksum.status",
        "udp.checksum.status",
        "_ws.malformed",
        "frame.len",
    ]) else {
        return;
    };
    let (datagrams, control) = frames.split_at(data as usize);
    for (n, frame) in datagrams.iter().enumerate() {
        let protocols = frame[0].trim_end_matches(":data");
        assert_eq!(protocols, "eth:ethertype:ip:udp", "frame {n}");
        assert_eq!(frame[1..5], [GOOD, GOOD, GOOD, ""], "frame {n}");
    }
    let sizes: Vec<&str> = control.iter().map(|frame| frame[5].as_str()).collect();
    let least = MIN_FRAME.to_string();
    let least = least.as_str();
    assert_eq!(
        sizes,
        [least, least, least, least, least, least, "1518", "1514"]
    );
    for frame in control {
        assert_eq!(frame[0], "eth:ethertype:macc");
        assert_eq!(frame[1..5], [GOOD, "", "", ""]);
    }
}
