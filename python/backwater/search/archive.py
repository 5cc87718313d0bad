"""The findings of a search so far, on disk: one JSON document a line, in the order they came.

The first line is the request. A line is written whole and forced to the disk, so after a kill the
file lacks at most its last line, and a search goes on from there. Timings lie outside: equal
requests give equal bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from backwater import _native
from backwater._native import Counts
from backwater.errors import Refusal, Unfinished
from backwater.search.settings import packed
from backwater.search.spaces import Genome, Space
from backwater.search.trials import Judged

SCHEMA = "backwater/hunt/1"
NAME = "hunt.jsonl"


class Archive:
    """The lines of a search's file."""

    def __init__(self, folder: Path, request: Mapping[str, Any]) -> None:
        self.path = folder / NAME
        self.lines: list[dict[str, Any]] = []
        first = {"schema": SCHEMA, "engine": _native.engine_id(), "asked": dict(request)}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._broken(error) from error
        if self.path.exists():
            self.lines = self._whole_lines()
        if not self.lines:
            self.append(first)
        elif self.lines[0] != first:
            self._refuse(self.lines[0], first)

    def append(self, line: Mapping[str, Any]) -> None:
        """Adds a line; what was there stays whatever happens."""
        text = json.dumps(line, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            with self.path.open("ab") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if self.path.exists():
                os.truncate(self.path, size)
            raise self._broken(error) from error
        self.lines.append(dict(line))

    def of(self, what: str) -> Iterator[dict[str, Any]]:
        """The lines of one kind, in order."""
        return (line for line in self.lines if line.get("what") == what)

    def generations(self, method: str) -> list[dict[str, Any]]:
        """The lines of a method's generations, in order."""
        return [line for line in self.of("generation") if line["method"] == method]

    def _whole_lines(self) -> list[dict[str, Any]]:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        lines = []
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                found = json.loads(line)
            except ValueError:
                found = None
            if not isinstance(found, dict):
                raise Refusal(
                    "the archive is damaged: this line is no JSON document",
                    place=str(self.path),
                    line=number,
                    fix="name another folder, or cut the file before this line",
                )
            lines.append(found)
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))
        return lines

    def _refuse(self, there: Mapping[str, Any], here: Mapping[str, Any]) -> None:
        if there.get("schema") != SCHEMA:
            what = "the file is no archive of a hunt"
        elif there.get("engine") != here["engine"]:
            what = "the archive is of another engine, whose scores may differ"
        else:
            before, now = there.get("asked", {}), here["asked"]
            names = sorted(k for k in {*before, *now} if before.get(k) != now.get(k))
            what = f"the archive is of another search: {', '.join(names)} differ"
        raise Refusal(what, place=str(self.path), fix="name another folder with --out")

    def _broken(self, error: OSError) -> Unfinished:
        why = error.strerror or str(error)
        fix = "make room or name another folder, and give the same command again: nothing is lost"
        return Unfinished(f"the archive cannot be written: {why}", place=str(self.path), fix=fix)


def shown(genome: Genome) -> str | list[int]:
    """A genome as a line has it: a long one packed."""
    return genome.packed() if isinstance(genome, Counts) else packed(genome)


def written(one: Judged) -> dict[str, Any]:
    """A member as a line has it."""
    found = {
        "genome": shown(one.genome),
        "score": one.score,
        "scores": list(one.scores),
        "figures": one.figures,
        "fingerprints": list(one.fingerprints),
    }
    return found | ({"why": one.why} if one.why else {})


def read(one: Mapping[str, Any], space: Space) -> Judged:
    """The member of a line."""
    return Judged(
        space.genome(one["genome"]),
        one["score"],
        tuple(one["scores"]),
        dict(one["figures"]),
        tuple(one["fingerprints"]),
        one.get("why"),
    )
