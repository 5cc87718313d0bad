"""The blob of a case's metrics: every value comes back, small, and once for each layout."""

from __future__ import annotations

import math
import random
from array import array

import pytest

from backwater.results import columns
from backwater.results.store import Store
from test_store import document


def test_every_double_comes_back() -> None:
    values = array("d", [0.0, -0.0, 1 / 3, 5e-324, 1.7e308, -2.5, math.inf])
    found = columns.unpack(columns.pack(values), len(values))
    assert found.tobytes() == values.tobytes()


def test_what_has_no_value_has_none_again() -> None:
    layout, blob = columns.split([("run", "loss", 0.5), ("run", "age_p95_s", None)])
    assert layout == (("run", "loss"), ("run", "age_p95_s"))
    assert [columns.real(one) for one in columns.unpack(blob, 2)] == [0.5, None]


def test_a_blob_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="8 bytes of values for 2 metrics"):
        columns.unpack(columns.pack(array("d", [1.0])), 2)


def test_a_thousand_flows_take_less_than_300_kb() -> None:
    """130 numbers a flow, half of them counts, as a document has them: 1.04 MB of doubles."""
    draw = random.Random(41)
    values = array("d")
    for _ in range(1000):
        pkts = draw.randrange(5000)
        goodput = pkts * 12_000 / 10
        values.extend([goodput, float(pkts), draw.gauss(0.01, 0.001)])
        values.extend(float(draw.choice((0, 0, 0, pkts))) for _ in range(117))
        values.extend(round(draw.random(), 3) for _ in range(10))
    assert len(values) == 130_000
    assert len(columns.pack(values)) < 300_000


def test_cases_with_the_same_metrics_share_a_layout() -> None:
    store = Store(None)
    for key in ("a", "b"):
        store.add(key, "s", "{}", 1, document(ok=True), None)
    more = document(ok=True)
    more["metrics"] = {**more["metrics"], "jain": 1.0}
    store.add("c", "s", "{}", 1, more, None)
    assert len(store.layouts) == 2
    assert store.columns().column("run", "jain") == {"c": 1.0}
    assert store.columns().column("run", "loss") == {"a": 0.25, "b": 0.25, "c": 0.25}
    assert store.unsound() == []
