"""Functions that hold the cases of a seed against each other; every number by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from backwater.errors import Refusal
from backwater.study.definition import Study
from backwater.verdict.function import FUNCTIONS
from backwater.verdict.metrics import value_of


class Case(dict[tuple[str, str], float]):
    """Metrics by (scope, name)."""

    def drops(self) -> dict[tuple[str, str], float | None]:
        """None."""
        return {}

    def by_flow(self, metric: str) -> dict[str, float | None]:
        """Goodputs of the flows."""
        return {
            scope[5:]: v for (scope, name), v in self.items() if name == metric and scope != "run"
        }


def run(**metrics: float) -> Case:
    return Case({("run", name): value for name, value in metrics.items()})


def flows(**goodputs: float) -> Case:
    return Case({(f"flow:{k.replace('_', '/')}", "goodput_bps"): v for k, v in goodputs.items()})


def compute(name: str, cases: list[tuple[dict[str, str], Case]], **args: Any) -> float | None:
    return FUNCTIONS[name].compute(cases, args)


def test_rank_correlation_is_spearmans() -> None:
    pairs = [(10, 1), (20, 3), (30, 2), (40, 4)]
    cases = [({"net": str(i)}, run(a=a, b=b)) for i, (a, b) in enumerate(pairs)]
    # 1 - 6 x (0 + 1 + 1 + 0) / (4 x 15).
    assert compute("rank_correlation", cases, metric="a", **{"with": "b"}) == pytest.approx(0.8)


def test_the_spread_is_that_of_the_cases_with_least() -> None:
    pairs = [(10, 5), (13, 1), (40, 9), (11, 2)]
    cases = [({"net": str(i)}, run(a=a, b=b)) for i, (a, b) in enumerate(pairs)]
    args: dict[str, Any] = {"metric": "a", "with": "b"}
    assert compute("spread_of_least", cases, **args, count=2) == 2
    assert compute("spread_of_least", cases, **args, count=3) == 3
    assert compute("spread_of_least", cases[:1], **args, count=2) is None


def test_smoothness_sorts_both_curves_by_the_third() -> None:
    # In the order of "none" (1, 2, 0): one is straight, the other has a kink of 4 in the middle.
    values: dict[str, list[float]] = {"none": [3, 1, 2], "smooth": [7, 5, 6.5], "rough": [5, 3, 6]}
    cases = [
        ({"scheme": scheme, "net": str(i)}, run(a=value))
        for scheme, row in values.items()
        for i, value in enumerate(row)
    ]
    args: dict[str, Any] = {"metric": "a", "order": {"scheme": "none"}}
    args |= {"case": {"scheme": "smooth"}, "other": {"scheme": "rough"}}
    # |5 - 2 x 6.5 + 7| over |3 - 2 x 6 + 5|.
    assert compute("smoothness_ratio", cases, **args) == pytest.approx(1 / 4)


def compared() -> list[tuple[dict[str, str], Case]]:
    none = [(10.0, 0.0), (10.0, 0.0), (10.0, 5.0)]
    with_it = [10.1, 9.6, 13.0]
    cases = [({"s": "none", "net": str(i)}, run(a=a, w=w)) for i, (a, w) in enumerate(none)]
    return cases + [({"s": "x", "net": str(i)}, run(a=a, w=0.0)) for i, a in enumerate(with_it)]


def test_changes_count_where_the_partner_is_as_it_should_be() -> None:
    args: dict[str, Any] = {"metric": "a", "other": {"s": "none"}, "when": "w"}
    change = compute("largest_change", compared(), **args, most=1)
    assert change == pytest.approx(0.04)
    assert compute("share_above", compared(), **args, least=1, ratio=1.2) == 1.0
    assert compute("share_above", compared(), **args, least=0, ratio=1.0) == pytest.approx(2 / 3)
    # No case is so.
    assert compute("share_above", compared(), **args, least=6, ratio=1.0) is None


def test_shares_of_acting_cases_and_pooled_sums() -> None:
    lost = {"none": [8.0, 2.0, 0.0, 5.0], "x": [1.0, 0.0, 0.0, 5.0]}
    sent = {"none": [0.0, 0.0, 0.0, 0.0], "x": [9.0, 4.0, 0.0, 0.0]}
    got = {"none": [10.0, 10.0, 10.0, 10.0], "x": [12.0, 10.0, 15.0, 15.0]}
    cases = [
        ({"s": s, "net": str(i)}, run(lost=lost[s][i], sent=sent[s][i], got=got[s][i]))
        for s in lost
        for i in range(4)
    ]
    # Two of the four sent something; one of these has more, the other the same.
    args: dict[str, Any] = {"metric": "got", "other": {"s": "none"}, "acts": "sent", "ratio": 1}
    assert compute("share_above_acting", cases, **args) == 0.5
    assert compute("share_above_acting", cases[:4], **args) is None
    mine = [case for case in cases if case[0]["s"] == "x"]
    assert compute("share_within", mine, metric="sent", least=0, most=0) == 0.5
    assert compute("share_within", mine, metric="sent", least=4, most=8) == 0.25
    assert compute("share_within", mine, metric="other", least=0, most=0) is None
    # 6 of 15, where the mean of ratios would be 0.375 with one 0/0.
    pooled: dict[str, Any] = {"metric": "lost", "case": {"s": "x"}, "other": {"s": "none"}}
    assert compute("pooled_ratio", cases, **pooled) == pytest.approx(6 / 15)
    assert compute("pooled_ratio", mine, **pooled) is None


def two() -> list[tuple[dict[str, str], Case]]:
    before = flows(up_s0=10.0, up_s1=20.0, up_s2=30.0, down_s0=99.0)
    after = flows(up_s0=12.0, up_s1=20.0, up_s2=0.0, down_s0=99.0)
    return [({"s": "none"}, before), ({"s": "x"}, after)]


def test_flows_are_counted_ranked_and_compared() -> None:
    pair: dict[str, Any] = {"flows": "up/*", "case": {"s": "x"}, "other": {"s": "none"}}
    after = two()[1:]
    assert compute("flow_count", after, flows="up/*", least=0, most=12) == 2
    assert compute("flow_count_difference", two(), **pair, least=0, most=12) == 1
    assert compute("flow_quantile", after, flows="up/*", quantile=0.5) == 12
    # The third quartile lies half way between 12 and 20.
    assert compute("flow_quantile", after, flows="up/*", quantile=0.75) == 16
    assert compute("flow_quantile_difference", two(), **pair, quantile=1) == -10
    assert compute("flows_gaining", two(), **pair, ratio=1) == pytest.approx(2 / 3)


def test_the_largest_value_of_flows_is_that_of_the_slowest() -> None:
    after = two()[1:]
    args = {"metric": "goodput_bps", "flows": "up/*"}
    assert compute("flow_greatest", after, **args) == 20
    # Of 30 and 10.
    assert compute("flow_range", two()[:1], **args) == 3
    # Nothing over nothing: a flow that has none is infinitely far from the others.
    assert compute("flow_range", after, **args) == math.inf
    unended: Any = Case({("flow:up/s0", "goodput_bps"): 1.0})
    unended["flow:up/s1", "goodput_bps"] = None
    assert compute("flow_greatest", [({"s": "x"}, unended)], **args) == math.inf
    assert compute("flow_greatest", after, metric="goodput_bps", flows="none/*") is None


def test_balance_tells_the_case_that_is_farthest_from_even() -> None:
    cases: list[tuple[dict[str, str], Case]] = [({}, run(a=3, b=2, c=5)), ({}, run(a=3, b=1, c=5))]
    assert compute("balance", cases, metrics=["a", "b"], against="c") == pytest.approx(0.8)


def test_a_pattern_adds_up_what_flows_have() -> None:
    assert value_of(two()[0][1], "goodput_bps", "flow:up/*") == 60
    assert value_of(two()[0][1], "goodput_bps", "flow:sideways/*") is None


STUDY = """# T

```toml study
study = { id = "t", title = "T", source = "none", seeds = 3 }
axes.scheme = { path = "mechanisms.bp.recipe", values = ["none", "pause"] }

[claims.c1]
says = "s"
CLAIM
```

```toml scenario
schema = "backwater/scenario/1"
```
"""


@pytest.mark.parametrize(
    ("claim", "word"),
    [
        (
            'function = "rank_correlation"\nargs = { metric = "goodput_bps", with = "los" }\n'
            "at_most = -0.7",
            "los",
        ),
        (
            'function = "flow_count_difference"\nargs = { flows = "*", least = 0, most = 1, '
            'case = { scheme = "pfc" }, other = { scheme = "none" } }\nat_least = 1',
            "pfc",
        ),
        (
            'function = "flow_quantile"\nargs = { flows = "*", quantile = "half" }\nat_least = 1',
            "quantile",
        ),
        ('metric = "delay_mean_s"\nscope = "flow:up*"\nat_most = 1', "no sum"),
    ],
)
def test_args_that_mean_nothing_are_refused(claim: str, word: str) -> None:
    with pytest.raises(Refusal, match=word):
        Study.parse(STUDY.replace("CLAIM", claim), "t.md", None)
