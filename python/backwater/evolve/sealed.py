"""Paths that nobody has seen, and scores of them that tell little.

The secret's SHA-256 is written before the first query, so that it can't be chosen afterwards; the
secret is published when the campaign is over. A campaign has a number of queries. A score is
released where it beats the best released one by more than the width of its interval, rounded; else
the best is told again (Blum and Hardt 2015, "The Ladder").
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater.errors import Refusal, Unfinished
from backwater.evolve.environments import Environment, draw

QUERIES = 20
STEP = 0.01
STATE, SECRET = "campaign.json", "secret"


@dataclass(frozen=True)
class Released:
    """The answer to a query."""

    value: float | None
    better: bool
    queries_left: int


def seal(folder: Path, queries: int = QUERIES) -> str:
    """Begins a campaign in an empty folder; the SHA-256 of its secret."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Refusal(
                "the folder of a campaign is empty at first",
                place=str(folder),
                fix="name another folder",
            )
        secret = secrets.token_hex(32)
        said = hashlib.sha256(secret.encode()).hexdigest()
        (folder / SECRET).write_text(secret, encoding="ascii")
        (folder / SECRET).chmod(0o600)
        _write(folder, {"sha256": said, "queries": queries, "asked": 0, "best": None})
    except OSError as error:
        raise Unfinished(
            f"the campaign cannot be written: {error.strerror}",
            place=str(folder),
            fix="name a folder that can be written",
        ) from error
    return said


class Campaign:
    """A campaign that has begun."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self._state: dict[str, Any] = json.loads((folder / STATE).read_text(encoding="utf-8"))
            self._secret = (folder / SECRET).read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            raise Refusal(
                f"there is no campaign: {error}",
                place=str(folder),
                fix="begin one by `backwater evolve seal`",
            ) from error
        if hashlib.sha256(self._secret.encode()).hexdigest() != self._state["sha256"]:
            raise Refusal(
                "the secret is not the one whose SHA-256 was published",
                place=str(folder / SECRET),
                fix="put it back, or begin another campaign",
            )

    def environments(self, count: int) -> list[Environment]:
        """Its paths. Each call counts as a query, also one that is interrupted."""
        if self._state["asked"] >= self._state["queries"]:
            raise Refusal(
                f"all {self._state['queries']} queries of the campaign were asked",
                place=str(self._folder),
                fix="publish the secret, and begin another campaign",
            )
        self._state["asked"] += 1
        _write(self._folder, self._state)
        return draw(self._secret.encode(), count)

    def release(self, value: float, half: float) -> Released:
        """The part of a score with this half-width that may be told."""
        best = self._state["best"]
        better = best is None or value > best + half
        if better:
            self._state["best"] = best = round(value / STEP) * STEP
            _write(self._folder, self._state)
        return Released(best, better, self._state["queries"] - self._state["asked"])


def _write(folder: Path, state: dict[str, Any]) -> None:
    new = folder / f"{STATE}.new"
    new.write_text(json.dumps(state, indent=1), encoding="utf-8")
    new.replace(folder / STATE)
