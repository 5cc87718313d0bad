"""Output in a terminal of 80 and of 120 columns: nothing is cut, nothing runs over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from backwater.cli import application
from backwater.present.numbers import claim_bound, claim_measured, claim_unit, path_title
from backwater.present.tabular import Table, figures, lay_out, prose, words
from backwater.study.definition import Study
from backwater.tools import catalogue
from command import call
from terminal import lines, seen, seen_quickly

WIDTHS = (80, 120)
# A dumbbell with a flow of each kind that has its own columns.
DUMBBELL = """
schema = "backwater/scenario/1"
duration = "4 s"
nodes.S = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "5 ms" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "5 ms" }
ports."W>D" = { buffer = "50 kB" }

[flows.bulk]
from = "S"
to = "D"
transport = "tcp"
controller = { kind = "cubic" }
source = { kind = "bulk" }

[flows.cbr]
from = "S"
to = "D"
source = { kind = "cbr", packet = "1000 B", rate = "1 Mbit/s" }
"""


def incast(senders: int) -> str:
    """Many like flows into one port."""
    text = (
        'schema = "backwater/scenario/1"\nduration = "1 s"\n'
        'nodes.W = { kind = "switch" }\nnodes.D = { kind = "host" }\n'
        'links.d = { ends = ["W", "D"], rate = "1 Gbit/s", delay = "5 us" }\n'
    )
    for i in range(senders):
        text += (
            f'nodes.S{i} = {{ kind = "host" }}\n'
            f'links.l{i} = {{ ends = ["S{i}", "W"], rate = "1 Gbit/s", delay = "5 us" }}\n'
            f'flows.f{i} = {{ from = "S{i}", to = "D", transport = "tcp", '
            'controller = { kind = "newreno" }, source = { kind = "bulk" } }\n'
        )
    return text


def longest(text: str) -> int:
    """The length of the longest line."""
    return max(map(len, lines(text)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text(DUMBBELL)
    (tmp_path / "incast.toml").write_text(incast(32))
    (tmp_path / "fast.toml").write_text(DUMBBELL.replace("1 Mbit/s", "200 Mbit/s"))
    (tmp_path / "wrong.toml").write_text(DUMBBELL.replace("cubic", "cubik").replace("kB", ""))
    return tmp_path


COMMANDS = (
    # It has a warning of more than 120 characters.
    ("run", "fast.toml"),
    ("run", "s.toml", "--series", "100 ms"),
    ("run", "incast.toml"),
    ("contest", "cubic", "copa", "--duration", "5"),
    ("diff", "s.toml", "fast.toml"),
    (
        *("sweep", "s.toml", "--axis", "links.b.rate=5 Mbit/s,10 Mbit/s", "--seeds", "1"),
        *("--metric", "goodput_bps@flow:bulk", "--metric", "rtt_p95_s@flow:bulk"),
    ),
)


# Commands that are over at once: texts, checks, and refusals of each kind.
QUICK = (
    ("list",),
    *(("list", kind) for kind in catalogue.kinds()),
    # A refusal that names every kind.
    ("list", "controller"),
    ("doctor",),
    ("study", "list"),
    ("explain", "goodput_bps"),
    ("explain", "bbr3"),
    ("explain", "pause"),
    ("explain", "lan-merging"),
    ("explain", "no-such-part"),
    ("check", "s.toml"),
    ("check", "wrong.toml"),
    ("draw", "s.toml"),
    ("draw", "incast.toml"),
    ("new", "scenario", "mine"),
    ("new", "detektor", "mine"),
    ("copy", "aqm-l4s"),
    ("copy", "no-such-study"),
    ("trace", "make", "made.down", "--model", "lte"),
    ("trace", "fit", "no-such.down"),
    ("trace", "log", "no-such.log"),
    ("diff", "s.toml", "no-such.toml"),
    ("run", "no-such.toml"),
    ("sweep", "s.toml", "--axis", "links.b.rat=1 Mbit/s"),
    ("contest", "cubik"),
    ("scorecard", "cubik"),
    ("study", "run", "no-such-study"),
    ("emulate", "delay", "x"),
    ("emulate", "link", "absent", "absent", "--", "true"),
    ("flow", "send", "127.0.0.1"),
    ("flow", "send", "127.0.0.1:9", "--controller", "absent"),
    ("merge", "no-such-folder", "--out", "m"),
    ("export", "no-such-folder"),
    ("report", "no-such-folder"),
    ("bench", "no-such-bench"),
)


def helps() -> list[tuple[str, ...]]:
    """`--help` of every command."""

    def below(command: object, path: tuple[str, ...]) -> list[tuple[str, ...]]:
        found = [(*path, "--help")]
        for name, one in getattr(command, "commands", {}).items():
            found += below(one, (*path, name))
        return found

    return below(get_command(application.made()), ())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("arguments", [*QUICK, *helps()], ids=" ".join)
def test_no_line_of_a_quick_command_is_wider_than_the_terminal(
    folder: Path, arguments: tuple[str, ...], width: int
) -> None:
    text = seen_quickly(*arguments, width=width, cwd=folder)
    assert longest(text) <= width, max(lines(text), key=len)
    assert "Traceback" not in text


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda one: one[0] + one[-1][:8])
def test_no_line_is_wider_than_the_terminal(
    folder: Path, arguments: tuple[str, ...], width: int
) -> None:
    text = seen(*arguments, width=width, cwd=folder)
    assert longest(text) <= width, max(lines(text), key=len)


def test_a_study_is_not_wider_than_a_wide_terminal(folder: Path) -> None:
    """In a terminal of 80 columns it is the next test's."""
    text = seen("study", "run", "fct-buildup", "--quick", "--out", "o", width=120, cwd=folder)
    assert longest(text) <= 120, max(lines(text), key=len)


