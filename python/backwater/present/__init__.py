"""What people look at.

`plot` turns figures of a study into Vega-Lite specifications and `topology` draws the network of a
scenario as SVG. `report` puts both, the claims and the prose on one HTML page. `numbers` has the
units, titles and digits of all of them.
"""
