"""Methods side by side: a generation of each, then the next of each.

The order of generations depends on nothing but their results, so any number of cores gives the same
archive. While the runs of one generation end, those of the next one have begun.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from backwater.search import archive as files
from backwater.search.archive import Archive
from backwater.search.known import Known
from backwater.search.operators import METHODS
from backwater.search.optimisers import OPTIMISERS, Optimiser
from backwater.search.request import HuntRequest
from backwater.search.spaces import Genome
from backwater.search.trials import Begun, Trials

# Generations without a better one after which a method stops.
PATIENCE = 20

Progress = Callable[[str, int, int, float | None], None]


class Method:
    """A method of a search: what it knows, and what it tries next."""

    def __init__(self, name: str, request: HuntRequest, archive: Archive, each: int) -> None:
        """`each` is the runs of a genome."""
        self.name, self._request, self._archive, self._each = name, request, archive, each
        space, done = request.space, archive.generations(name)
        self.known = Known(files.read(one, space) for line in done for one in line["members"])
        # Generations that have begun, and those that have ended.
        self.begun = self.ended = len(done)
        self._most = max(1, request.evals // each)
        size = min(space.population * space.islands, self._most // 10)
        self._size = min(self._most, max(4, size))
        self._propose = _proposer(name, request, self._size)

    @property
    def running(self) -> bool:
        """Whether a generation has begun and not ended."""
        return self.begun > self.ended

    @property
    def fails(self) -> bool:
        """Whether no run ends: of a controller that traps or never answers, more would not."""
        return bool(len(self.known)) and all(one.failed for one in self.known)

    @property
    def finished(self) -> bool:
        """Whether nothing more is tried."""
        spent = len(self.known) >= self._most
        return not self.running and (spent or self.fails or self._stalls)

    @property
    def _stalls(self) -> bool:
        before, now = self.known.top(PATIENCE * self._size), self.known.top()
        return before is not None and now is not None and now <= before

    def begin(self, trials: Trials, seeds: Sequence[int]) -> Begun:
        """Begins the next generation."""
        genomes, corpus = self._propose(self.begun, self.known), self._request.corpus
        if self.begun == 0 and self.name == self._request.search and corpus:
            genomes = [*corpus[: self._size], *genomes][: self._size]
        begun = trials.begin(genomes[: self._most - len(self.known)], seeds)
        self.begun += 1
        return begun

    def end(self, begun: Begun, progress: Progress | None) -> None:
        """Waits for a generation and writes it down."""
        judged = begun.judged()
        if self.ended == 0 and begun.refusal and not any(one.fingerprints for one in judged):
            raise begun.refusal
        members = [files.written(one) for one in judged]
        line: dict[str, Any] = {"what": "generation", "method": self.name, "number": self.ended}
        self._archive.append(line | {"members": members, "runs": begun.runs})
        self.known.add(judged)
        self.ended += 1
        if progress is not None:
            each = self._each
            progress(self.name, len(self.known) * each, self._most * each, self.known.top())


def search(
    methods: Sequence[Method],
    trials: Trials,
    seeds: Sequence[int],
    progress: Progress | None,
    until: float | None,
) -> None:
    """Runs generations until all methods have finished, or until a time."""
    running: deque[tuple[Method, Begun]] = deque()
    while True:
        while len(running) < trials.ahead and (method := _next(methods)) is not None:
            if until is not None and method.begun and time.monotonic() > until:
                break
            running.append((method, method.begin(trials, seeds)))
        if not running:
            break
        method, begun = running.popleft()
        method.end(begun, progress)


def _next(methods: Sequence[Method]) -> Method | None:
    """The method whose generation is the next one; None where that depends on what still runs.

    The first generation of the first method runs alone, since the others are spared where it fails.
    """
    if methods[0].fails:
        return None
    if methods[0].ended == 0:
        return None if methods[0].running else methods[0]
    open_ = [one for one in methods if not one.finished]
    found = min(open_, key=lambda one: one.begun, default=None)
    return None if found is None or found.running else found


def _proposer(method: str, request: HuntRequest, size: int) -> Callable[[int, Known], list[Genome]]:
    """Proposes the genomes of a generation from those that are known."""
    if method in OPTIMISERS:
        return Optimiser(method, request.space, request.seed, size)

    def propose(generation: int, known: Known) -> list[Genome]:
        return METHODS[method](request.space, request.seed, generation, known, size)

    return propose
