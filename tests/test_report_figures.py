from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert

import reported
from backwater.model.quantity import parse
from backwater.present import chart_file, plot, report
from backwater.present.numbers import metric_title
from backwater.present.plot import FigureError
from backwater.present.plot.encoding import COLOURS, distinct
from backwater.results.results import Results

RATES = (4.0, 8.0, 10.0)


def lossy(labels: Mapping[str, str], seed: int) -> dict[str, float | None]:
    """Loss 1 %, 2 % and 3 % over the seeds without control, none with it."""
    return {"loss": 0.0 if labels["scheme"] == "pause" else 0.01 * seed}


def figure(results: Results, name: str) -> dict[str, Any]:
    return plot.spec(results, next(f for f in results.study.figures if f.id == name))


def view(spec: dict[str, Any]) -> dict[str, Any]:
    """The contents of each panel."""
    inner: dict[str, Any] = spec.get("spec", spec)
    return inner


def told(spec: dict[str, Any]) -> str:
    """The sentences under a figure's title."""
    return " ".join(spec["usermeta"]["backwater"]["said"])


def titles(node: Any) -> set[str]:
    """Every title of a positional axis in a specification."""
    if isinstance(node, list):
        return {title for one in node for title in titles(one)}
    if not isinstance(node, dict):
        return set()
    found = {title for one in node.values() for title in titles(one)}
    for channel in ("x", "y"):
        drawn = node.get(channel)
        if isinstance(drawn, dict) and isinstance(drawn.get("title"), str):
            found.add(drawn["title"])
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return reported.run(tmp_path_factory.mktemp("ran") / "small")


def test_every_figure_becomes_svg(ran: Results) -> None:
    for described in ran.study.figures:
        svg = vl_convert.vegalite_to_svg(plot.spec(ran, described))
        assert "mark-" in svg, described.id


def test_several_scopes_are_the_curves_of_a_figure(ran: Results) -> None:
    described = next(f for f in ran.study.figures if f.id == "delay")
    places = ("port:S>W", "port:W>D")
    described = replace(described, y=("sent_B",), curve=None, panel="scheme", places=places)
    drawn = plot.spec(ran, described)
    assert {row["curve"] for row in drawn["data"]["values"]} == {"S>W", "W>D"}
    assert titles(drawn) == {"Rate (Mbit/s)", "Bytes sent (MB)"}
    assert "W&gt;D" in vl_convert.vegalite_to_svg(drawn)


def test_curves_may_be_sorted_by_one_of_them(ran: Results) -> None:
    described = next(f for f in ran.study.figures if f.id == "delay")
    x = described.x or ""
    drawn = plot.spec(ran, replace(described, sort={"scheme": ("none",)}, sort_metric="loss"))
    sorted_by = drawn["encoding"]["x"]["sort"] if "encoding" in drawn else None
    sorted_by = sorted_by or drawn["spec"]["encoding"]["x"]["sort"]
    means = {
        label: sum(
            point.mean or 0.0
            for point in plot.points(ran, "loss", where={"scheme": ("none",), x: (label,)})
        )
        for label in sorted_by
    }
    assert list(means.values()) == sorted(means.values())


def test_boxes_show_the_mean_of_each_flow(ran: Results) -> None:
    described = next(f for f in ran.study.figures if f.id == "delay")
    described = replace(
        described, kind="box", y=("goodput_bps",), scope="flow:*", x="scheme", curve=None
    )
    drawn = plot.spec(ran, described)
    rows = drawn["data"]["values"]
    means = [
        (p.labels["scheme"], p.mean or 0.0) for p in plot.points(ran, "goodput_bps", "flow:f1")
    ]
    assert sorted((row["x"], 1e6 * row["mean"]) for row in rows) == [
        (scheme, pytest.approx(mean)) for scheme, mean in sorted(means)
    ]
    assert {row["flow"] for row in rows} == {"f1"}
    assert {"low", "high", "n"} <= rows[0].keys(), "the table behind the figure has these columns"
    # Tukey's whiskers.
    assert (drawn.get("mark") or drawn["spec"]["mark"])["extent"] == 1.5
    assert "mark-" in vl_convert.vegalite_to_svg(drawn)


