"""The generated reference."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater import _native
from backwater.tools import catalogue, queue_pairs

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "reference.py"))


@pytest.mark.parametrize("page", ["parts.md", "scenario.md", "mechanism-legal.md"])
def test_the_reference_in_the_tree_is_the_one_that_the_tables_give(page: str) -> None:
    where = SCRIPT["FOLDER"] / page
    written = where.read_text(encoding="utf-8")
    assert written == SCRIPT["pages"]()[where], "run `make tables` and commit what it changes"


def test_every_combination_of_a_mechanism_is_in_it() -> None:
    rows = json.loads(_native.legal())
    kinds = {key: len({row[key] for row in rows}) for key in ("medium", "detect", "notify")}
    responders = len(catalogue.rows("responders"))
    assert kinds["detect"] == len(catalogue.rows("detectors"))
    carriers = len({(row["medium"], row["carrier"]) for row in rows})
    assert carriers == 3 * kinds["medium"], "a frame of its own, a header field and a mark"
    assert len(rows) == carriers * kinds["detect"] * kinds["notify"] * responders
    text = SCRIPT["mechanism_legal"]()
    assert text.count("| works") + text.count("| refused (") == len(rows)


@pytest.mark.parametrize("kind", SCRIPT["KINDS"])
def test_every_row_of_every_kind_is_in_it(kind: str) -> None:
    text = SCRIPT["parts"]()
    missing = [row["id"] for row in catalogue.rows(kind) if f"**`{row['id']}" not in text]
    assert missing == []


def fields_of(row: dict[str, Any]) -> set[str]:
    """The fields of a table; of several kinds all have theirs, and `kind` is in titles."""
    kinds = [*row.get("anyOf", ()), *row.get("oneOf", ())]
    return set(row.get("properties", ())).union(*(fields_of(one) - {"kind"} for one in kinds))


@pytest.mark.parametrize("table", ["flows", "mechanisms", "ports", "media"])
def test_every_field_of_the_schema_is_in_the_scenario_page(table: str) -> None:
    text = SCRIPT["scenario"]().split(f"## `{table}`")[1].split("\n## ")[0]
    row = json.loads(_native.schema())["properties"][table]["additionalProperties"]
    fields = fields_of(row)
    assert [name for name in fields if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("kind", ["controller", "queue", "source"])
def test_each_part_that_the_page_for_newcomers_names_is_in_its_table(kind: str) -> None:
    text = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    named = set(re.findall(rf'\b{kind} = \{{ kind = "([^"]+)"', text))
    rows = catalogue.rows(f"{kind}s")
    known = {name for row in rows for name in (row["id"], *row["aliases"])}
    assert named
    assert named <= known


WORKS = [
    (controller, repair)
    for controller in queue_pairs.controllers()
    if queue_pairs.refused("tcp", controller) is not None
    for repair in queue_pairs.REPAIRS
    if queue_pairs.refused(repair, controller) is None
]


def steps(text: str) -> int:
    """How many values the windows, or the rates, of a run's flows take."""
    result = backwater.run(text)
    found = []
    for name in ("window", "pacing"):
        seen = result.columns["what"] == result.whats.index(name)
        found.append(len(set(result.columns["value"][seen].tolist())))
    return max(found)


@pytest.mark.parametrize(("controller", "repair"), WORKS)
def test_a_controller_that_works_over_a_repair_acts(controller: str, repair: str) -> None:
    assert steps(queue_pairs.written(repair, controller, None)) >= 2


@pytest.mark.parametrize("controller", ["qcn", "dcqcn", "hpcc", "powertcp"])
def test_a_controller_that_hears_nothing_does_not_act(controller: str) -> None:
    """So that the test above can fail: the same flows over queues that say nothing."""
    deaf = queue_pairs.written("selective", controller, None)
    silent = re.sub(r"queue = \{[^}]*\}, |, stamp = \{[^}]*\}", "", deaf)
    assert silent != deaf
    assert steps(silent) <= 1


@pytest.mark.parametrize("repair", queue_pairs.REPAIRS)
@pytest.mark.parametrize("spreader", [None, "oblivious", "bitmap", "reps", "mixed"])
def test_a_spreader_that_works_over_a_repair_uses_both_ways(
    spreader: str | None, repair: str
) -> None:
    text = queue_pairs.written(repair, queue_pairs.PLAIN, spreader).replace('"h*"', '"h0"')
    (ways,) = [r for r in backwater.run(text).document["equal_ways"] if r["at"] == "l0"]
    least = min(ways["sent_B"].values()) / sum(ways["sent_B"].values())
    assert least > 0.2 if spreader else least == 0


def test_every_controller_and_spreader_has_a_row_over_each_repair() -> None:
    text = SCRIPT["repairs"]()
    names = [*queue_pairs.controllers(), *queue_pairs.spreaders()]
    assert len(names) > 40
    assert [name for name in names if f"| `{name}` |" not in text] == []
    cells = len(names) * len(queue_pairs.REPAIRS)
    assert text.count("| works") + text.count("| refused (") == cells
    reasons = set(map(int, re.findall(r"refused \((\d+)\)", text)))
    assert reasons == set(map(int, re.findall(r"^(\d+)\. `", text, re.M)))
