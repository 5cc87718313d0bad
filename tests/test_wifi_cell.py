"""Saturated cells of A-MPDUs: the engine beside a slot-exact simulator and a formula."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import pytest

CELL = runpy.run_path(str(Path(__file__).parents[1] / "validation" / "wifi_cell.py"))
KINDS, SIZES = CELL["KINDS"], CELL["SIZES"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.standard)
def test_one_station_is_the_sum_of_its_intervals(kind: object) -> None:
    """No collision: AIFS, 7.5 slots, PPDU, SIFS and answer, by slots and by the formula."""
    whole = 43 + 67.5 + kind.ppdu + 16 + kind.answer  # type: ignore[attr-defined]
    expected = 12_000 * kind.packets / whole  # type: ignore[attr-defined]
    assert CELL["formula"](kind) == pytest.approx(expected, rel=1e-6)
    assert CELL["simulate"](kind, 400, 200) == pytest.approx(expected, rel=0.002)


@pytest.mark.parametrize("stations", SIZES[1:])
@pytest.mark.parametrize("after", ["difs", "eifs"])
def test_the_formula_is_close_to_the_slots(stations: int, after: str) -> None:
    cell = replace(KINDS[0], stations=stations, after=after)
    assert CELL["simulate"](cell, 2000, 100) == pytest.approx(CELL["formula"](cell), rel=0.01)


@pytest.mark.parametrize(
    ("stations", "after", "missed"),
    [
        (2, "difs", "data"),
        (12, "eifs", "data"),
        (50, "difs", "data"),
        (2, "difs", "bar"),
        (12, "difs", "bar"),
        (50, "difs", "bar"),
    ],
)
def test_the_engine_is_close_to_the_slots(stations: int, after: str, missed: str) -> None:
    """Bursts of four packets: 100,000 exchanges and more, a standard error of 0.15 % at most."""
    ppdu = 44.0 + 4.0 * -(-(16 + 12 + 8 * CELL["a_mpdu"](4)) // 3120)
    few = {"window": 4, "packets": 4, "ppdu": ppdu}
    cell = replace(KINDS[1], stations=stations, after=after, missed=missed, **few)
    assert CELL["engine"](cell, 30) == pytest.approx(CELL["simulate"](cell, 3000), rel=0.005)
