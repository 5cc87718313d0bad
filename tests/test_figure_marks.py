"""Figures as they are drawn: marks on every scale, labels that can be read, its size on paper."""

from __future__ import annotations

import html
import itertools
import math
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
import vl_convert

import drawn
import reported
from backwater.errors import Refusal
from backwater.present import chart_file, plot
from backwater.present.numbers import greatest, metric_title
from backwater.present.plot import Claims, column, horizontal, labels
from backwater.results.results import Results
from test_contrast import contrast

WIDE = {"6 kB": 0.1, "48 kB": 30.0}


def slow(of: dict[str, str], seed: int) -> dict[str, float | None]:
    """Delays of 0.1 s and 30 s, with an interval of a percent over the seeds."""
    delay = WIDE[of["burst"]] * (1 + 0.01 * seed)
    return {"delay_mean_s": delay, "loss": 0.01, "goodput_bps": 1e6, "jain": 1 - seed * seed / 100}


def results(figures: str) -> Results:
    block = reported.BLOCK[: reported.BLOCK.index("[claims.c1]")]
    return reported.made(slow, f"{block}\n{figures}\n", prose="Prose.")  # type: ignore[arg-type]


def spec(figures: str, claims: Claims = Claims.DASHES) -> dict[str, Any]:
    made = results(figures)
    return plot.spec(made, made.study.figures[-1], claims)


@pytest.mark.parametrize("scale", ["linear", "log", "symlog"])
def test_bars_are_seen_on_every_scale(scale: str) -> None:
    made = spec(
        f'figures.z = {{ kind = "bars", x = "burst", y = "delay_mean_s", y_scale = "{scale}", '
        'where = { scheme = "none", rate = "8 Mbit/s" } }'
    )
    svg = vl_convert.vegalite_to_svg(made)
    assert "NaN" not in svg
    # Two values with an interval each, which has a line and two ends.
    assert drawn.marks(svg) == 2 * (1 + 3)
    # A length on a logarithmic scale means nothing, so values are points there.
    assert ("mark-symbol role-mark" in svg) == (scale != "linear")


def test_an_interval_that_reaches_zero_is_no_gap_on_a_logarithmic_scale() -> None:
    block = reported.BLOCK[: reported.BLOCK.index("[claims.c1]")]
    block += '\nfigures.z = { kind = "bars", x = "burst", y = "delay_mean_s", y_scale = "log" }\n'
    delays = {1: 1e-4, 2: 2.0, 3: 3.0}
    made = reported.made(lambda of, seed: {"delay_mean_s": delays[seed]}, block, "Prose.")
    svg = vl_convert.vegalite_to_svg(plot.spec(made, made.study.figures[-1]))
    assert "NaN" not in svg


def test_thirty_seconds_are_not_thirty_thousand_milliseconds() -> None:
    made = spec('figures.z = { x = "burst", y = "delay_mean_s", where = { scheme = "none" } }')
    assert made["encoding"]["y"]["title"] == "← better · Mean delay (s)"


@pytest.mark.parametrize(
    ("metric", "title"),
    [
        ("goodput_bps", "Goodput (Mbit/s) · better →"),
        ("jain", "Jain's fairness index · better →"),
        ("loss", "← better · Packet loss (%)"),
        ("delay_mean_s", "← better · Mean delay (s)"),
        ("offered_bps", "Offered load (Mbit/s)"),
    ],
)
def test_an_arrow_says_which_way_is_better(metric: str, title: str) -> None:
    where = 'where = { scheme = "none", rate = "8 Mbit/s" }'
    figure = f'figures.z = {{ kind = "bars", x = "burst", y = "{metric}", {where} }}'
    block = reported.BLOCK[: reported.BLOCK.index("[claims.c1]")]
    found = {**slow({"burst": "6 kB"}, 1), "delay_mean_s": 3.0, "offered_bps": 2e6}
    made = reported.made(lambda of, seed: found, f"{block}\n{figure}\n", prose="Prose.")
    shown = plot.spec(made, made.study.figures[-1])
    told = shown["encoding"]["y"]["title"]
    lines = told if isinstance(told, list) else [told]
    assert " ".join(lines) == title
    # Once on the drawing: layers with titles of their own would be joined by commas.
    svg = html.unescape(vl_convert.vegalite_to_svg(shown))
    assert svg.count(f">{lines[-1]}<") == 1
    assert svg.count(">better") + svg.count("better<") <= 1