def test_a_matrix_has_a_cell_for_each_pair_and_tells_harm() -> None:
    """Beside PAUSE a flow has 2 Mbit/s; without it the seeds leave 1, 2 and 3 of them."""

    def value(labels: Mapping[str, str], seed: int) -> dict[str, float | None]:
        return {"goodput_bps": 2e6 if labels["scheme"] == "pause" else 1e6 * seed, "loss": 0.0}

    results = reported.made(value)
    like = next(f for f in results.study.figures if f.id == "loss")
    described = replace(
        like,
        kind="matrix",
        x="rate",
        curve="scheme",
        panel=None,
        y=("goodput_bps",),
        where={"burst": (results.study.axis("burst").labels[0],)},
        against={"scheme": ("pause",)},
        by="harm",
    )
    drawn = plot.spec(results, described)
    rows = [row for row in drawn["data"]["values"] if row["curve"] == "none"]
    assert len(rows) == len(results.study.axis("rate").labels)
    # Harm 1/2, 0 and -1/2, under the same seeds.
    assert all(row["mean"] == pytest.approx(0, abs=1e-12) for row in rows)
    assert rows[0]["high"] == pytest.approx(4.303 * 0.5 / 3**0.5, rel=1e-3)
    assert {"Rate", "Scheme"} <= titles(drawn)
    svg = vl_convert.vegalite_to_svg(drawn)
    assert "Harm by goodput" in svg


