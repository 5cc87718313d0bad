"""Modes of 802.11n and later: the engine's table beside formulas that share no code with it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from backwater.tools import catalogue

MODES = runpy.run_path(str(Path(__file__).parents[1] / "validation" / "wifi_modes.py"))
Mode, VECTORS, CARRIERS = MODES["Mode"], MODES["VECTORS"], MODES["CARRIERS"]
KINDS = {"802.11n": "ht", "802.11ac": "vht", "802.11ax": "he", "802.11be": "eht"}


@pytest.mark.parametrize("vector", VECTORS)
def test_a_vector_of_ns3_and_of_the_standard(vector: tuple[str, int, int, float, int]) -> None:
    kind, width, mcs, guard, size = vector
    mode = Mode(kind, width, mcs, guard)
    found = mode.duration(size, ns3=True), mode.duration(size)
    assert found == VECTORS[vector]


def test_the_engine_lists_the_bits_and_rates_of_every_mode() -> None:
    """Each width and MCS of a standard with one stream, but MCS 9 of 802.11ac at 20 MHz."""
    rows = {row["id"]: row["modes"] for row in catalogue.rows("standards")}
    assert rows.keys() == KINDS.keys()
    for standard, modes in rows.items():
        kind = KINDS[standard]
        highest = {"ht": 7, "vht": 9, "he": 11, "eht": 13}[kind]
        every = {(w, m) for w in CARRIERS[kind] for m in range(highest + 1)}
        excluded = {(20, 9)} if kind == "vht" else set()
        assert {(mode["width_MHz"], mode["mcs"]) for mode in modes} == every - excluded
        for mode in modes:
            for written, rate in mode["rates_bps"].items():
                guard = float(written.removesuffix(" us"))
                other = Mode(kind, mode["width_MHz"], mode["mcs"], guard)
                assert mode["bits_per_symbol"] == other.bits()
                symbol = (12.8 if kind in ("he", "eht") else 3.2) + guard
                assert rate == pytest.approx(other.bits() / symbol * 1e6, abs=1)
