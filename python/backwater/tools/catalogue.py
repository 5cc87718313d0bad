"""Everything that has a name: the engine's parts and the studies."""

from __future__ import annotations

import json
import re
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _native
from backwater.errors import Refusal, nearest
from backwater.model.tables import Row, tables

if TYPE_CHECKING:
    from backwater.study.definition import Study
if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STUDIES = "studies"
STUDY_FILES = Path(__file__).parent.parent / "studies"
# The line in which a study describes itself.
_HEAD = re.compile(r"^study = \{.*\}$", re.MULTILINE)


def kinds() -> list[str]:
    """The kinds of names: those of the engine, and studies."""
    return [*tables(), STUDIES]


def rows(kind: str) -> list[Row]:
    """The rows of a kind."""
    if kind == STUDIES:
        return [study_row(_load(name)) for name in study_names()]
    if kind not in tables():
        raise Refusal(
            f"there is no kind `{kind}`",
            nearest=nearest(kind, kinds()) or kinds(),
            fix="write one of " + ", ".join(kinds()),
        )
    return tables()[kind]


def brief(kind: str) -> list[tuple[str, str, str]]:
    """Id, summary and source of the rows of a kind; of studies no more is read than that."""
    if kind != STUDIES:
        return [(row["id"], row["summary"], row["source"] or "") for row in rows(kind)]
    found = []
    for name in study_names():
        text = (STUDY_FILES / f"{name}.md").read_text(encoding="utf-8")
        head = _HEAD.search(text)
        known = tomllib.loads(head[0])["study"] if head else vars(_load(name))
        found.append((name, str(known.get("title", "")), str(known.get("source", ""))))
    return found


def study_names() -> list[str]:
    """The studies of this installation."""
    return sorted(path.stem for path in STUDY_FILES.glob("*.md"))


def _load(name: str) -> Study:
    from backwater.study.definition import Study

    return Study.load(name)


def study_row(study: Study) -> Row:
    """A study as a row."""
    return {
        "id": study.id,
        "aliases": [],
        "summary": study.title,
        "source": study.source,
        "options": [],
        "seeds": study.seeds,
        "cases": len(study.combinations()) * study.seeds,
        "cases_quick": len(study.combinations(quick=True)) * study.quick.seeds,
        "claims": len(study.claims),
    }


def names() -> list[str]:
    """The ids of everything that has one. No study is read for that."""
    return [*(row["id"] for kind in tables() for row in tables()[kind]), *study_names()]


def find(name: str) -> list[tuple[str, Row]]:
    """Everything of that name or alias, with its kind."""
    parts = [(kind, row) for kind in tables() for row in tables()[kind]]
    found = [(k, row) for k, row in parts if name in (row["id"], *row.get("aliases", ()))]
    if name in study_names():
        found.append((STUDIES, study_row(_load(name))))
    if not found:
        near = nearest(name, names())
        raise Refusal(
            f"nothing is called `{name}`", nearest=near, fix="see `backwater list` for all names"
        )
    return found


def schemas() -> dict[str, Any]:
    """The JSON schemas of every document, and of the scenario."""
    folder = Path(str(resources.files("backwater") / "schemas"))
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    }
    found["scenario"] = json.loads(_native.schema())
    # A name, not an address: an editor or validator can tell the schemas apart without a network.
    return {
        name: {"$id": f"urn:backwater:schema:{name}:1", **schema} for name, schema in found.items()
    }
