"""Figures of a study as Vega-Lite specifications.

`spec(results, figure)` turns a figure's description (x, y, curve, panel, where) and the results
into one dictionary. The report shows it interactively; `backwater report --figures` renders the
same one to SVG, PNG or PDF. Bands and bars are 95 % confidence intervals over the seeds.
"""

from backwater.present.plot.claims_drawn import Claims
from backwater.present.plot.encoding import COLOURS, colours_of
from backwater.present.plot.points import Point, anchor, axis_title, in_order, points, values
from backwater.present.plot.together import ZERO
from backwater.present.plot.vega import DELAY_PARTS, FigureError, delay_figure, spec

__all__ = [
    "COLOURS",
    "DELAY_PARTS",
    "ZERO",
    "Claims",
    "FigureError",
    "Point",
    "anchor",
    "axis_title",
    "colours_of",
    "delay_figure",
    "in_order",
    "points",
    "spec",
    "values",
]
