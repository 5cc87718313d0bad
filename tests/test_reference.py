"""The generated reference."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from backwater import catalogue

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "reference.py"))


def test_the_reference_in_the_tree_is_the_one_that_the_tables_give() -> None:
    written = SCRIPT["TARGET"].read_text(encoding="utf-8")
    assert written == SCRIPT["text"](), "run `make docs` and commit what it changes"


@pytest.mark.parametrize("kind", SCRIPT["KINDS"])
def test_every_row_of_every_kind_is_in_it(kind: str) -> None:
    text = SCRIPT["text"]()
    missing = [row["id"] for row in catalogue.rows(kind) if f"**`{row['id']}`" not in text]
    assert missing == []
