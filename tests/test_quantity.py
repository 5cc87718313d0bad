from __future__ import annotations

import json
import math

import pytest

from backwater import _native
from backwater.model import quantity
from backwater.model.quantity import Quantity
from backwater.present import numbers
from backwater.present.numbers import Unit


@pytest.mark.parametrize(
    ("written", "value", "dimension"),
    [
        ("3 Mbit/s", 3e6, "rate"),
        ("1.5 Gbps", 1.5e9, "rate"),
        ("48 kB", 48e3, "size"),
        ("1 KiB", 1024.0, "size"),
        ("80 %", 0.8, "share"),
        ("0.1 ms", 1e-4, "time"),
        ("20 us", 2e-5, "time"),
        ("100 packets", 100.0, "packets"),
        ("-71 m", -71.0, "length"),
        ("2e3", 2000.0, "number"),
    ],
)
def test_reads_written_quantities(written: str, value: float, dimension: str) -> None:
    assert quantity.parse(written) == Quantity(value, dimension)


@pytest.mark.parametrize("written", ["none", "pause", "3 KB", "3 mbit/s", "", "1 2 s", "uniform-3"])
def test_leaves_names_alone(written: str) -> None:
    assert quantity.parse(written) is None


def test_every_unit_of_the_engine_is_read() -> None:
    for dimension, units in json.loads(_native.units()).items():
        for row in units:
            found = quantity.parse(f"1 {row['unit']}")
            assert found == Quantity(row["over"] / row["under"], dimension)
            assert numbers.unit_for(dimension, [1.0])


def test_quantities_of_two_kinds_have_no_order() -> None:
    assert quantity.parse_all(["1 s", "1 kB"]) is None
    assert quantity.parse_all(["1 s", "none"]) is None
    assert quantity.parse_all([]) is None


@pytest.mark.parametrize(
    ("dimension", "values", "unit"),
    [
        ("rate", [1e6, 2e6, 3e6], Unit("Mbit/s", 1e6)),
        ("rate", [1e9, 1e10], Unit("Gbit/s", 1e9)),
        ("time", [0.02, 0.3], Unit("ms", 1e-3)),
        ("time", [0.0, 0.0], Unit("ms", 1e-3)),
        ("time", [math.inf, 2.0], Unit("s", 1.0)),
        ("size", [6e3, 12e3], Unit("kB", 1e3)),
        ("share", [0.5], Unit("%", 0.01)),
        ("number", [7.0], Unit("", 1.0)),
    ],
)
def test_chooses_the_unit_that_people_would(
    dimension: str, values: list[float], unit: Unit
) -> None:
    assert numbers.unit_for(dimension, values) == unit


@pytest.mark.parametrize(
    ("metric", "dimension"),
    [
        ("loss", "share"),
        ("loss_class1", "share"),
        ("paused_max", "share"),
        ("delay_p99_s", "time"),
        ("goodput_bps", "rate"),
        ("queue_mean_B", "size"),
        ("control_pkts", "packets"),
        ("jain", "number"),
        ("idle_gated", "share"),
    ],
)
def test_a_metric_says_what_it_measures(metric: str, dimension: str) -> None:
    assert numbers.dimension_of(metric) == dimension


def test_titles_name_the_scope() -> None:
    assert numbers.metric_title("loss") == "Packet loss"
    assert numbers.metric_title("loss", "flow:f2") == "Packet loss, flow f2"
    assert numbers.metric_title("buffer-full", "drops:X>D") == (
        "Packets dropped at X>D, buffer full"
    )
    assert numbers.metric_title("dropped_pkts", "drops:W*") == "Packets dropped at W*"
    assert numbers.metric_title("loss_class1") == "Packet loss, class 1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.0126, "0.0126"),
        (3.0, "3"),
        (134.2, "134"),
        (12345.6, "12\u202f346"),
        (-2.5, "−2.5"),
        (2.1e-6, "2.1·10⁻⁶"),
        (6.02e23, "6.02·10²³"),
        (math.inf, "∞"),
    ],
)
def test_numbers_are_short_and_have_no_e(value: float, text: str) -> None:
    assert numbers.number(value) == text
