"""Which controllers and spreaders work with which repair of losses.

Whether they do is said when a scenario is read, so each combination is read. What a controller
hears is up to the queues on the way: the network here has all that any of them hears.
"""

from __future__ import annotations

import sys
from pathlib import Path
from string import Template
from typing import Any

from backwater.errors import Refusal, refusing
from backwater.model import scenario
from backwater.tools import catalogue

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
# Repairs of losses by the heads of their columns.
REPAIRS: dict[str, str] = _DATA["repairs"]
PLAIN: str = _DATA["plain"]


def controllers() -> list[str]:
    """Every controller of the tables."""
    return [row["id"] for row in catalogue.rows("controllers") if row["id"] not in _DATA["own"]]


def spreaders() -> list[str]:
    """Every spreader."""
    return [row["id"] for row in catalogue.rows("spreaders")]


def written(repair: str, controller: str, spreader: str | None) -> str:
    """The scenario of a combination."""
    row = next(row for row in catalogue.rows("controllers") if row["id"] == controller)
    # A round trip that is not measured, so that what changes is the controller's answer.
    names = [o["name"] for o in row["options"] if o["required"] or o["name"] == "base_rtt"]
    stamp = _DATA["stamps"].get(controller, controller)
    stamps = [row["id"] for row in catalogue.rows("stamps")]
    return Template(_DATA["network"]).substitute(
        stamp=f', stamp = {{ kind = "{stamp}" }}' if stamp in stamps else "",
        queue=_DATA["queues"].get(controller, ""),
        repair=REPAIRS[repair],
        spread="" if spreader is None else f'spread = {{ kind = "{spreader}" }},',
        controller=controller,
        options="".join(f", {name} = {_DATA['options'][name]}" for name in names),
    )


def refused(repair: str, controller: str = PLAIN, spreader: str | None = None) -> Refusal | None:
    """Why a combination is refused; None where it works."""
    try:
        with refusing():
            read, _ = scenario.read(written(repair, controller, spreader))
            read.resolve(None).mechanisms()
    except Refusal as refusal:
        return refusal
    return None
