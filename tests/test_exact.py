"""Intervals that hold whatever the distribution: closed forms, and coverage by simulation."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from backwater.verdict import exact


def test_clopper_and_pearson_at_the_ends_are_powers() -> None:
    assert exact.share(0, 10).high == pytest.approx(1 - 0.025**0.1)
    assert exact.share(10, 10).low == pytest.approx(0.025**0.1)


def test_clopper_and_pearson_agree_with_the_published_table() -> None:
    # Clopper and Pearson 1934, n = 10, 3 of 10: 0.067 to 0.652.
    found = exact.share(3, 10)
    assert (found.low, found.high) == pytest.approx((0.0667, 0.6525), abs=1e-4)


def test_gamma_quantiles_have_closed_forms() -> None:
    # Shape 1 is exponential; shape 1/2 is half a chi-squared of one degree, 5.0239 at 97.5 %.
    assert exact.gamma_quantile(0.975, 1) == pytest.approx(-math.log(0.025))
    assert exact.gamma_quantile(0.975, 0.5) == pytest.approx(5.023886 / 2, rel=1e-6)
    # Chi-squared of 20 degrees: 9.5908 and 34.1696.
    assert exact.gamma_quantile(0.025, 10) == pytest.approx(9.590777 / 2, rel=1e-6)
    assert exact.gamma_quantile(0.975, 10) == pytest.approx(34.169607 / 2, rel=1e-6)


def test_single_losses_have_the_poisson_interval_at_most() -> None:
    # Garwood 1936, 5 events: 1.6235 to 11.668. Sizes of 1 would give it; of up to 50 give more.
    found = exact.rare([1.0] * 5, 1.0)
    assert found.low == pytest.approx(1.6235, abs=1e-3)
    assert found.high == 1.0


def test_a_median_needs_six_runs_and_a_99th_percentile_368() -> None:
    assert exact.runs_for_quantile(0.5) == 6
    assert exact.runs_for_quantile(0.99) == 368
    assert exact.quantile([1, 2, 3, 4, 5], 0.5).low is None
    assert exact.quantile([1, 2, 3, 4, 5, 6], 0.5).high == 6


SAMPLES = 2000
Size = Callable[[random.Random], float]


def single(_: random.Random) -> float:
    return 1.0


def bursty(draw: random.Random) -> float:
    """Geometric of mean 50."""
    return 1.0 + math.floor(math.log(1 - draw.random()) / math.log(1 - 1 / 50))


def heavy(draw: random.Random) -> float:
    """Pareto of shape 1.5 from 17, cut at 667: a burst of 1 MB in packets of 1500 bytes."""
    return min(667.0, 17 * draw.paretovariate(1.5))


# Mean of the cut Pareto: 1.5 * 17 / 0.5 * (1 - (17/667)^0.5) + 667 * (17/667)^1.5.
CUT = 17 / 667
HEAVY_MEAN = 51 * (1 - math.sqrt(CUT)) + 667 * CUT**1.5


def poisson(draw: random.Random, mean: float) -> int:
    count, left = 0, draw.expovariate(1)
    while left < mean:
        count, left = count + 1, left + draw.expovariate(1)
    return count


@pytest.mark.parametrize(
    ("size", "mean"),
    [(single, 1.0), (bursty, 50.0), (heavy, HEAVY_MEAN)],
    ids=lambda x: getattr(x, "__name__", str(x)),
)
@pytest.mark.parametrize(("runs", "episodes"), [(5, 2.0), (10, 0.3), (10, 1.0), (20, 0.3), (20, 1)])
def test_the_interval_of_rare_losses_covers(
    size: Size, mean: float, runs: int, episodes: float
) -> None:
    draw = random.Random(f"{size.__name__} {runs} {episodes}")
    covered = 0
    for _ in range(SAMPLES):
        lost = [math.fsum(size(draw) for _ in range(poisson(draw, episodes))) for _ in range(runs)]
        found = exact.rare(lost, 1e9)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= runs * episodes * mean / 1e9 <= found.high
    # 95 % less the 1 % that a sample of 2000 can miss by chance; counts make it cover more.
    assert covered / SAMPLES >= 0.94


@pytest.mark.parametrize("truth", [0.1, 0.5])
def test_the_interval_of_a_share_covers(truth: float) -> None:
    covered = 0.0
    for hits in range(11):
        found = exact.share(hits, 10)
        assert found.low is not None
        assert found.high is not None
        if found.low <= truth <= found.high:
            covered += math.comb(10, hits) * truth**hits * (1 - truth) ** (10 - hits)
    assert covered >= 0.95


def test_five_seeds_of_a_point_that_loses_are_not_zero() -> None:
    # A sixth of the runs of 10,000 packets lose 46: 7.7e-4 in all, which 3/N called zero in 8 of
    # 20 blocks of five runs.
    draw = random.Random(13)
    called = 0
    for _ in range(200):
        lost = [46.0 if draw.random() < 1 / 6 else 0.0 for _ in range(5)]
        high = exact.rare(lost, 50_000).high
        called += high is not None and high <= 1e-4
    assert called == 0
