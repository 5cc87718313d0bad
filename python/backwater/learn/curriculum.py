"""Genet's curriculum (Xia et al., SIGCOMM 2022): train where a policy is furthest behind.

After each round of training Bayesian optimisation looks for the parameters of a path on which a
reference earns most above the policy. Paths like that are drawn more often from then on. The
constants are Genet's: 10 points at random and 5 by an upper confidence bound with a weight of 20;
a found path has a share of 0.3, those before it 0.3 of the rest, and so on. With so large a weight
the bound is greatest far from all points, so the search spreads them. Genet's reference is a
rule such as BBR; here it is a constant 95 % of each path's capacity, which needs no second world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backwater.errors import Refusal
from backwater.learn.episode_draws import Draws
from backwater.learn.episodes import Options
from backwater.learn.paths import Aurora, Genet, Path

Array = NDArray[np.float64]

# Points at random, points by the bound, its weight, and the share of what was found.
FIRST, MORE, KAPPA, SHARE = 10, 5, 20.0, 0.3
# Steps between two searches, and episodes for each point.
STEPS, EPISODES = 72_000, 4
# Candidates among which the bound is largest, and the reach of the kernel in a unit cube.
TRIED, REACH = 2_000, 0.3
# Seeds of the episodes of searches: neither those of training nor those of the judges.
SEARCHED = 3_000_000_000


class Focused:
    """Paths of a distribution, and more often some that were found."""

    def __init__(self, base: Aurora | Genet) -> None:
        self.base = base
        self.ranges = base.ranges
        self.found: list[Mapping[str, float]] = []

    def scene(self) -> Any:
        """That of the distribution."""
        return self.base.scene()

    def draw(self, draws: Draws, fixed: Mapping[str, float]) -> Path:
        """A path: the one found last with the share, the one before it with that of the rest."""
        for found in reversed(self.found):
            if draws.between(0.0, 1.0) < SHARE:
                return self.base.draw(draws, dict(found) | dict(fixed))
        return self.base.draw(draws, fixed)


def focused(options: Options) -> tuple[Options, Focused]:
    """The same options with paths to which more can be added."""
    paths = options.paths()
    if not isinstance(paths, Aurora | Genet):
        raise Refusal(
            "a curriculum changes what paths are drawn, and a scenario has one",
            place="--curriculum",
            fix="take --path aurora or genet",
        )
    if options.action not in (None, "rate-delta", "rate-delta-unit"):
        raise Refusal(
            f"the curriculum's reference is a constant rate, which `{options.action}` has not",
            place="--curriculum",
            fix="take the action rate-delta",
        )
    made = Focused(paths)
    return replace(options, path=made), made


def widest(
    ranges: Mapping[str, tuple[float, float]],
    gap: Callable[[Mapping[str, float]], float],
    seed: int,
) -> tuple[dict[str, float], float]:
    """The point of the ranges with the largest gap that was found, and that gap."""
    draws = np.random.default_rng(seed)
    names = list(ranges)
    low, high = (np.array([ranges[name][end] for name in names]) for end in (0, 1))
    points = draws.random((FIRST, len(names)))
    values = [gap(_named(names, low + (high - low) * point)) for point in points]
    for _ in range(MORE):
        tried = draws.random((TRIED, len(names)))
        best = tried[int(np.argmax(bound(points, np.array(values), tried)))]
        points = np.vstack([points, best])
        values.append(gap(_named(names, low + (high - low) * best)))
    at = int(np.argmax(values))
    return _named(names, low + (high - low) * points[at]), float(values[at])


def bound(points: Array, values: Array, tried: Array) -> Array:
    """The upper confidence bound of a Gaussian process with a Matern kernel of 5/2."""
    spread = float(values.std()) or 1.0
    scaled = (values - values.mean()) / spread
    known = _kernel(points, points) + 1e-6 * np.eye(len(points))
    across = _kernel(tried, points)
    solved = np.linalg.solve(known, across.T)
    mean = solved.T @ scaled
    variance = np.maximum(1.0 - (across * solved.T).sum(axis=1), 0.0)
    return np.asarray(mean + KAPPA * np.sqrt(variance))


def _kernel(a: Array, b: Array) -> Array:
    apart = np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2)) * (np.sqrt(5.0) / REACH)
    return np.asarray((1.0 + apart + apart**2 / 3.0) * np.exp(-apart))


def _named(names: list[str], point: Array) -> dict[str, float]:
    return {name: float(value) for name, value in zip(names, point, strict=True)}
