"""Damaged results: what is damaged is named, set aside and run again, and never believed."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backwater import cli
from backwater.errors import BackwaterError, Refusal
from backwater.results.results import MANIFEST, Results
from backwater.results.store import FILE, RESULT_TABLES
from backwater.study.execution import Execution
from backwater.study.runnable import Study
from command import call
from studies import markdown

FLIPS = 60


def tables(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    results = Results.open(folder)
    found = {table: results.store.rows(table) for table in RESULT_TABLES}
    results.close()
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a study, undamaged."""
    folder = tmp_path_factory.mktemp("whole") / "o"
    Execution(Study.parse(markdown(), "s.md"), folder).run().close()
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy to be damaged."""
    shutil.copytree(whole, tmp_path / "o")
    return tmp_path / "o"


def resume(folder: Path) -> list[str]:
    """Continues; what the person is told, without the report."""
    told: list[str] = []
    study = Study.parse(markdown(), "s.md")
    Execution(study, folder, resume=True, notice=told.append).run().close()
    return told


def edit(folder: Path, sql: str, *values: object) -> None:
    with sqlite3.connect(folder / FILE) as store:
        assert store.execute(sql, values).rowcount > 0


DAMAGE: dict[str, Callable[[Path], object]] = {
    "all metrics that are gone": lambda folder: edit(
        folder, "DELETE FROM blobs WHERE key = (SELECT min(key) FROM cases)"
    ),
    "the values of another case": lambda folder: edit(
        folder,
        "UPDATE blobs SET data = (SELECT data FROM blobs WHERE key = (SELECT max(key) FROM cases))"
        " WHERE key = (SELECT min(key) FROM cases)",
    ),
    "values that are cut off": lambda folder: edit(
        folder,
        "UPDATE blobs SET data = substr(data, 1, 50) WHERE key = (SELECT max(key) FROM cases)",
    ),
    "values that are a text": lambda folder: edit(
        folder, "UPDATE blobs SET data = 'x' WHERE key = (SELECT max(key) FROM cases)"
    ),
    "a layout that is not there": lambda folder: edit(
        folder, "UPDATE blobs SET layout = 999 WHERE key = (SELECT max(key) FROM cases)"
    ),
    "another layout": lambda folder: edit(folder, "UPDATE layouts SET names = 'x'"),
    "no layout": lambda folder: edit(folder, "DELETE FROM layouts"),
    "foreign labels": lambda folder: edit(
        folder,
        'UPDATE cases SET case_json = \'{"who":"me"}\' WHERE key = (SELECT min(key) FROM cases)',
    ),
    "labels that are no JSON": lambda folder: edit(
        folder, "UPDATE cases SET case_json = '{' WHERE key = (SELECT min(key) FROM cases)"
    ),
    "labels without an end": lambda folder: edit(
        folder,
        "UPDATE cases SET case_json = ? WHERE key = (SELECT min(key) FROM cases)",
        "[" * 100_000,
    ),
    "another status": lambda folder: edit(
        folder, "UPDATE cases SET status = 'fine' WHERE key = (SELECT min(key) FROM cases)"
    ),
    "another fingerprint": lambda folder: edit(
        folder, "UPDATE cases SET fingerprint = 'x' WHERE key = (SELECT min(key) FROM cases)"
    ),
    "a claim that is no JSON": lambda folder: edit(
        folder, "UPDATE claims SET record_json = '{' WHERE id = (SELECT min(id) FROM claims)"
    ),
    "a claim that came out otherwise": lambda folder: edit(
        folder, "UPDATE claims SET record_json = replace(record_json, '\"says\"', '\"said\"')"
    ),
    "a claim that is gone": lambda folder: edit(folder, "DELETE FROM claims"),
    "metrics of no case": lambda folder: edit(folder, "INSERT INTO blobs VALUES ('k', 1, 'x')"),
    "a table that is gone": lambda folder: (
        sqlite3.connect(folder / FILE).execute("DROP TABLE blobs").connection.close()
    ),
    "half of the file": lambda folder: (
        (folder / FILE).write_bytes(
            (folder / FILE).read_bytes()[: (folder / FILE).stat().st_size // 2]
        )
        and None
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_named_and_run_again(whole: Path, folder: Path, damage: str) -> None:
    DAMAGE[damage](folder)
    with pytest.raises(Refusal, match="damaged") as caught:
        Results.open(folder)
    assert "--resume" in str(caught.value.fix)
    told = resume(folder)
    assert any("damaged" in line for line in told), told
    assert (folder / f"{FILE}.damaged").is_file()
    assert tables(folder) == tables(whole)


def test_an_empty_file_is_no_store_of_results(whole: Path, folder: Path) -> None:
    """A command that is killed at its start may leave one."""
    (folder / FILE).write_bytes(b"")
    with pytest.raises(Refusal, match="damaged"):
        Results.open(folder)
    resume(folder)
    assert tables(folder) == tables(whole)


def test_flipped_bytes_are_never_believed(whole: Path, tmp_path: Path) -> None:
    """Whichever byte is another: the results are those that were written, or they are refused."""
    expected = tables(whole)
    place = random.Random(26)
    size = (whole / FILE).stat().st_size
    refused = 0
    for flip in range(FLIPS):
        folder = tmp_path / str(flip)
        shutil.copytree(whole, folder)
        content = bytearray((folder / FILE).read_bytes())
        content[place.randrange(size)] ^= 1 << place.randrange(8)
        (folder / FILE).write_bytes(content)
        try:
            assert tables(folder) == expected
        except BackwaterError:
            refused += 1
            resume(folder)
            assert tables(folder) == expected
    assert refused > FLIPS / 4


def changed(folder: Path, **fields: Any) -> str:
    return json.dumps({**json.loads((folder / MANIFEST).read_text()), **fields})


MANIFESTS: dict[str, Callable[[Path], str]] = {
    "half of it": lambda folder: (folder / MANIFEST).read_text()[:1000],
    "nothing": lambda folder: "",
    "a list": lambda folder: "[]",
    "brackets without an end": lambda folder: "[" * 100_000,
    "another number of cases": lambda folder: changed(folder, cases_total=3),
    "no study": lambda folder: changed(folder, study={}),
    "a number for a text": lambda folder: changed(folder, status=7),
    "a study that is no study": lambda folder: (
        (folder / MANIFEST).read_text().replace("axes.", "axis.")
    ),
}


@pytest.mark.parametrize("damage", MANIFESTS)
def test_a_manifest_that_is_damaged_is_set_aside(whole: Path, folder: Path, damage: str) -> None:
    (folder / MANIFEST).write_text(MANIFESTS[damage](folder))
    with pytest.raises(Refusal, match="manifest"):
        Results.open(folder)
    told = resume(folder)
    assert any("manifest" in line and "damaged" in line for line in told), told
    assert (folder / f"{MANIFEST}.damaged").is_file()
    assert tables(folder) == tables(whole)
    # The store was sound: nothing of it ran again.
    assert not (folder / f"{FILE}.damaged").exists()


@pytest.mark.parametrize("device", ["/dev/zero", "a pipe"])
def test_a_device_is_no_manifest(whole: Path, folder: Path, device: str) -> None:
    (folder / MANIFEST).unlink()
    if device == "a pipe":
        os.mkfifo(folder / MANIFEST)
    else:
        (folder / MANIFEST).symlink_to(device)
    with pytest.raises(Refusal, match="regular file"):
        Results.open(folder)
    assert any("regular file" in line for line in resume(folder))
    assert tables(folder) == tables(whole)


def test_results_of_another_study_are_refused_without_a_manifest_too(folder: Path) -> None:
    (folder / MANIFEST).write_text("")
    other = Study.parse(markdown().replace('id = "small"', 'id = "other"'), "s.md")
    with pytest.raises(Refusal, match="small"):
        Execution(other, folder, resume=True).run()
    assert (folder / MANIFEST).read_text() == ""


def test_a_manifest_and_a_store_of_two_runs_are_told_apart(folder: Path, tmp_path: Path) -> None:
    Execution(Study.parse(markdown(), "s.md"), tmp_path / "p", seeds=2).run().close()
    shutil.copy(tmp_path / "p" / MANIFEST, folder / MANIFEST)
    with pytest.raises(Refusal, match="manifest"):
        Results.open(folder)


def test_the_command_says_what_it_set_aside(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text(markdown())
    run = ("study", "run", "s.md", "--out", "o", "--json")
    assert call(*run, cwd=tmp_path).code == 0
    DAMAGE["the values of another case"](tmp_path / "o" / "small")
    refused = call("report", "o/small", "--json", cwd=tmp_path)
    assert refused.code == 2
    assert "1 case" in refused.document["error"]["what"]
    again = call(*run, "--resume", cwd=tmp_path)
    assert again.code == 0, again.err
    assert "1 case" in again.err
    assert "seed" in again.err


def turn_old(folder: Path) -> None:
    """Writes a store as it was before: a row for each metric, and checksums over rows."""
    results = Results.open(folder)
    rows = results.store.rows("metrics")
    results.close()
    with sqlite3.connect(folder / FILE) as store:
        store.execute("DROP TABLE blobs")
        store.execute("DROP TABLE layouts")
        store.execute(
            "CREATE TABLE metrics (key TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, "
            "value REAL, PRIMARY KEY (key, scope, name)) WITHOUT ROWID"
        )
        store.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?)", rows)
        for (key,) in store.execute("SELECT key FROM cases").fetchall():
            hashed = hashlib.sha256()
            for sql in (
                "SELECT * FROM cases WHERE key = ?",
                "SELECT scope, name, value FROM metrics WHERE key = ? ORDER BY scope, name",
                "SELECT text FROM warnings WHERE key = ? ORDER BY text",
            ):
                for row in store.execute(sql, (key,)):
                    hashed.update(repr(row).encode())
                hashed.update(b";")
            store.execute(
                "UPDATE checksums SET sha256 = ? WHERE key = ?", (hashed.hexdigest(), key)
            )


def test_a_store_of_rows_is_read_as_it_is_and_converted_when_it_goes_on(
    whole: Path, folder: Path
) -> None:
    turn_old(folder)
    before = (folder / FILE).read_bytes()
    assert tables(folder) == tables(whole)
    assert (folder / FILE).read_bytes() == before
    assert resume(folder) == []
    assert tables(folder) == tables(whole)
    with sqlite3.connect(folder / FILE) as store:
        names = {name for (name,) in store.execute("SELECT name FROM sqlite_master")}
    assert "blobs" in names
    assert "metrics" not in names


def test_damage_in_a_store_of_rows_is_named_and_run_again(whole: Path, folder: Path) -> None:
    turn_old(folder)
    edit(folder, "UPDATE metrics SET value = 0.5 WHERE key = (SELECT min(key) FROM cases)")
    with pytest.raises(Refusal, match="damaged: 1 case"):
        Results.open(folder)
    assert any("1 case" in line for line in resume(folder))
    assert tables(folder) == tables(whole)


def test_a_comparison_with_a_damaged_store_names_the_damage(
    whole: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = (folder / FILE).read_bytes()
    pages = len(store) // 4096
    drawn = random.Random(39)
    for damage in range(30):
        bytes_ = bytearray(store)
        if damage % 3 == 0:
            del bytes_[drawn.randrange(len(store)) :]
        elif damage % 3 == 1:
            at = 4096 * drawn.randrange(pages)
            bytes_[at : at + 4096] = bytes(4096)
        else:
            bytes_[drawn.randrange(len(store))] ^= 1 << drawn.randrange(8)
        (folder / FILE).write_bytes(bytes_)
        code = cli.main(["diff", str(whole), str(folder)])
        said = capsys.readouterr().err
        # A bit that nobody reads, such as that of a cost, is no difference.
        assert code in ((0, 2) if damage % 3 == 2 else (2,)), said
        assert code == 0 or "the store is damaged" in said