def test_the_interval_of_jains_index_ends_at_one() -> None:
    made = spec('figures.z = { kind = "bars", x = "burst", y = "jain" }')
    highs = [row["high"] for row in made["data"]["values"]]
    # Student's interval of 0.99, 0.96 and 0.91 reaches beyond 1.
    assert 0.954 + 4.303 * 0.0404 / 3**0.5 > 1
    assert all(0.96 < high <= 1 for high in highs)
    assert [greatest(one) for one in ("jain", "loss", "busy", "goodput_bps")] == [1, 1, 1, None]


CLAIM = """
figures.z = { title = "Loss", x = "rate", y = "loss", curve = "burst", panel = "scheme" }

[claims.c1]
says = "Some."
metric = "loss"
at_most = 0.011

[claims.c2]
says = "Others."
metric = "loss"
at_most = 0.0111
"""


def test_ids_of_claims_are_in_a_figure_only_where_they_are_asked_for() -> None:
    svgs = {way: vl_convert.vegalite_to_svg(spec(CLAIM, way)) for way in Claims}
    texts = {way: re.findall(r"<t(?:ext|span)[^>]*>([^<]+)", svg) for way, svg in svgs.items()}
    beside = {
        way: [text for text in some if re.match(r"c\d+ [≤≥]", text)] for way, some in texts.items()
    }
    assert not any("c1" in text for text in texts[Claims.NONE])
    assert beside[Claims.DASHES] == []
    assert any("c1 ≤ 1.1 %, c2 ≤ 1.11 %" in text for text in texts[Claims.DASHES])
    # Names that would cover each other are one, in each of the two panels: an outline, and letters.
    assert beside[Claims.NAMES] == ["c2 ≤, c1 ≤"] * 4


def test_names_of_bounds_have_an_outline_in_the_colour_of_paper() -> None:
    """A bar or a curve lies behind them."""
    of_bars = CLAIM.replace('title = "Loss"', 'title = "Loss", kind = "bars"')
    svg = vl_convert.vegalite_to_svg(spec(of_bars, Claims.NAMES))
    names = [tag for tag, text in re.findall(r"(<text[^>]*>)([^<]+)", svg) if text[:3] == "c2 "]
    outlines, letters = names[:1], [name for name in names if "stroke=" not in name]
    assert len(names) == 4
    assert len(letters) == 2
    assert 'stroke="#ffffff"' in outlines[0]
    [dark] = re.findall(r'fill="(#\w+)"', letters[0])
    assert contrast(dark, "#ffffff") > 7


def test_short_names_stand_upright_and_long_ones_in_lines() -> None:
    assert labels.upright(["none", "PAUSE"], 300) == {"labelAngle": 0, "labelOverlap": False}
    broken = labels.upright(["New Reno with delay", "CUBIC"], 220)
    assert broken["labelAngle"] == 0
    assert '["New Reno with", "delay"]' in broken["labelExpr"] or "[" in broken["labelExpr"]
    many = labels.upright([f"scheme number {n}" for n in range(12)], 300)
    assert many["labelAngle"] < 0


def test_bars_are_horizontal_where_their_names_find_no_room_side_by_side() -> None:
    # Twelve names of 19 letters: 12 · (19 · 6.4 + 8) pixels are more than an axis of 520.
    names = [f"schemes-number-{n:04d}" for n in range(12)]
    upright: dict[str, Any] = {
        "encoding": {
            "x": {"type": "nominal", "field": "x", "sort": names, "title": "Scheme"},
            "y": {"type": "quantitative", "field": "mean", "title": "Loss"},
            "xOffset": {"field": "curve", "sort": ["a", "b"]},
        },
        "layer": [
            {"mark": {"type": "bar"}},
            {"mark": {"type": "tick", "orient": "horizontal"}, "encoding": {"y": {"field": "e"}}},
        ],
    }
    upright["encoding"]["x"]["axis"] = labels.upright(names, 520)
    assert horizontal.aslant(upright)
    laid = horizontal.turned(upright)
    assert laid is not None
    encoding = laid["encoding"]
    assert (encoding["y"]["sort"], encoding["x"]["field"]) == (names, "mean")
    assert encoding["yOffset"]["sort"] == ["a", "b"]
    assert "labelAngle" not in encoding["y"]["axis"]
    # The bound of a claim stands across its bar; two bars of a name have their room.
    assert laid["layer"][1]["mark"]["orient"] == "vertical"
    assert laid["layer"][1]["encoding"] == {"x": {"field": "e"}}
    assert laid["height"] >= 12 * 2 * horizontal.BAR
    # A page cannot hold the bars of 282 environments one above the other.
    upright["encoding"]["x"]["sort"] = [f"environment {n}" for n in range(282)]
    assert horizontal.turned(upright) is None


