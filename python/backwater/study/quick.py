"""The quick form of a study: fewer seeds, values and runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backwater.study.axes import Axes, Sets
from backwater.study.toml_text import Fields
from backwater.verdict.claim import Claim, pairs_of

# Seeds where the study doesn't say.
SEEDS = 3


@dataclass(frozen=True)
class Quick:
    """The smaller version of a study."""

    seeds: int
    sets: Sets
    labels: dict[str, tuple[str, ...]]
    # Whether combinations that no claim reads are left out.
    only_judged: bool

    def has(self, axis: str, label: str) -> bool:
        """Whether it has this value of an axis."""
        return axis not in self.labels or label in self.labels[axis]

    def kept(
        self, combinations: list[dict[str, str]], claims: Sequence[Claim]
    ) -> list[dict[str, str]]:
        """The combinations that run, in order."""
        if not self.only_judged:
            return combinations
        pairs = (pair for claim in claims for pair in pairs_of(claim, combinations))
        read = [labels for pair in pairs for labels in pair]
        return [labels for labels in combinations if labels in read]


def read(fields: Fields, axes: Axes, seeds: int) -> Quick:
    """Reads the table `quick` of a study that has so many seeds."""
    duration = fields.text("duration")
    sets = fields.typed("set", dict, "a table of paths and values") or {}
    quick = Quick(
        seeds=fields.count("seeds") or min(SEEDS, seeds),
        sets=((("duration", duration),) if duration else ()) + tuple(sets.items()),
        labels=axes.select(fields, "axes"),
        only_judged=fields.typed("only_judged", bool, "true or false") or False,
    )
    fields.done()
    return quick
