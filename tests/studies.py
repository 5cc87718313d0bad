"""Texts of studies and scenarios for the tests."""

from __future__ import annotations

SCENARIO = """\
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host", obeys = false }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "50 kB" }
ports."W>S" = { buffer = "500 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"], detect = { high = "80 %", low = "70 %" } }
[flows.f1]
from = "S"
to = "D"
source = { kind = "uniform-uniform", burst = "48 kB", rate = "8 Mbit/s" }
"""

BLOCK = """\
study = { id = "small", title = "A small study", source = "S2 A.1", seeds = 4 }
quick = { seeds = 2, duration = "1 s", axes.rate = ["4 Mbit/s", "8 Mbit/s"] }
axes.scheme = { path = "mechanisms.bp.recipe", values = ["none", "pause"] }
axes.rate = { path = "flows.*.source.rate", values = ["4 Mbit/s", "6 Mbit/s", "8 Mbit/s"] }
figures.loss = { title = "Loss", x = "rate", y = "loss", curve = "scheme" }

[claims.c1]
says = "Without control loss rises with the rate."
kind = "published"
quoted = "slide 3"
strength = "shape"
metric = "loss"
where = { scheme = "none" }
reduce = "increasing"
along = "rate"
at_least = 0.5
"""


def markdown(block: str = BLOCK, scenario: str = SCENARIO, prose: str = "Prose.") -> str:
    """A study's text."""
    return f"# Small\n\n{prose}\n\n```toml study\n{block}```\n\n```toml scenario\n{scenario}```\n"
