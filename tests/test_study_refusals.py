"""Units and scopes that are refused before anything runs, and traces that are missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from backwater.errors import Refusal
from backwater.study.runnable import Study
from command import call
from studies import BLOCK, markdown

CLAIM = '[claims.c2]\nsays = "x"\nwhere = { scheme = "pause" }\n'
AGAINST = 'against = { scheme = "none" }\nby = "ratio"\n'
ALONG = 'along = "rate"\nreduce = '


def refused(text: str) -> Refusal:
    with pytest.raises(Refusal) as found:
        Study.parse(markdown(BLOCK + CLAIM + text + "\n"), "s.md").plan()
    return found.value


@pytest.mark.parametrize(
    "text",
    [
        'metric = "goodput_bps"\nat_least = "16 ms"',
        'metric = "loss"\nat_most = "3 packets"',
        'metric = "delay_mean_s"\nscope = "flow:f1"\nwithin = ["1 ms", "2 Mbit/s"]',
        'metric = "delay_mean_s"\nscope = "flow:f1"\ntarget = "1 ms"\ntolerance = "1 kB"',
        'metric = "goodput_bps"\neffect = "1 ms"',
        f'metric = "goodput_bps"\n{AGAINST}at_least = "2 Mbit/s"',
        f'metric = "goodput_bps"\n{ALONG}"increasing"\nat_least = "1 Mbit/s"',
        f'metric = "goodput_bps"\n{ALONG}"argmax"\nat_least = "1 ms"',
        'metric = "loss"\nreduce = "count"\nof = { at_most = "1 ms" }\nat_most = 1',
        'metric = "buffer-full"\nscope = "drops:W>D"\nat_most = "1 kB"',
    ],
)
def test_a_bound_in_another_unit_is_refused(text: str) -> None:
    assert "what it bounds is" in refused(text).what


def test_a_bound_in_bytes_per_second_names_the_bits() -> None:
    """50 MB/s are eight times 50 Mbit/s."""
    assert '"400 Mbit/s"' in str(refused('metric = "goodput_bps"\nat_least = "50 MB/s"').fix)
    assert '"20 ms"' in str(refused('metric = "goodput_bps"\nat_least = "5 MB/t"').fix)


@pytest.mark.parametrize(
    "text",
    [
        'metric = "goodput_bps"\nat_least = "1 Mbit/s"',
        'metric = "goodput_bps"\nat_least = 1e6',
        'metric = "loss"\nat_most = "1 %"',
        'metric = "delay_mean_s"\nscope = "flow:f1"\ntarget = "1 ms"\ntolerance = "10 %"',
        f'metric = "goodput_bps"\n{AGAINST}at_least = "90 %"',
        f'metric = "goodput_bps"\n{ALONG}"argmax"\nat_least = "4 Mbit/s"',
        'metric = "buffer-full"\nscope = "drops:W>D"\nat_most = "1 packets"',
        'metric = "buffer-full"\nscope = "drops:[WS]>?"\nat_most = 1',
        'metric = "queue_max_B"\nscope = "port:W>D"\nat_most = "50 kB"',
    ],
)
def test_a_bound_in_its_own_unit_is_read(text: str) -> None:
    assert Study.parse(markdown(BLOCK + CLAIM + text + "\n"), "s.md").plan()


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ('metric = "loss"\nscope = "flow:f2"\nat_most = 0.5', "f1"),
        ('metric = "queue_max_B"\nscope = "port:W>E"\nat_most = 1', "W>D"),
        ('metric = "buffer-full"\nscope = "drops:X>D"\nat_most = 1', "W>D"),
        ('function = "drop_share"\nargs = { places = ["W>D", "Q>*"] }\nat_least = 0.9', "W>S"),
        ('function = "jain_of"\nargs = { flows = ["f1", "f9"] }\nat_least = 0.9', "f1"),
    ],
)
def test_a_scope_that_the_scenario_lacks_is_refused_with_its_line(text: str, near: str) -> None:
    found = refused(text)
    assert "which its scenario doesn't have" in found.what
    assert near in found.nearest
    lines = markdown(BLOCK + CLAIM + text + "\n").split("\n")
    assert found.line is not None
    assert lines[found.line - 1] == "[claims.c2]"


def test_a_metric_that_the_scope_of_a_function_lacks_is_refused() -> None:
    text = (
        'function = "quotient"\nargs = { metric = "goodput_bps", of = "flow:f1", '
        'divisor = "goodput_bps", by = "port:W>D" }\nat_least = 0.9'
    )
    assert "port has no metric" in refused(text).what


def test_the_quick_form_says_which_trace_is_missing(tmp_path: Path) -> None:
    ended = call("study", "run", "cell-fixed-window", "--quick", cwd=tmp_path, traces=tmp_path)
    assert "don't run without the trace Verizon-LTE-short.up" in ended.err
    assert "not run without the trace" in " ".join(ended.out.split())


@pytest.mark.parametrize(
    ("kind", "bounds", "said"),
    [
        ("line", '{ "one" = { "none" = "4 Mbit/s" } }', "only a matrix has bounds"),
        ("matrix", '{ "one" = { "none" = "5 Mbit/s" } }', "is no row, or no column"),
        ("matrix", '{ "one" = { "some" = "4 Mbit/s" } }', "is no row, or no column"),
    ],
)
def test_a_bound_of_a_figure_that_has_no_place_is_refused(
    kind: str, bounds: str, said: str
) -> None:
    figure = f'kind = "{kind}"\nx = "rate"\ncurve = "scheme"\ny = "loss"\nbounds = {bounds}\n'
    with pytest.raises(Refusal) as found:
        Study.parse(markdown(f"{BLOCK}[figures.plane]\n{figure}"), "s.md")
    assert said in found.value.what


@pytest.mark.parametrize("written", ["{{figure loss", "{{ claim c1 }", "see {{figures and more"])
def test_a_placeholder_that_is_not_closed_is_refused_with_its_line(written: str) -> None:
    with pytest.raises(Refusal, match="is not closed") as found:
        Study.parse(markdown(prose=f"First.\n\n{written}\n\nLast."), "s.md")
    assert found.value.line == 5
    assert "on one line" in str(found.value.fix)


def test_placeholders_in_code_need_no_end() -> None:
    assert Study.parse(markdown(prose="`{{figure`\n\n```\n{{claim\n```\n"), "s.md")


def test_fresh_seeds_are_others_and_the_page_says_so(tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text(markdown())
    run = ("study", "run", "s.md", "--quick", "--first-seed", "101", "--out", "o", "--json")
    done = call(*run, cwd=tmp_path)
    assert done.code == 0, done.err
    manifest = (tmp_path / "o" / "small" / "manifest.json").read_text()
    assert json.loads(manifest)["seeds"] == [101, 102]
    page = (tmp_path / "o" / "small" / "report.html").read_text(encoding="utf-8")
    assert "101, 102: a confirming run with fresh seeds" in page
