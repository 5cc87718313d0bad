"""The commands of `docs/how-to.md` work, from top to bottom."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import HANGS_S

HOW_TO = Path(__file__).parent.parent / "docs" / "how-to.md"
# The page has sizes that are of use; that a command works shows in smaller ones, too.
SMALLER = {
    "--steps 20000 --worlds 16 --judged 10": "--steps 600 --worlds 4 --judged 3",
    "hunt my-own.wasm --evals 10": "hunt my-own.wasm --evals 1",
    # A row of the board has no size; `test_evolve.py` makes a board of two.
    "board cubic copa": "board copa",
}


def blocks() -> list[tuple[str, str]]:
    """Language and text of each block, with the smaller sizes."""
    page = HOW_TO.read_text(encoding="utf-8")
    for written, smaller in SMALLER.items():
        assert page.count(written) == 1, written
        page = page.replace(written, smaller)
    return re.findall(r"```(toml|sh|python)\n(.*?)```", page, re.DOTALL)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_every_block_works(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = 0
    for language, text in blocks():
        if language == "toml":
            name = text.partition("\n")[0].removeprefix("# ")
            (tmp_path / name).write_text(text)
            continue
        command = [sys.executable, "-c", text] if language == "python" else ["sh", "-ec", text]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=HANGS_S,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout[-500:]}\n{done.stderr[-1500:]}"
        assert "Traceback" not in done.stderr, done.stderr
        ran += 1
    assert ran > 10
    assert list((tmp_path / "figures").glob("*.pdf"))
