"""Results of a study whose metrics are invented, so that its figures are drawn without a run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from backwater.results.results import Case, Results
from backwater.results.store import Store
from backwater.study.definition import Study, canonical

SEEDS = (1, 2)
# Intervals of a series, beyond the beginning of every figure over time.
INTERVALS = 2000
# Flows that a pattern means.
FLOWS = 12
# Of a study with more combinations, those of its quick set are drawn: a matrix of 1,632 takes half
# a minute.
MOST = 250


def number(*words: object) -> float:
    """A value above zero that depends on the words alone, over four decades."""
    digest = hashlib.blake2b(repr(words).encode(), digest_size=4).digest()
    return float(10 ** (4 * int.from_bytes(digest, "big") / 2**32 - 3))


class Invented(Results):
    """All cases of a study, each with some value of whatever metric is asked for."""

    def __init__(self, study: Study) -> None:
        manifest = {"mode": "full", "cases_total": 0, "status": "done", "seeds": SEEDS}
        super().__init__(study, Store(None), manifest, None)
        self.reruns = _Reruns()

    @cached_property
    def cases(self) -> list[Case]:
        found = []
        every = self.study.combinations()
        for labels in every if len(every) <= MOST else self.study.combinations(quick=True):
            told = canonical(labels)
            found += [Case(f"{told}{seed}", labels, seed, "ok", None, None, told) for seed in SEEDS]
        return found

    def metric(self, name: str, scope: str = "run") -> dict[str, float | None]:
        """The metric of every case."""
        return dict(self._column(scope, name))

    def _column(self, scope: str, name: str) -> dict[str, float | None]:
        return {case.key: number(case.key, scope, name) for case in self.cases}

    @property
    def _drops(self) -> dict[str, dict[tuple[str, str], float | None]]:
        scopes = {one for figure in self.study.figures for one in (figure.scope, *figure.places)}
        causes = {metric for figure in self.study.figures for metric in figure.y}
        places = [(one.replace("*", "x"), cause) for one in scopes for cause in causes]
        return {case.key: {one: number(case.key, one) for one in places} for case in self.cases}

    def _by_flow(self, metric: str) -> dict[str, dict[str, float | None]]:
        if metric not in self._flows:
            patterns = {figure.scope.partition(":")[2] for figure in self.study.figures}
            flows = [one.replace("*", f"{at}") for one in patterns for at in range(FLOWS)]
            self._flows[metric] = {
                case.key: {one: number(case.key, one, metric) for one in flows}
                for case in self.cases
            }
        return self._flows[metric]


class _Places(Mapping[str, Any]):
    """Every place that is asked for, and each of its series."""

    def __init__(self, *words: object) -> None:
        self.words = words

    def __getitem__(self, name: str) -> Any:
        if name == "pauses":
            return _pauses()
        if len(self.words) < 4:
            return _Places(*self.words, name)
        mean = number(*self.words, name)
        return [mean * (1 + at % 7) for at in range(INTERVALS)]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


def _pauses() -> list[dict[str, Any]]:
    """Three ports, each paused because of the one before it, all through the run."""
    rows = []
    for at in range(20_000):
        port = f"n{at % 3 + 1}>n{at % 3}"
        rows.append({"port": port, "classes": [0], "from_s": at * 1e-4, "to_s": at * 1e-4 + 5e-5})
    return rows


class _Reruns(dict[tuple[str, str], dict[str, Any]]):
    def get(self, key: Any, default: Any = None) -> Any:
        return _Places(*key)
