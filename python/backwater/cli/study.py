"""`backwater study run` and `backwater study list`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import complete, console, options
from backwater.cli.batch import (
    Batch,
    cost,
    exit_code,
    failures,
    print_problems,
    print_shard,
    run_study,
    shard_of,
    warnings,
    write_index,
)
from backwater.errors import EXIT_DONE, Refusal
from backwater.present.numbers import RULES, claim_bound, claim_measured, claim_unit, number
from backwater.present.tabular import figures, prose, words
from backwater.study.definition import Study, shipped
from backwater.study.execution import Execution
from backwater.study.source_names import introduced
from backwater.tools import catalogue
from backwater.verdict import readings
from backwater.verdict.ablated import SUBJECT
from backwater.verdict.claim import STAYS, is_unexpected

app = typer.Typer(help="List and run studies.", invoke_without_command=True, rich_markup_mode=None)
OUT = Path("results")
First = Annotated[
    int, typer.Option(min=1, help="The first seed; fresh ones confirm what was seen.")
]
Ablate = Annotated[
    bool,
    typer.Option("--ablate", help="Judge every claim without its mechanism, too: can it fail?"),
]


@app.callback()
def _root(context: typer.Context) -> None:
    """List and run studies."""
    if context.invoked_subcommand is None:
        console.data(context.get_help())


@app.command("list")
def list_(json: options.Json = False) -> int:
    """List the shipped studies."""
    rows = catalogue.rows(catalogue.STUDIES)
    if json:
        console.emit(
            {
                "schema": "backwater/list/1",
                "version": _native.version(),
                "kinds": {catalogue.STUDIES: rows},
            }
        )
        return EXIT_DONE
    console.table(
        None,
        (
            words("id"),
            prose("title"),
            prose("source", 1),
            figures("claims", 2),
            figures("cases", 3),
            figures("quick", 4),
        ),
        (
            (
                row["id"],
                row["summary"],
                row["source"],
                *(str(row[name]) for name in ("claims", "cases", "cases_quick")),
            )
            for row in rows
        ),
    )
    for line in introduced(*(row["source"] for row in rows)):
        console.message(line)
    return EXIT_DONE


@app.command("run")
def run(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(help="Studies, or Markdown files.", autocompletion=complete.studies),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every shipped study.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="The smaller version.")] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Instead of the study's number of seeds.")
    ] = None,
    first_seed: First = 1,
    workers: options.Workers = None,
    out: Annotated[Path, typer.Option(help="Folder; each study gets one in it.")] = OUT,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue what is in the folder.")
    ] = False,
    max_wall: options.MaxWall = None,
    max_memory: options.MaxMemory = None,
    max_cases: options.MaxCases = None,
    shard: options.Shard = None,
    dask: options.Dask = None,
    ablate: Ablate = False,
    json: options.Json = False,
) -> int:
    """Run studies: store, claims and report."""
    executions = [
        Execution(
            study,
            out / study.id,
            quick,
            seeds,
            workers,
            resume,
            max_cases,
            command=context.obj,
            ablate=ablate,
        )
        for study in _chosen(ids or [], all_)
    ]
    for execution in executions:
        execution.max_wall_s, execution.max_memory = max_wall, max_memory
        execution.first_seed = first_seed
        execution.shard, execution.dask = _shard(shard, ablate), dask
        execution.prepare()
        _warn_of_missing_traces(execution)
    batches: list[Batch] = []
    for execution in executions:
        batches.append(run_study(execution))
        if shard is not None and not json:
            print_shard(batches[-1], shard)
        elif not json:
            show(batches[-1])
        print_problems(batches[-1])
        if batches[-1].stopped:
            break
    if len(batches) > 1 and not batches[-1].stopped and shard is None:
        write_index(batches, out)
    if json:
        console.emit(
            {
                "schema": "backwater/study/1",
                "version": _native.version(),
                "mode": "quick" if quick else "full",
                "studies": [_record(batch) for batch in batches],
                "cost": cost(batches),
            }
        )
    return exit_code(batches)


def _warn_of_missing_traces(execution: Execution) -> None:
    for name, without in execution.study.missing_traces(execution.quick).items():
        console.message(
            f"warning: {execution.study.id}: {without} combinations don't run without the "
            f"trace {name}; put it into the folder BACKWATER_TRACES"
        )


def _shard(written: str | None, ablate: bool) -> tuple[int, int] | None:
    if written is not None and ablate:
        fix = "merge the shards, then run with --resume --ablate"
        raise Refusal("a part of the cases judges nothing", place="--ablate", fix=fix)
    return shard_of(written)


def _chosen(ids: list[str], everything: bool) -> list[Study]:
    if everything and ids:
        raise Refusal("--all and names are both given", fix="keep one")
    if not everything and not ids:
        raise Refusal("no study is named", nearest=shipped(), fix="name studies, or give --all")
    studies = [Study.load(name) for name in (shipped() if everything else dict.fromkeys(ids))]
    for i, study in enumerate(studies):
        if any(study.id == other.id for other in studies[:i]):
            raise Refusal(f"two studies have the id `{study.id}`", fix="run them one by one")
    return studies


def _record(batch: Batch) -> dict[str, Any]:
    results = batch.results
    return {
        "id": results.study.id,
        "status": results.status,
        "out": str(results.folder),
        "report": None if batch.report is None else str(batch.report),
        "seeds": len(results.manifest["seeds"]),
        "cases_done": results.finished,
        "cases_total": results.manifest["cases_total"],
        "fingerprint": results.fingerprint,
        "claims": results.claims,
        "summary": results.summary,
        "warnings": warnings(results),
        "failures": failures(results),
        "error": None if batch.error is None else batch.error.document()["error"],
    }


def show(batch: Batch) -> None:
    """Prints the claims of a study with their verdicts."""
    results = batch.results
    known = {claim.id: claim for claim in results.study.claims}
    judged = [
        (record, claim_unit(record, known.get(record["id"].rpartition("/")[2])))
        for record in readings.ordered(results.claims)
    ]
    rows = [
        (
            "!" if is_unexpected(record, quick=results.quick) else "",
            record["id"].rpartition("/")[2],
            _says(record),
            _verdict(record),
            claim_measured(record, unit),
            claim_bound(record["bound"], unit),
        )
        for record, unit in judged
    ]
    console.table(
        f"{results.study.id}: {results.study.title}",
        (
            words(""),
            words("claim"),
            prose("says"),
            words("verdict"),
            words("measured [95 %]", 1),
            words("bound", 2),
        ),
        rows,
    )
    if results.claims:
        console.sentence(RULES)
    _show_ablation(results.claims)
    summary = ", ".join(f"{n} {word.replace('_', '-')}" for word, n in results.summary.items())
    mixed = readings.counts(results.claims)[readings.BY_READING]
    summary += f"; {mixed} in some readings only" if mixed else ""
    console.data(f"{results.status}: {summary}")
    console.data(f"fingerprint {results.fingerprint}, report {batch.report or 'not written'}\n")


def _show_ablation(records: list[dict[str, Any]]) -> None:
    """The claims by what their ablation shows."""
    ablated = [(record, record["ablation"]) for record in records if record["ablation"]]
    if not ablated:
        return
    console.table(
        "without the mechanism",
        (words(""), words("claim"), words("outcome"), prose("verdict under each ablation")),
        (
            (
                "!" if one["outcome"] == STAYS else "",
                record["id"].rpartition("/")[2],
                one["outcome"],
                one["reason"] if not one["under"] else _under(one["under"]),
            )
            for record, one in ablated
        ),
    )


def _under(under: list[dict[str, Any]]) -> str:
    return "; ".join(
        f"{one['ablation']}{'' if one['of'] == SUBJECT else ' (with reference)'}: {one['verdict']}"
        + (" (compared with itself)" if one.get("identity") else "")
        + ("" if one["measured"] is None else f", {number(one['measured'])}")
        for one in under
    )


def _says(record: dict[str, Any]) -> str:
    """The sentence, how it is read, what its readings say together, and why it came out so."""
    said = [record["says"]]
    if record.get("reading"):
        said.append(f"Reading: {record['reading']}.")
    if record.get("statement") and not record["reading_of"]:
        said.append(f"All readings: {record['statement']['says']}.")
    if record["reason"]:
        said.append(f"({record['reason']})")
    return " ".join(said)


def _verdict(record: dict[str, Any]) -> str:
    needed = record["seeds_needed"]
    return str(record["verdict"]) + (f", {needed} seeds would decide" if needed else "")
