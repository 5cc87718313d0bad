"""The scorecard of RFC 9743: that it separates, what stands in it, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

import backwater
from backwater.model import python_class
from backwater.results.results import Results
from backwater.study.execution import Execution
from backwater.study.markdown import placeholders
from backwater.study.runnable import Study
from backwater.study.subject import IS_REFERENCE
from backwater.tools import rfc9743
from command import call

STEADY = """\
class Steady:
    def __init__(self, setup, queue=0.010):
        self.mss, self.window, self.queue = setup.mss_B, setup.initial_B, queue

    def on_ack(self, ack):
        if ack.rtt_s is not None:
            change = min(1.5, (ack.rtt_min_s + self.queue) / ack.rtt_s) - 1
            self.window = max(2 * self.mss, self.window + change * ack.acked_B)
"""


def words(
    controller: dict[str, Any], label: str, *cases: str, who: tuple[str, ...] = (), seeds: int = 6
) -> dict[tuple[str, str], str]:
    """The verdicts by claim and controller, over some of the cases, and of the controllers."""
    study = rfc9743.study(controller, label)
    quick = replace(study.quick, labels={"case": cases} | ({"who": who} if who else {}))
    execution = Execution(replace(study, quick=quick), None, quick=True, seeds=seeds)
    execution.run()
    return {(one.claim, one.who): one.word for one in rfc9743.verdicts(execution, label)}


SHARED = ("reno, shallow", "reno", "cubic, shallow", "cubic")


def test_the_standards_leave_each_other_a_share() -> None:
    found = words({"kind": "reno"}, "reno", *SHARED)
    assert {key: word for key, word in found.items() if key[0] in ("c5212", "c5214")} == {
        ("c5212", "reno"): rfc9743.REFERENCE,
        ("c5212", "cubic"): "pass",
        ("c5214", "reno"): "pass",
        ("c5214", "cubic"): rfc9743.REFERENCE,
    }


def test_bbr1_harms_behind_a_shallow_buffer() -> None:
    """Hock et al., ICNP 2017; RFC 9743, section 5.1.3, on its losses."""
    found = words({"kind": "bbr1"}, "bbr1", "reno, shallow", "cubic, shallow", "four, shallow")
    assert [found[claim, "bbr1"] for claim in ("c5211", "c5212", "c5213", "c5214", "c513")] == [
        "fail"
    ] * 5
    assert found["c513", "cubic"] == found["c513", "reno"] == "pass"


def test_a_large_constant_window_does_not_back_off() -> None:
    window = {"kind": "fixed", "window": "1000 packets"}
    found = words(window, "fixed (window = 1000 packets)", "flood", "drizzle")
    assert found["c511", "fixed (window = 1000 packets)"] == "fail"
    assert found["c511", "cubic"] == found["c511", "reno"] == "pass"
    assert found["c702", "cubic"] == found["c702", "reno"] == "pass"


DUMMIES = """\
class FixedRate:
    def __init__(self, setup):
        self.window, self.pacing = 1e6, 5e6

    def on_ack(self, ack):
        pass


class Doubling:
    def __init__(self, setup):
        self.window = setup.initial_B

    def on_ack(self, ack):
        self.window = min(2e6, self.window + ack.acked_B)
