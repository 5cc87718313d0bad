"""Renders what people see into one folder: pages at two widths, light and dark, print, terminal.

`python scripts/look.py FOLDER [--reports FOLDER]`. FOLDER/index.html and sheet-N.png have all.
Needs node with npm, and Chromium; pages of print become pictures where pdftoppm is installed.
"""

from __future__ import annotations

import argparse
import html
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests")]
playground: Any = importlib.import_module("playground")
pseudo: Any = importlib.import_module("terminal")
live_page: Any = importlib.import_module("live_page")

BENCHES = ROOT / "python/backwater/benches"
# A study of each source, the shortest.
STUDIES = (
    "lan-source-control",
    "mesh-both-ends",
    "cell-aimd",
    "wlan-gain",
    "mesh40-micro-collision",
    "aqm-bufferbloat",
)
# A page of each kind of the site.
SITE = (
    "index",
    "gallery/index",
    "tutorial",
    "how-to",
    "results/lan",
    "notebooks/1-first-comparison",
    "explanation/peers",
    "explanation/architecture",
    "reference/scenario",
)
TERMINAL = (
    ("list", "studies"),
    ("explain", "aqm-bufferbloat"),
    ("run", str(BENCHES / "lan-merge-pause.toml"), "--set", 'duration="20 s"'),
    ("draw", str(BENCHES / "lan-merge-pause.toml")),
)


def backwater(*words: str, cwd: Path) -> str:
    """The output of a command."""
    command = [sys.executable, "-m", "backwater", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False).stdout


def pages(folder: Path, reports: Path) -> list[Path]:
    """Reports, a run, the viewer, and those of the site and playground that have been built."""
    wanted = [name for name in STUDIES if not (reports / name / "report.html").is_file()]
    if wanted:
        backwater("study", "run", *wanted, "--quick", "--resume", "--out", str(reports), cwd=folder)
    bench = str(BENCHES / "lan-merge-pause.toml")
    short = ("--set", 'duration="20 s"')
    run = ("--series", "200 ms", "--report", "run.html")
    backwater("run", bench, *short, *run, cwd=folder)
    backwater("view", bench, *short, "--out", "view.html", cwd=folder)
    found = [reports / name / "report.html" for name in STUDIES]
    found += [reports / "index.html", folder / "run.html", folder / "view.html"]
    site = ROOT / "out" / "site"
    found += [site / f"{name}.html" for name in SITE]
    found.append(ROOT / "out" / "playground.html")
    return [path for path in found if path.is_file()]


def figures(folder: Path, reports: Path) -> list[Path]:
    """Figures as files for papers, at the width of a column: a page for each study."""
    made = folder / "figures"
    found = []
    for name in STUDIES:
        where = str(reports / name)
        backwater("report", where, "--figures", str(made), "--width", "8.5cm", cwd=folder)
        found.append(exported(sorted(made.glob(f"{name}-*.svg")), made / f"{name}.html"))
    contest = made / "contest.svg"
    told = backwater("list", "controllers", "--json", cwd=folder)
    some = [row["id"] for row in json.loads(told)["kinds"]["controllers"]][:3]
    backwater("contest", *some, "--duration", "10", "--plot", str(contest), cwd=folder)
    return [*found, exported([contest], made / "contest.html")]


def exported(drawings: list[Path], page: Path) -> Path:
    """A page of drawings: Playwright takes no picture of a drawing that has no page around it."""
    style = "body{margin:8px;background:#fff;font:12px sans-serif;display:flex;flex-wrap:wrap;"
    style += "gap:16px;align-items:start}figure{margin:0}img{max-width:1060px}"
    shown = "".join(
        f'<figure><img src="{one.name}" alt="{one.stem}"><figcaption>{one.stem}</figcaption>'
        "</figure>"
        for one in drawings
    )
    page.write_text(f'<!doctype html><html lang="en"><style>{style}</style>{shown}</html>')
    return page


def terminal(folder: Path) -> list[Path]:
    """Commands at 80 and at 120 columns, as pages with a rule at the last column."""
    found = []
    for number, words in enumerate(TERMINAL):
        for columns in (80, 120):
            text = "\n".join(pseudo.lines(pseudo.seen(*words, width=columns, cwd=folder)))
            path = folder / f"terminal-{number}-{columns}.html"
            style = "body{margin:8px;background:#fff}pre{font:13px/1.35 monospace;margin:0;"
            style += f"width:{columns}ch;border-right:1px solid #c33;overflow:visible}}"
            shown = html.escape(f"$ backwater {' '.join(words)}\n{text}")
            path.write_text(f"<!doctype html><style>{style}</style><pre>{shown}</pre>")
            found.append(path)
    return found


def main() -> int:
    """Renders everything and says where it lies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reports", type=Path, help="results of studies that are there already")
    asked = parser.parse_args()
    folder: Path = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    playground.packages()
    reports = (asked.reports or folder / "reports").resolve()
    shots: dict[str, Any] = {
        "pages": [str(path) for path in pages(folder, reports)],
        "plain": [str(path) for path in [*figures(folder, reports), *terminal(folder)]],
        "pdftoppm": shutil.which("pdftoppm"),
        "out": str(folder),
    }
    command = ["node", str(ROOT / "web" / "test" / "look.mjs")]
    with live_page.served() as address:
        shots["pages"].append(address)
        subprocess.run(command, input=json.dumps(shots), text=True, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
