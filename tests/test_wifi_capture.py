"""A document's figures of 802.11 stations, counted again from the bytes of a capture."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import backwater

COUNT = runpy.run_path(str(Path(__file__).parents[1] / "validation" / "wifi_capture.py"))["count"]
SECONDS = 2.0
CELL = """
schema = "backwater/scenario/1"
duration = "2 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }
media.air.mac = { access = "dcf", retry_short = 30, retry_long = 30 }
media.air.channel = { model = "disc", transmit = "100 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"] }
nodes.C = { kind = "station", medium = "air", at = ["0 m", "50 m"] }
flows.ab = { from = "A", to = "B", source = { kind = "saturated", packet = "1328 B" } }
flows.cb = { from = "C", to = "B", source = { kind = "saturated", packet = "300 B" } }
flows.bc = { from = "B", to = "C", source = { kind = "saturated", packet = "500 B" } }
"""
RTS = {"media.air.mac.rts": "on"}
OFDM = {
    "media.air.phy": {"standard": "802.11a", "data": "54 Mbit/s", "control": "24 Mbit/s"},
    "media.air.mac.access": "edca",
}


@pytest.mark.parametrize("changes", [{}, RTS, OFDM, OFDM | RTS], ids=["b", "b-rts", "a", "a-rts"])
def test_airtime_attempts_and_throughput_are_those_of_the_capture(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = tmp_path / "air.pcapng"
    document = backwater.run(CELL, set=changes, pcap=path).document
    counted = COUNT(path)
    stations = [counted[address] for address in sorted(counted)]
    rows = document["stations"]
    assert [row["id"] for row in rows] == ["A", "B", "C"]
    failed = 0
    for row, station in zip(rows, stations, strict=True):
        assert station.frames == row["frames"]
        assert station.attempts == row["attempts"]
        failed += round(row["attempts"] * (row["collision"] or 0))
        # A frame that is under way at the end is counted whole in the capture.
        assert station.airtime / 1e12 / SECONDS == pytest.approx(row["airtime"], abs=1e-3)
    assert failed > 10
    # All hear one another, so an answer is never lost, and each frame that fails is sent again.
    sent = {row["id"]: 0.0 for row in rows}
    for flow in document["flows"]:
        sent[flow["from"]] += flow["goodput_bps"]
    for row, station in zip(rows, stations, strict=True):
        found = 8 * station.payload / SECONDS
        assert found == pytest.approx(sent[row["id"]], rel=0.01)
    if "media.air.mac.rts" not in changes:
        assert sum(s.again for s in stations) in range(failed - 3, failed + 1)


AGGREGATES = {"access": "edca", "rts": "off", "aggregation": "a-mpdu", "lifetime": "10 s"}
HT = {"standard": "802.11n", "mcs": 7, "width": "20 MHz", "streams": 1, "guard": "0.8 us"}
VHT = {"standard": "802.11ac", "mcs": 3, "width": "40 MHz", "streams": 2, "guard": "0.4 us"}
HE = {"standard": "802.11ax", "mcs": 5, "width": "80 MHz", "streams": 1, "guard": "1.6 us"}
MODES = pytest.mark.parametrize("phy", [HT, VHT, HE], ids=["n", "ac", "ax"])


# Each packet in an MPDU of an A-MPDU, A-MSDUs alone, A-MSDUs in A-MPDUs.
KINDS = pytest.mark.parametrize("kind", ["a-mpdu", "a-msdu", "both"])


def aggregated(
    phy: dict[str, Any], path: Path, kind: str = "a-mpdu", **changes: Any
) -> dict[str, Any]:
    """Three stations that aggregate, and what they did; their frames in a capture."""
    mac = AGGREGATES | {"aggregation": kind}
    every = {"media.air.phy": phy, "media.air.mac": mac, **changes}
    return backwater.run(CELL, set=every, pcap=path).document


@MODES
@KINDS
def test_airtime_and_throughput_of_aggregates_are_those_of_the_capture(
    tmp_path: Path, phy: dict[str, Any], kind: str
) -> None:
    path = tmp_path / "air.pcapng"
    document = aggregated(phy, path, kind)
    counted = COUNT(path)
    sent = {row["id"]: 0.0 for row in document["stations"]}
    for flow in document["flows"]:
        sent[flow["from"]] += flow["goodput_bps"]
    for row, address in zip(document["stations"], sorted(counted), strict=True):
        station = counted[address]
        assert station.frames == row["frames"]
        # An attempt that is under way at the end is in the capture only.
        assert station.attempts - row["attempts"] in (0, 1)
        # Frames of a PPDU: the same PPDUs, but for one that is under way at the end.
        of_a_ppdu = row["ppdu_frames_toward"] or 0.0
        assert station.mpdus_toward / max(station.ppdus_toward, 1) == pytest.approx(of_a_ppdu, 0.01)
        # A PPDU that is under way at the end is counted whole in the capture: 5.484 ms at most.
        assert station.airtime / 1e12 / SECONDS == pytest.approx(row["airtime"], abs=2.8e-3)
        # So are its frames, and those that wait behind a hole have not gone on.
        found = 8 * station.payload / SECONDS
        assert found == pytest.approx(sent[row["id"]], rel=0.01, abs=2 * 64 * 1328 * 8 / SECONDS)
    assert sum(station.again for station in counted.values()) > 100


@MODES
@pytest.mark.parametrize("kind", ["a-mpdu", "both"])
def test_block_acknowledgements_confirm_what_was_received(
    tmp_path: Path, phy: dict[str, Any], kind: str
) -> None:
    path = tmp_path / "air.pcapng"
    # Fewer frames than the numbers of 12 bits tell apart.
    aggregated(phy, path, kind, duration="0.3 s")
    for station in COUNT(path).values():
        assert station.confirmed <= station.sent
        # Two packets and more share an A-MSDU.
        assert len(station.sent) > (100 if kind == "both" else 200)
        assert len(station.sent - station.confirmed) < 128


def shown(path: Path, what: str, *names: str) -> list[str]:
    """The fields of the frames of a capture that a filter of tshark passes, and an empty line."""
    command = ["tshark", "-r", str(path), "-Y", what, "-T", "fields"]
    command += [word for name in names for word in ("-e", name)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.split("\n")


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@MODES
def test_tshark_finds_no_malformed_frame_in_a_mpdus(tmp_path: Path, phy: dict[str, Any]) -> None:
    path = tmp_path / "air.pcapng"
    aggregated(phy, path, duration="0.3 s")
    rows = partial(shown, path)
    assert rows("_ws.malformed || _ws.expert.severity >= 0x800000", "frame.number") == [""]
    shared = [row for row in rows("wlan.fc.type_subtype == 40", "radiotap.ampdu.reference") if row]
    assert len(shared) > 100
    assert 20 < len(set(shared)) < len(shared)
    assert len(rows("wlan.fc.type_subtype == 25", "frame.number")) > 20
    name = {"802.11n": "mcs.index", "802.11ac": "vht.mcs.0", "802.11ax": "he.data_3.data_mcs"}
    field = f"radiotap.{name[phy['standard']]}"
    found = {int(row, 0) for row in rows("wlan.fc.type_subtype == 40", field) if row}
    assert found == {phy["mcs"]}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@MODES
@pytest.mark.parametrize("kind", ["a-msdu", "both"])
def test_tshark_finds_the_packets_of_a_msdus(
    tmp_path: Path, phy: dict[str, Any], kind: str
) -> None:
    path = tmp_path / "air.pcapng"
    aggregated(phy, path, kind, duration="0.3 s")
    rows = partial(shown, path)
    assert rows("_ws.malformed || _ws.expert.severity >= 0x800000", "frame.number") == [""]
    # MSDUs of A, B and C: LLC, SNAP and IP. 3839 B of an A-MSDU take so many of them.
    sizes = {"A": (1336, 2), "C": (308, 11), "B": (508, 7)}
    names = {f"02:00:00:0{number}:00:00": name for number, name in enumerate("ABC")}
    fields = ("wlan.sa", "wlan_aggregate.a_mdsu.length", "ip.len", "wlan.fc.retry")
    most = dict.fromkeys(sizes, 0)
    for row in filter(None, rows("wlan.qos.amsdupresent == 1", *fields)):
        sender, lengths, packets, _ = row.split("\t")
        size, _ = sizes[names[sender.split(",")[0]]]
        found = lengths.split(",")
        assert found == [str(size)] * len(found)
        assert packets.split(",") == [str(size - 8)] * len(found)
        assert len(found) > 1
        name = names[sender.split(",")[0]]
        most[name] = max(most[name], len(found))
    assert most == {name: count for name, (_, count) in sizes.items()}
