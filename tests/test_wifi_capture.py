"""What a document says of 802.11 stations, counted again from the bytes of a capture."""

from __future__ import annotations

import runpy
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
