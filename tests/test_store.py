"""The store under every way of being stopped: nothing is lost, nothing is counted twice."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from backwater import _native
from backwater.errors import Refusal, Unfinished
from backwater.results import lock
from backwater.results.results import Results
from backwater.results.store import BROKEN, FAILED, FILE, RESULT_TABLES, Store
from backwater.study.execution import Execution
from backwater.study.runnable import Study
from command import call, ended, start
from studies import BLOCK, SCENARIO, markdown
from test_limits import BASE

KILLS = 20
CASES = 2 * 2 * 8

Tables = dict[str, list[tuple[Any, ...]]]


def tables(folder: Path) -> Tables:
    results = Results.open(folder)
    found = {table: results.store.rows(table) for table in RESULT_TABLES}
    results.close()
    return found


def succeed(process: subprocess.Popen[str]) -> None:
    found = ended(process)
    assert found.code == 0, found.err


@pytest.fixture
def sweep(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a sweep into a folder. A `slow` one takes about four seconds, the other about one."""
    for name, duration in (("base.toml", "300 s"), ("slow.toml", "1000 s")):
        (tmp_path / name).write_text(SCENARIO.replace('"2 s"', f'"{duration}"'))
    arguments = (
        *("--axis", "flows.*.source.rate=4 Mbit/s,8 Mbit/s"),
        *("--axis", "mechanisms.*.recipe=none,pause", "--seeds", CASES // 4, "--workers", 1),
    )

    def go(
        folder: str, *more: object, slow: bool = False, limit: Callable[[], None] | None = None
    ) -> Any:
        file = "slow.toml" if slow else "base.toml"
        return start("sweep", file, *arguments, "--out", folder, *more, cwd=tmp_path, limit=limit)

    return go


def wait_for_rows(folder: Path, rows: int, process: subprocess.Popen[str]) -> int:
    """Waits until some cases are committed, or the process has ended; returns the cases seen."""
    found = 0
    while process.poll() is None:
        try:
            connection = sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True, timeout=10)
            (found,) = connection.execute("SELECT count(*) FROM cases").fetchone()
            connection.close()
            if found >= rows:
                break
        except sqlite3.OperationalError:
            pass
        time.sleep(0.005)
    return found


def test_twenty_kills_at_random_moments_change_nothing(
    tmp_path: Path, sweep: Callable[..., subprocess.Popen[str]]
) -> None:
    succeed(sweep("whole"))
    expected = tables(tmp_path / "whole")
    assert len(expected["cases"]) == CASES

    moments = random.Random(1)
    kills = folders = 0
    while kills < KILLS:
        folders += 1
        folder = f"killed-{folders}"
        rows = 0
        while kills < KILLS and rows < CASES:
            process = sweep(folder, "--resume")
            # From no row more, while the folder is read, to the last: then the page is written.
            more = min(CASES, rows + moments.randrange(8))
            rows = wait_for_rows(tmp_path / folder, more, process)
            time.sleep(moments.uniform(0, 0.05))
            process.kill()
            process.communicate()
            kills += process.returncode == -signal.SIGKILL
        succeed(sweep(folder, "--resume"))
        assert tables(tmp_path / folder) == expected


def test_an_interrupted_sweep_keeps_what_had_finished(
    tmp_path: Path, sweep: Callable[..., subprocess.Popen[str]]
) -> None:
    """By Ctrl-C, and when it goes on by SIGTERM."""
    more: tuple[str, ...] = ()
    done = 0
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = sweep("cut", "--json", *more, slow=True)
        wait_for_rows(tmp_path / "cut", done + 3, process)
        process.send_signal(number)
        cut = ended(process)
        assert cut.code == code
        assert cut.document["status"] == "incomplete"
        assert done + 3 <= cut.document["cases_done"] < CASES
        done = cut.document["cases_done"]
        assert len(tables(tmp_path / "cut")["cases"]) == done
        more = ("--resume",)

    succeed(sweep("cut", *more, slow=True))
    succeed(sweep("whole", slow=True))
    assert tables(tmp_path / "cut") == tables(tmp_path / "whole")


