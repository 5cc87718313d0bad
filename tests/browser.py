"""A page in the Chromium that is installed; tests skip with the reason where there is none."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from command import HANGS_S

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def document_of(page: Path, profile: Path) -> str:
    """The page's document as HTML after its scripts have run."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no Chromium is installed")
    return subprocess.run(
        [
            browser,
            *QUIET,
            f"--user-data-dir={profile}",
            "--window-size=1280,3000",
            "--virtual-time-budget=60000",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=True,
    ).stdout
