"""Running the cases of a study: plan, batch, store, verdicts, manifest."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, Terminated, Unfinished
from backwater.model import arguments, cluster, outputs
from backwater.model import workers as processes
from backwater.model.machine import available_cores, processor
from backwater.results import integrity, lock
from backwater.results.integrity import DamagedError
from backwater.results.results import MANIFEST, Results, read_manifest
from backwater.results.store import FAILED, Store
from backwater.study.ablation import concerns
from backwater.study.ablation_run import AblationRun
from backwater.study.definition import Planned, Study, canonical
from backwater.verdict.claim import pairs_of
from backwater.verdict.finding import JudgedCases
from backwater.verdict.judge import judge_all

Progress = Callable[[int, int], None]
# The status of a folder that holds a shard and is to be merged with others.
SHARD = "shard"


@dataclass
class Execution:
    """One study on its way from the plan to its results.

    `run` raises what stops it; `results` then holds what had finished.
    """

    study: Study
    folder: Path | None = None
    quick: bool = False
    seeds: int | None = None
    workers: int | None = None
    resume: bool = False
    max_cases: int | None = None
    # The most that a case may cost: seconds, and memory of the process such as "4 GB".
    max_wall_s: float | None = None
    max_memory: str | None = None
    command: Sequence[str] = ()
    progress: Progress = field(default=lambda done, total: None)
    notice: Callable[[str], None] = field(default=lambda text: None)
    # Told when cases of another kind begin: a title, and what is counted.
    stage: Callable[[str, str], None] = field(default=lambda title, what: None)
    # Whether the claims are judged with their mechanisms ablated, too.
    ablate: bool = False
    # The i-th of n parts of the cases; the others run elsewhere, and `merge` puts them together.
    shard: tuple[int, int] | None = None
    # The address of a scheduler of dask.distributed, whose workers run the cases.
    dask: str | None = None
    # The first seed: a run with fresh seeds confirms what 1 to N gave.
    first_seed: int = 1
    results: Results | None = None
    plan: list[Planned] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    manifest: dict[str, Any] = field(default_factory=dict)

    def prepare(self) -> None:
        """Checks everything that can be refused; nothing has run or been written yet."""
        whole = arguments.whole_or_none
        self.workers = whole(self.workers, "workers", 1, arguments.MOST_WORKERS)
        self.seeds = whole(self.seeds, "seeds", 1, arguments.MOST_SEED)
        self.first_seed = whole(self.first_seed, "first_seed", 1, arguments.MOST_SEED) or 1
        self.max_cases = whole(self.max_cases, "max_cases", 1, arguments.MOST_SEED)
        arguments.seconds(self.max_wall_s)
        arguments.memory(self.max_memory)
        if self.dask is not None:
            cluster.check(self.dask)
        self.plan = self.study.plan(self.quick, self.seeds, self.max_cases, self.first_seed)
        self.keys = _distinct(self.plan)
        self.manifest = self._manifest(self.plan)
        if self.folder is not None:
            self.manifest = _check_folder(self.folder, self.manifest, self.resume)

    def run(self) -> Results:
        """Runs what has not run yet, judges the claims and writes the manifest."""
        if not self.plan:
            self.prepare()
        if self.folder is not None:
            _make_folder(self.folder)
        with lock.alone(self.folder, self.notice):
            return self._run()

    def _run(self) -> Results:
        store = Store.continued(self.folder, self.notice)
        self._set_aside_damage(store)
        if self.folder is not None:
            _set_aside_manifest(self.folder, self.notice)
            write_manifest(self.folder, self.manifest)
        self.results = Results(self.study, store, self.manifest, self.folder)
        try:
            self._batch(store)
        except BaseException as stop:
            interrupted = isinstance(stop, (KeyboardInterrupt, Terminated))
            # A full disk refuses this too; the first error is reported.
            with suppress(Unfinished):
                self._finish("interrupted" if interrupted else "stopped")
            raise
        results = self._finish("done" if self.shard is None else SHARD)
        if self.ablate:
            judged_cases = self.judged_cases(results)
            self.stage("ablation", "cases")
            AblationRun(
                results, judged_cases, self.quick, self.workers, self.progress, self.notice
            ).run()
            results.store.seal()
        return results

    def _set_aside_damage(self, store: Store) -> None:
        """Removes cases that are not as they were written, so that they run again."""
        unsound = store.unsound()
        studies = {
            study
            for key, study in store.query("SELECT key, study FROM cases")
            if key not in unsound and study != self.study.id
        }
        if studies:
            raise _other("study", self.study.id, studies.pop(), self.folder)
        if unsound:
            names = {
                key: f"{case.case_json}, seed {case.seed}"
                for key, case in zip(self.keys, self.plan, strict=True)
            }
            kept = store.set_aside()
            store.remove(unsound)
            self.notice(
                f"the store is damaged: {integrity.said(unsound, names)}; it is kept as "
                f"{kept and kept.name}, and what is damaged runs again"
            )

    def _batch(self, store: Store) -> None:
        plan, keys = self.plan, self.keys
        stale = store.keep_only(keys)
        if stale:
            self.notice(
                f"{stale} cases in the folder belong to another version of the engine or of the "
                "study and are replaced"
            )
        store.relabel((key, case.case_json) for key, case in zip(keys, plan, strict=True))
        finished = store.finished()
        mine = self._mine()
        pending = [i for i in mine if keys[i] not in finished]
        done = len(mine) - len(pending)
        self.progress(done, len(mine))

        def commit(index: int, stored: _native.Stored | None, error: str | None) -> None:
            nonlocal done
            case = plan[pending[index]]
            store.add(keys[pending[index]], self.study.id, case.case_json, case.seed, stored, error)
            done += 1
            self.progress(done, len(mine))

        cases = [plan[i].resolved for i in pending]
        budget: dict[str, Any] = {"max_wall_s": self.max_wall_s, "max_memory": self.max_memory}
        if pending and self.dask is not None:
            cluster.run_on(self.dask, cases, processes.storing(commit), **budget)
        elif pending:
            processes.run_stored(cases, self.workers or available_cores(), commit, **budget)

    def judge_merged(self) -> Results:
        """Judges the claims of results that have come together from shards."""
        assert self.results is not None, "the caller has merged them"
        whole = self.results.finished == self.results.manifest["cases_total"]
        return self._finish("done" if whole else SHARD)

    def _mine(self) -> range:
        """Numbers of this shard's cases: every n-th, so that shards take about equally long."""
        number, parts = self.shard or (1, 1)
        return range(number - 1, len(self.plan), parts)

    def _finish(self, status: str) -> Results:
        results = self.results
        assert results is not None, "the batch comes first"
        judged_cases = self.judged_cases(results)
        results.judged = judge_all(self.study.id, self.study.claims, judged_cases)
        self._mark_testable(results.judged, judged_cases)
        failed = any(case.status == FAILED for case in results.cases)
        results.manifest.update(
            status="failed" if status == "done" and failed else status,
            ended=_now(),
            cases_done=results.finished,
            fingerprint=results.fingerprint,
        )
        results.store.put_claims(results.judged)
        if self.folder is not None:
            write_manifest(self.folder, results.manifest)
            results.store.seal()
        return results

    def _mark_testable(self, records: list[dict[str, Any]], judged_cases: JudgedCases) -> None:
        """Says of each claim whether there is a mechanism or controller to ablate."""
        resolved = {case.case_json: case.resolved for case in self.plan}

        @cache
        def read(labels: str) -> dict[str, Any]:
            # Shards that are merged have no plan.
            case = resolved.get(labels) or self.study.resolved(
                json.loads(labels), judged_cases.seeds[0], self.quick
            )
            found: dict[str, Any] = json.loads(case.canonical)
            return found

        for claim, record in zip(self.study.claims, records, strict=True):
            pairs = pairs_of(claim, judged_cases.combinations)
            record["mechanism"] = any(
                concerns(self.study.ablations, claim.id, labels, read(canonical(dict(labels))))
                for pair in pairs
                for labels in pair
                if labels is not None
            )

    def judged_cases(self, results: Results) -> JudgedCases:
        """The cases on which claims are judged."""
        return JudgedCases(
            cells=results,
            combinations=self.study.runnable(self.quick),
            absent=[
                (labels, names)
                for labels in self.study.combinations(self.quick)
                if (names := self.study.absent(labels))
            ],
            seeds=self.study.seed_list(self.quick, self.seeds, self.first_seed),
            exact=self.study.seeds == 1,
            positions=self.study.positions(),
        )

    def _manifest(self, plan: list[Planned]) -> dict[str, Any]:
        study, base = self.study, self.study.base
        inputs = {path: digest for case in plan for path, digest in case.resolved.inputs}
        example, resolved = _example(plan)
        return {
            "schema": "backwater/manifest/1",
            "version": _native.version(),
            "engine": _native.engine_id(),
            "study": {
                "id": study.id,
                "name": study.name,
                "sha256": hashlib.sha256((study.text + base.text).encode()).hexdigest(),
                "text": study.text,
                "scenario": {"name": base.name, "text": base.text},
                **({} if study.subject is None else {"subject": study.subject.record()}),
            },
            "mode": "quick" if self.quick else "full",
            "seeds": self.study.seed_list(self.quick, self.seeds, self.first_seed),
            "cases_total": len(plan),
            "inputs": inputs,
            "resolved_example": resolved,
            "example": example.labels,
            "status": "running",
            "cases_done": 0,
            "fingerprint": None,
            "command": list(self.command),
            "workers": self.workers or available_cores(),
            "machine": machine(),
            "started": _now(),
            "ended": None,
        }


