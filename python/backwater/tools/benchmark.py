"""The cost of a packet: the project's own runs, and a peer's beside them on the same workload.

A run is a fresh process, so that no case inherits the memory of another; it measures the CPU time
of the event loop alone. Runs of a benchmark and of its peer alternate, so that a machine that is
busy for a while is busy for both; the value is the median over the repeats.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, Unfinished, nearest, refusing
from backwater.model.machine import processor
from backwater.model.outputs import save
from backwater.tools import benchmark_child
from backwater.tools.benchmark_cases import BENCHMARKS, Aim, Benchmark, CostUnit
from backwater.tools.peers import PEERS, Absent, Peer

SCHEMA = "backwater/bench/1"
FOLDER = Path(__file__).parent.parent / "benches"

Progress = Callable[[str], None]


def select(ids: Sequence[str] | None) -> list[Benchmark]:
    """The cases of these names in the table's order; all of them for None."""
    known = [case.id for case in BENCHMARKS]
    for name in ids or ():
        if name not in known:
            raise Refusal(
                f"there is no benchmark `{name}`",
                place=name,
                nearest=nearest(name, known),
                fix=f"write one of {', '.join(known)}",
            )
    return [case for case in BENCHMARKS if ids is None or case.id in ids]


def run(
    ids: Sequence[str] | None = None,
    repeats: int = 5,
    peers: bool = True,
    progress: Progress | None = None,
    out: Path | None = None,
    resume: bool = False,
) -> dict[str, Any]:
    """Measures the cases and returns the document of `bench --json`.

    With `out` the document is written there after each case. `resume` keeps the cases that lie
    there, if the same engine measured them with as many repeats.
    """
    if repeats < 1:
        raise Refusal(f"{repeats} repeats measure nothing", place="repeats", fix="write 1 or more")
    if resume and out is None:
        raise Refusal("there is no file to resume", place="--resume", fix="add `--out FILE`")
    cases = select(ids)
    say = progress or (lambda _: None)
    kept = _kept(out, repeats) if out is not None and resume else {}
    results: list[dict[str, Any]] = []
    for case in cases:
        results.append(kept.get(case.id) or _measured(case, repeats, peers, say))
        if out is not None:
            save(out, json.dumps(_document(cases, results), indent=1) + "\n")
    return _document(cases, results)


def _document(cases: Sequence[Benchmark], results: list[dict[str, Any]]) -> dict[str, Any]:
    by_id = {result["id"]: result for result in results}
    for case in cases:
        if case.id in by_id:
            by_id[case.id]["aims"] = [_judged(aim, by_id[case.id], by_id) for aim in case.aims]
    return {
        "schema": SCHEMA,
        "version": _native.version(),
        "engine": _native.engine_id(),
        "machine": machine(),
        "results": results,
    }


def _kept(out: Path, repeats: int) -> dict[str, dict[str, Any]]:
    """The cases of a file of results that need not run again."""
    if not out.exists():
        return {}
    try:
        document = json.loads(out.read_text(encoding="utf-8"))
        if document["schema"] != SCHEMA:
            raise ValueError(f"its schema is {document['schema']}")
        rows = {row["id"]: row for row in document["results"] if row["repeats"] == repeats}
        return rows if document["engine"] == _native.engine_id() else {}
    except (ValueError, KeyError, TypeError) as error:
        raise Refusal(
            f"`{out}` is no file of `bench --out`: {error}",
            place="--out",
            fix="name another file, or leave `--resume` out",
        ) from error


def resolved(case: Benchmark) -> _native.Resolved:
    """The case's scenario, ready to run."""
    with refusing():
        return benchmark_child.resolved(_native, scenario_file(case), case.changes)


def scenario_file(case: Benchmark) -> Path:
    """The file of a case."""
    return FOLDER / f"{case.scenario}.toml"


def machine() -> dict[str, Any]:
    """The machine, for the document."""
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "os": platform.platform(),
        "rustc": _compiler(),
    }


