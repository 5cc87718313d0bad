"""`backwater scorecard`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options, override
from backwater.cli.batch import failures, print_problems, run_study, warnings
from backwater.errors import Refusal, nearest
from backwater.model import controller_file
from backwater.present.numbers import claim_unit, number
from backwater.present.tabular import prose, words
from backwater.study.execution import Execution
from backwater.tools import contest_runs

NAME = "scorecard"
OUT = Path("results")


def command(
    context: typer.Context,
    controller: Annotated[str, typer.Argument(help="A controller, FILE.py:Class or FILE.wasm.")],
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="Of the controller; may be repeated."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Eight seeds instead of twenty.")] = False,
    seeds: Annotated[int | None, typer.Option(min=1, help="Instead of those.")] = None,
    workers: options.Workers = None,
    out: Annotated[Path, typer.Option(help="Folder; the scorecard gets one in it.")] = OUT,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue what is in the folder.")
    ] = False,
    max_wall: options.MaxWall = None,
    max_memory: options.MaxMemory = None,
    json: options.Json = False,
) -> int:
    """Check a controller against RFC 9743, beside CUBIC and Reno."""
    from backwater.tools import rfc9743

    table, label = subject(controller, option or [])
    study = rfc9743.study(table, label)
    execution = Execution(study, out / study.id, quick, seeds, workers, resume, command=context.obj)
    execution.max_wall_s, execution.max_memory = max_wall, max_memory
    execution.prepare()
    batch = run_study(execution)
    print_problems(batch)
    found = rfc9743.verdicts(execution, label)
    if json:
        results = batch.results
        console.emit(
            {
                "schema": "backwater/scorecard/1",
                "version": _native.version(),
                "mode": "quick" if quick else "full",
                "controller": label,
                "options": table,
                "status": results.status,
                "out": str(results.folder),
                "report": None if batch.report is None else str(batch.report),
                "seeds": len(results.manifest["seeds"]),
                "fingerprint": results.fingerprint,
                "rows": [_row(one) for one in found],
                "summary": _summary(found, label),
                "warnings": warnings(results),
                "failures": failures(results),
                "cost": results.cost,
            }
        )
    else:
        _show(found, label)
        console.data(f"report {batch.report or 'not written'}")
    return batch.code


def subject(controller: str, options: list[str]) -> tuple[dict[str, Any], str]:
    """The controller as a scenario has it, and its label."""
    given = {}
    for written in options:
        name, value = override.split(written, "NAME=VALUE")
        given[name] = override.value_of(value)
    if controller_file.is_file(controller):
        table = controller_file.table(controller)
        if given and controller_file.is_native(controller):
            fix = "leave --option out, and build the numbers into the file"
            raise Refusal("a file of WebAssembly takes no options", place=controller, fix=fix)
        return (table | {"options": given} if given else table), controller
    known = contest_runs.controllers()
    if controller not in known:
        near = nearest(controller, known) or known
        fix = f"name another, or {controller_file.FORMS}"
        raise Refusal(f"there is no controller `{controller}`", nearest=near, fix=fix)
    said = ", ".join(f"{name} = {value}" for name, value in given.items())
    return {"kind": controller, **given}, controller + (f" ({said})" if said else "")


def _row(one: Any) -> dict[str, Any]:
    record = one.record or {}
    return {
        "section": one.section,
        "title": one.title,
        "claim": one.claim or None,
        "says": one.says,
        "source": one.source,
        "controller": one.who,
        "verdict": one.word,
        "reason": one.reason,
        **{key: record.get(key) for key in ("measured", "low", "high", "n", "unit", "bound")},
        "cases": record.get("cases", []),
    }


def _summary(found: list[Any], label: str) -> dict[str, int]:
    mine = [one.word for one in found if one.who == label]
    return {word.replace("-", "_"): mine.count(word) for word in dict.fromkeys(mine)}


def _show(found: list[Any], label: str) -> None:
    from backwater.tools import rfc9743

    names = list(dict.fromkeys(one.who for one in found))
    grouped: dict[tuple[str, str, str, str], dict[str, Any]] = {}
    for one in found:
        key = (one.section, one.title, one.claim, one.says)
        grouped.setdefault(key, {})[one.who] = one
    rows = []
    for (section, title, claim, says), by in grouped.items():
        mine = by[label]
        said = says if claim else f"{title} ({mine.reason})"
        rows.append((section, said, *(_cell(by[name]) for name in names)))
    columns = (
        words("section"),
        prose("criterion"),
        *(words(name, n) for n, name in enumerate(names)),
    )
    console.table(f"RFC 9743, {label}", columns, rows)
    counted = ", ".join(f"{n} {word}" for word, n in _summary(found, label).items())
    console.data(f"{label}: {counted}")
    if rfc9743.idle(found, label):
        console.data(f"{label} leaves the link idle: what it spares others is no merit")


def _cell(one: Any) -> str:
    if one.record is None or one.record["measured"] is None:
        return str(one.word)
    # The study's claims are about several controllers, so the unit follows from the record alone.
    unit = claim_unit(one.record, None)
    return f"{one.word}: {number(one.record['measured'] / unit.factor)} {unit.name}".rstrip()
