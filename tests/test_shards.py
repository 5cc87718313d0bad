"""Parts of a batch on several computers come together to what one computer would have."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import jsonschema
import pytest

import backwater
from backwater.cli.batch import shard_of
from backwater.results.results import Results
from backwater.results.store import RESULT_TABLES
from command import call, ended, start

SCHEMAS = Path(__file__).parent.parent / "python" / "backwater" / "schemas"
STUDY = ("study", "run", "aqm-l4s", "--quick")


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    store = Results.open(folder).store
    return {table: store.rows(table) for table in RESULT_TABLES}


def test_two_shards_are_the_whole(tmp_path: Path) -> None:
    assert call(*STUDY, "--out", "whole", cwd=tmp_path).code == 0
    # One of them is killed and goes on: nothing is lost, nothing counted twice.
    process = start(*STUDY, "--shard", "1/2", "--out", "a", cwd=tmp_path)
    process.send_signal(signal.SIGTERM)
    ended(process)
    assert call(*STUDY, "--shard", "1/2", "--out", "a", "--resume", cwd=tmp_path).code == 0
    second = call(*STUDY, "--shard", "2/2", "--out", "b", cwd=tmp_path)
    assert second.code == 0
    assert "1 of 3 cases" in second.out
    merged = call("merge", "a/aqm-l4s", "b/aqm-l4s", "--out", "merged", "--json", cwd=tmp_path)
    assert merged.code == 0, merged.err
    jsonschema.validate(merged.document, json.loads((SCHEMAS / "merge.json").read_text()))
    assert merged.document["cases_done"] == merged.document["cases_total"] == 3
    assert rows(tmp_path / "merged") == rows(tmp_path / "whole" / "aqm-l4s")
    assert (tmp_path / "merged" / "report.html").is_file()
    # A part alone is no whole.
    part = call("merge", "a/aqm-l4s", "--out", "part", "--json", cwd=tmp_path)
    assert part.code == 3
    assert part.document["status"] == "incomplete"


@pytest.mark.parametrize("written", ["0/2", "3/2", "2", "a/b", "1/0"])
def test_a_shard_is_a_part_of_a_whole(written: str) -> None:
    assert shard_of("2/3") == (2, 3)
    with pytest.raises(backwater.Refusal, match="is no part of a whole"):
        shard_of(written)


def test_shards_of_different_requests_are_refused(tmp_path: Path) -> None:
    for name, seeds in (("a", 1), ("b", 2)):
        arguments = ("study", "run", "aqm-bufferbloat", "--quick", "--seeds", seeds)
        shard = (*arguments, "--shard", "1/18", "--out", name)
        assert call(*shard, cwd=tmp_path).code == 0
    done = call("merge", "a/aqm-bufferbloat", "b/aqm-bufferbloat", "--out", "c", cwd=tmp_path)
    assert done.code == 2
    assert "seeds differs" in done.err
