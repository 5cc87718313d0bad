"""The findings of an earlier hunt, one genome for each kind of behaviour."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal
from backwater.search.archive import NAME, SCHEMA
from backwater.search.spaces import Genome, Space


def cell(figures: Mapping[str, float | None]) -> tuple[int, ...]:
    """Use in tenths, and powers of two of delay, falls to the least window, packets again."""

    def of(end: str) -> float:
        return next((v for k, v in figures.items() if k.endswith(end) and v is not None), 0.0)

    queueing_ms = max(0.0, of("rtt_p95_s") - of("rtt_min_s")) * 1000
    return (
        int(10 * of("utilisation")),
        int(math.log2(1 + queueing_ms)),
        int(math.log2(1 + of("window_falls_to_least"))),
        int(math.log2(1 + of("retransmitted_pkts"))),
    )


def other_engine(folder: Path) -> str | None:
    """The engine that a corpus is of, where it is not this one."""
    made_by = _documents(folder)[0].get("engine")
    return None if made_by == _native.engine_id() else str(made_by)


def best_of_cells(folder: Path, space: Space) -> list[Genome]:
    """The best genome of each cell, the best cell first; of this space only."""
    path, documents = _path(folder), _documents(folder)
    request = documents[0]["asked"]
    there = request.get("space")
    if there != space.name:
        what = f"the corpus is of the space `{there}`, and this hunt of `{space.name}`"
        raise Refusal(what, place=str(path), fix=f"search with --space {there}, or leave it out")
    if request.get("options") != dict(space.options()):
        what = f"the corpus is of the space `{there}` with other options"
        raise Refusal(what, place=str(path), fix=f"give the same options of `{space.name}`")
    best: dict[tuple[int, ...], tuple[float, Genome]] = {}
    for number, line in enumerate(documents[1:], 2):
        try:
            for one in line.get("members", []):
                _keep(best, one, space)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise Refusal(
                f"the corpus is damaged: {error}",
                place=str(path),
                line=number,
                fix="cut this line out of the file, or leave --corpus out",
            ) from error
    ranked = sorted(best.values(), key=lambda one: (-one[0], one[1]))
    return [genome for _, genome in ranked]


def _path(folder: Path) -> Path:
    return folder / NAME if folder.is_dir() else folder


def _documents(folder: Path) -> list[Any]:
    path = _path(folder)
    try:
        documents = [json.loads(line) for line in path.read_bytes().splitlines()]
        if documents[0]["schema"] != SCHEMA:
            raise ValueError("it is no archive of a hunt")
        if not isinstance(documents[0]["asked"], dict):
            raise TypeError("its first line is no request")
    except (OSError, ValueError, LookupError, TypeError) as error:
        fix = "name the folder of a hunt, or leave --corpus out"
        raise Refusal(f"the corpus cannot be read: {error}", place=str(path), fix=fix) from error
    return documents


def _keep(
    best: dict[tuple[int, ...], tuple[float, Genome]], one: Mapping[str, Any], space: Space
) -> None:
    if one["score"] is None:
        return
    genome, bounds = space.genome(one["genome"]), space.bounds()
    if len(genome) != len(bounds) or not all(
        gene.low <= value <= gene.high for gene, value in zip(bounds, genome, strict=True)
    ):
        raise ValueError(f"a genome lies outside the space `{space.name}`")
    where, entry = cell(one["figures"]), (float(one["score"]), genome)
    if where not in best or (-entry[0], entry[1]) < (-best[where][0], best[where][1]):
        best[where] = entry
