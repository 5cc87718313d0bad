"""Everything that people look at.

`tabular` fits tables to the width of a terminal, `run` has the tables and curves of one run, and
`display` is what notebooks show. `plot` turns figures of a study into Vega-Lite specifications and
`topology` draws the network of a scenario as SVG. `report` puts both, the claims and the prose on
one HTML page. `chart_file` writes a chart for papers, and `svg_fonts` puts the fonts into it.
`viewer` is the page that replays a run, and `live` the page that follows one. `numbers` has the
units, titles and digits of all of them.
"""
