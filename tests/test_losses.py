"""Bounds on losses: one rule for all of them, and what goes round it is refused."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

from backwater.errors import Refusal
from backwater.study.runnable import Study
from command import call
from studies import BLOCK, markdown
from test_claim import judged

CLAIM = '[claims.c2]\nsays = "x"\nwhere = { scheme = "pause" }\n'
LOSS = 'metric = "loss"\nwhere = { scheme = "none" }\n'
# The upper limit of no episode of 50 packets: the 97.5 % quantile of the exponential, 50 times.
NONE_SEEN = 50 * -math.log(0.025)


@pytest.mark.parametrize(
    "text",
    [
        'metric = "loss"\nat_most = 0',
        'metric = "loss"\nat_most = 1e-4',
        'metric = "loss"\nwithin = [0, 0.0001]',
        'metric = "loss_class0"\nreduce = "max"\nat_most = "0.01 %"',
        'metric = "dropped_pkts"\nat_most = 0',
        'metric = "buffer-full"\nscope = "drops:W>D"\nat_most = 0',
        'metric = "weighted_intra_mesh_loss_bps"\nat_most = 0',
    ],
)
def test_a_bound_of_nothing_that_goes_round_the_rule_is_refused(text: str) -> None:
    written = markdown(BLOCK + CLAIM + text + "\n")
    with pytest.raises(Refusal) as found:
        Study.parse(written, "s.md")
    assert "does not know of bursts" in found.value.what
    assert 'is = "zero"' in str(found.value.fix)
    assert written.split("\n")[(found.value.line or 0) - 1] == text.split("\n")[-1]


@pytest.mark.parametrize(
    "text",
    [
        'metric = "loss"\nat_most = "0.02 %"',
        'metric = "dropped_pkts"\nat_most = 1',
        'metric = "loss"\nreduce = "count"\nof = { at_least = 0.01 }\nat_most = 0',
        'metric = "loss"\nagainst = { scheme = "none" }\nby = "difference"\nat_most = 0\n'
        "or_equal = true",
        'metric = "loss"\nis = "zero"',
        'metric = "weighted_intra_mesh_loss_bps"\nis = "zero"',
        'metric = "goodput_bps"\nat_most = 0',
    ],
)
def test_other_bounds_are_read(text: str) -> None:
    assert Study.parse(markdown(BLOCK + CLAIM + text + "\n"), "s.md")


def test_where_seeds_cannot_matter_nothing_is_refused() -> None:
    once = BLOCK.replace("seeds = 4", "seeds = 1").replace("seeds = 2", "seeds = 1")
    assert Study.parse(markdown(once + CLAIM + 'metric = "loss"\nat_most = 0\n'), "s.md")


def runs(*losses: float, entered: float = 10_000) -> dict[tuple[str, int, int], Any]:
    return {
        ("none", 1, seed): {"loss": loss, "entered_pkts": entered, "dropped_pkts": loss * entered}
        for seed, loss in enumerate(losses, 1)
    }


def test_equal_losses_have_an_interval_of_some_width() -> None:
    """Ten runs of 10,000 packets without loss: at most an episode of 50 packets in 100,000."""
    found = judged(LOSS + "at_most = 0.001\n", runs(*[0.0] * 10))
    assert (found["measured"], found["low"]) == (0, 0)
    assert found["high"] == pytest.approx(NONE_SEEN / 100_000)
    assert found["verdict"] == "undecided"
    # 0.00184 / 0.001 times as many seeds would do.
    assert found["seeds_needed"] == math.ceil(NONE_SEEN / 100_000 / 0.001 * 10)
    assert "10 seeds can't tell" in found["warning"]
    equal = judged(LOSS + "at_most = 0.02\n", runs(*[0.01] * 10))
    assert equal["low"] < 0.01 < equal["high"]


def test_drops_are_counted_in_packets_of_a_run() -> None:
    found = judged(
        'metric = "dropped_pkts"\nwhere = { scheme = "none" }\nat_most = 20\n', runs(*[0.0] * 10)
    )
    assert found["high"] == pytest.approx(NONE_SEEN / 10)
    assert found["verdict"] == "reproduced"


def test_a_mean_over_cases_counts_the_packets_of_all() -> None:
    cases = runs(*[0.0] * 10) | {
        ("none", 2, seed): {"loss": 0.0, "entered_pkts": 10_000} for seed in range(1, 11)
    }
    found = judged(LOSS + 'reduce = "mean"\nat_most = 0.001\n', cases)
    assert found["high"] == pytest.approx(NONE_SEEN / 200_000)
    assert found["verdict"] == "reproduced"


def test_losses_in_every_run_keep_students_interval() -> None:
    """Mean 3 %, half-width 1.9629 %: see test_interval."""
    found = judged(LOSS + "at_most = 0.05\n", runs(0.01, 0.02, 0.03, 0.04, 0.05))
    assert found["high"] == pytest.approx(0.03 + 0.019629, abs=1e-5)


def test_lost_bits_are_packets_of_the_mean_size_for_zero() -> None:
    """1,000 packets of 12,000 bit in 10 s are 1.2 Mbit/s; 3.6 kbit/s lost are 3 packets."""
    case = {"offered_bps": 1.2e6, "entered_pkts": 1000.0, "intra_mesh_loss_bps": 3600.0}
    text = 'metric = "intra_mesh_loss_bps"\nwhere = { scheme = "none" }\nis = "zero"\n'
    found = judged(text, {("none", 1, seed): case for seed in (1, 2)})
    assert found["measured"] == pytest.approx(3 / 1000)
    quiet = judged(text, {("none", 1, s): {**case, "intra_mesh_loss_bps": 0.0} for s in (1, 2)})
    assert quiet["high"] == pytest.approx(NONE_SEEN / 2000)


@pytest.mark.parametrize(
    "bound", ['metric = "loss"\nat_most = 0.0002', 'metric = "dropped_pkts"\nat_most = 2']
)
def test_a_false_bound_is_not_reproduced_by_ten_seeds_without_loss(bound: str) -> None:
    """A twentieth of the runs of 10,000 packets lose 46: 2.3 in a run, 2.3e-4 in all.

    Student's t of no width called both bounds reproduced in 0.95^10 = 60 % of all re-seedings.
    """
    draw = random.Random(39)
    for _ in range(50):
        lost = [0.0046 if draw.random() < 1 / 20 else 0.0 for _ in range(10)]
        found = judged(bound + '\nwhere = { scheme = "none" }\n', runs(*lost))
        assert found["verdict"] != "reproduced"


def test_an_invariant_shows_what_was_counted_in_runs_and_no_interval(tmp_path: Path) -> None:
    invariant = LOSS + 'kind = "invariant"\nis = "zero"\n'
    found = judged(invariant, runs(0.0, 0.0, 0.0))
    assert found["runs"] == {"what": "packets", "events": 0, "runs_with": 0, "runs": 3}
    assert (found["verdict"], found["low"], found["high"]) == ("reproduced", None, None)
    broken = judged(
        invariant,
        runs(0.0, 0.0003, 0.0)
        | {("none", 2, s): {"loss": 0.0, "entered_pkts": 9.0} for s in (1, 2, 3)},
    )
    assert broken["runs"] == {
        "what": "packets",
        "events": pytest.approx(3),
        "runs_with": 1,
        "runs": 6,
    }
    assert broken["verdict"] == "differs"

    text = BLOCK + CLAIM + 'kind = "invariant"\nmetric = "dropped_pkts"\nis = "zero"\n'
    (tmp_path / "small.md").write_text(markdown(text))
    done = call("study", "run", "small.md", "--quick", "--out", "o", cwd=tmp_path)
    # Two rates under two seeds.
    assert "0 packets lost in 4 runs" in " ".join(done.out.split())
    assert "An invariant of zero or of deadlocks is judged by every run" in done.out
    page = (tmp_path / "o" / "small" / "report.html").read_text(encoding="utf-8")
    assert "0 packets lost in 4 runs" in page
    assert "An invariant of zero or of deadlocks is judged by every run" in page


def test_deadlocks_are_counted_in_runs() -> None:
    text = 'kind = "invariant"\nmetric = "deadlocks"\nwhere = { scheme = "none" }\nat_most = 0\n'
    found = judged(text, {("none", 1, seed): {"deadlocks": seed == 2} for seed in (1, 2, 3)})
    assert found["runs"] == {"what": "deadlocks", "events": 1, "runs_with": 1, "runs": 3}
    assert (found["verdict"], found["low"]) == ("differs", None)
