"""The contest as a plot: throughput against delay."""

from __future__ import annotations

import math
from typing import Any

from backwater.present.plot.encoding import COLOURS, CONFIG
from backwater.present.plot.plane import name_layers, place_names
from backwater.present.plot.vega import SCHEMA
from backwater.tools.contest_runs import Contest, pareto

# The two sides of the plot.
FRONT, BEHIND = "nobody is better in both", "another is better in both"


def plot(contest: Contest) -> dict[str, Any]:
    """Throughput against delay as a Vega-Lite specification; the frontier stands out."""
    rows: list[dict[str, Any]] = []
    for kind, held_out in (("known traces", False), ("held out", True)):
        standings = contest.standings(held_out)
        front = pareto(standings)
        rows += [
            {
                "name": one.controller,
                "panel": kind,
                "delay": one.delay_s * 1e3,
                "mean": one.throughput_bps / 1e6,
                "side": FRONT if one.controller in front else BEHIND,
            }
            for one in standings
            if one.delay_s and one.throughput_bps is not None
        ]
    least = min((row["delay"] for row in rows), default=1.0)
    for row in rows:
        row["x"] = math.log10(row["delay"] / least)
    place_names(rows)
    x = {
        "field": "delay",
        "type": "quantitative",
        "title": "95th percentile of the age (ms)",
        "scale": {"type": "log", "reverse": True, "padding": 12},
        "axis": {"values": [n * 10**power for power in range(6) for n in (1, 3)]},
    }
    y = {"field": "mean", "type": "quantitative", "title": "Throughput (Mbit/s)"}
    shade = {
        "field": "side",
        "type": "nominal",
        "title": None,
        "scale": {"domain": [FRONT, BEHIND], "range": [COLOURS[1], COLOURS[0]]},
        "legend": {"columnPadding": 30},
    }
    encoding = {"x": x, "y": y, "color": shade}
    return {
        "$schema": SCHEMA,
        "config": CONFIG,
        "title": "Contest: throughput against delay",
        "data": {"values": rows},
        "facet": {"field": "panel", "type": "nominal", "title": None, "sort": "descending"},
        "spec": {
            "width": 420,
            "height": 320,
            "encoding": encoding,
            "layer": [
                {"mark": {"type": "point", "filled": True, "size": 60}},
                *name_layers(encoding),
            ],
        },
    }
