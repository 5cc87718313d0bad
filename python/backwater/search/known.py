"""What a method of a search has tried, with what is asked of it before each generation.

A generation costs what is new since the last one, however long the search is.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from backwater.search.spaces import Genome
from backwater.search.trials import Judged

_RANK: Callable[[Judged], Any] = attrgetter("rank")


class Known:
    """Members in the order in which they came."""

    def __init__(self, members: Iterable[Judged] = ()) -> None:
        self.members: list[Judged] = []
        self.taken: set[Genome] = set()
        # The best score up to each member.
        self._tops: list[float | None] = []
        self._best: dict[tuple[int, int, int], tuple[list[list[Judged]], int]] = {}
        self._kinds: tuple[dict[Any, Judged], int] = ({}, 0)
        self.add(members)

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Judged]:
        return iter(self.members)

    def add(self, members: Iterable[Judged]) -> None:
        """A generation more."""
        top = self.top()
        for one in members:
            self.members.append(one)
            self.taken.add(one.genome)
            if one.score is not None and (top is None or one.score > top):
                top = one.score
            self._tops.append(top)

    def top(self, without: int = 0) -> float | None:
        """The best score, without so many of the last ones."""
        return self._tops[-1 - without] if len(self._tops) > without else None

    def best(self, count: int, size: int = 1, islands: int = 1) -> Sequence[Sequence[Judged]]:
        """The best of each island, at most so many.

        Genome number i of every generation of that size belongs to island i mod islands.
        """
        key = (count, size, islands)
        rows, seen = self._best.get(key, ([[] for _ in range(islands)], 0))
        for place in range(seen, len(self.members)):
            row = rows[place % size % islands]
            insort(row, self.members[place], key=_RANK)
            del row[count:]
        self._best[key] = (rows, len(self.members))
        return rows

    def kinds(self, kind: Callable[[Judged], Any]) -> dict[Any, Judged]:
        """The best of each kind that has a score; always by the same function."""
        best, seen = self._kinds
        for one in self.members[seen:]:
            if one.score is not None:
                found = kind(one)
                best[found] = min(best.get(found, one), one, key=_RANK)
        self._kinds = (best, len(self.members))
        return best
