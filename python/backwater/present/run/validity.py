"""How well an emulator kept its instants, from the validity certificate of a live run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from backwater.present.numbers import number
from backwater.present.plot.encoding import COLOURS, CONFIG
from backwater.present.plot.vega import SCHEMA
from backwater.present.tabular import Table, figures, words

Certificate = Mapping[str, Any]
TITLE = "Lateness of packets that left"
# Rows of the table that count packets.
COUNTS = {
    "taken_pkts": "taken from programs",
    "super_pkts": "of them super-packets",
    "given_pkts": "given to programs",
    "modelled_loss_pkts": "lost by the model",
    "device_drops_pkts": "lost by devices",
    "refused_pkts": "refused",
    "foreign_pkts": "not for the network",
}
TIMES = {
    "late_p50_s": "median lateness",
    "late_p95_s": "95th percentile",
    "late_p99_s": "99th percentile",
    "late_max_s": "greatest lateness",
}


def verdict(certificate: Certificate) -> str:
    """Whether the run is valid, in a sentence."""
    if certificate["valid"]:
        return "The run is valid: it kept its bounds."
    return f"The run is not valid: {'; '.join(certificate['broken'])}."


def certified(certificate: Certificate) -> Table:
    """Packets and lateness."""
    rows = [[title, f"{certificate[key]:,} packets"] for key, title in COUNTS.items()]
    rows.append(["given in", f"{certificate['writes']:,} writes"])
    for key, title in TIMES.items():
        late = certificate[key]
        rows.append([title, "–" if late is None else f"{number(late * 1e6)} µs"])
    return Table("validity", [words("what"), figures("value")], rows)


def lateness(certificate: Certificate) -> dict[str, Any]:
    """The histogram of lateness as a Vega-Lite specification."""
    rows = [
        {"within": f"≤ {number(step['up_to_s'] * 1e6, 2)}", "at": at, "pkts": step["pkts"]}
        for at, step in enumerate(certificate["lateness"])
    ]
    x = {
        "field": "within",
        "type": "nominal",
        "sort": {"field": "at"},
        "title": "Lateness (µs)",
        "axis": {"labelAngle": 0},
    }
    y = {"field": "pkts", "type": "quantitative", "title": "Packets", "axis": {"tickCount": 4}}
    return {
        "$schema": SCHEMA,
        "config": CONFIG,
        "data": {"values": rows},
        "width": 620,
        "height": 170,
        "title": TITLE,
        "mark": {"type": "bar", "color": COLOURS[0]},
        "encoding": {"x": x, "y": y, "tooltip": [x, y]},
        "usermeta": {
            "backwater": {"titles": ["Lateness (µs)", "Packets"], "columns": 1, "panels": 0}
        },
    }
