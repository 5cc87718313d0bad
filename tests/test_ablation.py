"""Claims without their mechanism: which fall, which can't."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backwater.errors import Refusal
from backwater.model.tables import tables
from backwater.results.results import Results
from backwater.study.ablation import out_of_reach, replacements
from backwater.study.execution import Execution
from backwater.study.runnable import Study
from command import call
from studies import BLOCK, markdown

# W>D holds 50 kB and gets bursts of up to 96 kB: it overflows unless S is stopped.
SPARED = """
[claims.c2]
says = "With XON/XOFF the buffer before D loses nothing."
scope = "drops:W>D"
kind = "invariant"
metric = "dropped_pkts"
where = { scheme = "pause" }
is = "zero"
"""
# No control loses no more than no control.
HARMLESS = """
[claims.c3]
says = "XON/XOFF costs nothing."
metric = "loss"
where = { scheme = "pause" }
against = { scheme = "none" }
by = "difference"
reduce = "count"
of = { at_least = 0.0001 }
at_most = 0
"""


def ablated(block: str, folder: Path | None = None) -> dict[str, Any]:
    results = run(block, folder)
    return {record["id"].rpartition("/")[2]: record for record in results.claims}


def run(block: str, folder: Path | None = None, *, resume: bool = False) -> Results:
    study = Study.parse(markdown(block), "s.md")
    return Execution(study, folder, quick=True, ablate=True, resume=resume).run()


def test_a_claim_falls_when_its_mechanism_is_inert_and_when_it_is_off() -> None:
    record = ablated(BLOCK + SPARED)["c2"]
    assert record["verdict"] == "reproduced"
    assert record["ablation"]["outcome"] == "falls"
    under = {one["ablation"]: one["verdict"] for one in record["ablation"]["under"]}
    assert under == {"inert": "differs", "off": "differs"}


def test_what_doing_nothing_meets_stays_and_is_unexpected() -> None:
    results = run(BLOCK + HARMLESS)
    record = results.claims[1]
    assert (record["verdict"], record["ablation"]["outcome"]) == ("reproduced", "stays")
    assert results.status == "unexpected"


def test_a_sanity_bound_may_stay() -> None:
    results = run(BLOCK + HARMLESS + 'sanity = "a bound on harm"\n')
    assert results.claims[1]["ablation"]["outcome"] == "sanity"
    assert results.claims[1]["ablation"]["reason"] == "a bound on harm"
    assert results.status == "ok"


def test_a_claim_of_no_control_speaks_of_no_mechanism() -> None:
    found = ablated(BLOCK)["c1"]["ablation"]
    assert (found["outcome"], found["under"]) == ("not-tested", [])


def test_a_study_names_weaker_schemes_and_the_claims_that_they_are_for() -> None:
    weaker = """
[ablate.weaker]
says = "Marks at the top of the buffer."
where = { scheme = "pause" }
set = { "mechanisms.bp.detect.high" = "99 %" }
claims = ["c3"]

