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