def _measured(case: Benchmark, repeats: int, peers: bool, say: Progress) -> dict[str, Any]:
    peer, missing = None, None
    if case.peer is not None and not peers:
        missing = "not asked for"
    elif case.peer is not None:
        say(f"{case.id}: building the side of {case.peer}")
        reads = "" if case.peer_reads is None else case.peer_reads(resolved(case))
        built = PEERS[case.peer](case.peer_program or case.scenario, case.peer_arguments, reads)
        if isinstance(built, Absent):
            missing = built.reason
        else:
            peer = built
    ours, theirs = [], []
    for number in range(1, repeats + 1):
        say(f"{case.id}: run {number} of {repeats}")
        ours.append(_in_fresh_process(case))
        if peer is not None:
            say(f"{case.id}: run {number} of {repeats}, {case.peer}")
            theirs.append(_beside(peer))
    if len({document["fingerprint"] for document in ours}) != 1:
        raise Unfinished(
            f"the runs of {case.id} have different fingerprints",
            place=case.id,
            fix="report this: two runs of one scenario and seed must agree",
        )
    result = _summary(case, ours)
    if peer is not None:
        unit = case.unit
        costs = [_cost(unit, row["cpu_s"], row[unit.theirs]) for row in theirs]
        result["peer"] = {
            "name": peer.name,
            "version": peer.version,
            "value": statistics.median(costs),
            "min": min(costs),
            "max": max(costs),
            "packet_hops": theirs[0]["packet_hops"],
            "rss_peak_B": max(document["rss_peak_B"] for document in theirs),
            "goodput_bps": theirs[0]["goodput_bps"],
            "failed_share": theirs[0].get("failed_share"),
        }
        result["ratio"] = result["peer"]["value"] / result["value"]
        result["goodput_ratio"] = result["goodput_bps"] / result["peer"]["goodput_bps"]
        shares = (result["failed_share"], result["peer"]["failed_share"])
        if None not in shares:
            result["failed_share_difference"] = shares[0] - shares[1]
    result["peer_missing"] = missing
    return result


def _beside(peer: Peer) -> dict[str, Any]:
    try:
        return peer.run()
    except subprocess.CalledProcessError as error:
        raise Unfinished(
            f"{peer.name} ended with status {error.returncode}: {error.stderr.strip()[-400:]}",
            place=str(peer.program),
        ) from error


def _summary(case: Benchmark, documents: list[dict[str, Any]]) -> dict[str, Any]:
    unit = case.unit
    costs = [_cost(unit, row["cost"]["cpu_s"], unit.ours(row)) for row in documents]
    first = documents[0]
    peaks = [document["cost"]["rss_peak_B"] for document in documents]
    return {
        "id": case.id,
        "summary": case.summary,
        "unit": unit.name,
        "value": statistics.median(costs),
        "min": min(costs),
        "max": max(costs),
        "cpu_s": statistics.median(row["cost"]["cpu_s"] for row in documents),
        "repeats": len(documents),
        "packet_hops": first["cost"]["packet_hops"],
        "events": first["cost"]["events"],
        "simulated_s": first["duration_s"],
        # Some systems do not report it.
        "rss_peak_B": None if None in peaks else max(peaks),
        "goodput_bps": sum(flow["goodput_bps"] for flow in first["flows"]),
        "failed_share": _failed_share(first),
        "fingerprint": first["fingerprint"],
        "peer": None,
        "ratio": None,
        "goodput_ratio": None,
        "failed_share_difference": None,
    }


def _cost(unit: CostUnit, cpu_s: float, number: int) -> float:
    return unit.per_second * cpu_s / number


def _failed_share(document: dict[str, Any]) -> float | None:
    """The share of 802.11 exchanges that got no answer; None without stations."""
    rows = [row for row in document.get("stations", ()) if row["attempts"] > 0]
    attempts = sum(row["attempts"] for row in rows)
    failures = sum(row["collision"] * row["attempts"] for row in rows)
    return failures / attempts if rows else None


def _judged(aim: Aim, result: dict[str, Any], by_id: dict[str, dict[str, Any]]) -> dict[str, Any]:
    measured = result[aim.key]
    if aim.relative_to is not None:
        other = by_id.get(aim.relative_to, {}).get(aim.key)
        measured = None if measured is None or other is None else measured / other
    met = None
    if measured is not None:
        met = (aim.at_most is None or measured <= aim.at_most) and (
            aim.at_least is None or measured >= aim.at_least
        )
    return {
        "key": aim.key,
        "relative_to": aim.relative_to,
        "at_most": aim.at_most,
        "at_least": aim.at_least,
        "measured": measured,
        "met": met,
    }


def _in_fresh_process(case: Benchmark) -> dict[str, Any]:
    return fresh_process(case, Path(_native.__file__))


def fresh_process(case: Benchmark, engine: Path) -> dict[str, Any]:
    """The document of a run by this engine, in a process of its own."""
    ended = subprocess.run(
        [
            sys.executable,
            "-I",
            str(benchmark_child.__file__),
            str(engine),
            str(scenario_file(case)),
            json.dumps(case.changes),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise Unfinished(
            f"a run ended with status {ended.returncode}: {ended.stderr.strip()[-400:]}",
            place=case.id,
        )
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def _compiler() -> str | None:
    """The compiler that built the engine: it leaves its name in the module."""
    found = re.search(rb"rustc version ([0-9][^\0)]*\)?)", Path(_native.__file__).read_bytes())
    return None if found is None else found[1].decode("ascii", "replace")
