"""The blob of a case's metrics: every value comes back, small, and once for each layout."""

from __future__ import annotations

import json
import math
import random
from array import array

import pytest

from backwater.results import columns
from backwater.results.store import Store
from test_store import document, stored


def test_every_double_comes_back() -> None:
    values = array("d", [0.0, -0.0, 1 / 3, 5e-324, 1.7e308, -2.5, math.inf])
    found = columns.unpack(columns.pack(values), len(values))
    assert found.tobytes() == values.tobytes()


def test_what_has_no_value_has_none_again() -> None:
    layout, blob = columns.split([("run", "loss", 0.5), ("run", "age_p95_s", None)])
    assert json.loads(layout) == [["run", "loss"], ["run", "age_p95_s"]]
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
        store.add(key, "s", "{}", 1, stored(document(ok=True)), None)
    more = document(ok=True)
    more["metrics"] = {**more["metrics"], "jain": 1.0}
    store.add("c", "s", "{}", 1, stored(more), None)
    assert len(store.layouts) == 2
    assert store.columns().column("run", "jain") == {"c": 1.0}
    assert store.columns().column("run", "loss") == {"a": 0.25, "b": 0.25, "c": 0.25}
    assert store.unsound() == []


def flow(name: str, **changed: float | list[dict[str, float | str]] | None) -> dict[str, object]:
    """A flow of class 2 as a document has it."""
    plain: dict[str, object] = dict.fromkeys(("dropped_pkts", "offered_bps", "goodput_bps"), 0)
    plain |= dict.fromkeys(MEANS, 0.0)
    return {"id": name, "class": 2, "hops": [], **plain, **changed}


MEANS = [f"delay_{part}_s" for part in ("mean", "serialisation", "queue", "gate", "contention")]
MEANS += ["delay_retries_s", "delay_propagation_s"]


def test_a_class_has_the_sums_and_means_of_its_flows() -> None:
    """A mean is over delivered packets, the loss over those that entered."""
    made = document(ok=True)
    hop: dict[str, float | str] = {"from": "A", "to": "B", "throughput_bps": 5.0}
    made["flows"] = [
        flow("f", entered_pkts=4, delivered_pkts=3, loss=0.25, delay_mean_s=0.1, hops=[hop]),
        flow("g", entered_pkts=6, delivered_pkts=1, loss=0.5, delay_mean_s=0.5),
        flow("h", entered_pkts=0, delivered_pkts=0, loss=0.0, delay_mean_s=None),
    ]
    store = Store(None)
    store.add("k", "s", "{}", 1, stored(made), None)
    values = {(scope, name): value for _, scope, name, value in store.rows("metrics")}
    assert values["class:2", "entered_pkts"] == 10
    assert values["class:2", "delivered_pkts"] == 4
    assert values["class:2", "loss"] == (4 * 0.25 + 6 * 0.5) / 10
    assert values["class:2", "delay_mean_s"] == pytest.approx((3 * 0.1 + 0.5) / 4)
    assert values["hop:f/A>B", "throughput_bps"] == 5.0
    assert values["flow:h", "delay_mean_s"] is None
    assert ("flow:f", "id") not in values
    assert ("flow:f", "class") not in values


def test_a_class_that_delivered_nothing_has_no_delay() -> None:
    made = document(ok=True)
    made["flows"] = [flow("f", entered_pkts=2, delivered_pkts=0, loss=1.0, delay_mean_s=None)]
    store = Store(None)
    store.add("k", "s", "{}", 1, stored(made), None)
    assert store.columns().column("class:2", "delay_mean_s") == {"k": None}
    assert store.columns().column("class:2", "loss") == {"k": 1.0}


def test_a_text_that_is_no_document_is_refused() -> None:
    with pytest.raises(ValueError, match="missing field `metrics`"):
        stored({})