def test_one_line_of_progress_goes_on_to_the_end_of_the_report(folder: Path) -> None:
    arguments = ("study", "run", "fct-buildup", "--quick", "--ablate", "--out", "o")
    text = seen(*arguments, width=80, cwd=folder)
    assert longest(text) <= 80, max(lines(text), key=len)
    shown = [line for line in lines(text) if " left " in line]
    for stage in ("fct-buildup ", "fct-buildup: ablation ", "fct-buildup: report "):
        assert any(line.startswith(stage) for line in shown), stage
    # No second line: each is written over the one before.
    assert text.count("fct-buildup: report") <= text.count("\r")


@pytest.fixture(scope="module")
def listed() -> dict[str, list[dict[str, Any]]]:
    """The rows of each kind, for which each study is read whole."""
    return {kind: catalogue.rows(kind) for kind in catalogue.kinds()}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_id_is_whole(
    folder: Path, listed: dict[str, list[dict[str, Any]]], width: int
) -> None:
    text = seen_quickly("list", width=width, cwd=folder)
    lines = {line.split("  ")[0].strip() for line in text.splitlines()}
    for kind, rows in listed.items():
        missing = {row["id"] for row in rows} - lines
        assert not missing, kind


@pytest.mark.parametrize("width", WIDTHS)
def test_a_run_shows_what_a_reader_of_congestion_control_looks_for(
    folder: Path, width: int
) -> None:
    text = seen("run", "s.toml", "--series", "100 ms", width=width, cwd=folder)
    for word in ("goodput", "share", "RTT p50", "retransmitted", "dropped", "Jain", "propagation"):
        assert word in text, word
    # Propagation over two links of 5 ms; a packet of 1000 bytes needs less than one with 1500.
    assert "10 ms" in text
    assert "▁" in text or "█" in text


def test_like_flows_are_one_row_with_their_spread(folder: Path) -> None:
    grouped = call("run", "incast.toml", cwd=folder).out
    assert "f* (32)" in grouped
    assert "S*>W (32)" in grouped
    assert grouped.count("\n") <= 45
    each = call("run", "incast.toml", "--each", cwd=folder).out
    assert "f31 " in each


def test_columns_go_below_in_the_stated_order_and_then_rows_become_records() -> None:
    table = Table(
        None,
        (words("name"), figures("kept"), figures("second", 1), figures("first", 2)),
        [("an-id-that-is-whole", "123.456", "2 222 222", "3 333 333")],
    )
    wide, narrow, least = lay_out(table, 60), lay_out(table, 40), lay_out(table, 24)
    assert [wide.absent, narrow.absent, least.absent] == [[], [], []]
    assert len(wide.lines) == 2
    assert [line.split()[1:] for line in narrow.lines] == [
        ["kept", "second"],
        ["123.456", "2", "222", "222"],
        [],
        ["first"],
        ["3", "333", "333"],
    ]
    assert [line.split()[0] for line in narrow.lines if line] == ["name", "an-id-that-is-whole"] * 2
    assert least.lines == [
        "name: an-id-that-is-whole",
        *("  kept: 123.456", "  second: 2 222 222", "  first: 3 333 333"),
    ]


def test_what_goes_below_stands_behind_the_names_of_its_row_and_sentences_are_left_out() -> None:
    table = Table(
        None,
        (figures("place"), words("who"), figures("score"), figures("more", 1), prose("why", 2)),
        [("1", "cubic", "1234567", "7654321", "it fills the queue")],
    )
    laid = lay_out(table, 24)
    assert laid.lines == [
        "place  who      score",
        "    1  cubic  1234567",
        "",
        "place  who       more",
        "    1  cubic  7654321",
    ]
    assert laid.absent == ["why"]


def test_prose_is_wrapped_and_numbers_are_not() -> None:
    table = Table(None, (words("id"), prose("says")), [("x", "word " * 30)])
    laid = lay_out(table, 40)
    assert max(map(len, laid.lines)) <= 40
    assert " ".join(line[4:].strip() for line in laid.lines[1:]).split() == ["word"] * 30


