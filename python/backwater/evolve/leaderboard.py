"""A page of controllers: a row each, with scores, conditions, what a hunt found, and scorecards."""

from __future__ import annotations

import html
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.evolve.candidate import Candidate
from backwater.evolve.evaluate import Evaluated, Evaluator

# Stage 2: 64 paths of 10 s.
STAGE = 2


@dataclass(frozen=True)
class Cell:
    """What stands in a cell, and the command that makes it again."""

    text: str
    command: str
    good: bool | None = None
    note: str = ""


@dataclass
class Row:
    """A controller and its cells by column."""

    name: str
    value: float
    cells: dict[str, Cell] = field(default_factory=dict)


COLUMNS = {
    "score": "score",
    "against": "against cubic",
    "rescaled": "other rates and round trips",
    "conditions": "conditions",
    "hunt": "worst found by a hunt",
    "scorecard": "RFC 9743",
}


def row(
    candidate: Candidate,
    evaluator: Evaluator,
    hunted: dict[str, Any] | None,
    card: dict[str, Any] | None,
) -> Row:
    """The row of a candidate. What hunts and scorecards said comes from their documents."""
    found = evaluator.evaluate(candidate, last=STAGE)
    if found.passed:
        evaluator.judge_gates(candidate, found)
        evaluator.compare(candidate, found)
    made = Row(candidate.name, found.value)
    name = shlex.quote(candidate.name)
    again = f"backwater evolve score {name} --stage {STAGE}"
    made.cells["score"] = _score(found, again)
    if found.against:
        first = next(iter(found.against.values()))
        difference, low, high = (first[key] for key in ("difference", "low", "high"))
        text = f"{_number(difference)} [{_number(low)}, {_number(high)}]"
        better = None if low is None or high is None or low <= 0 <= high else low > 0
        made.cells["against"] = Cell(text, f"{again} --compare", better)
    if found.rescaled is not None:
        text, same = f"{found.rescaled:+.3f}", abs(found.rescaled) < 0.1
        made.cells["rescaled"] = Cell(text, f"{again} --compare", same)
    if found.gates:
        failed = [one.name for one in found.gates if not one.passed]
        values = ", ".join(f"{one.name} {_number(one.found)}" for one in found.gates)
        text = "all kept" if not failed else f"broken: {', '.join(failed)}"
        command = f"backwater evolve score {name}"
        made.cells["conditions"] = Cell(text, command, not failed, values)
    if hunted is not None:
        made.cells["hunt"] = _hunt(hunted, name)
    if card is not None:
        made.cells["scorecard"] = _card(card, name)
    return made


def _score(found: Evaluated, command: str) -> Cell:
    if not found.scores:
        return Cell(found.why or "–", command, False)
    one = found.scores[-1]
    strata = ", ".join(f"{name} {value:.2f}" for name, value in one.by_stratum.items())
    between = f"mean {one.mean:.3f} [{_number(one.low)}, {_number(one.high)}]"
    note = f"{between}; {strata}; fingerprint {found.fingerprint}"
    return Cell(f"{one.value:.3f}", command, None, note)


def _hunt(document: dict[str, Any], name: str) -> Cell:
    asked, one = document.get("asked", {}), document.get("finding")
    space, evals, seed = asked.get("space", "steps"), asked.get("evals", 0), asked.get("seed", 1)
    command = f"backwater hunt {name} --space {space} --evals {evals} --seed {seed}"
    if not one:
        return Cell("nothing that holds", command, True)
    note = f"{one['says']}; fingerprints {', '.join(one['fingerprints'])}"
    return Cell(f"{one['score']:.3f} {asked.get('objective', '')}", command, None, note)


def _card(document: dict[str, Any], name: str) -> Cell:
    verdicts = [one["verdict"] for one in document["criteria"] if one.get("verdict")]
    passed, failed = verdicts.count("pass"), verdicts.count("fail")
    text = f"{passed} of {passed + failed} pass"
    failures = [one["title"] for one in document["criteria"] if one.get("verdict") == "fail"]
    note = "fails: " + "; ".join(failures) if failures else ""
    return Cell(text, f"backwater scorecard {name}", not failed, note)


def documents(folder: Path | None, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Documents of a folder, NAME.json each; a name without a file has none."""
    found: dict[str, dict[str, Any]] = {}
    for name in names if folder is not None else ():
        assert folder is not None, "there are names only with a folder"
        path = folder / f"{Path(name).name.replace(':', '-')}.json"
        if not path.exists():
            continue
        try:
            found[name] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Refusal(
                f"this is no document: {error}", place=str(path), fix="write it anew by `--json`"
            ) from error
    return found


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .4rem .6rem; text-align: left; }
td { vertical-align: top; }
td.yes { background: #2a72; } td.no { background: #c332; }
code, small { font-size: 12px; opacity: .8; } summary { cursor: pointer; }
"""


def page(rows: Sequence[Row], engine: str, said: str) -> str:
    """The page, which needs no other file. Best score first."""
    ordered = sorted(rows, key=lambda one: (-one.value, one.name))
    heads = "".join(f"<th>{html.escape(title)}</th>" for title in COLUMNS.values())
    body = "".join(_html(one) for one in ordered)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Board of controllers</title>"
        f'<meta name=viewport content="width=device-width"><style>{_STYLE}</style>'
        "<h1>Board of controllers</h1><p>On each path a controller scores the logarithm of its "
        "share of the best possible goodput, less half of that of its queueing delay; 0 is best, "
        "-8 least. Each cell has the command that makes it again.</p>"
        f"<table><tr><th>controller</th>{heads}</tr>{body}</table>"
        f"<p><small>{html.escape(said)} · engine {html.escape(engine)}</small></p></html>\n"
    )


def _html(one: Row) -> str:
    cells = []
    for name in COLUMNS:
        cell = one.cells.get(name)
        if cell is None:
            cells.append("<td>–</td>")
            continue
        color = {None: "", True: " class=yes", False: " class=no"}[cell.good]
        note = f"<small>{html.escape(cell.note)}</small><br>" if cell.note else ""
        inside = f"{note}<code>{html.escape(cell.command)}</code>"
        text = html.escape(cell.text)
        cells.append(f"<td{color}><details><summary>{text}</summary>{inside}</details></td>")
    return f"<tr><th>{html.escape(one.name)}</th>{''.join(cells)}</tr>"
