"""The crate of `docs/own-crate.md`: built, and its queue used from the command line and Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backwater import _native
from command import HANGS_S

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
CRATE = ROOT / "examples" / "aqm-crate"
# Cargo says one of these where a crate is neither here nor to be had.
OFFLINE = ("--offline", "failed to download", "Could not resolve", "failed to get")


def cargo(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs cargo on the crate, with the versions and the folder of the workspace."""
    shutil.copy(ROOT / "Cargo.lock", CRATE / "Cargo.lock")
    ended = subprocess.run(
        ["cargo", *words, "--manifest-path", str(CRATE / "Cargo.toml"), "--quiet", "--offline"],
        env=os.environ
        | {
            "CARGO_TARGET_DIR": str(ROOT / "target" / "own-crate"),
            "CARGO_INCREMENTAL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "0",
            "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
            "PYO3_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    if ended.returncode and any(word in ended.stderr for word in OFFLINE):
        pytest.skip("a crate that the example needs is not on this machine")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, as an installation would have it."""
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    cargo("build", "--features", "python")
    folder = tmp_path_factory.mktemp("site")
    package = folder / "backwater_avq"
    shutil.copytree(CRATE / "python" / "backwater_avq", package)
    built = ROOT / "target" / "own-crate" / "debug" / "libbackwater_avq.so"
    if not built.exists():
        pytest.skip("a module has another name on this system")
    shutil.copy(built, package / "engine.abi3.so")
    return folder


def python(site: Path, text: str, *words: str, code: int = 0) -> str:
    """Runs a program that finds the package."""
    ended = subprocess.run(
        [sys.executable, "-c", text, *words],
        cwd=CRATE,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout if code == 0 else ended.stderr


def command(site: Path, *words: str) -> dict[str, Any]:
    """The JSON that `backwater-avq` prints."""
    text = "import backwater_avq; backwater_avq.command()"
    found: dict[str, Any] = json.loads(python(site, text, *words, "--json"))
    return found


def test_the_crate_agrees_with_closed_forms() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    cargo("test")


def test_the_command_line_knows_the_queue(site: Path) -> None:
    rows = command(site, "list", "queues")["kinds"]["queues"]
    [row] = [row for row in rows if row["id"] == "avq"]
    assert [option["name"] for option in row["options"]] == ["share", "gain", "size", "ecn"]
    explained = command(site, "explain", "avq")
    assert "Kunniyur" in json.dumps(explained)
    assert command(site, "check", "scenario.toml")["problems"] == []


def test_the_virtual_queue_passes_what_it_serves(site: Path) -> None:
    """4 of 8 Mbit/s: the loss is a half. Without the queue nothing is lost on 10 Mbit/s."""
    document = command(site, "run", "scenario.toml")
    assert document["flows"][0]["loss"] == pytest.approx(0.5, abs=0.01)
    plain = command(site, "run", "scenario.toml", "--set", 'ports.W>B.queue={kind="drop-tail"}')
    assert plain["flows"][0]["loss"] == 0


def test_python_has_a_builder_and_the_id_tells_the_engines_apart(site: Path) -> None:
    text = """
import backwater_avq, backwater as bw, json
from backwater import _native
flow = bw.run("scenario.toml").flows["f"]
print(json.dumps([flow["loss"], _native.engine_id(), bw.Queue.avq(share="90 %").table()]))
"""
    loss, engine, written = json.loads(python(site, text))
    assert loss == pytest.approx(0.5, abs=0.01)
    own, _, added = engine.partition("+")
    assert len(own) == len(added) == 16
    assert written == {"kind": "avq", "share": "90 %"}
    assert "+" not in _native.engine_id()


def test_it_is_refused_after_another_engine(site: Path) -> None:
    said = python(site, "import backwater, backwater_avq", code=1)
    assert "import backwater_avq before it" in said
