"""The wheel works in a clean environment, from any folder, without the checkout."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from backwater import _native
from command import call

ROOT = Path(__file__).parent.parent
# A wheel that needs longer compiles the engine, although the one that is tested has been compiled.
QUICKLY_S = 60


def built(folder: Path) -> Path:
    """Packs the wheel from what is compiled; skips where the engine would have to be compiled."""
    maturin = shutil.which("maturin", path=str(Path(sys.executable).parent))
    if maturin is None or shutil.which("cargo") is None:
        pytest.skip("maturin or cargo is absent")
    profile = "release" if _native.optimised() else "dev"
    command = [maturin, "build", "--profile", profile, "--locked", "--offline"]
    process = subprocess.Popen(
        [*command, "--interpreter", sys.executable, "--out", folder],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=QUICKLY_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        pytest.skip(f"the engine is not compiled: no wheel within {QUICKLY_S} s")
    assert process.returncode == 0, said
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.long
def test_a_wheel_runs_from_any_folder(tmp_path: Path) -> None:
    wheel = built(tmp_path / "dist")
    # One wheel for all versions of Python from 3.10 on.
    assert "-cp310-abi3-" in wheel.name
    clean, home = tmp_path / "clean", tmp_path / "home"
    home.mkdir()
    venv.create(clean, with_pip=False, symlinks=True)
    python = clean / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(wheel)], check=True)
    # The libraries that the wheel names, but not the checkout: a path file in there is not read.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(clean)}))
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib"))

    def said(*args: str | Path) -> str:
        done = subprocess.run(args, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = said(python, "-c", "import backwater; print(backwater.__file__)")
    assert Path(where.strip()).is_relative_to(clean)
    backwater = clean / "bin" / "backwater"
    said(backwater, "new", "scenario", "first")
    run = json.loads(said(backwater, "run", "first.toml", "--json"))
    assert (
        run["fingerprint"] == call("run", "first.toml", "--json", cwd=home).document["fingerprint"]
    )
    said(backwater, "study", "run", "fct-buildup", "--quick", "--out", "o")
    assert (home / "o" / "fct-buildup" / "report.html").is_file()
