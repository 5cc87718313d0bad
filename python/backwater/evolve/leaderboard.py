"""A page of controllers: a row each, with scores, conditions, contest, hunt and scorecard.

A cell has its figure with the interval, the fingerprint of its runs, and the command that makes it
again. Scorecards take minutes and come from their documents; all else is run here.
"""

from __future__ import annotations

import html
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.evolve.attack import Attacked, attack
from backwater.evolve.candidate import Candidate
from backwater.evolve.evaluate import MOST_CHANGE, Evaluated, Evaluator
from backwater.evolve.scoring import total
from backwater.tools import contest_runs, matching_stamp
from backwater.verdict.interval import interval

# Stage 2: 64 paths of 10 s.
STAGE = 2
# Runs of the hunt, and seeds and seconds of the contest.
HUNT, SEEDS, SECONDS = 200, 3, 30.0


@dataclass(frozen=True)
class Cell:
    """The content of a cell, and the command that makes it again."""

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


# Words of a scorecard.
PASSED, FAILED = "pass", "fail"
COLUMNS = {
    "score": "score",
    "against": "against cubic",
    "scale": "scale: other rates and round trips",
    "conditions": "conditions",
    "contest": "cellular contest",
    "hunt": "worst path, beside cubic",
    "scorecard": "RFC 9743",
}


def row(
    candidate: Candidate,
    evaluator: Evaluator,
    hunted: dict[str, Any] | None,
    card: dict[str, Any] | None,
) -> Row:
    """The row of a candidate. A hunt or scorecard that has a document is taken from that."""
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
        made.cells["scale"] = _scale(found, f"{again} --compare")
    if found.gates:
        failed = [one.name for one in found.gates if not one.passed]
        values = ", ".join(f"{one.name} {_number(one.found)}" for one in found.gates)
        text = "all kept" if not failed else f"broken: {', '.join(failed)}"
        command = f"backwater evolve score {name}"
        made.cells["conditions"] = Cell(text, command, not failed, values)
    if (cell := _contest(candidate, evaluator)) is not None:
        made.cells["contest"] = cell
    if hunted is not None:
        made.cells["hunt"] = _hunt(hunted, name)
    elif found.passed:
        worst = attack(candidate.controller, evaluator.run, HUNT)
        made.cells["hunt"] = _worst(worst, f"backwater evolve score {name} --stage 4")
    quick = shlex.join(["backwater", "scorecard", *scorecard_words(candidate), "--quick"])
    made.cells["scorecard"] = Cell("not run", quick) if card is None else _card(card, quick)
    return made


def scorecard_words(candidate: Candidate) -> list[str]:
    """How `backwater scorecard` names a candidate: that of a file of TOML by its options."""
    table = candidate.controller
    if "file" in table:
        return [candidate.name]
    given = [f"{name}={value}" for name, value in table.items() if name != "kind"]
    return [str(table["kind"]), *(word for one in given for word in ("--option", one))]


def _score(found: Evaluated, command: str) -> Cell:
    if not found.scores:
        return Cell(found.why or "–", command, False)
    one = found.scores[-1]
    strata = ", ".join(f"{name} {value:.2f}" for name, value in one.by_stratum.items())
    between = f"mean {one.mean:.3f} [{_number(one.low)}, {_number(one.high)}]"
    note = f"{between}; {strata}; fingerprint {found.fingerprint}"
    return Cell(f"{one.value:.3f}", command, None, note)


def _scale(found: Evaluated, command: str) -> Cell:
    """The change of the mean on other rates and round trips: a scale-free controller has none."""
    assert found.rescaled is not None, "it was asked"
    low, high = found.rescaled_range
    text = f"{found.rescaled:+.3f} [{_number(low)}, {_number(high)}]"
    return Cell(text, command, abs(found.rescaled) < MOST_CHANGE)


def _contest(candidate: Candidate, evaluator: Evaluator) -> Cell | None:
    """The score over the contest's links. A part with options cannot be named there."""
    table = candidate.controller
    if candidate.hosted:
        who = f"{table['file']}:{table['class']}"
    else:
        who = str(table.get("file", table["kind"]))
        if "file" not in table and len(table) > 1:
            return None
    if matching_stamp.needs_capacity(who):
        return None
    scenes = [
        contest_runs.scenario(who, direction, SECONDS) | {"seed": seed}
        for direction in contest_runs.default_directions()
        if not direction.held_out
        for seed in range(1, SEEDS + 1)
    ]
    documents, _ = evaluator.run(scenes)
    scores = [contest_runs.score_of(one["metrics"]) for one in documents if one is not None]
    known = [score for score in scores if score is not None]
    # As it was given: a file stands elsewhere for who runs it again.
    said = candidate.name if "file" in table else who
    command = f"backwater contest {shlex.quote(said)} --seeds {SEEDS} --duration {SECONDS:g}"
    if len(known) < len(scenes):
        return Cell("a run failed", command, False)
    over = interval(known)
    assert over is not None, "there are seeds"
    text = f"{over.mean:.3f} [{_number(over.low)}, {_number(over.high)}]"
    note = f"ln of Mbit/s over ms, {len(known)} runs; fingerprint {total(documents)}"
    return Cell(text, command, None, note)


