"""Texts of a study that would be programs, in a real browser: none of them runs in the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import reported
from backwater.present import report
from browser import document_of
from test_prose import HOSTILE

# The effect of a string that a browser takes for a program.
MARK = "document.documentElement.dataset.owned='yes'"
TEXTS = [text.replace("run()", MARK) for text in HOSTILE]
# Each is tried as an expression of Vega, too, which makes functions of texts.
EXPRESSIONS = [
    f"'+({MARK})+'",
    f"');{MARK};('",
    f"constructor.constructor('{MARK}')()",
    "${" + MARK + "}",
    "\u2028" + MARK + "//",
]
PATH = '"mechanisms.bp.recipe"'


def _block() -> str:
    """The study whose titles, labels, sentences and units are all hostile."""
    every = [*TEXTS, *EXPRESSIONS]
    one = iter(every * 2)

    def text() -> str:
        return json.dumps(re.sub(r"[\r\n]", " ", next(one)))

    figures = "\n".join(
        f'figures.z{n} = {{ title = {text()}, kind = "{kind}", x = "burst", y = "loss" }}'
        for n, kind in enumerate(["line", "bars"] * 6)
    )
    claims = "\n".join(
        f'[claims.c{n}]\nsays = {text()}\nkind = "published"\nquoted = {text()}\n'
        f'metric = "loss"\nat_most = 0.5\n'
        for n in range(1, 12)
    )
    values = ", ".join(
        f"{{ label = {text()}, set = {{ {PATH} = {n} }} }}" for n in ('"none"', '"pause"')
    )
    return f"""\
study = {{ id = "small", title = {text()}, source = {text()}, seeds = 2, answer = {text()} }}
names = {{ "class:0" = {text()} }}
axes.scheme = {{ title = {text()}, values = [{values}] }}
axes.burst = {{ title = {text()}, path = "flows.*.source.burst", values = ["6 kB", "48 kB"] }}
figures.byname = {{ x = "burst", y = "loss", curve = "scheme" }}
figures.named = {{ kind = "bars", x = "scheme", y = "loss", curve = "burst" }}
figures.class = {{ x = "burst", y = "loss_class0", curve = "scheme" }}
figures.ranked = {{ kind = "rank", y = "loss" }}
{figures}

{claims}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    prose = "\n\n".join(TEXTS) + "\n\n{{figures}}\n\n{{claims}}\n"
    made = reported.made(
        lambda labels, seed: {"loss": 0.1 * seed, "loss_class0": 0.1}, _block(), prose
    )
    return report.write(made, tmp_path_factory.mktemp("hostile") / "report.html")


def test_thirty_hostile_strings_run_nothing(page: Path, tmp_path: Path) -> None:
    assert len(HOSTILE) >= 30
    shown = document_of(page, tmp_path)
    root = re.search(r"<html[^>]*>", shown)
    assert root is not None
    assert 'data-ready="yes"' in root[0], "the page's own script ran"
    assert "data-owned" not in root[0]
    body = shown.partition("<script>")[0]
    assert body.count('data-drawn="yes"') >= 14
    assert "could not be drawn" not in body


@pytest.mark.parametrize(
    "program",
    [
        f"<script>{MARK}</script>",
        f'<img src="x" onerror="{MARK}">',
        f'<svg onload="{MARK}"></svg>',
        f'<script>new Function("{MARK}")()</script>',
        f'<body onpageshow="{MARK}">',
    ],
)
def test_the_policy_stops_a_program_that_came_into_the_page_all_the_same(
    page: Path, tmp_path: Path, program: str
) -> None:
    text = page.read_text(encoding="utf-8")
    worse = tmp_path / "worse.html"
    worse.write_text(text.replace("<main>", f"<main>{program}", 1), encoding="utf-8")
    root = re.search(r"<html[^>]*>", document_of(worse, tmp_path / "profile"))
    assert root is not None
    assert 'data-ready="yes"' in root[0]
    assert "data-owned" not in root[0]


def test_the_policy_names_the_scripts_of_the_page_and_forbids_code_from_texts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    scripts = re.search(r"script-src ([^;]*);", policy[1])
    assert scripts is not None
    assert "unsafe" not in scripts[1]
    assert len(re.findall(r"'sha256-[A-Za-z0-9+/]{43}='", scripts[1])) == 2