def _example(plan: list[Planned]) -> tuple[Planned, dict[str, Any]]:
    """The case that a drawing shows: the first with a mechanism, else the first of all."""
    for case in plan:
        if case.seed == plan[0].seed:
            resolved: dict[str, Any] = json.loads(case.resolved.canonical)
            if resolved["mechanisms"]:
                return case, resolved
    return plan[0], json.loads(plan[0].resolved.canonical)


def _check_folder(folder: Path, manifest: dict[str, Any], resume: bool) -> dict[str, Any]:
    """Refuses a folder in use, or checks that it can be continued; returns the manifest."""
    try:
        used = any(folder.iterdir())
    except FileNotFoundError:
        return manifest
    except OSError as error:
        raise _no_folder(folder, error) from error
    if used and not resume:
        raise Refusal(
            "the folder for results is not empty",
            place=str(folder),
            fix="continue it with --resume, or name another with --out",
        )
    try:
        before = read_manifest(folder)
    except DamagedError:
        # It is set aside when the study runs; the keys of the cases say what they are.
        before = None
    if before is None:
        return manifest
    for words, now, then in (
        ("study", manifest["study"]["id"], before["study"]["id"]),
        ("mode", manifest["mode"], before["mode"]),
    ):
        if now != then:
            raise _other(words, now, then, folder)
    return {**manifest, "started": before["started"]}


