"""Captures of whole runs, as tshark sees them."""

import shutil
import subprocess
from pathlib import Path

import pytest

import backwater

WIRED = """
schema = "backwater/scenario/1"
seed = 1
duration = "200 ms"
nodes.S1 = { kind = "host" }
nodes.S2 = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S1", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.b = { ends = ["S2", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.c = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "20 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"] }
[flows.f1]
from = "S1"
to = "D"
class = 0
source = { kind = "cbr", packet = "1500 B", rate = "9 Mbit/s" }
[flows.f2]
from = "S2"
to = "D"
class = 1
source = { kind = "cbr", packet = "700 B", rate = "6 Mbit/s" }
"""

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def fields(path: Path, what: str, *names: str) -> list[list[str]]:
    """The fields of the frames that a display filter picks."""
    command = ["tshark", "-r", str(path), "-o", "eth.check_fcs:TRUE", "-Y", what, "-T", "fields"]
    command += [word for name in names for word in ("-e", name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def captured(folder: Path, recipe: str) -> tuple[Path, backwater.RunResult]:
    path = folder / f"{recipe}.pcapng"
    return path, backwater.run(WIRED, set={"mechanisms.bp.recipe": recipe}, pcap=path)


@needs_tshark
def test_every_frame_is_decoded_and_the_counts_agree(tmp_path: Path) -> None:
    path, result = captured(tmp_path, "pause")
    assert fields(path, "_ws.malformed", "frame.number") == []
    assert fields(path, 'eth.fcs.status == "Bad"', "frame.number") == []
    sent = sum(port["sent_pkts"] for port in result.document["ports"])
    assert len(fields(path, "udp", "frame.number")) == sent
    quanta = fields(path, "macc.opcode == 0x0001", "macc.pause_time")
    assert len(quanta) == sum(port["control_pkts"] for port in result.document["ports"])
    assert {row[0] for row in quanta} == {"65535", "0"}


@needs_tshark
def test_priority_pause_carries_the_congested_classes(tmp_path: Path) -> None:
    path, _ = captured(tmp_path, "pause-class")
    assert fields(path, "_ws.malformed", "frame.number") == []
    vectors = fields(path, "macc.opcode == 0x0101", "macc.cbfc.enbv")
    assert vectors
    # Strict priority serves class 1 first, so class 0 is the congested one: bit 0.
    assert {int(row[0], 0) for row in vectors} == {1}


@needs_tshark
def test_a_lost_frame_says_why(tmp_path: Path) -> None:
    path, result = captured(tmp_path, "none")
    lost = fields(path, "frame.comment", "frame.comment")
    assert len(lost) == sum(row["pkts"] for row in result.document["drops"]) > 0
    assert {row[0] for row in lost} == {"dropped: buffer-full at W>D"}


@needs_tshark
def test_frames_are_captured_in_the_order_of_their_times(tmp_path: Path) -> None:
    path, _ = captured(tmp_path, "pause")
    times = [float(row[0]) for row in fields(path, "frame", "frame.time_epoch")]
    assert times == sorted(times)


TCP = """
schema = "backwater/scenario/1"
seed = 1
duration = "20 s"
nodes.S = { kind = "host" }
nodes.L = { kind = "switch" }
nodes.R = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "L"], rate = "100 Mbit/s", delay = "1 ms" }
links.m = { ends = ["L", "R"], rate = "2 Mbit/s", delay = "8 ms" }
links.b = { ends = ["R", "D"], rate = "100 Mbit/s", delay = "1 ms" }
ports."L>R" = { buffer = "10 packets" }
[flows.f1]
from = "S"
to = "D"
transport = "tcp"
controller = { kind = "newreno" }
source = { kind = "bulk" }
[flows.f2]
from = "S"
to = "D"
source = { kind = "poisson", packet = "700 B", rate = "600 kbit/s" }
"""

AGAIN = (
    "tcp.analysis.retransmission || tcp.analysis.fast_retransmission"
    " || tcp.analysis.spurious_retransmission || tcp.analysis.out_of_order"
)


def at_port(path: Path, port: str) -> Path:
    """The frames of one port: at two ports tshark would see every segment twice."""
    out = path.with_name(f"{path.stem}-at-port.pcapng")
    pick = f'frame.interface_name == "{port}"'
    subprocess.run(["tshark", "-r", path, "-Y", pick, "-w", out], capture_output=True, check=True)
    return out


@needs_tshark
@pytest.mark.parametrize("recovery", ["newreno", "sack", "rack"])
def test_tshark_counts_the_retransmissions_that_the_sender_counts(
    tmp_path: Path, recovery: str
) -> None:
    path = tmp_path / "tcp.pcapng"
    result = backwater.run(TCP, set={"flows.f1.recovery": recovery}, pcap=path)
    (flow, _) = result.document["flows"]
    sender = at_port(path, "S>L")
    again = fields(sender, AGAIN, "frame.number")
    assert len(again) == flow["retransmitted_pkts"] > 10
    segments = fields(sender, "tcp.len > 0", "frame.number")
    assert len(segments) == flow["entered_pkts"]


@needs_tshark
def test_headers_of_a_stream_say_what_the_two_ends_said(tmp_path: Path) -> None:
    path = tmp_path / "tcp.pcapng"
    result = backwater.run(TCP, pcap=path)
    assert fields(path, "_ws.malformed", "frame.number") == []
    checked = subprocess.run(
        [
            *("tshark", "-r", path, "-o", "tcp.check_checksum:TRUE"),
            *("-o", "ip.check_checksum:TRUE"),
            *("-Y", 'tcp.checksum.status == "Bad" || ip.checksum.status == "Bad"'),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert checked.stdout == ""
    acks = fields(at_port(path, "D>R"), "tcp", "ip.len", "tcp.options.sack.count", "tcp.len")
    assert len(acks) == result.document["flows"][0]["acks_pkts"]
    # 20 IP, 20 TCP, 12 timestamps; SACK: 4 and 8 for each block.
    assert {(int(row[0]), row[2]) for row in acks} >= {(52, "0"), (64, "0")}
    data = fields(at_port(path, "S>L"), "tcp", "ip.len", "tcp.len", "tcp.seq_raw", "tcp.flags.ack")
    assert data[0] == ["1500", "1448", "1", "1"]


EXPLICIT = """
schema = "backwater/scenario/1"
seed = 1
duration = "3 s"
nodes.S = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 ms" }
links.b = { ends = ["W", "D"], rate = "2 Mbit/s", delay = "8 ms" }
ports."W>D" = { buffer = "20 packets", stamp = { kind = "xcp" } }
[flows.f1]
from = "S"
to = "D"
transport = "tcp"
controller = { kind = "xcp" }
source = { kind = "bulk" }
"""


@needs_tshark
@pytest.mark.parametrize(
    ("scheme", "stamp", "size"),
    [
        ("xcp", "xcp", 20),
        ("xcp", "xcpb-reconstructed", 20),
        ("rcp", "rcp", 16),
        ("acp", "acp", 16),
        ("iacp", "iacp", 20),
    ],
)
def test_a_congestion_header_is_an_option_of_ip(
    tmp_path: Path, scheme: str, stamp: str, size: int
) -> None:
    path = tmp_path / "explicit.pcapng"
    scheme_fields = {"ports.W>D.stamp.kind": stamp, "flows.f1.controller.kind": scheme}
    backwater.run(EXPLICIT, set=scheme_fields, pcap=path)
    assert fields(path, "_ws.malformed || _ws.expert.severity == error", "frame.number") == []
    lengths = {row[0] for row in fields(path, "tcp", "ip.hdr_len")}
    assert lengths == {str(20 + size)}
    # tshark names the experimental type 158 of RFC 4727 in hexadecimal.
    said = subprocess.run(
        ["tshark", "-r", path, "-O", "ip"], capture_output=True, text=True, check=True
    )
    options = said.stdout.count(f"Unknown (0x9e) ({size} bytes)")
    assert options == len(fields(path, "tcp", "frame.number")) > 10


@needs_tshark
@pytest.mark.parametrize("scheme", ["abc", "vcp"])
def test_schemes_that_use_the_ecn_bits_have_no_option(tmp_path: Path, scheme: str) -> None:
    path = tmp_path / "explicit.pcapng"
    scheme_fields = {"ports.W>D.stamp.kind": scheme, "flows.f1.controller.kind": scheme}
    backwater.run(EXPLICIT, set=scheme_fields, pcap=path)
    assert fields(path, "_ws.malformed", "frame.number") == []
    assert {row[0] for row in fields(path, "tcp", "ip.hdr_len")} == {"20"}
    seen = {row[0] for row in fields(at_port(path, "W>D"), "tcp.len > 0", "ip.dsfield.ecn")}
    assert len(seen) > 1


@needs_tshark
def test_a_window_that_a_router_lowers_is_whole_in_the_capture(tmp_path: Path) -> None:
    """The weighted window method: one flow has all of 20 packets of 1448 bytes."""
    path = tmp_path / "window.pcapng"
    law = {
        "ports.W>D.stamp.kind": "wwm",
        "ports.W>S.stamped_by": ["W>D"],
        "flows.f1.controller.kind": "newreno",
    }
    backwater.run(EXPLICIT, set=law, pcap=path)
    wrong = '_ws.malformed || _ws.expert.severity == error || tcp.checksum.status == "Bad"'
    assert fields(path, wrong, "frame.number") == []
    acks = fields(at_port(path, "W>S"), "tcp", "tcp.window_size_value")
    assert {int(row[0]) for row in acks} == {20 * 1448}


AIR = """
schema = "backwater/scenario/1"
seed = 1
duration = "2 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m", interfere = "190 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"] }
nodes.C = { kind = "station", medium = "air", at = ["0 m", "50 m"] }
[media.air.mac]
access = "dcf"
rts = "on"
rts_above = "0 B"
retry_short = 7
retry_long = 7
after_collision = "difs"
[flows.f]
from = "*"
to = "*"
pattern = "permutation"
packet = "1328 B"
source = { kind = "saturated", packet = "1328 B" }
"""

ACTION, RTS, CTS, ACK, DATA, QOS_DATA = "0x000d", "0x001b", "0x001c", "0x001d", "0x0020", "0x0028"


def on_air(path: Path, kind: str, *names: str) -> list[list[str]]:
    return fields(path, f"wlan.fc.type_subtype == {kind}", *names)


def total(result: backwater.RunResult, name: str) -> int:
    return sum(int(station[name]) for station in result.document["stations"])


def failures(result: backwater.RunResult) -> int:
    rows = result.document["stations"]
    return round(sum(float(row["attempts"]) * float(row["collision"] or 0) for row in rows))


def whole(path: Path) -> None:
    """Every frame is decoded as one of 802.11; of a lost one only the check sequence is wrong."""
    bad = '(wlan.fcs.status == "Bad" && radiotap.flags.badfcs == 0)'
    good = '(wlan.fcs.status == "Good" && radiotap.flags.badfcs == 1)'
    malformed = "(_ws.malformed && radiotap.flags.badfcs == 0)"
    wrong = f"{malformed} || !wlan || {bad} || {good}"
    done = subprocess.run(
        ["tshark", "-r", path, "-o", "wlan.check_checksum:TRUE", "-Y", wrong],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""


@needs_tshark
def test_a_cell_with_rts_is_captured_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "air.pcapng"
    result = backwater.run(AIR, pcap=path)
    assert result.document["fingerprint"] == backwater.run(AIR).document["fingerprint"]
    whole(path)
    attempts = total(result, "attempts")
    answered = attempts - failures(result)
    delivered = result.document["conservation"]["delivered_pkts"]
    assert failures(result) > 10
    assert len(on_air(path, RTS, "frame.number")) == attempts
    # The failures here are of an RTS that collides, or whose receiver sends itself.
    lost = fields(path, "radiotap.flags.badfcs == 1", "wlan.fc.type_subtype")
    assert len(lost) == failures(result)
    assert {row[0] for row in lost} == {RTS}
    # One exchange may be under way at the end. All stations hear one another, so that nothing
    # follows a CTS but success.
    for kind in (CTS, DATA, ACK):
        assert 0 <= answered - len(on_air(path, kind, "frame.number")) <= 1
    assert len(on_air(path, DATA, "frame.number")) - delivered in (0, 1)
    names = {row[0] for row in fields(path, "wlan", "frame.interface_name")}
    assert names == {"air"}


@needs_tshark
def test_times_durations_and_rates_of_an_exchange_are_those_of_802_11b(tmp_path: Path) -> None:
    path = tmp_path / "air.pcapng"
    backwater.run(AIR, pcap=path)
    what = ("frame.time_epoch", "wlan.fc.type_subtype", "wlan.duration", "radiotap.datarate")
    rows = fields(path, "wlan", *what, "frame.len")
    first = next(n for n, row in enumerate(rows) if int(row[1], 0) == 0x1C) - 1
    rts, cts, data, ack = rows[first : first + 4]
    assert [int(row[1], 0) for row in (rts, cts, data, ack)] == [0x1B, 0x1C, 0x20, 0x1D]
    # Airtimes: RTS 352 µs, CTS and ACK 304 µs, 1364 bytes at 11 Mbit/s 192 + 992 µs; SIFS 10 µs,
    # and 1 µs of propagation after each frame.
    begun = [round(float(row[0]) * 1e6) for row in (rts, cts, data, ack)]
    assert [at - begun[0] for at in begun] == [0, 363, 678, 1873]
    assert [int(row[2]) for row in (rts, cts, data, ack)] == [1822, 1508, 314, 0]
    assert [float(row[3]) for row in (rts, cts, data, ack)] == [1, 1, 11, 1]
    # 24 bytes are radiotap's.
    assert [int(row[4]) - 24 for row in (rts, cts, data, ack)] == [20, 14, 1364, 14]


@needs_tshark
def test_a_frame_that_is_repeated_says_so_and_keeps_its_number(tmp_path: Path) -> None:
    path = tmp_path / "air.pcapng"
    result = backwater.run(AIR, set={"media.air.mac.rts": "off"}, pcap=path)
    whole(path)
    sent = on_air(path, DATA, "wlan.ta", "wlan.seq", "wlan.fc.retry", "ip.id")
    assert len(sent) == total(result, "attempts")
    answered = len(sent) - failures(result)
    assert answered - len(on_air(path, ACK, "frame.number")) in (0, 1)
    again = [row for row in sent if row[2] in ("1", "True")]
    new = [row for row in sent if row[2] not in ("1", "True")]
    assert len(again) > 10
    # A station's numbers go up by one with each packet, and a repetition has that of its first.
    for station in {row[0] for row in sent}:
        assert [int(r[1]) for r in new if r[0] == station] == list(
            range(sum(r[0] == station for r in new))
        )
    packets = {(row[0], row[1]): row[3] for row in new}
    assert all(packets[row[0], row[1]] == row[3] for row in again)


MESH = """
schema = "backwater/scenario/1"
seed = 1
duration = "5 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m", interfere = "190 m" }
nodes.A = { kind = "station", medium = "air", at = ["-70 m", "70 m"], buffer = "100 packets" }
nodes.B = { kind = "station", medium = "air", at = ["-70 m", "-70 m"], buffer = "100 packets" }
nodes.C = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "100 packets" }
nodes.D = { kind = "station", medium = "air", at = ["100 m", "0 m"], buffer = "100 packets" }
mechanisms.bp = { recipe = "aifsn", at = ["C"], respond = { min = 2, max = 31 } }
routes.f1 = ["A", "C", "D"]
routes.f2 = ["B", "C", "D"]
[media.air.mac]
access = "edca"
rts = "off"
after_collision = "timeout"
ac.BE = { aifsn = 2, cw_min = 31, cw_max = 1023 }
[flows.f1]
from = "A"
to = "D"
ac = "BE"
source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s", phase = "random" }
[flows.f2]
from = "B"
to = "D"
ac = "BE"
source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s", phase = "random" }
"""


@needs_tshark
def test_qos_data_is_counted_for_each_receiver_and_priority(tmp_path: Path) -> None:
    path = tmp_path / "numbers.pcapng"
    flows = {
        f"f{to}{ac}": {
            "from": "C",
            "to": to,
            "ac": ac,
            "source": {"kind": "cbr", "packet": "500 B", "rate": "40 kbit/s"},
        }
        for to in "AB"
        for ac in ("BE", "VO")
    }
    backwater.run(MESH, set={"flows": flows, "routes": {}, "mechanisms": {}}, pcap=path)
    sent = fields(
        path, "wlan.fc.retry == 0 && wlan.qos", "wlan.ra", "wlan.qos.priority", "wlan.seq"
    )
    counted: dict[tuple[str, str], list[int]] = {}
    for receiver, priority, number in sent:
        counted.setdefault((receiver, priority), []).append(int(number))
    # IEEE 802.11-2016 10.3.2.11, Table 10-3: a counter for each <Address 1, TID>.
    assert len(counted) == 4
    assert all(numbers == list(range(50)) for numbers in counted.values())


@needs_tshark
def test_requests_of_a_relay_are_action_frames_among_qos_data(tmp_path: Path) -> None:
    path = tmp_path / "mesh.pcapng"
    result = backwater.run(MESH, pcap=path)
    whole(path)
    requests = on_air(path, ACTION, "wlan.fixed.category_code", "frame.len")
    assert len(requests) == total(result, "management_pkts") > 0
    assert {(row[0], int(row[1]) - 24) for row in requests} == {("127", 50)}
    data = on_air(path, QOS_DATA, "wlan.qos.priority", "ip.src")
    assert len(data) == total(result, "attempts") - len(requests)
    assert {row[0] for row in data} == {"0"}
    # The last exchange may be under way at the end.
    answered = total(result, "attempts") - failures(result)
    assert answered - len(on_air(path, ACK, "frame.number")) in (0, 1)


@needs_tshark
def test_frames_to_a_group_are_broadcast_once_and_not_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "group.pcapng"
    flow = {
        "from": "C",
        "to": "*",
        "pattern": "group",
        "ac": "VI",
        "source": {"kind": "cbr", "packet": "200 B", "rate": "80 kbit/s"},
    }
    changes = {"flows": {"hello": flow}, "routes": {}, "mechanisms": {}}
    result = backwater.run(MESH, set=changes, pcap=path)
    whole(path)
    (row,) = result.document["flows"]
    assert row["to"] == "*"
    assert {one["station"]: one["delivered_pkts"] for one in row["receivers"]} == dict.fromkeys(
        "ABD", row["delivered_pkts"]
    )
    assert {one["delivery_ratio"] for one in row["receivers"]} == {1.0}
    what = ("wlan.ra", "ip.dst", "wlan.qos.priority", "wlan.qos.ack", "radiotap.datarate")
    sent = on_air(path, QOS_DATA, *what, "wlan.duration")
    assert len(sent) == row["delivered_pkts"] == 250
    # AC_VI is user priority 5; ack policy 1 is "no ack"; the basic rate; nothing follows.
    assert {tuple(one) for one in sent} == {
        ("ff:ff:ff:ff:ff:ff", "255.255.255.255", "5", "0x0001", "1", "0")
    }
    assert len(fields(path, "wlan", "frame.number")) == 250


@needs_tshark
def test_congestion_notifications_are_mesh_action_frames_with_four_durations(
    tmp_path: Path,
) -> None:
    path = tmp_path / "congestion.pcapng"
    for cast, receivers in (
        ("group", {"ff:ff:ff:ff:ff:ff"}),
        ("each", {f"02:00:00:{n:02x}:00:00" for n in (0, 1, 3)}),
    ):
        mechanism = {"recipe": "tcc", "at": ["C"], "notify": {"cast": cast}}
        result = backwater.run(MESH, set={"mechanisms.bp": mechanism}, pcap=path)
        assert fields(path, "_ws.malformed", "frame.number") == []
        what = ("wlan.fixed.category_code", "wlan.fixed.mesh_action", "wlan.tag.number")
        sent = on_air(path, ACTION, *what, "wlan.tag.length", "wlan.ra", "wlan.tag.data")
        assert len(sent) == total(result, "management_pkts") > 0
        # Mesh, Congestion Control Notification, its element: an address, the group's if it speaks
        # of all destinations, and four durations of two bytes.
        assert {tuple(row[:4]) for row in sent} == {("13", "0x03", "116", "14")}
        assert {row[4] for row in sent} == receivers
        assert all(row[5][:12] == "f" * 12 for row in sent)
        assert all(row[5][12:16] == "0000" and row[5][20:] == "00000000" for row in sent)
        durations = [int.from_bytes(bytes.fromhex(row[5][16:20]), "little") for row in sent]
        # 100 ms in units of 102.4 us, rounded up; AC_BE is the second of the four.
        assert durations[0] == 977
        assert 0 in durations
