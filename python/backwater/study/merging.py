"""Shards of one study or sweep become one folder of results, as if one computer had run it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backwater.errors import Refusal, Unfinished
from backwater.results.results import Results
from backwater.results.store import Store
from backwater.study.execution import Execution, write_manifest

# The keys that shards of one request share.
_SAME = ("version", "engine", "mode", "seeds", "cases_total")


def merge(folders: Sequence[Path], out: Path) -> Results:
    """Puts the cases of all folders into `out`, and judges the claims."""
    if out.exists() and any(out.iterdir()):
        fix = "name another with --out"
        raise Refusal("the folder for results is not empty", place=str(out), fix=fix)
    shards = [Results.open(folder) for folder in folders]
    first = shards[0]
    for shard in shards[1:]:
        _check(first, shard)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot make the folder for results: {error.strerror}"
        raise Unfinished(what, place=str(out), fix="name another with --out") from error
    store = Store(out)
    for shard in shards:
        store.take(shard.store)
    seeds = first.manifest["seeds"]
    execution = Execution(first.study, out, quick=first.quick, seeds=len(seeds))
    execution.first_seed = seeds[0]
    manifest: dict[str, Any] = {
        **first.manifest,
        "inputs": {k: v for shard in shards for k, v in shard.manifest["inputs"].items()},
        "started": min(shard.manifest["started"] for shard in shards),
    }
    write_manifest(out, {**manifest, "status": "running", "fingerprint": None, "cases_done": 0})
    execution.results = Results(first.study, store, manifest, out)
    return execution.judge_merged()


def _check(first: Results, shard: Results) -> None:
    a, b = first.manifest, shard.manifest
    differs = next((name for name in _SAME if a[name] != b[name]), None)
    if a["study"]["sha256"] != b["study"]["sha256"]:
        differs = "study"
    if differs is not None:
        raise Refusal(
            f"these are no shards of one request: {differs} differs",
            place=f"{first.folder}, {shard.folder}",
            fix="merge folders that one command has written with different --shard",
        )
    mine = {case.key: case.fingerprint for case in first.cases if case.fingerprint}
    for case in shard.cases:
        if case.fingerprint and mine.get(case.key, case.fingerprint) != case.fingerprint:
            raise Unfinished(
                f"the case {case.labels}, seed {case.seed}, came out differently in two shards",
                place=f"{first.folder}, {shard.folder}",
                fix="a computer or a build is at fault: run the case on both and compare",
            )
