"""Each figure of each shipped study has pixels of its marks, over metrics that are invented."""

from __future__ import annotations

import pytest
import vl_convert

import drawn
import invented
from backwater.present import plot
from backwater.study.definition import shipped
from backwater.study.runnable import Study

# Their figures have no case in the quick set that stands for the study here.
NOT_QUICK = 12


@pytest.mark.long
def test_each_figure_of_each_study_has_pixels_of_its_marks() -> None:
    blank, seen, absent = [], 0, []
    for name in sorted(shipped()):
        results = invented.Invented(Study.load(name))
        for figure in results.study.figures:
            try:
                made = plot.spec(results, figure)
            except plot.FigureError:
                absent.append(f"{name} {figure.id}")
                continue
            without = drawn.without_pixels(vl_convert.vegalite_to_svg(made), figure.kind)
            blank += [f"{name} {figure.id}: {one}" for one in without]
            seen += 1
    assert blank == []
    assert seen > 400
    assert len(absent) <= NOT_QUICK, absent


@pytest.mark.parametrize(("scale", "blank"), [("log", True), ("symlog", False)])
def test_bars_that_vanish_on_a_logarithmic_axis_are_noticed(scale: str, blank: bool) -> None:
    results = invented.Invented(Study.load("cell-aimd"))
    figure = next(one for one in results.study.figures if one.kind == "bars")
    made = plot.spec(results, figure)
    view = made.get("spec", made)
    along = next(one for one in ("x", "y") if view["encoding"][one]["field"] == "mean")
    view["encoding"][along]["scale"] = {"type": scale}
    # A bar begins at zero, and zero has no place on a logarithmic axis; its interval has.
    drawn_as = next(one for one in view["layer"] if one["mark"]["type"] in ("bar", "point"))
    drawn_as["mark"] = {"type": "bar"}
    svg = vl_convert.vegalite_to_svg(made)
    assert drawn.marks(svg) > 0
    assert bool(drawn.without_pixels(svg, figure.kind)) == blank