def test_a_full_disk_keeps_what_had_finished(
    tmp_path: Path, sweep: Callable[..., subprocess.Popen[str]]
) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    stopped = ended(sweep("full", "--json", limit=full))
    assert stopped.code == 3
    assert stopped.document["status"] == "incomplete"
    assert 0 < stopped.document["cases_done"] < CASES
    assert stopped.document["error"]["fix"]
    kept = tables(tmp_path / "full")["cases"]
    assert len(kept) == stopped.document["cases_done"]

    succeed(sweep("full", "--resume"))
    succeed(sweep("whole"))
    whole = tables(tmp_path / "whole")
    assert tables(tmp_path / "full") == whole
    assert set(kept) <= set(whole["cases"])


def test_a_place_that_cannot_be_a_folder_is_exit_3(
    tmp_path: Path, sweep: Callable[..., subprocess.Popen[str]]
) -> None:
    (tmp_path / "file").write_text("in the way")
    stopped = ended(sweep("file/results", "--json"))
    assert stopped.code == 3
    assert stopped.document["schema"] == "backwater/error/1"
    assert "file/results" in stopped.document["error"]["place"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only directory")
def test_a_read_only_directory_is_exit_3(
    tmp_path: Path, sweep: Callable[..., subprocess.Popen[str]]
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    assert ended(sweep("locked/results", "--json")).code == 3


def test_a_used_folder_is_refused_without_resume(tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text(markdown())
    first = call("study", "run", "s.md", "--quick", "--out", "o", cwd=tmp_path)
    assert first.code == 0, first.err
    before = tables(tmp_path / "o/small")
    again = call("study", "run", "s.md", "--quick", "--out", "o", "--json", cwd=tmp_path)
    assert again.code == 2
    assert "--resume" in again.document["error"]["fix"]
    assert tables(tmp_path / "o/small") == before


def test_a_finished_folder_resumes_without_running(tmp_path: Path) -> None:
    study = Study.parse(markdown(), "s.md")
    Execution(study, tmp_path / "o").run().close()
    told: list[tuple[int, int]] = []
    again = Execution(study, tmp_path / "o", resume=True, progress=lambda *at: told.append(at))
    again.run().close()
    assert told == [(24, 24)]


def test_a_reader_is_not_in_the_way(tmp_path: Path) -> None:
    study = Study.parse(markdown(), "s.md")
    Execution(study, tmp_path / "o", quick=True).run().close()
    reader = sqlite3.connect(tmp_path / "o" / FILE)
    again = Execution(study, tmp_path / "o", quick=True, resume=True)

    def look(done: int, total: int) -> None:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM cases").fetchone()

    again.progress = look
    assert again.run().status == "ok"
    reader.close()


def test_more_seeds_continue_what_is_there(tmp_path: Path) -> None:
    study = Study.parse(markdown(), "s.md")
    Execution(study, tmp_path / "o", seeds=2).run().close()
    told: list[tuple[int, int]] = []
    more = Execution(study, tmp_path / "o", seeds=4, resume=True)
    more.progress = lambda *at: told.append(at)
    more.run().close()
    assert told[0] == (12, 24)
    Execution(study, tmp_path / "whole", seeds=4).run().close()
    assert tables(tmp_path / "o") == tables(tmp_path / "whole")


def test_rows_of_another_version_are_replaced_and_told(tmp_path: Path) -> None:
    Execution(Study.parse(markdown(), "s.md"), tmp_path / "o").run().close()
    changed = Study.parse(markdown(scenario=SCENARIO.replace("50 kB", "40 kB")), "s.md")
    told: list[str] = []
    Execution(changed, tmp_path / "o", resume=True, notice=told.append).run().close()
    Execution(changed, tmp_path / "fresh").run().close()
    assert tables(tmp_path / "o") == tables(tmp_path / "fresh")
    assert told
    assert "24 cases" in told[0]


def test_another_mode_or_study_is_refused(tmp_path: Path) -> None:
    study = Study.parse(markdown(), "s.md")
    Execution(study, tmp_path / "o", quick=True).run().close()
    other = Study.parse(markdown().replace('id = "small"', 'id = "other"'), "s.md")
    for wrong in (
        Execution(study, tmp_path / "o", resume=True),
        Execution(other, tmp_path / "o", quick=True, resume=True),
    ):
        with pytest.raises(Refusal, match="not"):
            wrong.run()


def test_results_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    study = Study.parse(markdown(), "s.md")
    for workers in (1, 3):
        Execution(study, tmp_path / str(workers), workers=workers).run().close()
    assert tables(tmp_path / "1") == tables(tmp_path / "3")


def test_two_combinations_that_are_one_scenario_are_refused(tmp_path: Path) -> None:
    same = '{ label = "same", set = { "flows.f1.class" = 0 } }'
    block = f'axes.again = {{ path = "flows.f1.class", values = [0, {same}] }}\n'
    text = markdown().replace("figures.loss", f"{block}figures.loss")
    with pytest.raises(Refusal, match="same scenario"):
        Execution(Study.parse(text, "s.md"), tmp_path / "o").run()
    assert not (tmp_path / "o").exists()


def test_a_failed_case_is_kept_as_failed_and_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study.parse(markdown(), "s.md")
    real = _native.run_batch

    def defect(cases: list[Any], workers: int, done: Callable[..., None], **words: Any) -> None:
        def one_fails(index: int, kept: _native.Stored | None, error: str | None) -> None:
            done(index, None if index == 5 else kept, "defect" if index == 5 else error)

        real(cases, workers, one_fails, **words)

    monkeypatch.setattr(_native, "run_batch", defect)
    first = Execution(study, tmp_path / "o").run()
    assert first.status == "incomplete"
    assert first.finished == 23
    assert [case.error for case in first.cases if case.status == FAILED] == ["defect"]
    assert first.claims[0]["verdict"] == "undecided"
    first.close()

    monkeypatch.setattr(_native, "run_batch", real)
    assert Execution(study, tmp_path / "o", resume=True).run().status != "incomplete"
    Execution(study, tmp_path / "whole").run().close()
    assert tables(tmp_path / "o") == tables(tmp_path / "whole")


def document(*, ok: bool) -> dict[str, Any]:
    return {
        "fingerprint": "0" * 16,
        "metrics": {"loss": 0.25, "age_p95_s": None},
        "conservation": {
            "entered_pkts": 4,
            "delivered_pkts": 3,
            "dropped_pkts": 1,
            "held_pkts": 0 if ok else 1,
            "ok": ok,
        },
        "sanity": {"ok": True, "faults": []},
        "flows": [],
        "ports": [{"id": "A>B", "paused": [0.5, 0.0], "busy": 0.1}],
        "drops": [
            {"cause": "buffer-full", "place": "A>B", "flow": "f", "class": 0, "pkts": 1},
            {"cause": "buffer-full", "place": "A>B", "flow": "g", "class": 1, "pkts": 2},
        ],
        "deadlock": None,
        "cost": {"cpu_s": 1.0, "wall_s": 2.0},
    }


def stored(made: dict[str, Any]) -> _native.Stored:
    """What a store keeps of a document."""
    return _native.stored(json.dumps(made))


def test_a_document_becomes_rows() -> None:
    store = Store(None)
    store.add("k", "s", "{}", 1, stored(document(ok=True)), None)
    assert store.rows("metrics") == [
        ("k", "drops:A>B", "buffer-full", 3.0),
        ("k", "port:A>B", "busy", 0.1),
        ("k", "port:A>B", "paused_class0", 0.5),
        ("k", "port:A>B", "paused_class1", 0.0),
        ("k", "run", "age_p95_s", None),
        ("k", "run", "deadlocks", 0.0),
        ("k", "run", "held_pkts", 0.0),
        ("k", "run", "loss", 0.25),
    ]


def test_warnings_are_counted_over_cases() -> None:
    study = Study.parse(markdown(), "s.md")
    results = Results(study, Store(None), {}, None)
    for key, texts in (("a", ["high", "low"]), ("b", ["low", "low"]), ("a", ["low"])):
        made = document(ok=True) | {"warnings": texts}
        results.store.add(key, "s", "{}", 1, stored(made), None)
    assert results.warnings == {"low": 2}


def test_packets_that_do_not_add_up_break_the_case() -> None:
    assert Store(None).add("k", "s", "{}", 1, stored(document(ok=False)), None) == BROKEN


def test_a_broken_case_makes_the_study_unexpected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _native.run_batch

    def losing(cases: list[Any], workers: int, done: Callable[..., None], **words: Any) -> None:
        def one_breaks(index: int, kept: _native.Stored | None, error: str | None) -> None:
            assert kept is not None
            head = kept.head.replace('"ok":true', '"ok":false', 1) if index == 5 else kept.head
            done(index, SimpleNamespace(layout=kept.layout, blob=kept.blob, head=head), error)

        real(cases, workers, one_breaks, **words)

    monkeypatch.setattr(_native, "run_batch", losing)
    results = Execution(Study.parse(markdown(), "s.md"), tmp_path / "o").run()
    assert results.status == "unexpected"


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to be looked at" * 99])
def test_what_is_not_a_store_is_refused(tmp_path: Path, content: bytes) -> None:
    Execution(Study.parse(markdown(), "s.md"), tmp_path / "o", quick=True).run().close()
    (tmp_path / "o" / FILE).write_bytes(content)
    with pytest.raises(Refusal):
        Results.open(tmp_path / "o")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": "other"}'])
def test_what_is_not_a_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(Refusal):
        Results.open(tmp_path)


def test_a_folder_without_results_is_refused_with_those_inside(tmp_path: Path) -> None:
    Execution(Study.parse(markdown(), "s.md"), tmp_path / "o/small", quick=True).run().close()
    with pytest.raises(Refusal) as caught:
        Results.open(tmp_path / "o")
    assert caught.value.nearest == [str(tmp_path / "o/small")]


def test_results_opened_again_are_those_that_were_written(tmp_path: Path) -> None:
    study = Study.parse(markdown(), "s.md")
    written = Execution(study, tmp_path / "o").run()
    opened = Results.open(tmp_path / "o")
    assert opened.claims == written.claims
    assert opened.cases == written.cases
    assert opened.status == written.status
    assert opened.fingerprint == written.fingerprint
    assert opened.study.claims == written.study.claims
    assert opened.resolved_example == written.resolved_example
    assert opened.metric("loss") == written.metric("loss")
    assert len(opened.metric("loss")) == 24


def test_a_write_that_fails_is_unfinished(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.connection.execute("PRAGMA query_only=ON")
    with pytest.raises(Unfinished):
        store.add("k", "s", "{}", 1, stored(document(ok=True)), None)


def test_a_new_axis_of_one_value_keeps_what_ran(tmp_path: Path) -> None:
    """Its scenarios are the ones that ran; only what they are called is new."""
    Study.parse(markdown(), "small.md").run(tmp_path, quick=True)
    block = BLOCK.replace(
        "figures.loss",
        'axes.buffer = { path = "ports.W>D.buffer", values = ["50 kB"] }\nfigures.loss',
    )
    again = Study.parse(markdown(block), "small.md").run(tmp_path, quick=True, resume=True)
    assert {case.labels["buffer"] for case in again.cases} == {"50 kB"}
    assert again.finished == len(again.cases) == 8


def test_two_commands_do_not_write_into_one_folder(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(BASE)
    words = ("sweep", "s.toml", "--axis", "flows.f.source.rate=1 Mbit/s", "--resume", "--out")
    (tmp_path / "out").mkdir()
    with lock.alone(tmp_path / "out", print):
        cut = call(*words, "out", cwd=tmp_path)
        assert cut.code == 2, cut.err
        assert "another command is writing results into this folder" in cut.err
        assert "name another folder with --out" in cut.err
        assert list((tmp_path / "out").iterdir()) == []
    # Freed with whoever had it.
    assert call(*words, "out", cwd=tmp_path).code == 0