"""
USE = ("solo", "cross", "cross ends")


def test_who_does_nothing_fails_the_use_of_the_link() -> None:
    label = "fixed (window = 1 packets)"
    found = words({"kind": "fixed", "window": "1 packets"}, label, *USE)
    assert [found[claim, label] for claim in ("c401", "c402", "c403")] == ["fail"] * 3
    assert [found[claim, "cubic"] for claim in ("c401", "c402", "c403")] == ["pass"] * 3
    assert found["c401", "reno"] == "pass"


@pytest.mark.parametrize(
    ("name", "cases", "fails"),
    [
        ("FixedRate", ("solo", "cross ends", "flood"), {"c401", "c403", "c511"}),
        (
            "Doubling",
            ("flood", "deep", "drizzle", "reno", "cubic"),
            {"c511", "c512", "c5212", "c5214", "c702"},
        ),
    ],
)
def test_who_does_not_listen_fails(
    name: str, cases: tuple[str, ...], fails: set[str], tmp_path: Path
) -> None:
    (tmp_path / "dummies.py").write_text(DUMMIES)
    controller = {"kind": python_class.KIND, "file": str(tmp_path / "dummies.py"), "class": name}
    # Far beyond each bound: two seeds decide. Each run of a class has a process of its own.
    found = words(controller, name, *cases, seeds=2)
    assert {claim for claim in fails if found[claim, name] == "fail"} == fails


@pytest.mark.parametrize(("label", "hidden"), [("reno", "fail"), ("vegas", "pass")])
def test_what_lies_move(label: str, hidden: str) -> None:
    """Divided and copied acknowledgements move little, a concealed loss is not seen.

    RFC 3465 counts bytes, and RFC 6675 what SACK blocks report. Who answers delay needs no loss.
    """
    # Who lies is compared with itself: the baselines needn't run.
    cases = ("reno", "divided", "forged", "optimistic")
    found = words({"kind": label}, label, *cases, who=(label,))
    assert (found["c7061", label], found["c7062", label]) == ("pass", hidden)


@pytest.mark.parametrize("label", rfc9743.BASELINES)
def test_a_baseline_is_not_compared_with_itself(label: str) -> None:
    study = rfc9743.study({"kind": label}, label)
    assert [axis.labels for axis in study.axes if axis.name == "who"] == [
        [label, *(one for one in rfc9743.BASELINES if one != label)]
    ]
    assert all(claim.against.get("who") != (label,) for claim in study.claims)
    assert study.plan(quick=True, seeds=1)
    left_out = {one.id for one in Study.load(rfc9743.STUDY).claims} - {
        one.id for one in study.claims
    }
    assert left_out
    placed = {one.name for one in placeholders(study.prose) if one.kind == "claim"}
    assert placed == {one.id for one in study.claims}
    assert study.prose.count(IS_REFERENCE) == len(left_out)


def test_the_subject_is_in_every_place_that_the_study_leaves_open() -> None:
    controller = {"kind": "vegas", "alpha": 3}
    study = rfc9743.study(controller, "vegas (alpha = 3)")
    assert study.prose.startswith("# RFC 9743 scorecard of vegas (alpha = 3)\n")
    (who,) = (axis for axis in study.axes if axis.name == "who")
    assert who.labels == ["vegas (alpha = 3)", "cubic", "reno"]
    assert dict(who.values[0].sets) == {
        "flows.new.controller": controller,
        "flows.mice.controller": controller,
    }
    assert {claim.where["who"] for claim in study.claims} == {("vegas (alpha = 3)",)}


def test_every_claim_stands_in_a_row_and_has_a_source() -> None:
    study = Study.load(rfc9743.STUDY)
    rows = [claim for row in rfc9743.CRITERIA for claim in row.claims]
    assert sorted(rows) == sorted(claim.id for claim in study.claims)
    assert all("RFC 9743, section" in claim.source for claim in study.claims)
    # The exit code of a whole scorecard does not hang on rows that no number of seeds would decide.
    assert {claim.strength for claim in study.claims} == {"shape"}
    assert all(bool(row.claims) != bool(row.reason) for row in rfc9743.CRITERIA)


def test_the_command_takes_a_class_and_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "steady.py").write_text(STEADY)
    arguments = ("scorecard", "steady.py:Steady", "--option", "queue=0.005", "--seeds", "1")
    done = call(*arguments, "--quick", "--json", "--out", "out", cwd=tmp_path)
    assert done.code == 0, done.err
    found = done.document
    schema = json.loads((Path(backwater.__file__).parent / "schemas/scorecard.json").read_text())
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
    assert found["options"]["options"] == {"queue": 0.005}
    assert {row["controller"] for row in found["rows"]} == {"steady.py:Steady", "cubic", "reno"}
    assert {row["verdict"] for row in found["rows"] if row["section"] == "7.10"} == {"not-run"}
    assert (tmp_path / "out" / "scorecard" / "report.html").is_file()
    manifest = json.loads((tmp_path / "out" / "scorecard" / "manifest.json").read_text())
    assert len(manifest["inputs"]) == 1
    assert manifest["study"]["subject"] == {
        "label": "steady.py:Steady",
        "controller": found["options"],
    }
    opened = Results.open(tmp_path / "out" / "scorecard")
    assert opened.fingerprint == found["fingerprint"]
    assert opened.status == found["status"]
    assert len(opened.claims) == len(opened.study.claims)
    again = call(*arguments, "--quick", "--resume", "--json", "--out", "out", cwd=tmp_path)
    assert again.document["fingerprint"] == found["fingerprint"]
    assert again.document["rows"] == found["rows"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cubik",), "there is no controller `cubik`"),
        (("cubic", "--option", "beta=2"), "`beta` is at most 0.99"),
        (("cubic", "--option", "beta"), "is not NAME=VALUE"),
        (("absent.py:Steady",), "there is no file"),
    ],
)
def test_what_is_no_controller_is_refused(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = call("scorecard", *arguments, "--out", "out", cwd=tmp_path)
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("metric", "unit", "measured", "shown"),
    [
        ("goodput_bps", "bit/s", 1.83e7, "pass: 18.3 Mbit/s"),
        ("queue_mean_B", "B", 671_659.0, "pass: 672 kB"),
        ("loss", None, 0.854, "pass: 0.854"),
    ],
)
def test_a_cell_has_a_unit_that_makes_its_number_short(
    metric: str, unit: str | None, measured: float, shown: str
) -> None:
    from backwater.cli import scorecard

    bound = {"is": "at_least", "low": measured / 2, "high": None}
    record = {"metric": metric, "unit": unit, "measured": measured, "bound": bound}
    assert scorecard._cell(SimpleNamespace(word="pass", record=record)) == shown
