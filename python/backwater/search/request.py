"""The request of a hunt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backwater.search import archive as files
from backwater.search.optimisers import OPTIMISERS, library
from backwater.search.spaces import Genome, Space


@dataclass
class HuntRequest:
    """The request of a hunt; all that decides the archive."""

    space: Space
    what: str
    target: str | None
    against: str | None
    objective: str
    seed: int
    evals: int
    search: str
    shrink: bool
    corpus: Sequence[Genome] = ()
    # The SHA-256 of the scenario that is searched.
    scene: str = ""

    def written(self) -> dict[str, Any]:
        """As the archive's first line has it."""
        by_library = self.search in OPTIMISERS
        return ({"library": library(self.search)} if by_library else {}) | {
            "what": self.what,
            "target": self.target,
            "against": self.against,
            "space": self.space.name,
            "options": dict(self.space.options()),
            "objective": self.objective,
            "seed": self.seed,
            "evals": self.evals,
            "search": self.search,
            "shrink": self.shrink,
            "corpus": [files.shown(genome) for genome in self.corpus],
            "scene": self.scene,
            "constraints": self.space.constraints(),
        }