def test_bars_are_horizontal_in_a_narrow_figure_only_and_have_the_same_marks() -> None:
    made = spec(
        'figures.z = { kind = "bars", x = "scheme", y = "delay_mean_s", '
        'where = { burst = "48 kB", rate = "8 Mbit/s" } }'
    )
    assert made["encoding"]["x"]["type"] == "nominal"
    meta = made["usermeta"]["backwater"]
    assert meta["flat"]["encoding"]["y"]["type"] == "nominal"
    marks = drawn.marks(vl_convert.vegalite_to_svg(made))
    assert drawn.marks(vl_convert.vegalite_to_svg({**made, **meta["flat"]})) == marks
    narrow = column.fitted(made, 150.0, 60.0)
    assert narrow["encoding"]["y"]["type"] == "nominal"
    assert column.fitted(made, 500.0, 440.0)["encoding"]["x"]["type"] == "nominal"


def test_of_names_that_would_lie_over_each_other_some_are_left_out() -> None:
    names = [f"environment number {n}" for n in range(282)]
    shown = labels.upright(names, 430)["values"]
    # A line of text 11 pixels high, aslant by 40 degrees, takes 11 / sin 50 pixels along the axis.
    assert 430 / len(shown) >= 11 / math.sin(math.radians(50))
    assert shown == names[:: names.index(shown[1])]
    assert "values" not in labels.upright(names[:30], 430)


def test_each_tick_has_room_for_its_label() -> None:
    assert labels.apart([1, 2, 3, 4], False, 300) == [1, 2, 3, 4]
    # 9.9 would cover 10; both ends stay.
    assert labels.apart([1, 5, 9.9, 10], False, 300) == [1, 5, 10]
    kept = labels.apart([0.1, 0.2, 0.4, 1, 10, 100], True, 100)
    assert kept[0] == 0.1
    assert kept[-1] == 100
    assert 0.2 not in kept


@pytest.mark.parametrize(
    ("metric", "scope", "title"),
    [
        ("convergence_s", "run", "Time until shares are equal"),
        ("jain_least_5s", "run", "Jain's index of five seconds, least"),
        ("queue_mean_pkts", "law:AP>air", "Mean queue at AP>air"),
        ("slowdown_p99", "flow:short", "99th percentile of slowdown, flow short"),
        ("goodput_bps", "flow:up/*", "Goodput, flows up/*"),
    ],
)
def test_axis_titles_are_words(metric: str, scope: str, title: str) -> None:
    assert metric_title(metric, scope) == title


def test_the_distribution_over_runs_has_a_step_at_each_value() -> None:
    made = spec('figures.z = { kind = "ecdf", y = "jain", curve = "scheme" }')
    rows = [row for row in made["data"]["values"] if row["curve"] == "none"]
    # Values 0.99, 0.96 and 0.91, each in six cases of a scheme: the share grows by a third at each.
    at = {
        value: max(row["mean"] for row in rows if row["x"] == value) for value in (0.91, 0.96, 0.99)
    }
    assert at == pytest.approx({0.91: 100 / 3, 0.96: 200 / 3, 0.99: 100}, rel=1e-5)
    assert rows[0]["mean"] == 0
    assert drawn.marks(vl_convert.vegalite_to_svg(made)) == 2


