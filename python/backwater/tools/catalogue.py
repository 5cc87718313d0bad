"""Everything that has a name: the engine's parts and the studies."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, nearest
from backwater.study import metric
from backwater.study.definition import Study, shipped

STUDIES = "studies"
METRICS = "metrics"
# The order of the contract; a kind that the engine has no table of is empty.
PARTS = (
    "controllers",
    "queues",
    "mechanisms",
    "detectors",
    "notifiers",
    "responders",
    "media",
    "sources",
    "topologies",
)
Row = dict[str, Any]


@lru_cache(maxsize=1)
def _parts() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = json.loads(_native.parts())
    return {kind: found.get(kind, []) for kind in PARTS}


def kinds() -> list[str]:
    """The kinds of names."""
    return [*_parts(), STUDIES, METRICS]


def rows(kind: str) -> list[Row]:
    """The rows of a kind."""
    if kind == STUDIES:
        return [study_row(Study.load(name)) for name in shipped()]
    if kind == METRICS:
        return metric.ROWS
    if kind not in _parts():
        raise Refusal(
            f"there is no kind `{kind}`",
            nearest=nearest(kind, kinds()) or kinds(),
            fix="write one of " + ", ".join(kinds()),
        )
    return _parts()[kind]


def study_row(study: Study) -> Row:
    """A study as a row."""
    return {
        "id": study.id,
        "aliases": [],
        "summary": study.title,
        "source": study.source,
        "options": [],
        "seeds": study.seeds,
        "cases": len(study.combinations()) * study.seeds,
        "cases_quick": len(study.combinations(quick=True)) * study.quick.seeds,
        "claims": len(study.claims),
    }


def find(name: str) -> list[tuple[str, Row]]:
    """Everything of that name or alias, with its kind."""
    everything = [(kind, row) for kind in kinds() for row in rows(kind)]
    found = [(k, row) for k, row in everything if name in (row["id"], *row.get("aliases", ()))]
    if not found:
        near = nearest(name, (row["id"] for _, row in everything))
        raise Refusal(
            f"nothing is called `{name}`", nearest=near, fix="see `backwater list` for all names"
        )
    return found


def schemas() -> dict[str, Any]:
    """The JSON schemas of every document, and of the scenario."""
    folder = Path(str(resources.files("backwater") / "schemas"))
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    }
    return {**found, "scenario": json.loads(_native.schema())}
