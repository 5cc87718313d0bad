"""Pages in a browser: nothing too wide, no label over another, names, contrast, no network."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import live_page
import reported
from backwater.cli.view import record
from backwater.model.simulate import resolve, run
from backwater.present import report, viewer

ROOT = Path(__file__).resolve().parent.parent
BENCHES = ROOT / "python" / "backwater" / "benches"

sys.path.insert(0, str(ROOT / "scripts"))
playground: Any = importlib.import_module("playground")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A browser's findings on a report, an index, a run, the viewer and the live page."""
    try:
        playground.packages()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("node, or the packages of web/package-lock.json, can't be installed (npm ci)")
    folder = tmp_path_factory.mktemp("look")
    made = reported.run(folder / "small")
    report.write(made, folder / "report.html")
    report.write_index([made], folder / "index.html")
    bench = BENCHES / "lan-merge-pause.toml"
    short = {"duration": "10 s"}
    ran = run(bench, set=short, series="200 ms", columns=False)
    scenario = json.loads(resolve(bench, None, short)[0].canonical)
    report.write_run(ran.document, scenario, ["backwater", "run"], folder / "run.html")
    viewer.write([record(bench, dict(short))], folder / "view.html")
    pages = [str(folder / f"{name}.html") for name in ("report", "index", "run", "view")]
    with live_page.served() as address:
        command = ["node", str(ROOT / "web/test/rendered.mjs"), *pages, address]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(printed.stdout)
    if "skipped" in found:
        pytest.skip(found["skipped"])
    return {
        f"{Path(page).stem} {way}": told
        for page, ways in found.items()
        for way, told in ways.items()
    }


def of(seen: dict[str, Any], what: str) -> dict[str, Any]:
    assert len(seen) == 10
    return {page: told[what] for page, told in seen.items() if told[what]}


def test_nothing_is_wider_than_its_page(seen: dict[str, Any]) -> None:
    assert all(told["wide"] <= 0 for told in seen.values()), of(seen, "wide")


@pytest.mark.parametrize(
    "what", ["overlaps", "unnamed", "unreachable", "faint", "dim", "blank", "outside", "errors"]
)
def test_pages_can_be_read_by_everybody(seen: dict[str, Any], what: str) -> None:
    # Labels over each other; pictures and controls without a name; controls that no key reaches;
    # texts below a contrast of 4.5; lines of figures below 3; canvases
    # without marks; requests to another host; errors of scripts.
    assert of(seen, what) == {}
