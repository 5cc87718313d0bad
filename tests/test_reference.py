"""The generated reference."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from backwater import _native
from backwater.tools import catalogue

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