def test_the_best_corner_of_a_plane_has_an_arrow() -> None:
    made = spec(
        'figures.z = { kind = "plane", x_metric = "delay_mean_s", y = "goodput_bps", '
        'curve = "burst", where = { scheme = "none", rate = "8 Mbit/s" } }'
    )
    svg = vl_convert.vegalite_to_svg(made)
    assert ">better<" in svg
    assert re.search(r"rotate\(-45[^>]*>→<", svg)


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_figure_has_the_width_of_a_column_on_paper(kind: str) -> None:
    made = spec('figures.z = { x = "rate", y = "loss", curve = "burst", panel = "scheme" }')
    width = chart_file.width_px("8.5cm")
    assert width == pytest.approx(8.5 / 2.54 * 96)
    data = chart_file.drawn(made, kind, width)
    if kind == "svg":
        wide, _ = chart_file.frame(data.decode())
        assert wide == pytest.approx(8.5 / 2.54 * 96, abs=0.01)
        faces = {
            (family, weight, style)
            for family, weight, style in re.findall(
                r"@font-face\{font-family:'([^']+)';font-weight:(\w+);font-style:(\w+);"
                r"src:url\(data:font/woff;base64,",
                data.decode(),
            )
        }
        for text in re.findall(r"<text [^>]*font-family[^>]*>", data.decode()):
            family = re.search(r'font-family="([^",]+)', text)
            weight = "bold" if 'font-weight="bold"' in text else "normal"
            style = "italic" if 'font-style="italic"' in text else "normal"
            assert family is not None
            assert (family[1], weight, style) in faces
        assert data.decode().count("font-family=") > len(faces) > 0
        sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', data.decode())}
        assert sizes
        assert all(size == pytest.approx(8 / 72 * 96, abs=0.1) for size in sizes)
    if kind == "pdf":
        box = re.search(rb"/MediaBox ?\[0 0 ([\d.]+)", data)
        assert box is not None
        assert float(box[1]) == pytest.approx(8.5 / 2.54 * 72, abs=0.01)
        assert b"/FontFile2" in data, "the fonts are in the file"
    if kind == "png":
        pixels = struct.unpack(">I", data[16:20])[0]
        at = data.index(b"pHYs")
        dots, _, metre = struct.unpack(">IIB", data[at + 4 : at + 13])
        assert metre == 1
        assert pixels / dots == pytest.approx(0.085, rel=1e-3)
        assert struct.unpack(">I", data[at + 13 : at + 17])[0] == zlib.crc32(data[at : at + 13])


def test_the_numbers_of_a_narrow_matrix_stay_in_their_cells() -> None:
    made = spec(
        'figures.z = { kind = "matrix", x = "rate", curve = "scheme", y = "delay_mean_s", '
        'where = { burst = "48 kB" }, against = { scheme = "none" }, by = "harm" }'
    )
    rows = made["data"]["values"]
    assert {row["shown"] for row in rows} == {"0.00"}
    for row in rows:
        row["shown"] = "−0.12"
    svg = chart_file.drawn(made, "svg", chart_file.width_px("4cm")).decode()
    at = re.findall(r'translate\(([\d.]+),[\d.]+\)"[^>]*font-size="([\d.]+)px"[^>]*>−0.12<', svg)
    assert len(at) == len(rows) > 3
    places = sorted({float(x) for x, _ in at})
    step = min(b - a for a, b in itertools.pairwise(places))
    # Digits of Helvetica are 0.556 of its size wide, as is the dot with the minus sign on average.
    assert all(5 * 0.556 * float(size) <= step for _, size in at)


@pytest.mark.parametrize("written", ["8.5", "wide", "0cm", "1km"])
def test_a_width_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(Refusal, match="is no width of a figure"):
        chart_file.width_px(written)


def test_the_command_writes_figures_of_a_width(tmp_path: Path) -> None:
    from backwater.present import report

    made = results('figures.z = { kind = "bars", x = "burst", y = "loss" }')
    for path in report.figures(made, tmp_path, ["svg"], chart_file.width_px("12cm")):
        if "topology" not in path.name:
            wide, _ = chart_file.frame(path.read_text(encoding="utf-8"))
            assert wide == pytest.approx(12 / 2.54 * 96, abs=0.01), path.name
