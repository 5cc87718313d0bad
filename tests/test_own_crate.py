"""The crate of `docs/own-crate.md`: built, and its own tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import HANGS_S

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


def test_the_crate_agrees_with_closed_forms() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    cargo("test")
