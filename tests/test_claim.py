"""Verdicts: every expected interval is worked out in the test that uses it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest

from backwater.errors import Refusal
from backwater.study.axes import Axes
from backwater.study.runnable import Study
from backwater.study.toml_text import Fields, Toml
from backwater.verdict.claim import Claim, is_unexpected
from backwater.verdict.compare import compare
from backwater.verdict.finding import JudgedCases
from backwater.verdict.function import FUNCTIONS
from backwater.verdict.judge import judge
from backwater.verdict.metrics import value_of
from backwater.verdict.read_claim import read

AXES = """
axes.scheme = { path = "a", values = ["none", "pause"] }
axes.rate = { path = "b", values = ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"] }
"""


class Case(dict[tuple[str, str], float]):
    def drops(self) -> dict[tuple[str, str], float | None]:
        return {at: value for at, value in self.items() if at[0].startswith("drops:")}

    def by_flow(self, metric: str) -> dict[str, float | None]:
        return {
            scope.partition(":")[2]: value
            for (scope, name), value in self.items()
            if name == metric and scope.startswith("flow:")
        }


class CaseTable:
    """Results by hand: (scheme, rate, seed) to the loss, or to all metrics of a case."""

    def __init__(self, cases: Mapping[tuple[str, int, int], float | Mapping[str, float]]) -> None:
        self.cases = cases

    def metrics(self, labels: Mapping[str, str], seed: int) -> Case | None:
        key = (labels["scheme"], int(labels["rate"].split()[0]), seed)
        found = self.cases.get(key)
        if found is None:
            return None
        named = found if isinstance(found, Mapping) else {"loss": found}
        return Case(
            {
                (scope, name): value
                for path, value in named.items()
                for scope, _, name in [path.rpartition("/") if "/" in path else ("run", "", path)]
            }
        )


def axes_of(text: str) -> tuple[Toml, Axes]:
    from backwater.study import axes

    toml = Toml.parse(text, "test")
    return toml, Axes([axes.read(f) for _, f in Fields(toml, (), toml.data).tables("axes")])


def claim_of(text: str) -> Claim:
    toml, axes = axes_of(AXES + "[claims.c1]\nsays = 'x'\n" + text)
    ((name, fields),) = Fields(toml, (), toml.data).tables("claims")
    return read(fields, name, axes, "S2")


def judged(
    text: str, cases: Mapping[tuple[str, int, int], Any], *, exact: bool = False
) -> dict[str, Any]:
    _, axes = axes_of(AXES)
    rates = sorted({rate for _, rate, _ in cases})
    schemes = [s for s in ("none", "pause") if any(key[0] == s for key in cases)]
    judged_cases = JudgedCases(
        cells=CaseTable(cases),
        combinations=[
            {"scheme": scheme, "rate": f"{rate} Mbit/s"} for scheme in schemes for rate in rates
        ],
        seeds=sorted({seed for *_, seed in cases}),
        exact=exact,
        positions={
            "scheme": {"none": 0.0, "pause": 1.0},
            "rate": dict(zip(axes.axes[1].labels, axes.numbers("rate") or [], strict=True)),
        },
    )
    return judge("t", claim_of(text), judged_cases)


def one_case(*values: float) -> dict[tuple[str, int, int], float]:
    return {("none", 1, seed): value for seed, value in enumerate(values, 1)}


# Mean 3, interval 3 ± 1.9629 = [1.0371, 4.9629]: see test_interval.
FIVE = one_case(1, 2, 3, 4, 5)


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        ("at_most = 5.0", "reproduced"),
        ("at_most = 4.9", "undecided"),
        ("at_most = 1.1", "undecided"),
        ("at_most = 1.0", "differs"),
        ("at_least = 1.0", "reproduced"),
        ("at_least = 1.1", "undecided"),
        ("at_least = 4.9", "undecided"),
        ("at_least = 5.0", "differs"),
        ("within = [1.0, 5.0]", "reproduced"),
        ("within = [1.1, 5.0]", "undecided"),
        ("within = [2.9, 3.1]", "undecided"),
        ("within = [5.0, 6.0]", "differs"),
        ("within = [0.0, 1.0]", "differs"),
        ("target = 3\ntolerance = 2", "reproduced"),
        ('target = 3\ntolerance = "10 %"', "undecided"),
    ],
)
def test_the_whole_interval_decides(bound: str, verdict: str) -> None:
    record = judged(f'metric = "delay_mean_s"\n{bound}', delays(FIVE))
    assert record["verdict"] == verdict
    assert (record["measured"], record["n"], record["unit"]) == (3, 5, "s")
    assert record["low"] == pytest.approx(1.0371, abs=1e-3)
    assert record["high"] == pytest.approx(4.9629, abs=1e-3)


def delays(cases: Mapping[tuple[str, int, int], float]) -> dict[tuple[str, int, int], Any]:
    return {key: {"delay_mean_s": value} for key, value in cases.items()}


def test_an_end_of_the_interval_on_the_bound_is_inside() -> None:
    assert judged('metric = "loss"\nat_most = 0.5', one_case(0.5, 0.5))["verdict"] == "reproduced"
    assert judged('metric = "loss"\nat_least = 0.5', one_case(0.5, 0.5))["verdict"] == "reproduced"


def test_undecided_says_how_many_seeds_would_decide() -> None:
    # Deviation 1.58114, distance 4 - 3 = 1. n = 13: 2.179 * 1.58114 / sqrt(13) = 0.9555 < 1.
    # n = 12: 2.201 * 1.58114 / sqrt(12) = 1.0046 > 1.
    record = judged('metric = "loss"\nat_most = 4', FIVE)
    assert (record["verdict"], record["seeds_needed"]) == ("undecided", 13)


def test_one_seed_decides_nothing_unless_seeds_cannot_matter() -> None:
    assert judged('metric = "loss"\nat_most = 9', one_case(1))["verdict"] == "undecided"
    exact = judged('metric = "loss"\nat_most = 9', one_case(1), exact=True)
    assert (exact["verdict"], exact["low"], exact["high"]) == ("reproduced", 1, 1)


def counted(lost: int, offered: int) -> dict[str, float]:
    return {"loss": lost / offered, "entered_pkts": offered, "dropped_pkts": lost}


ZERO = 'metric = "loss"\nis = "zero"'


# The 97.5 % limit of a Poisson mean of which none was seen is -ln 0.025 = 3.689 episodes of 50.
NONE_SEEN = 3.68888 * 50


def test_none_in_n_leaves_the_limit_of_no_episode() -> None:
    cases = {("none", 1, seed): counted(0, 1_000_000) for seed in (1, 2, 3)}
    record = judged(ZERO, cases)
    assert (record["verdict"], record["measured"]) == ("reproduced", 0)
    assert record["high"] == pytest.approx(NONE_SEEN / 3_000_000, rel=1e-4)
    assert record["bound"] == {"is": "zero", "low": None, "high": 1e-4}


def test_none_in_too_few_is_undecided_and_warns_how_many_seeds_suffice() -> None:
    cases = {("none", 1, seed): counted(0, 30_000) for seed in range(1, 11)}
    record = judged(ZERO, cases)
    # 1,844,440 packets are 62 seeds of 30,000.
    assert (record["verdict"], record["seeds_needed"]) == ("undecided", 62)
    assert record["warning"] == "10 seeds can't tell; 62 of the same outcome would"
    assert not is_unexpected({**record, "strength": "hard"}, quick=False)


def test_one_lost_packet_among_many_is_still_zero() -> None:
    cases = {("none", 1, seed): counted(int(seed == 3), 2_000_000) for seed in (1, 2, 3)}
    record = judged(ZERO, cases)
    assert record["verdict"] == "reproduced"
    assert record["measured"] == pytest.approx(1 / 6_000_000)
    # 1 and the next of 50: shape 51² / 2501 = 1.040, scale 2501 / 51, 97.5 % at 3.77 scales.
    assert record["high"] == pytest.approx(3.77 * 2501 / 51 / 6_000_000, rel=0.01)


def test_one_episode_among_few_runs_is_not_zero() -> None:
    cases = {("none", 1, seed): counted(60 * int(seed == 3), 30_000) for seed in range(1, 6)}
    assert judged(ZERO, cases)["verdict"] == "undecided"


def test_a_zero_that_is_an_invariant_is_refuted_by_one_packet() -> None:
    none = {("none", 1, seed): counted(0, 1000) for seed in (1, 2)}
    invariant = ZERO + '\nkind = "invariant"'
    assert judged(invariant, none)["verdict"] == "reproduced"
    one = none | {("none", 1, 2): counted(1, 1000)}
    assert judged(invariant, one)["verdict"] == "differs"


def deadlocks(hits: int, runs: int) -> dict[tuple[str, int, int], Any]:
    return {("none", 1, seed): {"deadlocks": float(seed <= hits)} for seed in range(1, runs + 1)}


def test_a_share_of_runs_has_a_binomial_interval() -> None:
    # Clopper and Pearson: 1 of 10 is 0.25 to 44.5 %, 10 of 10 is 0.025^(1/10) = 69.2 % or more.
    record = judged('metric = "deadlocks"\nat_most = 0.5', deadlocks(1, 10))
    assert (record["verdict"], record["measured"]) == ("reproduced", 0.1)
    assert (record["low"], record["high"]) == pytest.approx((0.002529, 0.445016), abs=1e-5)
    record = judged('metric = "deadlocks"\nat_least = 0.5', deadlocks(10, 10))
    assert (record["verdict"], record["high"]) == ("reproduced", 1)
    assert record["low"] == pytest.approx(0.025**0.1)


def test_too_few_runs_for_a_share_warn() -> None:
    # None of 10 leaves 1 - 0.025^(1/10) = 30.8 %; 10 % or less takes 36 runs.
    record = judged('metric = "deadlocks"\nat_most = 0.1', deadlocks(0, 10))
    assert (record["verdict"], record["seeds_needed"]) == ("undecided", 36)
    assert record["warning"]


def test_a_median_over_runs_lies_between_runs_in_order() -> None:
    # Ten runs: between the 2nd and the 9th with 97.9 %.
    cases = one_case(*[float(k * k) for k in range(1, 11)])
    record = judged('metric = "loss"\nat_most = 85\nover = "median"', cases)
    assert (record["measured"], record["low"], record["high"]) == (30.5, 4, 81)
    few = judged('metric = "loss"\nat_most = 85\nover = "median"', one_case(1, 2, 3, 4, 5))
    assert (few["verdict"], few["seeds_needed"]) == ("undecided", 6)


def test_steady_loss_is_not_zero() -> None:
    cases = {("none", 1, seed): counted(100 + seed, 10_000) for seed in (1, 2, 3)}
    assert judged(ZERO, cases)["verdict"] == "differs"


def test_every_case_must_be_zero_and_the_worst_is_named() -> None:
    cases = {("none", rate, seed): counted(0, 10**6) for rate in (1, 2) for seed in (1, 2)}
    cases |= {("none", 4, seed): counted(50_000 + seed, 10**6) for seed in (1, 2)}
    for reduce in ("each", "max"):
        record = judged(f'{ZERO}\nreduce = "{reduce}"', cases)
        assert record["verdict"] == "differs"
        assert [case["case"] for case in record["cases"]] == ["rate = 4 Mbit/s, scheme = none"]


def test_zero_counts_causes_that_never_had_a_row() -> None:
    cases = {("none", 1, seed): {"entered_pkts": 1e6} for seed in (1, 2)}
    record = judged('metric = "buffer-full"\nscope = "drops:W>D"\nis = "zero"', cases)
    assert record["verdict"] == "reproduced"


def test_drops_of_a_pattern_are_added() -> None:
    metrics = Case(
        {
            ("drops:W1>X", "buffer-full"): 3.0,
            ("drops:W2>X", "buffer-full"): 4.0,
            ("drops:W2>X", "memory-full"): 5.0,
            ("drops:X>D", "buffer-full"): 9.0,
        }
    )
    assert value_of(metrics, "buffer-full", "drops:W*") == 7
    assert value_of(metrics, "dropped_pkts", "drops:W*") == 12
    assert value_of(metrics, "buffer-full", "drops:Y*") == 0


def test_each_takes_the_worst_case() -> None:
    cases = {
        ("none", 1, 1): 1.0, ("none", 1, 2): 1.0,
        ("none", 2, 1): 2.0, ("none", 2, 2): 2.0,
        ("none", 4, 1): 4.0, ("none", 4, 2): 4.0,
    }  # fmt: skip
    record = judged('metric = "loss"\nat_most = 3', cases)
    assert (record["verdict"], record["measured"]) == ("differs", 4)
    fine = judged('metric = "loss"\nat_most = 5', cases)
    assert (fine["verdict"], fine["measured"], len(fine["cases"])) == ("reproduced", 4, 1)


def test_an_undecided_case_outweighs_reproduced_ones() -> None:
    cases = {("none", 1, seed): 1.0 for seed in (1, 2)} | {("none", 2, 1): 0.0, ("none", 2, 2): 9.0}
    assert judged('metric = "loss"\nat_most = 5', cases)["verdict"] == "undecided"


def test_others_reduce_within_a_seed_and_then_take_the_interval() -> None:
    # Seed 1: max(1, 5) = 5; seed 2: max(7, 3) = 7. Mean 6; deviation 1.41421; half 12.706.
    cases = {("none", 1, 1): 1.0, ("none", 2, 1): 5.0, ("none", 1, 2): 7.0, ("none", 2, 2): 3.0}
    record = judged('metric = "loss"\nreduce = "max"\nat_most = 100', cases)
    assert record["measured"] == 6
    assert record["high"] == pytest.approx(6 + 12.706, abs=1e-3)
    # Seed means 3 and 5, so 4.
    assert judged('metric = "loss"\nreduce = "mean"\nat_most = 9', cases)["measured"] == 4


def test_where_chooses_the_cases() -> None:
    cases = {("none", 1, 1): 9.0, ("pause", 1, 1): 1.0, ("none", 1, 2): 9.0, ("pause", 1, 2): 1.0}
    text = 'metric = "loss"\nwhere = { scheme = "pause" }\nat_most = 1'
    assert judged(text, cases)["verdict"] == "reproduced"


PAIRED = {
    ("none", 1, 1): 4.0, ("pause", 1, 1): 1.0,
    ("none", 1, 2): 8.0, ("pause", 1, 2): 4.0,
}  # fmt: skip


def test_against_pairs_cases_of_one_seed() -> None:
    text = 'metric = "loss"\nagainst = { scheme = "none" }\n'
    # 1/4 and 4/8: mean 0.375. Unpaired means would give 2.5/6 = 0.4167.
    ratio = judged(text + 'by = "ratio"\nat_most = 9', PAIRED)
    assert ratio["measured"] == pytest.approx(0.375)
    # -3 and -4: mean -3.5.
    assert judged(text + 'by = "difference"\nat_most = 9', PAIRED)["measured"] == -3.5


def test_a_ratio_of_nothing_to_nothing_is_left_out() -> None:
    cases = {**PAIRED, ("none", 1, 3): 0.0, ("pause", 1, 3): 0.0}
    record = judged(
        'metric = "loss"\nagainst = { scheme = "none" }\nby = "ratio"\nat_most = 9', cases
    )
    assert record["n"] == 2
    assert record["measured"] == pytest.approx(0.375)
    assert "1 of 3" in record["reason"]


@pytest.mark.parametrize(
    ("bound", "verdict"), [("at_most = 9", "differs"), ("at_least = 0.1", "undecided")]
)
def test_something_to_nothing_violates_an_upper_bound_only(bound: str, verdict: str) -> None:
    cases = {**PAIRED, ("none", 1, 3): 0.0, ("pause", 1, 3): 2.0}
    text = f'metric = "loss"\nagainst = {{ scheme = "none" }}\nby = "ratio"\n{bound}'
    record = judged(text, cases)
    assert record["verdict"] == verdict
    assert "reference is zero" in record["reason"]
    if bound.startswith("at_most"):
        assert (record["measured"], record["low"], record["high"]) == (None, None, None)


def test_increasing_is_a_share_of_pairs() -> None:
    # Seed 1: 1 < 2, 2 > 1.5: one of two. Seed 2: both. Mean 0.75.
    cases = {
        ("none", 1, 1): 1.0, ("none", 2, 1): 2.0, ("none", 4, 1): 1.5,
        ("none", 1, 2): 1.0, ("none", 2, 2): 2.0, ("none", 4, 2): 3.0,
    }  # fmt: skip
    text = 'metric = "loss"\nreduce = "increasing"\nalong = "rate"\nat_least = 0.9'
    record = judged(text, cases)
    assert record["measured"] == 0.75
    assert record["verdict"] == "undecided"


def test_curves_are_kept_apart() -> None:
    # Along the rate both curves rise; mixed up they would not.
    cases = {
        (scheme, rate, seed): rate + (10.0 if scheme == "none" else 0.0)
        for scheme in ("none", "pause")
        for rate in (1, 2, 4)
        for seed in (1, 2)
    }
    text = 'metric = "loss"\nreduce = "increasing"\nalong = "rate"\nat_least = 1'
    assert judged(text, cases)["verdict"] == "reproduced"
    # Loss per bit/s: 1 per Mbit/s is 1e-6.
    slope = judged('metric = "loss"\nreduce = "slope"\nalong = "rate"\nat_least = 0', cases)
    assert slope["measured"] == pytest.approx(1e-6)
    best = judged('metric = "loss"\nreduce = "argmax"\nalong = "rate"\nat_least = 0', cases)
    assert best["measured"] == 4e6


def test_count_counts_the_cases_that_meet_the_inner_bound() -> None:
    cases = {("none", rate, seed): float(rate) for rate in (1, 2, 4) for seed in (1, 2)}
    record = judged(
        'metric = "loss"\nreduce = "count"\nof = { at_most = 2 }\nwithin = [2, 2]', cases
    )
    assert (record["verdict"], record["measured"]) == ("reproduced", 2)


def test_a_function_gets_all_chosen_cases_of_a_seed() -> None:
    cases = {
        ("none", 1, 1): {"drops:W>X/buffer-full": 30.0, "drops:X>D/buffer-full": 10.0},
        ("none", 2, 1): {"drops:W>X/buffer-full": 60.0},
        ("none", 1, 2): {"drops:W>X/buffer-full": 9.0, "drops:X>D/buffer-full": 1.0},
        ("none", 2, 2): {"drops:W>X/memory-full": 0.0},
    }
    text = 'function = "drop_share"\nargs = { places = "W*" }\nat_least = 0.5'
    # 90/100 and 9/10.
    record = judged(text, cases)
    assert (record["verdict"], record["metric"]) == ("reproduced", "drop_share")
    assert record["measured"] == pytest.approx(0.9)


def test_a_function_compares_two_scopes() -> None:
    cases = {
        ("none", 1, 1): {"flow:f1/goodput_bps": 1.0, "flow:f3/goodput_bps": 100.0},
        ("none", 1, 2): {"flow:f1/goodput_bps": 3.0, "flow:f3/goodput_bps": 100.0},
    }
    args = 'args = { metric = "goodput_bps", of = "flow:f1", to = "flow:f3" }'
    record = judged(f'function = "scope_ratio"\n{args}\nat_most = 0.5', cases)
    assert record["verdict"] == "reproduced"
    assert record["measured"] == pytest.approx(0.02)
    # 1/0 can't be at most anything; 0/0 says nothing.
    for above, verdict in ((1.0, "differs"), (0.0, "undecided")):
        starved = {key: {**one, "flow:f1/goodput_bps": above} for key, one in cases.items()}
        starved = {key: {**one, "flow:f3/goodput_bps": 0.0} for key, one in starved.items()}
        record = judged(f'function = "scope_ratio"\n{args}\nat_most = 0.5', starved)
        assert record["verdict"] == verdict


def test_a_function_adds_up_the_scopes_of_a_list() -> None:
    flows = {"flow:f1/goodput_bps": 1.0, "flow:f2/goodput_bps": 3.0, "flow:f3/goodput_bps": 12.0}
    args = 'args = { metric = "goodput_bps", of = "flow:f3", to = ["flow:f1", "flow:f2"] }'
    record = judged(f'function = "scope_ratio"\n{args}\nat_least = 2', {("none", 1, 1): flows})
    assert record["measured"] == pytest.approx(3)


def test_unfinished_cases_leave_a_claim_undecided() -> None:
    cases = dict(PAIRED)
    del cases["pause", 1, 2]
    record = judged('metric = "loss"\nat_most = 99', cases)
    assert record["verdict"] == "undecided"
    assert record["reason"] == "1 of 4 cases have not finished"


def test_a_claim_outside_the_quick_set_is_not_run() -> None:
    record = judged('metric = "loss"\nwhere = { rate = "4 Mbit/s" }\nat_most = 1', PAIRED)
    assert (record["verdict"], record["reason"]) == ("not-run", "outside the quick set")
    along = 'metric = "loss"\nreduce = "increasing"\nalong = "rate"\nat_least = 1'
    assert judged(along, PAIRED)["verdict"] == "not-run"


def test_no_value_at_all_is_undecided_with_the_reason() -> None:
    record = judged('metric = "delay_mean_s"\nat_most = 1', PAIRED)
    assert (record["verdict"], record["measured"]) == ("undecided", None)
    assert "no case has a value" in record["reason"]


def test_records_hold_no_number_that_json_has_not() -> None:
    cases = {**PAIRED, ("none", 1, 3): 0.0, ("pause", 1, 3): 2.0}
    record = judged(
        'metric = "loss"\nagainst = { scheme = "none" }\nby = "ratio"\nat_most = 9', cases
    )
    numbers = [record[name] for name in ("measured", "low", "high")]
    numbers += [case[name] for case in record["cases"] for name in ("measured", "low", "high")]
    assert all(value is None or math.isfinite(value) for value in numbers)


UNEXPECTED = [
    # kind, strength, expected, verdict, quick, full
    ("invariant", "hard", "open", "reproduced", False, False),
    ("invariant", "hard", "open", "differs", True, True),
    ("invariant", "soft", "open", "undecided", True, True),
    ("invariant", "hard", "open", "not-run", False, True),
    ("published", "hard", "open", "differs", False, False),
    ("published", "hard", "reproduced", "differs", True, True),
    ("published", "hard", "differs", "reproduced", True, True),
    ("published", "hard", "differs", "differs", False, False),
    ("published", "shape", "reproduced", "differs", True, True),
    ("published", "soft", "reproduced", "differs", False, False),
    ("published", "hard", "reproduced", "undecided", False, True),
    ("published", "hard", "open", "undecided", False, True),
    ("published", "shape", "reproduced", "undecided", False, False),
    ("own", "hard", "reproduced", "not-run", False, True),
    ("own", "shape", "reproduced", "not-run", False, False),
    ("own", "soft", "open", "undecided", False, False),
]


@pytest.mark.parametrize(("kind", "strength", "expected", "verdict", "quick", "full"), UNEXPECTED)
def test_what_is_unexpected(
    kind: str, strength: str, expected: str, verdict: str, quick: bool, full: bool
) -> None:
    record = {"kind": kind, "strength": strength, "expected": expected, "verdict": verdict}
    assert is_unexpected(record, quick=True) is quick
    assert is_unexpected(record, quick=False) is full


def test_a_study_with_one_seed_is_exact() -> None:
    from studies import BLOCK, markdown

    study = Study.parse(markdown(BLOCK.replace("seeds = 4", "seeds = 1")), "small.md")
    assert study.seed_list() == study.seed_list(quick=True, seeds=1) == [1]


@pytest.mark.parametrize(
    ("metric", "alone", "beside", "harm"),
    [
        # Ware et al., HotNets 2019: (x - y) / x where more is better, (y - x) / y where less is.
        ("goodput_bps", 10.0, 5.0, 0.5),
        ("goodput_bps", 10.0, 12.0, -0.2),
        ("goodput_bps", 10.0, 0.0, 1.0),
        ("delay_p95_s", 0.010, 0.040, 0.75),
        ("fct_p95_s", 2.0, 2.0, 0.0),
        ("loss", 0.0, 0.01, 1.0),
        ("loss", 0.0, 0.0, 0.0),
    ],
)
def test_harm_is_the_share_that_is_lost(
    metric: str, alone: float, beside: float, harm: float
) -> None:
    found = compare(beside, alone, "harm", metric)
    assert found == pytest.approx(harm)


def test_functions_of_flows_see_who_gets_least() -> None:
    case = Case({(f"flow:f{i}", "goodput_bps"): x for i, x in enumerate((4.0, 4.0, 3.0, 1.0))})
    args = {"flows": ["f0", "f1", "f2", "f3"]}
    assert FUNCTIONS["least_share"].compute([({}, case)], args) == pytest.approx(1 / 3)
    # 12^2 / (4 x 42).
    assert FUNCTIONS["jain_of"].compute([({}, case)], args) == pytest.approx(144 / 168)
    assert FUNCTIONS["jain_of"].compute([({}, case)], {"flows": ["f0", "f9"]}) is None


DIFFERENCE = 'where = { scheme = "pause" }\nagainst = { scheme = "none" }\nby = "difference"\n'


def pairs(pause: float, none: float) -> dict[tuple[str, int, int], Any]:
    values = {"pause": pause, "none": none}
    return {
        (name, 1, seed): {"goodput_bps": value} for name, value in values.items() for seed in (1, 2)
    }


def test_the_claim_of_a_sign_needs_a_share_of_the_effect_that_the_source_claims() -> None:
    # A tenth of 2 Mbit/s.
    more = DIFFERENCE + 'metric = "goodput_bps"\neffect = "2 Mbit/s"'
    assert judged(more, pairs(1.21e6, 1e6))["verdict"] == "reproduced"
    assert judged(more, pairs(1.19e6, 1e6))["verdict"] == "differs"
    assert judged(more, pairs(1e6, 1e6))["verdict"] == "differs"
    assert judged(more, pairs(1e6, 1e6))["bound"] == {"is": "at_least", "low": 2e5, "high": None}
    less = DIFFERENCE + 'metric = "goodput_bps"\neffect = "-2 Mbit/s"\nmargin = "50 %"'
    assert judged(less, pairs(1e6, 2e6))["verdict"] == "reproduced"
    assert judged(less, pairs(1.1e6, 2e6))["verdict"] == "differs"


def test_the_effect_on_a_ratio_is_what_it_is_away_from_one() -> None:
    # 1 + 10 % of (3 - 1), 1 - 10 % of (1 - 0.5).
    for effect, edges in ((3, (1.2, None)), (0.5, (None, 0.95))):
        text = DIFFERENCE.replace("difference", "ratio") + f'metric = "loss"\neffect = {effect}'
        bound = claim_of(text).bound
        assert (bound.low, bound.high) == pytest.approx(edges)


@pytest.mark.parametrize(
    ("by", "bound"),
    [("difference", "at_least = 0"), ("difference", "at_most = 0"), ("ratio", "at_least = 1")],
)
def test_a_bound_that_no_effect_meets_is_refused(by: str, bound: str) -> None:
    text = DIFFERENCE.replace("difference", by) + f'metric = "loss"\n{bound}'
    with pytest.raises(Refusal, match="met where nothing differs"):
        claim_of(text)
    assert claim_of(f"{text}\nor_equal = true").bound
    assert claim_of(f'{text}\nsanity = "it can\'t be otherwise"').sanity


@pytest.mark.parametrize(
    "text",
    ["effect = 0", "effect = 2\nmargin = 0", "effect = 2\nmargin = 2", "at_most = 1\nmargin = 1"],
)
def test_no_effect_and_no_margin_are_refused(text: str) -> None:
    with pytest.raises(Refusal):
        claim_of(f'metric = "loss"\n{text}')


def test_equal_curves_do_not_grow() -> None:
    flat = {("none", rate, seed): 0.0 for rate in (1, 2, 4) for seed in (1, 2)}
    text = 'metric = "loss"\nalong = "rate"\nat_least = 0.9\nreduce = '
    assert judged(f'{text}"increasing"', flat)["verdict"] == "differs"
    assert judged(f'{text}"non_decreasing"', flat)["verdict"] == "reproduced"