[ablate.replaced]
says = "No control in its place."
where = { scheme = "pause" }
as = { scheme = "none" }
"""
    found = ablated(BLOCK + SPARED + HARMLESS + weaker)
    names = {
        claim: {one["ablation"] for one in record["ablation"]["under"]}
        for claim, record in found.items()
    }
    assert names["c2"] == {"inert", "off", "replaced"}
    assert names["c3"] == {"inert", "off", "replaced", "weaker"}
    under = {one["ablation"]: one for one in found["c2"]["ablation"]["under"]}
    # The same scenario under two names is the same run.
    assert under["replaced"]["measured"] == under["off"]["measured"]


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("[ablate.off]\nsays = 'x'\nset = { a = 1 }", "is derived"),
        ("[ablate.x]\nsays = 'x'", "replaces nothing"),
        ("[ablate.x]\nsays = 'x'\nas = { scheme = 'nine' }", "has no value"),
        ("[ablate.x]\nsays = 'x'\nas = { scheme = 'none' }\nclaims = ['c9']", "no claim"),
        ("[ablate.x]\nas = { scheme = 'none' }", "has no `says`"),
    ],
)
def test_an_ablation_that_says_nothing_is_refused(table: str, what: str) -> None:
    with pytest.raises(Refusal, match=what):
        Study.parse(markdown(f"{BLOCK}\n{table}\n"), "s.md")


def test_ablated_cases_are_kept_apart_and_resumed(tmp_path: Path) -> None:
    first = run(BLOCK + SPARED, tmp_path / "o")
    cases = first.finished
    assert (tmp_path / "o" / "ablation" / "results.sqlite").is_file()
    again = run(BLOCK + SPARED, tmp_path / "o", resume=True)
    assert again.finished == cases
    assert again.claims == first.claims
    assert again.fingerprint == first.fingerprint


def test_which_detectors_can_be_put_out_of_reach() -> None:
    without = {row["id"] for row in tables()["detectors"] if not out_of_reach(row["id"])}
    assert without == {
        "differential-backlog",
        "dynamic-threshold",
        "python",
        "queue-rate-difference",
    }
    assert out_of_reach("sojourn") == {"high": "10 s"}
    assert out_of_reach("overheard-backlog") == {"b_max": 1000.0}


def test_an_inert_detector_does_not_warn_early() -> None:
    assert out_of_reach("occupancy") == {"high": "100 %", "early_warning": "100 %"}


def test_an_inert_mechanism_keeps_its_recipe() -> None:
    study = Study.parse(markdown(), "s.md")
    found = replacements(study, {"scheme": "pause", "rate": "8 Mbit/s"}, False)
    assert found["inert"].sets == (("mechanisms.bp.detect.high", "100 %"),)
    assert found["off"].sets == (("mechanisms.bp.recipe", "none"),)
    assert replacements(study, {"scheme": "none", "rate": "8 Mbit/s"}, False) == {}


def test_the_command_says_what_stays(tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text(markdown(BLOCK + HARMLESS), encoding="utf-8")
    ended = call("study", "run", "s.md", "--quick", "--ablate", cwd=tmp_path)
    assert ended.code == 1
    assert "without the mechanism" in ended.out
    page = (tmp_path / "results" / "small" / "report.html").read_text(encoding="utf-8")
    assert "Ablated: stays" in page


RIVALS = """\
schema = "backwater/scenario/1"
duration = "4 s"
nodes.S = { kind = "host" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "10 ms" }
ports."S>D" = { buffer = "25 kB" }
[flows.f]
from = "S"
to = "D"
transport = "tcp"
controller = { kind = "reno" }
source = { kind = "bulk" }
"""
CONTROLLERS = """\
study = { id = "rivals", title = "Rivals", source = "RFC 9438", seeds = 2 }
axes.kind = { path = "flows.f.controller.kind", values = ["reno", "cubic"] }

[claims.c1]
says = "CUBIC gets no less than Reno."
metric = "goodput_bps"
where = { kind = "cubic" }
against = { kind = "reno" }
by = "ratio"
at_least = 0.5

[claims.c2]
says = "CUBIC fills half of the link."
metric = "goodput_bps"
where = { kind = "cubic" }
at_least = "5 Mbit/s"

[claims.c3]
says = "Reno fills half of the link."
metric = "goodput_bps"
where = { kind = "reno" }
at_least = "5 Mbit/s"
"""
TINY = """
[ablate.tiny]
says = "A window of two packets."
where = { kind = "cubic" }
set = { "flows.f.controller" = { kind = "fixed", window = "2 packets" } }
claims = ["c2"]
"""


def rivals(more: str = "") -> dict[str, Any]:
    study = Study.parse(markdown(CONTROLLERS + more, RIVALS), "r.md")
    results = Execution(study, None, ablate=True).run()
    return {record["id"].rpartition("/")[2]: record for record in results.claims}


def test_the_reference_takes_every_controllers_place_and_identities_are_told() -> None:
    found = rivals()
    (under,) = found["c1"]["ablation"]["under"]
    assert (under["ablation"], under["measured"]) == ("reference-controller", 1)
    assert under["identity"]
    assert found["c1"]["ablation"]["outcome"] == "identity"
    assert found["c2"]["ablation"]["outcome"] == "as-the-reference"
    assert not found["c2"]["ablation"]["under"][0]["identity"]
    assert found["c3"]["ablation"]["outcome"] == "not-tested"
    assert [found[name]["mechanism"] for name in ("c1", "c2", "c3")] == [True, True, False]


def test_an_easy_opponent_does_not_hide_that_the_reference_meets_a_claim() -> None:
    """Two packets a round trip of 20 ms are 1.2 Mbit/s."""
    ablation = rivals(TINY)["c2"]["ablation"]
    assert ablation["outcome"] == "falls"
    assert ablation["reason"] == "the reference controller meets it"
    verdicts = {one["ablation"]: one["verdict"] for one in ablation["under"]}
    assert verdicts == {"reference-controller": "reproduced", "tiny": "differs"}
