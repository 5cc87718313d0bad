"""A corpus: one genome of a hunt for each kind of behaviour, read from its archive or written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, Unfinished
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
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
            raise Refusal(
                f"the corpus is damaged: {why}",
                place=str(path),
                line=number,
                fix="cut this line out of the file, or leave --corpus out",
            ) from error
    ranked = sorted(best.values(), key=lambda one: (-one[0], one[1]))
    return [genome for _, genome in ranked]


class Smallest:
    """The smallest corpus of a hunt: the best environment of each cell, and no other.

    A genome lies in one cell, so one for each is the fewest that show every behaviour. Scores,
    figures and fingerprints come along. Environments without a score are left out.
    """

    def __init__(self, folder: Path, space: Space, request: Mapping[str, Any]) -> None:
        """Refuses a folder that has something else, before the hunt has begun."""
        self.path, self._space = folder / NAME, space
        asked = {**request, "minimised": True}
        self._head = {"schema": SCHEMA, "engine": _native.engine_id(), "asked": asked}
        self.kept = self.of = 0
        if self.path.exists() and _documents(folder)[0] != self._head:
            what = "there is an archive of another hunt, or a corpus of one"
            raise Refusal(what, place=str(self.path), fix="name another folder with --minimise")

    def write(self, archive: Path) -> None:
        """Writes what an archive has, whole or not at all."""
        cells: dict[tuple[int, ...], tuple[float, Genome]] = {}
        members: dict[Genome, Mapping[str, Any]] = {}
        for line in _documents(archive)[1:]:
            simplified = [line["member"]] if line.get("what") == "shrunk" else []
            for one in [*line.get("members", []), *simplified]:
                genome = self._space.genome(one["genome"])
                self.of += genome not in members
                members.setdefault(genome, one)
                if one["score"] is not None:
                    _better(cells, cell(one["figures"]), (float(one["score"]), genome))
        best = sorted(cells.values(), key=lambda one: (-one[0], one[1]))
        line = {"what": "corpus", "members": [members[genome] for _, genome in best]}
        self.kept = len(best)
        text = "".join(
            json.dumps(one, sort_keys=True, separators=(",", ":")) + "\n"
            for one in (self._head, line)
        )
        part = self.path.with_suffix(".part")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8")
            part.replace(self.path)
        except OSError as error:
            why = error.strerror or str(error)
            fix = (
                "make room or name another folder, and give the same command again: nothing is lost"
            )
            raise Unfinished(
                f"the corpus cannot be written: {why}", place=str(self.path), fix=fix
            ) from error

    @property
    def document(self) -> dict[str, Any]:
        """What was written."""
        return {"path": str(self.path), "environments": self.kept, "of": self.of}

    @property
    def said(self) -> str:
        """The same as a line."""
        return f"corpus {self.path}: {self.kept} of {self.of} environments, one for each behaviour"


def _path(folder: Path) -> Path:
    return folder / NAME if folder.is_dir() else folder


def _documents(folder: Path) -> list[Any]:
    """The whole lines: a hunt that was killed leaves at most a part of one."""
    path = _path(folder)
    try:
        content = path.read_bytes()
        lines = content[: content.rfind(b"\n") + 1].splitlines()
        if not lines:
            raise ValueError("it has no line")
        documents = [_document(line, number) for number, line in enumerate(lines, 1)]
        if documents[0].get("schema") != SCHEMA:
            raise ValueError("it is no archive of a hunt")
        if not isinstance(documents[0].get("asked"), dict):
            raise ValueError("its first line is no request")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        fix = "name the folder of a hunt, or leave --corpus out"
        raise Refusal(f"the corpus cannot be read: {why}", place=str(path), fix=fix) from error
    return documents


def _document(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line, parse_constant=_no_number)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"line {number} is no JSON document")
    return found


def _no_number(name: str) -> None:
    raise ValueError(name)


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
    _better(best, cell(one["figures"]), (float(one["score"]), genome))


def _better(
    best: dict[tuple[int, ...], tuple[float, Genome]],
    where: tuple[int, ...],
    entry: tuple[float, Genome],
) -> None:
    if where not in best or (-entry[0], entry[1]) < (-best[where][0], best[where][1]):
        best[where] = entry
