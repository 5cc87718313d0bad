from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest

import reported
from backwater.errors import Refusal
from backwater.model.simulate import run
from backwater.present import report
from backwater.results.results import Results
from browser import document_of


class Page(HTMLParser):
    """The visible words of a page, the addresses it names and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words = ""
        self.addresses: list[str] = []
        self.anchors: set[str] = set()
        self._hidden = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in ("script", "style")
        for name, value in attrs:
            if name in ("src", "href", "action", "data") and value is not None:
                self.addresses.append(value)
            if name == "id" and value is not None:
                assert value not in self.anchors, f"two elements are called {value}"
                self.anchors.add(value)

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words += data


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return reported.run(tmp_path_factory.mktemp("ran") / "small")


@pytest.fixture(scope="module")
def page(ran: Results) -> Path:
    assert ran.folder is not None
    return report.write(ran, ran.folder / "report.html")


@pytest.fixture(scope="module")
def read(page: Path) -> Page:
    return Page(page.read_text(encoding="utf-8"))


def test_the_file_needs_no_network(page: Path, read: Page) -> None:
    assert [address for address in read.addresses if not address.startswith("#")] == []
    text = page.read_text(encoding="utf-8")
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert not any("url(" in part or "@import" in part for part in style)
    assert "default-src 'none'" in text
    assert 'type="module"' not in text


def test_every_link_inside_leads_somewhere(read: Page) -> None:
    for address in read.addresses:
        assert address[1:] in read.anchors, address


def test_every_claim_stands_there_with_its_verdict(ran: Results, read: Page) -> None:
    assert len(ran.claims) == 3
    for record in ran.claims:
        assert record["id"] in read.words
        assert record["says"] in read.words
    for verdict in ("reproduced", "differs", "undecided"):
        said = len(re.findall(verdict, read.words))
        assert said >= sum(record["verdict"] == verdict for record in ran.claims)


def test_a_claim_shows_measured_bound_published_reason_and_evidence(
    ran: Results, page: Path
) -> None:
    text = page.read_text(encoding="utf-8")
    row = Page(text[text.index('<tr id="c2">') : text.index('<tr id="c101">')]).words
    assert "≤\u00a020\u00a0%" in row
    assert "25\u00a0%" in row
    assert "The host obeys. The document's does not." in row
    assert "Evidence: lan-cos/c112." in row
    record = next(r for r in ran.claims if r["id"] == "small/c2")
    assert f"n = {record['n']}" in row
    assert record["verdict"] == "reproduced"
    # It was expected to differ.
    assert "unexpected" in row
    assert "Unexpected: c2." in Page(text).words


def test_placeholders_become_results_and_code_stays_code(page: Path, read: Page) -> None:
    text = page.read_text(encoding="utf-8")
    assert '<a href="#figure-loss">Figure 1</a>' in text
    assert "<code>{{claim c1}}</code>" in text
    assert read.words.count("{{") == read.words.count("{{claim c1}}") + len(
        re.findall(r"\{\{(?!claim c1)", reported.PROSE)
    )


def test_what_the_author_placed_nowhere_follows_at_the_end(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for anchor in ("r-claims", "r-figures", "r-topology", "r-results", "r-repeat", "r-delay"):
        assert f'<h2 id="{anchor}">' in text
    assert text.count('id="figure-loss"') == 1


def test_it_says_how_to_repeat_it(ran: Results, read: Page) -> None:
    for said in (
        "backwater study run small.md --out 'a folder'",
        ran.fingerprint,
        ran.manifest["engine"],
        ran.manifest["version"],
        "1 to 3, the same for every case",
    ):
        assert said in read.words


def test_texts_of_authors_cannot_break_the_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "With &lt;PAUSE&gt; nothing is lost &amp; nobody waits." in text
    for name in re.findall(r'<script type="application/json" id="([^"]*)">', text):
        inside = re.search(rf'id="{name}">(.*?)</script>', text, re.DOTALL)
        assert inside is not None
        json.loads(inside[1])


def test_the_table_downloads_every_case_in_si_units(ran: Results, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    inside = re.search(r'id="csv-all">(.*?)</script>', text, re.DOTALL)
    assert inside is not None
    lines = json.loads(inside[1]).splitlines()
    assert lines[0].startswith("scheme,burst,rate,seed,status,loss,")
    assert len(lines) == 1 + len(ran.cases)
    losses = ran.metric("loss")
    assert [float(line.split(",")[5]) for line in lines[1:]] == [
        losses[case.key] for case in ran.cases
    ]


def test_failed_cases_are_said(tmp_path: Path) -> None:
    def value(labels: Mapping[str, str], seed: int) -> dict[str, float | None] | None:
        return {"loss": 0.5} if seed > 1 else None

    path = report.write(reported.made(value), tmp_path / "report.html")
    words = Page(path.read_text(encoding="utf-8")).words
    assert "12 cases failed; the first: out of memory" in words


def test_a_quick_report_names_the_figures_it_lacks(tmp_path: Path) -> None:
    quick = reported.run(tmp_path / "small", quick=True)
    words = Page(report.write(quick, tmp_path / "r.html").read_text(encoding="utf-8")).words
    assert "Not drawn: not in the quick set." in words


def test_evidence_beside_this_report_is_linked(ran: Results) -> None:
    assert ran.folder is not None
    other = ran.folder.parent / "lan-cos"
    other.mkdir()
    (other / "report.html").write_text("there", encoding="utf-8")
    try:
        text = report.write(ran, ran.folder / "linked.html").read_text(encoding="utf-8")
        assert "lan-cos/linked.html" not in text
        again = report.write(ran, ran.folder / "report.html").read_text(encoding="utf-8")
        assert '<a href="../lan-cos/report.html#c112">' in again
    finally:
        shutil.rmtree(other)
        report.write(ran, ran.folder / "report.html")


def test_no_half_report_is_left(ran: Results, tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match=re.escape("report.html")):
        report.write(ran, tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_the_index_links_every_study_and_claim(ran: Results, page: Path) -> None:
    path = report.write_index([ran], page.parent.parent / "index.html")
    text = path.read_text(encoding="utf-8")
    found = Page(text)
    assert "1 study, 3 claims" in found.words
    for record in ran.claims:
        short = record["id"].partition("/")[2]
        assert f"small/report.html#{short}" in found.addresses
        assert short in found.words
    assert re.search(r'class="verdict reproduced unexpected"[^>]*title="c2:', text)
    for address in found.addresses:
        assert (path.parent / address.partition("#")[0]).is_file()


def test_a_run_in_a_notebook_stands_alone() -> None:
    document = run(reported.study().base.text, seed=1, columns=False).document
    text = report.run_html(document)
    found = Page(text)
    assert found.addresses == []
    assert document["fingerprint"] in found.words
    for row in (*document["flows"], *document["ports"]):
        assert row["id"] in found.words
    for drop in document["drops"]:
        assert drop["cause"] in found.words
    # Neither black nor white: a notebook may be light or dark.
    assert not re.search(r"#000|#fff|black|white", text)


def test_a_browser_draws_every_figure(page: Path, tmp_path: Path) -> None:
    shown = document_of(page, tmp_path)
    text = page.read_text(encoding="utf-8")
    wanted = set(re.findall(r'data-figure="([^"]*)"', text.partition("<script>")[0]))
    assert {"loss", "delay", "bars", "ranked", "slow", "delay-parts"} == wanted
    body = shown.partition("<script>")[0]
    figures = re.findall(r'<figure id="figure-([^"]*)"(.*?)</figure>', body, re.DOTALL)
    for name, inside in figures:
        assert 'data-drawn="yes"' in inside, name
        assert re.search(r'<g class="mark-(line|rect|symbol) role-mark', inside), name
        assert "could not be drawn" not in html.unescape(inside)
    assert {name for name, _ in figures} == wanted


def test_a_report_leads_with_its_answer_figure_and_verdicts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    body = text[text.index("<body>") :]
    # The first published claim that was judged is the first sentence; the prose comes after it.
    first = body.index('<p class="answer">')
    figure = body.index('id="figure-loss"')
    verdicts = body.index('<ul class="verdicts"')
    assert first < figure < verdicts < body.index('<div class="prose">')
    assert body.count('id="figure-loss"') == 1
    assert "stands at the top" in body


def test_the_author_may_write_the_answer_and_name_the_figure(tmp_path: Path) -> None:
    block = reported.BLOCK.replace(
        "seeds = 3 }", 'seeds = 3, answer = "PAUSE helps. It costs delay.", shows = "delay" }'
    )
    made = reported.made(lambda labels, seed: {"loss": 0.0, "delay_mean_s": 0.1}, block)
    body = report.write(made, tmp_path / "r.html").read_text(encoding="utf-8")
    assert '<p class="answer">PAUSE helps. It costs delay.</p>' in body
    assert body.index('id="figure-delay"') < body.index('<div class="prose">')


def test_an_answer_without_its_figure_is_refused() -> None:
    block = reported.BLOCK.replace("seeds = 3 }", 'seeds = 3, shows = "dalay" }')
    with pytest.raises(Refusal, match="there is no figure `dalay`"):
        reported.study(block)