def test_a_run_leaves_a_chart_and_a_page(folder: Path) -> None:
    found = call("run", "s.toml", "--plot", "p.svg", "--report", "r.html", cwd=folder)
    assert found.code == 0, found.err
    assert "Goodput" in (folder / "p.svg").read_text()
    page = (folder / "r.html").read_text()
    for word in ("END TO END".capitalize(), "spec-goodput", "bw-topo", "How to repeat it"):
        assert word in page, word


def test_a_chart_of_no_known_format_is_refused_before_the_run(folder: Path) -> None:
    found = call("run", "s.toml", "--plot", "p.bmp", "--json", cwd=folder)
    assert found.code == 2
    assert found.document["error"]["place"] == "--plot"


def test_a_sweep_shows_the_metrics_that_are_named(folder: Path) -> None:
    found = call(
        *("sweep", "s.toml", "--axis", "links.b.rate=5 Mbit/s,10 Mbit/s", "--seeds", "1"),
        *("--metric", "goodput_bps@flow:c*", "--figure", "g.svg", "--json"),
        cwd=folder,
    )
    assert found.code == 0, found.err
    # The source sends at 1 Mbit/s.
    for row in found.document["rows"]:
        assert row["metrics"]["goodput_bps@flow:c*"]["mean"] == pytest.approx(1e6, rel=0.05)
    assert "Goodput" in (folder / "g.svg").read_text()
    wrong = call(
        *("sweep", "s.toml", "--axis", "seed=1,2", "--metric", "goodput@flow:bulk", "--json"),
        cwd=folder,
    )
    assert wrong.document["error"]["nearest"] == ["goodput_bps"]


def test_an_axis_has_a_title_in_words() -> None:
    assert path_title("links.b.rate") == "Rate of link b"
    assert path_title("flows.*.controller.kind") == "Controller of all flows"
    assert path_title("mechanisms.bp.detect.high") == "Detect high of mechanism bp"


def test_heads_of_several_words_take_several_lines_before_a_column_is_left_out() -> None:
    columns = (words("id"), figures("mean of the queue", 1), figures("largest of all", 2))
    table = Table(None, columns, [("x", "1.5 kB", "12 kB")])
    assert len(lay_out(table, 80).lines) == 2
    narrow = lay_out(table, 20)
    assert narrow.absent == []
    assert max(map(len, narrow.lines)) <= 20
    head = [" ".join(line.split()) for line in narrow.lines[:-1]]
    assert head[0].startswith("id")
    assert {"mean", "of", "the", "queue", "largest", "all"} <= set(" ".join(head).split())


def test_a_study_explained_has_sentences_in_place_of_results(tmp_path: Path) -> None:
    told = call("explain", "aqm-bufferbloat", cwd=tmp_path).out
    assert "{{" not in told
    assert "c103: PIE brings the call's 95" in told
    assert "figure: Goodput of the stream" in told


@pytest.mark.parametrize(
    ("low", "high", "measured", "shown"),
    [
        (None, 0.09, 0.0439, ("43.9 ms [40, –]", "≤ 90 ms")),
        (0.2, None, 0.305, ("305 ms [40, –]", "≥ 200 ms")),
        (1.0, 30.0, 4.0, ("4 s [0.04, –]", "1 s … 30 s")),
    ],
)
def test_a_claim_has_one_unit_for_what_was_measured_and_its_bound(
    low: float | None, high: float | None, measured: float, shown: tuple[str, str]
) -> None:
    bound = {"is": "range", "low": low, "high": high}
    record = {"metric": "delay_p95_s", "unit": "s", "bound": bound, "measured": measured}
    record |= {"low": 0.04, "high": None}
    unit = claim_unit(record, None)
    assert (claim_measured(record, unit), claim_bound(bound, unit)) == shown


@pytest.mark.parametrize(
    ("claim", "measured", "shown"),
    [("c107", 0.00218, ("0.218 % [–, –]", "≤ 1 %")), ("c106", 0.869, ("0.869 [–, –]", "≥ 0.75"))],
)
def test_a_share_is_told_in_per_cent_and_a_ratio_is_not(
    claim: str, measured: float, shown: tuple[str, str]
) -> None:
    """The sentence of c107 says "less than 1 %", that of c106 "three quarters"."""
    [one] = [one for one in Study.load("aqm-bufferbloat").claims if one.id == claim]
    record: dict[str, Any] = {"metric": one.metric, "unit": one.unit, "reduce": one.reduce}
    record |= {"bound": one.bound.record(), "measured": measured, "low": None, "high": None}
    unit = claim_unit(record, one)
    assert (claim_measured(record, unit), claim_bound(record["bound"], unit)) == shown


def test_what_is_listed_is_what_the_studies_say_and_reads_no_study_whole(
    listed: dict[str, list[dict[str, Any]]],
) -> None:
    for kind, rows in listed.items():
        whole = [(row["id"], row["summary"], row["source"] or "") for row in rows]
        assert catalogue.brief(kind) == whole, kind
    code = (
        "import sys; from backwater.cli import main; main(['list']); "
        "print([m for m in ('backwater.study.definition', 'numpy') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "[]"
