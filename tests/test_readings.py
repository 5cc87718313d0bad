"""Several readings of one sentence: joined, shown side by side, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backwater.errors import Refusal
from backwater.study.runnable import Study
from backwater.verdict import readings
from command import call
from studies import BLOCK, markdown

FIRST = """
[claims.c2]
says = "More than a tenth is lost."
kind = "own"
metric = "loss"
where = { scheme = "none", rate = "8 Mbit/s" }
at_most = 1
reading = "of all packets"
"""
SECOND = """
[claims.c3]
says = "More than a tenth is lost."
kind = "own"
metric = "loss"
where = { scheme = "none", rate = "8 Mbit/s" }
at_least = 2
reading = "of the packets after the first second"
reading_of = "c2"
"""


def statement(*verdicts: str) -> dict[str, Any]:
    group = [
        {"id": f"s/c{i}", "reading": f"r{i}", "verdict": verdict}
        for i, verdict in enumerate(verdicts, 1)
    ]
    return readings.statement(group)


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [
        (("reproduced", "reproduced"), "reproduced"),
        (("differs", "differs"), "differs"),
        (("reproduced", "differs"), "by-reading"),
        (("differs", "reproduced", "undecided"), "by-reading"),
        (("reproduced", "undecided"), "by-reading"),
        # One reading is open: the sentence isn't refuted.
        (("differs", "undecided"), "undecided"),
        (("differs", "not-run"), "undecided"),
        (("reproduced", "not-run"), "reproduced"),
        (("not-run", "not-run"), "not-run"),
    ],
)
def test_a_sentence_differs_only_where_each_reading_does(
    verdicts: tuple[str, ...], together: str
) -> None:
    assert statement(*verdicts)["verdict"] == together


def test_what_the_readings_say_together_names_each() -> None:
    said = statement("differs", "reproduced", "differs")["says"]
    assert said == "reproduced under “r2”; differs under “r1” and “r3”"


@pytest.mark.parametrize(
    ("text", "line", "what", "fix"),
    [
        (SECOND.replace('"c2"', '"c4"'), "reading_of", "there is no claim `c4`", "name a claim"),
        (SECOND.replace('"c2"', '"c3"'), "reading_of", "reading of itself", "name the claim"),
        (
            SECOND + SECOND.replace("c3", "c4").replace('"c2"', '"c3"'),
            'reading_of = "c3"',
            "claim c3 is itself a reading of c2",
            'write reading_of = "c2"',
        ),
        (SECOND.replace('"own"', '"probe"'), "reading_of", "c3 is probe, and c2", "the same kind"),
        (SECOND.replace("reading =", "#"), "reading_of", "does not name its own", "add reading"),
        (
            SECOND.replace("of the packets after the first second", "of all packets"),
            'reading = "of all',
            "c2 and c3 name the same reading",
            "say what sets them apart",
        ),
        ("", "reading =", "c2 names its reading, and no other", 'reading_of = "c2"'),
    ],
)
def test_readings_that_lead_astray_are_refused(text: str, line: str, what: str, fix: str) -> None:
    written = markdown(BLOCK + FIRST + text)
    with pytest.raises(Refusal) as found:
        Study.parse(written, "s.md")
    assert what in found.value.what
    assert fix in str(found.value.fix)
    assert line in written.split("\n")[(found.value.line or 0) - 1]


def test_the_first_claim_of_several_readings_names_its_own() -> None:
    with pytest.raises(Refusal, match="claim c2 is one of several readings"):
        Study.parse(markdown(BLOCK + FIRST.replace("reading =", "#") + SECOND), "s.md")


def test_readings_stand_side_by_side_in_document_table_and_report(tmp_path: Path) -> None:
    """A share of packets is at most 1 and never 2: one reading holds, the other can't."""
    between = '[claims.c9]\nsays = "z"\nmetric = "loss"\nat_most = 1\n'
    (tmp_path / "small.md").write_text(markdown(BLOCK + FIRST + between + SECOND))
    together = "reproduced under “of all packets”; differs under “of the packets after"
    run = ("study", "run", "small.md", "--quick", "--out", "o")
    done = call(*run, "--json", cwd=tmp_path).document
    records = {one["id"]: one for one in done["studies"][0]["claims"]}
    second = records["small/c3"]
    assert (second["reading_of"], second["verdict"]) == ("small/c2", "differs")
    assert second["statement"]["says"].startswith(together)
    assert records["small/c2"]["statement"]["verdict"] == "by-reading"
    assert records["small/c1"]["statement"] is None
    assert list(records) == [f"small/{name}" for name in ("c1", "c2", "c9", "c3")]

    shown = " ".join(call(*run, "--resume", cwd=tmp_path).out.split())
    assert "1 in some readings only" in shown
    page = (tmp_path / "o" / "small" / "report.html").read_text(encoding="utf-8")
    assert f"All readings of this sentence: {together}" in page
    assert page.index('<tr id="c3"') < page.index('<tr id="c9"')
    assert "1 in some readings only" in page
    assert "1 differs" not in page.partition("</header>")[0]