def test_a_cell_of_a_matrix_leads_to_the_row_of_its_combination(
    ran: Results, tmp_path: Path
) -> None:
    like = next(f for f in ran.study.figures if f.id == "loss")
    burst = ran.study.axis("burst").labels[1]
    where: dict[str, tuple[str, ...]] = {"burst": (burst,)}
    described = replace(like, kind="matrix", x="rate", curve="scheme", panel=None, where=where)
    page = report.write(ran, tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.findall(r'<tr id="(case-[\d-]+)">(.*?)</tr>', page)
    rows = {place: re.findall(r"([^<>]+)</td>", row)[:3] for place, row in found}
    assert len(rows) == len(found) > 6
    for cell in plot.spec(ran, described)["data"]["values"]:
        assert sorted(rows[cell["link"][1:]]) == sorted([cell["curve"], cell["x"], burst])


def test_a_bound_is_a_line_behind_the_last_cell_within_it() -> None:
    """Cells are 64 by 34; the columns are 4, 8 and 10 Mbit/s."""
    results = reported.made(lambda labels, seed: {"loss": 0.1 * seed})
    like = next(f for f in results.study.figures if f.id == "loss")
    described = replace(
        like,
        kind="matrix",
        curve="scheme",
        panel=None,
        where={"burst": (results.study.axis("burst").labels[0],)},
        bounds={"a bound": {"none": "4 Mbit/s", "pause": "8 Mbit/s"}},
    )
    svg = vl_convert.vegalite_to_svg(plot.spec(results, described))
    lines = re.findall(r'"rule mark" transform="translate\((\d+),(\d+)\)" x2="0" y2="34"', svg)
    assert lines == [("64", "0"), ("128", "34")]


def test_axes_carry_units(ran: Results) -> None:
    assert titles(figure(ran, "loss")) == {
        "Rate (Mbit/s)",
        "← better · Packet loss (%)",
    }
    assert titles(figure(ran, "delay")) == {
        "Rate (Mbit/s)",
        "← better · Mean delay (ms)",
    }
    assert titles(figure(ran, "bars")) == {
        "Burst size (kB)",
        "Goodput (Mbit/s) · better →",
    }
    assert titles(figure(ran, "ranked")) == {
        "Scheme · Burst size",
        "← better · Packet loss (%)",
    }


def test_written_quantities_are_sorted_by_size(ran: Results) -> None:
    rows = figure(ran, "loss")["data"]["values"]
    assert sorted({row["x"] for row in rows}) == list(RATES)
    drawn = view(figure(ran, "loss"))["encoding"]["x"]["axis"]["values"]
    assert drawn == list(RATES)


def test_a_band_is_students_interval() -> None:
    # Mean 2 %, deviation 1 %, n = 3: half-width 4.302653 / sqrt(3) = 2.484138 %, clipped at zero.
    rows = figure(reported.made(lossy), "loss")["data"]["values"]
    row = next(row for row in rows if row["panel"] == "none")
    assert row["mean"] == pytest.approx(2.0)
    assert row["high"] == pytest.approx(4.484138, abs=1e-6)
    assert row["low"] == 0.0
    assert row["n"] == 3


def test_a_panel_without_loss_says_so() -> None:
    spec = figure(reported.made(lossy), "loss")
    assert {row["panel"] for row in spec["data"]["values"]} == {"none"}
    assert told(spec).startswith("Drawn: none. Zero at every point: pause.")
    nothing = figure(reported.made(lambda labels, seed: {"loss": 0.0}), "loss")
    assert told(nothing).startswith("Zero at every point.")


def test_a_failed_point_leaves_a_gap() -> None:
    def value(labels: Mapping[str, str], seed: int) -> dict[str, float | None] | None:
        return None if labels["rate"] == "8 Mbit/s" else lossy(labels, seed)

    spec = figure(reported.made(value), "loss")
    missing = [row for row in spec["data"]["values"] if row["x"] == 8.0]
    assert missing
    assert all(row["mean"] is None and row["n"] == 0 for row in missing)
    assert "mark-line" in vl_convert.vegalite_to_svg(spec)


def test_loss_over_decades_offers_a_logarithmic_axis_with_zero() -> None:
    def value(labels: Mapping[str, str], seed: int) -> dict[str, float | None]:
        rate = parse(labels["rate"])
        assert rate is not None
        return {"loss": 0.0 if labels["scheme"] == "pause" else 10.0 ** (rate.value / 2e6 - 6)}

    spec = figure(reported.made(value), "loss")
    offered = spec["usermeta"]["backwater"]["scales"]
    # Loss is 0.01 %, 1 % and 10 %.
    assert offered["logarithmic"]["axis"]["values"] == [0.0, 0.01, 0.1, 1.0, 10.0]
    view(spec)["encoding"]["y"] |= offered["logarithmic"]
    assert "symlog scale" in vl_convert.vegalite_to_svg(spec)


def test_loss_of_one_size_offers_no_other_axis() -> None:
    spec = figure(reported.made(lossy), "loss")
    assert list(spec["usermeta"]["backwater"]["scales"]) == ["linear"]


def test_negative_values_are_in_view() -> None:
    results = reported.made(lambda labels, seed: {"loss": -4.5, "delay_mean_s": 1.0})
    spec = figure(results, "loss")
    assert spec["usermeta"]["backwater"]["scales"] == {
        "linear": {"scale": {"zero": False}, "axis": {}}
    }


def test_an_axis_that_is_not_named_is_chosen_or_becomes_panels() -> None:
    results = reported.made(lambda labels, seed: {"loss": 0.1, "delay_mean_s": 1.0})
    spec = figure(results, "delay")
    assert [param["bind"]["options"] for param in spec["params"]] == [["6 kB", "48 kB"]]
    assert spec["params"][0]["value"] == "48 kB"
    panels = figure(results, "slow")["facet"]["sort"]
    assert panels == ["none", "pause"]


def test_a_value_has_one_colour_in_all_figures(ran: Results) -> None:
    colours = plot.colours_of(ran, ("burst",))
    scale = view(figure(ran, "loss"))["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True)) == colours
    assert len(set(colours.values())) == len(colours)


def test_values_shown_together_differ_in_colour_where_there_are_enough() -> None:
    """Of ten values the first and the ninth have one colour; in a figure of five they differ."""
    every = {str(n): COLOURS[n % len(COLOURS)] for n in range(10)}
    shown = ["0", "1", "2", "4", "8"]
    found = distinct(shown, every)
    assert len(set(found.values())) == len(shown)
    assert [found[one] for one in shown[:4]] == [every[one] for one in shown[:4]]
    assert len(set(distinct(list(every), every).values())) == len(COLOURS)


def test_a_tooltip_lists_every_curve_with_its_interval() -> None:
    rows = figure(reported.made(lossy), "loss")["data"]["values"]
    listed = [row for row in rows if "c0" in row]
    assert len(listed) == len(RATES)
    assert listed[0]["c0"] == "2 %  [0, 4.48]  n = 3"
    assert listed[0]["c1"] == "2 %  [0, 4.48]  n = 3"


def test_delay_is_taken_apart_where_its_parts_exist(ran: Results) -> None:
    parts = plot.delay_figure(ran)
    assert parts is not None
    rows = plot.spec(ran, parts)["data"]["values"]
    assert {row["part"] for row in rows} == {
        "Serialisation",
        "Waiting in queues",
        "Behind closed gates",
        "Propagation",
    }
    whole = figure(ran, "delay")["data"]["values"]
    for row in whole:
        inside = [
            part["mean"]
            for part in rows
            if (part["x"], part["panel"], part["chosen_0"])
            == (row["x"], row["curve"], row["chosen_0"])
        ]
        assert sum(inside) == pytest.approx(row["mean"], rel=1e-9)
    assert plot.delay_figure(reported.made(lossy)) is None


def test_drops_are_added_over_the_places_a_scope_names(ran: Results) -> None:
    dropped = plot.points(ran, "dropped_pkts", "drops:*")
    entered = plot.points(ran, "entered_pkts")
    lost = plot.points(ran, "loss")
    assert any(point.mean for point in dropped)
    for some, all_, share in zip(dropped, entered, lost, strict=True):
        assert some.mean is not None
        assert all_.mean is not None
        if share.mean == 0:
            assert some.mean == 0
        else:
            # Loss is a share in each seed, so means agree only about as well as seeds do.
            assert some.mean / all_.mean == pytest.approx(share.mean, rel=0.1)


def test_a_figure_outside_the_quick_set_is_refused(tmp_path: Path) -> None:
    quick = reported.run(tmp_path / "small", quick=True)
    with pytest.raises(FigureError):
        figure(quick, "slow")


def test_figures_are_files_named_after_study_and_figure(ran: Results, tmp_path: Path) -> None:
    written = report.figures(ran, tmp_path / "figures", ["svg", "png", "pdf"])
    names = {path.name for path in written}
    for described in (*(f.id for f in ran.study.figures), "delay-parts"):
        assert {f"small-{described}.{end}" for end in ("svg", "png", "pdf")} <= names
    assert "small-topology.svg" in names
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    for path in written:
        assert path.read_bytes().startswith(starts[path.suffix]), path


def test_long_labels_of_a_ranking_leave_room_for_its_title() -> None:
    long = "no control at all: a switch loses what its buffers have no room for"
    values = ", ".join(
        f'{{ label = "{label}", set = {{ "mechanisms.bp.recipe" = "{recipe}" }} }}'
        for label, recipe in ((long, "none"), ("PAUSE", "pause"))
    )
    written = '{ path = "mechanisms.bp.recipe", values = ["none", "pause"] }'
    block = reported.BLOCK.split("[claims.c1]")[0].replace(written, f"{{ values = [{values}] }}")
    results = reported.made(lambda labels, seed: {"loss": 0.01 * seed}, block, "{{figure ranked}}")
    svg = vl_convert.vegalite_to_svg(figure(results, "ranked"))
    place = re.search(r"translate\((-[\d.]+),[\d.]+\) rotate\(-90\)[^>]*>Scheme · Burst", svg)
    assert place is not None
    # At 12 points a letter is about 5.5 wide in the mean.
    assert float(place.group(1)) < -5 * len(f"{long} · 48 kB")


def test_a_ranking_shows_the_lowest_and_the_highest_of_each_panel(ran: Results) -> None:
    described = next(f for f in ran.study.figures if f.id == "ranked")
    every = plot.spec(ran, described)["data"]["values"]
    kept = plot.spec(ran, replace(described, ends=1))["data"]["values"]
    where = {row.get("panel") for row in every}
    for panel in where:
        means = sorted(row["mean"] for row in every if row.get("panel") == panel)
        shown = [row["mean"] for row in kept if row.get("panel") == panel]
        assert sorted(shown) == [means[0], means[-1]]


def test_ticks_are_plain_numbers() -> None:
    rates = '["10 Mbit/s", "4 Mbit/s", "8 Mbit/s"]'
    block = reported.BLOCK.replace(rates, '["300 Mbit/s", "350 Mbit/s", "600 Mbit/s"]')
    block = block.replace('["4 Mbit/s", "8 Mbit/s"]', '["300 Mbit/s"]')
    block = block.split("[claims.c1]")[0].replace("8 Mbit/s", "300 Mbit/s")
    results = reported.made(
        lambda labels, seed: {"loss": 0.3 if labels["burst"] == "6 kB" else 0.0001},
        block.replace('rate = "10 Mbit/s"', 'rate = "300 Mbit/s"'),
        "{{figure loss}}",
    )
    spec = figure(results, "loss")
    view(spec)["encoding"]["y"] |= spec["usermeta"]["backwater"]["scales"]["logarithmic"]
    ticks = re.findall(r">([^<>]+)</text>", vl_convert.vegalite_to_svg(spec))
    assert {"300", "350", "600", "10", "1", "0.1", "0.01", "0"} <= set(ticks)
    assert not [tick for tick in ticks if re.fullmatch(r"[\d.]+e.*", tick)]


def test_figures_that_are_compared_share_one_scale() -> None:
    def value(labels: Mapping[str, str], seed: int) -> dict[str, float | None]:
        return {"loss": 0.4 if labels["burst"] == "48 kB" else 0.001}

    block = reported.BLOCK.replace(
        "figures.delay",
        'figures.small = { x = "rate", y = "loss", where = { burst = "6 kB", scheme = "none" } }\n'
        "figures.delay",
    )
    results = reported.made(value, block)
    ends = [
        view(figure(results, name))["encoding"]["y"]["scale"]["domain"]
        for name in ("loss", "small")
    ]
    assert ends[0] == ends[1] == [0, 40.0]
    own = block.replace(
        'y = "loss", where = { burst', 'y = "loss", own_scale = true, where = { burst'
    )
    alone = view(figure(reported.made(value, own), "small"))["encoding"]["y"]
    assert "domain" not in alone["scale"]


def test_the_bounds_of_claims_are_drawn_in() -> None:
    """c1 measures something else; bounds far above all values are told."""
    block = (
        reported.BLOCK
        + """
[claims.c103]
says = "With 48 kB and without control at most 3 % are lost from 8 Mbit/s on."
metric = "loss"
where = { scheme = "none", burst = "48 kB", rate = ["8 Mbit/s", "10 Mbit/s"] }
at_most = 0.03

[claims.c104]
says = "Never more than 90 %."
metric = "loss"
at_most = 0.9

[claims.c105]
says = "With 48 kB and without control 1 to 3 % are lost at 10 Mbit/s."
metric = "loss"
where = { scheme = "none", burst = "48 kB", rate = "10 Mbit/s" }
within = [0.01, 0.03]
"""
    )
    spec = figure(reported.made(lossy, block), "loss")
    drawn = [row for row in spec["data"]["values"] if "edge" in row]
    assert {(row["x"], row["edge"], row["curve"], row["claim"]) for row in drawn} == {
        (8.0, 3.0, "48 kB", "c103 ≤"),
        (10.0, 3.0, "48 kB", "c103 ≤"),
        (10.0, 1.0, "48 kB", "c105 ≥"),
        (10.0, 3.0, "48 kB", "c105 ≤"),
    }
    assert "Beyond the scale: c2 ≤ 20 %, c101 ≤ 10 %, c104 ≤ 90 %." in told(spec)
    assert "Dashes are bounds of claims: c103 ≤ 3 %, c105 1 to 3 %." in told(spec)


def test_curves_on_each_other_are_told_apart() -> None:
    spec = figure(reported.made(lossy), "loss")
    assert "On each other: 6 kB and 48 kB." in told(spec)
    line = view(spec)["layer"][2]["encoding"]
    assert line["strokeDash"]["field"] == line["strokeWidth"]["field"] == "level"
    levels = {row["curve"]: row["level"] for row in spec["data"]["values"]}
    assert levels == {"6 kB": 0, "48 kB": 1}
    apart = figure(
        reported.made(lambda labels, seed: {"loss": 0.1 if labels["burst"] == "6 kB" else 0.2}),
        "loss",
    )
    assert "On each other" not in told(apart)
    assert "strokeDash" not in view(apart)["layer"][2]["encoding"]


def test_more_than_four_curves_that_cross_are_small_multiples() -> None:
    bursts = ["6 kB", "12 kB", "24 kB", "48 kB", "96 kB"]
    many = (
        'figures.many = { x = "rate", y = "delay_mean_s", curve = "burst", where.scheme = "none" }'
    )

    def spec(values: list[str], sign: int) -> dict[str, Any]:
        """Delays rise with the burst at 4 Mbit/s, and elsewhere by `sign`."""
        block = reported.BLOCK.replace('["6 kB", "48 kB"]', json.dumps(values))
        block = block.replace("figures.slow =", f"{many}\nfigures.slow =")
        return figure(
            reported.made(
                lambda labels, seed: {
                    "loss": 0.0,
                    "delay_mean_s": 1.0
                    + 0.1
                    * values.index(labels["burst"])
                    * (1 if labels["rate"] == "4 Mbit/s" else sign),
                },
                block,
            ),
            "many",
        )

    assert spec(bursts, -1)["facet"]["sort"] == bursts
    # None crosses another; or four do, which one panel can show.
    assert "facet" not in spec(bursts, 1)
    assert "facet" not in spec(bursts[:4], -1)


def test_a_study_names_its_scopes() -> None:
    block = 'names = { "flow:f1" = "video" }\n' + reported.BLOCK.replace(
        'figures.delay = { x = "rate", y = "delay_mean_s"',
        'figures.delay = { x = "rate", y = "delay_mean_s", scope = "flow:f1"',
    )
    made = reported.made(lambda labels, seed: {"loss": 0.1, "delay_mean_s": 1.0}, block)
    assert made.study.names == {"flow:f1": "video"}
    assert metric_title("delay_mean_s", "flow:f1", made.study.names) == "Mean delay, video"
    assert metric_title("loss_class1", "run", {"class:1": "video"}) == "Packet loss, video"


def test_bars_two_orders_of_magnitude_apart_offer_a_logarithmic_axis() -> None:
    results = reported.made(
        lambda labels, seed: {"goodput_bps": 1e8 if labels["scheme"] == "none" else 1e6}
    )
    assert list(figure(results, "bars")["usermeta"]["backwater"]["scales"]) == [
        "linear",
        "logarithmic",
    ]


def test_names_that_are_thinned_out_can_be_drawn_at_the_width_of_a_column() -> None:
    spec = figure(reported.made(lossy), "bars")
    names = [f"a name of many letters, number {number}" for number in range(40)]
    x = next(
        one["encoding"]["x"]
        for one in (view(spec), *view(spec).get("layer", ()))
        if "x" in one.get("encoding", {})
    )
    x["type"], x["sort"] = "nominal", names
    x.setdefault("axis", {})
    drawn = chart_file.drawn(spec, "svg", 300.0)
    assert b"<svg" in drawn
