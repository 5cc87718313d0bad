"""Batches on a cluster of dask.distributed: the rows of a local run, though a worker is killed."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from backwater import _native
from backwater.errors import Refusal, Unfinished
from backwater.model import cluster
from backwater.results.results import Results
from backwater.results.store import RESULT_TABLES
from backwater.study.execution import Execution
from backwater.study.runnable import Study
from studies import markdown

distributed: Any = pytest.importorskip("distributed", reason="dask.distributed is not installed")


def tables(results: Results) -> dict[str, list[tuple[object, ...]]]:
    return {table: results.store.rows(table) for table in RESULT_TABLES}


def test_a_killed_worker_changes_no_row(tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text(markdown())
    study = Study.load(tmp_path / "s.md")
    here = Execution(study, tmp_path / "here", seeds=6).run()
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as local:
        there = Execution(study, tmp_path / "there", seeds=6, dask=local.scheduler_address)
        killed: list[int] = []

        def kill(done: int, total: int) -> None:
            if done >= 2 and not killed:
                worker = next(iter(local.workers.values()))
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        there.progress = kill
        results = there.run()
    assert killed
    assert results.finished == len(there.plan)
    assert tables(results) == tables(here)
    assert results.fingerprint == here.fingerprint


def test_a_scheduler_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", "200 ms")
    with pytest.raises(Refusal, match="no scheduler answers"):
        cluster.check("tcp://127.0.0.1:9")


def test_the_extra_is_named_where_it_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Refusal, match="not installed") as refused:
        cluster.check("tcp://127.0.0.1:9")
    assert "backwater[dask]" in str(refused.value.fix)


def test_workers_with_another_engine_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        def run(self, _: object) -> dict[str, str]:
            return {"tcp://a:1": _native.engine_id(), "tcp://b:1": "another"}

    with pytest.raises(Unfinished, match="worker tcp://b:1 is another one"):
        cluster._check_engines(Client())
