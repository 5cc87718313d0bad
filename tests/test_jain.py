"""The interval of Jain's index: how often it covers a truth that many draws give."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from backwater.verdict import jain
from backwater.verdict.interval import interval

SAMPLES = 1000


def index(goodputs: Sequence[float]) -> float:
    return sum(goodputs) ** 2 / (len(goodputs) * sum(one * one for one in goodputs))


def drawn(draw: random.Random, flows: int, spread: float, richer: float) -> float:
    """Jain's index of a run: normal goodputs of mean 1, of which the first may have more."""
    means = [1 + richer, *[1.0] * (flows - 1)]
    return index([max(0.01, draw.gauss(mean, spread)) for mean in means])


@pytest.mark.parametrize("seeds", [3, 10])
@pytest.mark.parametrize(("spread", "richer"), [(0.05, 0.0), (0.2, 0.0), (0.2, 0.3)])
@pytest.mark.parametrize("flows", [2, 5, 12])
def test_the_interval_covers_the_mean_index(
    flows: int, spread: float, richer: float, seeds: int
) -> None:
    draw = random.Random(f"{flows} {spread} {richer}")
    truth = sum(drawn(draw, flows, spread, richer) for _ in range(40_000)) / 40_000
    covered = 0
    for _ in range(SAMPLES):
        found = jain.interval([drawn(draw, flows, spread, richer) for _ in range(seeds)])
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    # At least 92 %, less the 1.7 % that a sample of 1000 can miss by chance.
    assert covered / SAMPLES >= 0.903


def test_students_t_would_cover_two_flows_in_four_fifths_of_three_runs() -> None:
    """Why the index has an interval of its own."""
    draw = random.Random(4)
    truth = sum(drawn(draw, 2, 0.2, 0.0) for _ in range(40_000)) / 40_000
    covered = 0
    for _ in range(SAMPLES):
        found = interval([drawn(draw, 2, 0.2, 0.0) for _ in range(3)])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    assert 0.78 < covered / SAMPLES < 0.87


def test_the_cube_roots_give_a_known_gamma_its_mean() -> None:
    """Wilson and Hilferty: of chi-squared of one degree, mean 1 - 2/9 and variance 2/9."""
    assert jain._gamma_mean(1 - 2 / 9, 2 / 9) == pytest.approx(1.0, abs=0.01)


def test_equal_indices_are_a_point_and_the_interval_stays_below_one() -> None:
    assert jain.interval([1.0, 1.0, 1.0]).low == 1.0
    found = jain.interval([0.9999, 0.99, 0.98])
    assert found.high is not None
    assert found.mean <= found.high <= 1
