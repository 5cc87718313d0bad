"""Intervals against printed tables and sums done by hand."""

from __future__ import annotations

import math

import pytest

from backwater.verdict.interval import interval, seeds_to_decide, t_quantile


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    # Any printed table of Student's t, two-sided 95 %.
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (9, 2.262),
        (10, 2.228),
        (29, 2.045),
        (30, 2.042),
        (60, 2.000),
        (120, 1.980),
        (100_000, 1.960),
    ],
)
def test_quantiles_are_those_of_the_table(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=5e-4)


def test_the_two_ways_to_a_quantile_meet() -> None:
    # t decreases with the degrees of freedom, by about 2.4e-6 here.
    assert 0 < t_quantile(1000) - t_quantile(1001) < 4e-6


def test_one_to_five_has_the_interval_of_the_textbook() -> None:
    # Mean 3. Squares 4 + 1 + 0 + 1 + 4 = 10, variance 10/4, deviation 1.58114.
    # Half-width 2.776 * 1.58114 / sqrt(5) = 1.9629.
    found = interval([1, 2, 3, 4, 5])
    assert found is not None
    assert (found.mean, found.n) == (3, 5)
    assert found.deviation == pytest.approx(1.58114, abs=1e-5)
    assert found.low == pytest.approx(3 - 1.9629, abs=1e-3)
    assert found.high == pytest.approx(3 + 1.9629, abs=1e-3)


def test_two_values_use_one_degree_of_freedom() -> None:
    # Deviation 1.41421, half-width 12.706 * 1.41421 / 1.41421 = 12.706.
    found = interval([0, 2])
    assert found is not None
    assert found.low == pytest.approx(1 - 12.706, abs=1e-3)


def test_equal_values_are_a_point_whatever_their_rounding() -> None:
    found = interval([0.1] * 7)
    assert found is not None
    assert (found.mean, found.low, found.high) == (0.1, 0.1, 0.1)


def test_one_value_has_no_interval_unless_it_is_exact() -> None:
    alone, exact = interval([4.0]), interval([4.0], exact=True)
    assert alone is not None
    assert exact is not None
    assert (alone.mean, alone.low, alone.high) == (4.0, None, None)
    assert (exact.low, exact.high) == (4.0, 4.0)


def test_nothing_has_no_interval() -> None:
    assert interval([]) is None


def test_an_infinite_value_makes_all_of_it_infinite() -> None:
    found = interval([1.0, math.inf])
    assert found is not None
    assert (found.low, found.high) == (math.inf, math.inf)


def test_seeds_to_decide_is_the_least_number_the_table_allows() -> None:
    # Deviation 1, distance 0.5. n = 18: 2.110 / sqrt(18) = 0.4973 < 0.5.
    # n = 17: 2.120 / sqrt(17) = 0.5142 > 0.5.
    assert seeds_to_decide(1.0, 0.5) == 18


def test_a_mean_on_the_bound_is_never_decided() -> None:
    assert seeds_to_decide(1.0, 0.0) is None
    assert seeds_to_decide(1.0, 1e-4) is None
