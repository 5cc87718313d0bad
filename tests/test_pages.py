"""The ten-minute walk and the notebooks do what they show, and the site has the pages it names."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command import HANGS_S

ROOT = Path(__file__).parent.parent
WALK = ROOT / "docs" / "walk.md"
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
# The walk's own figures are for a person who waits; a test asks whether each step works.
FAST = (('duration = "20 s"', 'duration = "6 s"'), ("--seeds 3", "--seeds 2"))


def run(command: list[str], folder: Path) -> None:
    """Runs a step of a page."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "MPLBACKEND": "agg"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-500:]}\n{done.stderr[-1500:]}"
    assert "Traceback" not in done.stderr, done.stderr


def test_the_walk_ends_at_a_figure(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    text = WALK.read_text(encoding="utf-8")
    for slow, fast in FAST:
        assert slow in text
        text = text.replace(slow, fast)
    blocks = re.findall(r"```(toml|sh|python)\n(.*?)```", text, re.DOTALL)
    for language, block in blocks:
        if language == "toml":
            (tmp_path / block.partition("\n")[0].removeprefix("# ")).write_text(block)
        elif language == "python":
            run([sys.executable, "-c", block], tmp_path)
        else:
            run(["sh", "-ec", block], tmp_path)
    assert len(blocks) > 6
    assert list((tmp_path / "figures").glob("*.svg"))
    assert (tmp_path / "out" / "mine" / "report.html").is_file()
    assert (tmp_path / "qlog" / "stream.qlog").is_file()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_from_top_to_bottom(notebook: Path, tmp_path: Path) -> None:
    """Each cell's last expression is shown as a notebook shows it."""
    for module in ("altair", "pandas"):
        pytest.importorskip(module)
    content = json.loads(notebook.read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in content["cells"] if c["cell_type"] == "code"]
    assert not any(c.get("outputs") for c in content["cells"]), "notebooks are kept without output"
    file = tmp_path / "cells.json"
    file.write_text(json.dumps(cells))
    run([sys.executable, str(Path(__file__).parent / "notebook_cells.py"), str(file)], tmp_path)


def test_the_site_names_pages_that_exist() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r": ([\w/-]+\.md)$", text, re.MULTILINE)
    made = ("gallery/", "notebooks/", "project/", "explanation/architecture", "explanation/valid")
    missing = [page for page in named if not (ROOT / "docs" / page).is_file()]
    assert len(named) > 20
    assert [page for page in missing if not page.startswith(made)] == []
