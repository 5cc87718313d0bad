"""The documentation site from files: search, drawings, what cells show, no other host."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command import HANGS_S

ROOT = Path(__file__).resolve().parent.parent

sys.path.insert(0, str(ROOT / "scripts"))
playground: Any = importlib.import_module("playground")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without reports."""
    for module in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "BACKWATER_REPORTS": str(folder), "NO_MKDOCS_2_WARNING": "1"},
        check=True,
        timeout=HANGS_S,
    )
    return folder


def test_no_page_names_a_script_or_style_of_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(
            r'<(?:script|link rel="stylesheet"|img|iframe)[^>]* (?:src|href)="([^"]*)"', text
        )
        outside = [address for address in loaded if re.match(r"(https?:)?//", address)]
        assert outside == [], page


# A page of each kind, those with the widest tables.
PRINTED = (
    "index.html",
    "how-to.html",
    "results/board.html",
    "results/mechanism-grid.html",
    "results/speed.html",
    "explanation/peers.html",
    "reference/scenario.html",
    "reference/parts.html",
    "notebooks/1-first-comparison.html",
)


@pytest.fixture(scope="module")
def opened(site: Path) -> dict[str, Any]:
    """What a browser finds on pages of the site."""
    try:
        playground.packages()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("node, or the packages of web/package-lock.json, can't be installed (npm ci)")
    command = ["node", str(ROOT / "web/test/site.mjs"), str(site), "watermark"]
    command += ["explanation/architecture.html", *PRINTED]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    )
    if "skipped" in found:
        pytest.skip(found["skipped"])
    return found


# Pages of which a browser looks at each text, picture and control.
RENDERED = (
    "index.html",
    "gallery/index.html",
    "tutorial.html",
    "notebooks/1-first-comparison.html",
)


def test_pages_can_be_read_by_everybody(site: Path, opened: dict[str, Any]) -> None:
    """At 1400 and 500 pixels, light and dark: as `tests/test_look.py` has it of reports."""
    assert opened
    command = [
        "node",
        str(ROOT / "web/test/rendered.mjs"),
        *(str(site / page) for page in RENDERED),
    ]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    found: dict[str, Any] = json.loads(printed)
    assert len(found) == len(RENDERED)
    for page, ways in found.items():
        for way, told in ways.items():
            assert told["wide"] <= 0, (page, way)
            for what in ("overlaps", "unnamed", "unreachable", "faint", "outside", "errors"):
                assert told[what] == [], (page, way, what)
            # The theme's menu is a label: keys must reach it where it is seen.
            assert told["labels"] == [], (page, way)


def test_on_paper_nothing_is_cut_off(opened: dict[str, Any]) -> None:
    assert opened["cut"] == {}


def test_the_search_and_the_drawings_work_from_files_without_a_network(
    opened: dict[str, Any],
) -> None:
    found = opened
    assert found["search"] == found["drawing"] == []
    assert any(address.endswith("reference/parts.html") for address in found["hits"]), found["hits"]
    drawings = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").count("```mermaid")
    assert len(found["drawn"]) == drawings
    assert all(width > 200 and height > 100 for width, height in found["drawn"])


def test_keys_open_and_close_the_menu_of_a_narrow_page(opened: dict[str, Any]) -> None:
    assert opened["menu"] == [True, False, True]


def test_a_notebook_shows_what_its_cells_showed(site: Path) -> None:
    for module in ("altair", "pandas"):
        pytest.importorskip(module)
    page = (site / "notebooks/1-first-comparison.html").read_text(encoding="utf-8")
    shown = page.split('<div class="shown">')[1:]
    # The network, a run, a chart, a table of means.
    assert len(shown) >= 4
    assert "bw-topo" in shown[0]
    assert sum("<svg" in one for one in shown) >= 2


def test_a_card_of_the_gallery_has_its_group_and_one_sentence(site: Path) -> None:
    page = (site / "gallery/index.html").read_text(encoding="utf-8")
    groups = {part.partition('"')[0]: part for part in page.split('<h2 id="')[1:]}
    for group, study in (("data-centre", "dc-dcqcn"), ("modern-wi-fi", "wifi-errors")):
        assert f'href="{study}.html"' in groups[group]
    # The answer where a study has one, else the first sentence of its prose.
    assert "Behind a full drop-tail queue a call waits more than 200\u00a0ms" in groups["queues"]
