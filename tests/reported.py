"""Results for the tests of reports: a small study that really ran, and one without the engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import studies
from backwater import _native
from backwater.results.results import Results
from backwater.results.store import Store
from backwater.study.execution import Execution
from backwater.study.runnable import Study

BLOCK = """\
study = { id = "small", title = "A small study", source = "S2 A.1", seeds = 3 }
quick = { seeds = 2, axes.rate = ["4 Mbit/s", "8 Mbit/s"] }
axes.scheme = { path = "mechanisms.bp.recipe", values = ["none", "pause"] }
axes.burst = { title = "burst size", path = "flows.*.source.burst", values = ["6 kB", "48 kB"] }
axes.rate = { path = "flows.*.source.rate", values = ["10 Mbit/s", "4 Mbit/s", "8 Mbit/s"] }
figures.loss = { title = "Loss", x = "rate", y = "loss", curve = "burst", panel = "scheme" }
figures.delay = { x = "rate", y = "delay_mean_s", curve = "scheme" }
figures.bars = { kind = "bars", x = "burst", y = "goodput_bps", curve = "scheme" }
figures.ranked = { kind = "rank", y = "loss", where = { rate = "8 Mbit/s" } }
figures.slow = { x = "burst", y = "loss", where = { rate = "10 Mbit/s" } }

[claims.c1]
says = "Without control loss rises with the rate."
kind = "published"
quoted = "slide 3"
strength = "shape"
metric = "loss"
where = { scheme = "none" }
reduce = "increasing"
along = "rate"
at_least = 0.5

[claims.c2]
says = "With <PAUSE> nothing is lost & nobody waits."
kind = "published"
quoted = "slide 3"
metric = "loss"
where = { scheme = "pause" }
reduce = "mean"
at_most = 0.2
published = 0.25
expected = "differs"
reason = "the host obeys; the document's does not"
evidence = "lan-cos/c112"

[claims.c101]
says = "Loss stays below a tenth."
metric = "loss"
where = { scheme = "none", burst = "48 kB" }
at_most = 0.1
"""

PROSE = """\
Loss grows ({{claim c1}}), see {{figure loss}}; `{{claim c1}}` is code.

{{figure loss}}

## What PAUSE does

{{claim c2}}
"""


def study(block: str = BLOCK, prose: str = PROSE) -> Study:
    """A study with every kind of figure."""
    # Long enough for the 30,000 packets that "zero" asks for.
    scenario = studies.SCENARIO.replace('"2 s"', '"5 s"')
    return Study.parse(studies.markdown(block, scenario, prose), "small.md")


def run(folder: Path, block: str = BLOCK, prose: str = PROSE, quick: bool = False) -> Results:
    """Runs the study."""
    command = ["backwater", "study", "run", "small.md", "--out", "a folder"]
    return Execution(study(block, prose), folder, quick=quick, command=command).run()


def made(
    value: Callable[[Mapping[str, str], int], Mapping[str, float | None] | None],
    block: str = BLOCK,
    prose: str = PROSE,
) -> Results:
    """Results with metrics that the test chooses; None for a case that failed."""
    about = study(block, prose)
    store = Store(None)
    seeds = about.seed_list()
    for labels in about.combinations():
        for seed in seeds:
            metrics = value(labels, seed)
            case = json.dumps(labels, sort_keys=True, separators=(",", ":"))
            stored = None if metrics is None else _native.stored(json.dumps(_document(metrics)))
            error = "out of memory" if metrics is None else None
            store.add(f"{case}{seed}", about.id, case, seed, stored, error)
    total = len(about.combinations()) * len(seeds)
    return Results(about, store, {**_MANIFEST, "cases_total": total, "seeds": seeds}, None)


def _document(metrics: Mapping[str, float | None]) -> dict[str, Any]:
    kept = {"entered_pkts": 1, "delivered_pkts": 1, "dropped_pkts": 0, "held_pkts": 0, "ok": True}
    return {
        "fingerprint": "0" * 16,
        "conservation": kept,
        "sanity": {"ok": True, "faults": []},
        "metrics": dict(metrics),
        "flows": [],
        "ports": [],
        "drops": [],
        "cost": {},
    }


_MANIFEST: dict[str, Any] = {
    "version": "0",
    "engine": "e",
    "study": {
        "sha256": "s",
        "text": "t",
        "name": "small.md",
        "scenario": {"name": "small.md", "text": "t"},
    },
    "mode": "full",
    "inputs": {},
    "status": "done",
    "command": ["backwater"],
    "machine": {"cpu": "c", "cores": 1, "os": "o", "python": "p"},
    "started": "then",
    "ended": "later",
    "resolved_example": {
        "nodes": {"S": {"kind": "host"}, "D": {"kind": "host"}},
        "links": {"a": {"ends": ["S", "D"], "rate_bps": 1e7, "delay_s": 0}},
        "ports": {"S>D": {"buffer": "unlimited"}, "D>S": {"buffer": "unlimited"}},
        "mechanisms": {},
        "media": {},
        "flows": {},
    },
    "example": {"scheme": "none", "burst": "6 kB", "rate": "4 Mbit/s"},
}