def _other(words: str, now: str, then: str, folder: Path | None) -> Refusal:
    return Refusal(
        f"these are results of the {words} {then}, not {now}",
        place=str(folder),
        fix="name another folder with --out",
    )


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(folder, error) from error


def _set_aside_manifest(folder: Path, notice: Callable[[str], None]) -> None:
    """Keeps a manifest that is damaged under another name."""
    try:
        read_manifest(folder)
    except DamagedError as error:
        kept = integrity.aside(folder / MANIFEST)
        (folder / MANIFEST).replace(kept)
        notice(f"{error.what}; it is set aside as {kept.name}, and written anew")


def _no_folder(folder: Path, error: OSError) -> Unfinished:
    return Unfinished(
        f"cannot make the folder for results: {error.strerror}",
        place=str(folder),
        fix="name a folder you can write to with --out",
    )


def _distinct(plan: list[Planned]) -> list[str]:
    """The keys of the cases; two combinations that are one scenario are refused."""
    seen: dict[str, Planned] = {}
    for case in plan:
        key = case.resolved.key()
        other = seen.setdefault(key, case)
        if other is not case:
            raise Refusal(
                f"the cases {case.case_json} and {other.case_json} are the same scenario",
                fix="exclude one of them, or remove the axis that changes nothing",
            )
    return list(seen)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Writes the manifest, whole or not at all."""
    path = folder / MANIFEST
    text = json.dumps(integrity.sealed(manifest), indent=1, ensure_ascii=False)
    try:
        outputs.save(path, text + "\n")
    except OSError as error:
        raise Unfinished(
            f"cannot write {path.name}: {error.strerror}",
            place=str(path),
            fix="make room or make the folder writable, then run again with --resume",
        ) from error


def machine() -> dict[str, Any]:
    """The machine, for the manifest."""
    return {
        "cpu": processor(),
        "cores": available_cores(),
        "os": platform.platform(),
        "python": platform.python_version(),
    }


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
