"""Searches of libraries: CMA-ES (`cmaes`) and Bayesian optimisation (`optuna`).

A library proposes points of a unit cube, and `Space.decoded` makes genomes of them. It keeps a
state, so a search that goes on asks and tells it anew what the archive has: a state depends on the
seed and on the scores alone. Its sums are those of NumPy: another version of a library, or another
kind of processor, may round them otherwise. The archive names the version.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import warnings
from collections.abc import Sequence
from typing import Any, Protocol

from backwater.errors import Refusal
from backwater.search.draws import Draws
from backwater.search.known import Known
from backwater.search.spaces import Genome, Space

# The first step of CMA-ES, as a share of each side of the cube.
STEP = 0.3
# CMA-ES multiplies matrices of so many rows, and `optuna` estimates one field after the other.
MOST_KNOBS = 200
# Points with which Bayesian optimisation begins, by chance.
FIRST = 10


class _Library(Protocol):
    """A library of optimisers: it proposes points, and is told their scores."""

    def ask(self) -> list[Sequence[float]]: ...
    def tell(self, scores: Sequence[float | None]) -> None: ...


class Optimiser:
    """Proposes the genomes of one generation after another."""

    def __init__(self, method: str, space: Space, seed: int, size: int) -> None:
        knobs = space.knobs()
        if knobs > MOST_KNOBS:
            raise Refusal(
                f"`{method}` searches at most {MOST_KNOBS} fields, and these are {knobs}",
                place="--search",
                fix="take `ga`, or vary fewer fields",
            )
        # CMA-ES has no fewer than two fields and four points; what is too much stays unused.
        self._space, self._size, self._told = space, max(4, size), 0
        self._library: _Library = _LIBRARIES[method][1](max(2, knobs), seed, self._size)
        self._asked: list[Genome] = []

    def __call__(self, generation: int, known: Known) -> list[Genome]:
        """The genomes of a generation; `known` has all those before it."""
        while self._told < generation:
            if not self._asked:
                self._ask()
            begin = self._told * self._size
            members = known.members[begin : begin + self._size]
            self._library.tell([one.score for one in members])
            self._asked = []
            self._told += 1
        if not self._asked:
            self._ask()
        return self._asked

    def _ask(self) -> None:
        points = self._library.ask()
        knobs = self._space.knobs()
        self._asked = [self._space.decoded(point[:knobs]) for point in points]


class _CmaEs:
    """CMA-ES, which begins anew elsewhere when it has come to rest."""

    def __init__(self, knobs: int, seed: int, size: int) -> None:
        self._package = _package("cma")
        self._knobs, self._seed, self._size, self._starts = knobs, seed, size, 0
        self._begin()

    def _begin(self) -> None:
        import numpy as np

        draws = Draws(self._seed, "cma", self._starts)
        middle = [0.5] * self._knobs if not self._starts else _point(draws, self._knobs)
        self._points: list[Any] = []
        self._cma = self._package.CMA(
            mean=np.array(middle),
            sigma=STEP,
            bounds=np.array([[0.0, 1.0]] * self._knobs),
            seed=draws.below(2**32),
            population_size=self._size,
        )
        self._starts += 1

    def ask(self) -> list[Sequence[float]]:
        """A generation."""
        self._points = [self._cma.ask() for _ in range(self._size)]
        return [point.tolist() for point in self._points]

    def tell(self, scores: Sequence[float | None]) -> None:
        """It minimises, and takes a whole generation; what has no score is the worst of it."""
        known = [-one for one in scores if one is not None]
        worst = max(known, default=0.0) + 1.0
        values = [worst if one is None else -one for one in scores]
        self._cma.tell(list(zip(self._points, values, strict=True)))
        if self._cma.should_stop():
            self._begin()


class _Bayesian:
    """`optuna` with its tree of Parzen estimators over all fields together."""

    def __init__(self, knobs: int, seed: int, size: int) -> None:
        optuna = self._optuna = _package("bo")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._size = size
        with warnings.catch_warnings():
            # Options that it calls experimental.
            warnings.simplefilter("ignore")
            sampler = optuna.samplers.TPESampler(
                seed=Draws(seed, "bo").below(2**32),
                multivariate=True,
                constant_liar=True,
                n_startup_trials=FIRST,
            )
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        fields = [f"x{number:03d}" for number in range(knobs)]
        self._fields = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in fields}
        self._trials: list[Any] = []

    def ask(self) -> list[Sequence[float]]:
        """A generation."""
        self._trials = [self._study.ask(self._fields) for _ in range(self._size)]
        return [[trial.params[name] for name in self._fields] for trial in self._trials]

    def tell(self, scores: Sequence[float | None]) -> None:
        """A trial without a score counts as failed."""
        failed = self._optuna.trial.TrialState.FAIL
        for trial, score in zip(self._trials, scores, strict=True):
            if score is None:
                self._study.tell(trial, state=failed)
            else:
                self._study.tell(trial, score)


def _point(draws: Draws, knobs: int) -> list[float]:
    return [draws.unit() for _ in range(knobs)]


# The package of each method, and what drives it.
_LIBRARIES: dict[str, tuple[str, type[_CmaEs] | type[_Bayesian]]] = {
    "cma": ("cmaes", _CmaEs),
    "bo": ("optuna", _Bayesian),
}
OPTIMISERS = tuple(_LIBRARIES)


def library(method: str) -> str:
    """The package that a method needs, with its version; raises Refusal where it is absent."""
    _package(method)
    name = _LIBRARIES[method][0]
    return f"{name} {importlib.metadata.version(name)}"


def _package(method: str) -> Any:
    name = _LIBRARIES[method][0]
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Refusal(
            f"`{method}` is a search of the package `{name}`, which is not installed",
            place="--search",
            fix="pip install 'backwater[search]', or take `ga`",
        ) from error