def _worst(worst: Attacked | None, command: str) -> Cell:
    if worst is None:
        return Cell("–", command)
    mine, theirs = worst.candidate_bps / 1e6, worst.reference_bps / 1e6
    said = f"{worst.says}; {worst.evals} runs; fingerprint {worst.fingerprint}"
    text = f"{mine:.2f} of {theirs:.2f} Mbit/s"
    return Cell(text, f"{command} --evals {worst.evals}", worst.passed, said)


def _hunt(document: dict[str, Any], name: str) -> Cell:
    asked, one = document.get("asked", {}), document.get("finding")
    space, evals, seed = asked.get("space", "steps"), asked.get("evals", 0), asked.get("seed", 1)
    command = f"backwater hunt {name} --space {space} --evals {evals} --seed {seed}"
    if not one:
        return Cell("nothing that holds", command, True)
    note = f"{one['says']}; fingerprints {', '.join(one['fingerprints'])}"
    return Cell(f"{one['score']:.3f} {asked.get('objective', '')}", command, None, note)


def _card(document: dict[str, Any], command: str) -> Cell:
    mine = [one for one in document["rows"] if one["controller"] == document["controller"]]
    failures = [one["title"] for one in mine if one["verdict"] == FAILED]
    passed = sum(one["verdict"] == PASSED for one in mine)
    text = f"{passed} of {passed + len(failures)} pass"
    said = f"fails: {'; '.join(failures)}; " if failures else ""
    if document["mode"] != "quick":
        command = command.removesuffix(" --quick")
    note = f"{said}{document['seeds']} seeds; fingerprint {document['fingerprint']}"
    return Cell(text, command, not failures, note)


def make_scorecards(folder: Path, candidates: Sequence[Candidate], workers: int) -> None:
    """Runs the quick scorecard of each name that has no document in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in candidates:
        name = one.name
        if _file(folder, name).exists():
            continue
        line = [sys.executable, "-m", "backwater", "scorecard", *scorecard_words(one)]
        line += ["--quick", "--json"]
        runs = folder / "runs" / _file(folder, name).stem
        line += ["--workers", str(workers), "--out", str(runs)]
        done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
        try:
            json.loads(done.stdout)["rows"]
        except (ValueError, KeyError) as error:
            raise Refusal(
                f"the scorecard of `{name}` was not made",
                place="--scorecards",
                fix="see what it said above; FILE.py:Class and names of controllers have one",
            ) from error
        _file(folder, name).write_text(done.stdout, encoding="utf-8")


def _file(folder: Path, name: str) -> Path:
    return folder / f"{Path(name).name.replace(':', '-')}.json"


def documents(folder: Path | None, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Documents of a folder, NAME.json each; a name without a file has none."""
    found: dict[str, dict[str, Any]] = {}
    for name in names if folder is not None else ():
        assert folder is not None, "there are names only with a folder"
        path = _file(folder, name)
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
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8886; padding: .4rem .6rem; text-align: left; }
td { vertical-align: top; } tr > :first-child { white-space: nowrap; }
td.yes { background: #2a72; } td.no { background: #c332; }
code, small { font-size: 12px; opacity: .8; }
summary { cursor: pointer; list-style-position: outside; margin-left: 1em; }
.wide { overflow-x: auto; }
@media print {
  body { margin: 0; padding: 0; font-size: 8pt; } .wide { overflow: visible; }
  th, td { padding: .3em .4em; } tr { break-inside: avoid; }
  tr > :first-child { white-space: normal; }
}
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
        "-8 least. A green cell passes the test of its column, a red one fails it; others have no "
        "test or are undecided. A click on a cell shows the command that makes it again.</p>"
        '<div class=wide tabindex=0 role=region aria-label="Controllers and their results">'
        f"<table><tr><th>controller</th>{heads}</tr>{body}</table></div>"
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
