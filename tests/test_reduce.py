"""Reductions on curves small enough to do in one's head."""

from __future__ import annotations

import math

import pytest

from backwater.verdict import reduce

RISING = [(1.0, 10.0), (2.0, 20.0), (4.0, 50.0)]
HUMP = [(1.0, 0.0), (2.0, 4.0), (3.0, 0.0)]
FLAT = [(1.0, 5.0), (2.0, 5.0)]


NOTHING = [(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]


def test_equal_values_are_no_growth() -> None:
    assert reduce.increasing(RISING) == (2, 2)
    assert reduce.increasing(HUMP) == (1, 2)
    assert reduce.increasing(FLAT) == (0, 1)
    assert reduce.increasing(NOTHING) == (0, 2)


def test_equal_values_are_no_decline() -> None:
    assert reduce.decreasing(RISING) == (0, 2)
    assert reduce.decreasing(FLAT) == (0, 1)
    assert reduce.decreasing(HUMP) == (1, 2)


def test_where_the_source_says_not_less_equal_values_count() -> None:
    assert reduce.non_decreasing(FLAT) == (1, 1)
    assert reduce.non_decreasing(HUMP) == (1, 2)
    assert reduce.non_increasing(NOTHING) == (2, 2)
    assert reduce.non_increasing(RISING) == (0, 2)


def test_argmax_is_the_place_and_not_the_value() -> None:
    assert reduce.argmax(HUMP) == 2.0
    assert reduce.argmax(FLAT) == 1.0


def test_slope_of_a_line_is_its_slope() -> None:
    assert reduce.slope([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == pytest.approx(2.0)


def test_slope_is_that_of_least_squares() -> None:
    # x: 1 2 4, mean 7/3; y: 10 20 50, mean 80/3.
    # Sxy = (-4/3)(-50/3) + (-1/3)(-20/3) + (5/3)(70/3) = 570/9; Sxx = 16/9 + 1/9 + 25/9 = 42/9.
    assert reduce.slope(RISING) == pytest.approx(570 / 42)


def test_spearman_sees_order_only_and_shares_ranks_between_ties() -> None:
    assert reduce.spearman(RISING) == pytest.approx(1.0)
    assert reduce.spearman([(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]) == pytest.approx(-1.0)
    # y 0 4 0 has ranks 1.5 3 1.5: the two halves cancel.
    assert reduce.spearman(HUMP) == pytest.approx(0.0)
    # Ranks 1 2 3 against 1 2.5 2.5: 1.5 / sqrt(2 * 1.5).
    tied = [(1.0, 1.0), (2.0, 7.0), (3.0, 7.0)]
    assert reduce.spearman(tied) == pytest.approx(1.5 / math.sqrt(3.0))


def test_a_constant_curve_has_no_rank_correlation() -> None:
    assert reduce.spearman(FLAT) is None


def test_roughness_is_nought_without_a_turn_and_one_for_a_full_hump() -> None:
    assert reduce.roughness(RISING) == 0.0
    assert reduce.roughness(FLAT) == 0.0
    assert reduce.roughness(HUMP) == 1.0
