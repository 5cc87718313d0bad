"""Which mechanisms work at an access point whose buffer is filled over a wire.

A notice there has to reach the switch as well as the stations. Whether it can is said when a world
is built, so each combination that works over the air is built.
"""

from __future__ import annotations

import json
from pathlib import Path

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model import scenario
from backwater.tools import catalogue

NETWORK = Path(__file__).with_suffix(".toml")
AT_THE_ACCESS_POINT = ("P",)
# Ports of the switch as well.
EVERYWHERE = ("*",)

Parts = tuple[str, str, str]


def refused(parts: Parts, at: tuple[str, ...]) -> Refusal | None:
    """Why a combination can't watch these places; None where it works."""
    detect, notify, respond = (f'{{ kind = "{part}" }}' for part in parts)
    places = ", ".join(f'"{one}"' for one in at)
    mechanism = f"at = [{places}], detect = {detect}, notify = {notify}, respond = {respond}"
    try:
        with refusing():
            text = NETWORK.read_text(encoding="utf-8")
            read, _ = scenario.read(f"{text}\n[mechanisms]\nm = {{ {mechanism} }}\n")
            read.resolve(None).mechanisms()
    except Refusal as refusal:
        return refusal
    return None


def over_the_air() -> list[Parts]:
    """The combinations that work at stations with frames of their own, of parts without options."""
    needy = {
        row["id"]
        for kind in ("detectors", "notifiers", "responders")
        for row in catalogue.rows(kind)
        if any(option["required"] for option in row["options"])
    }
    return [
        parts
        for row in json.loads(_native.legal())
        if row["works"] and (row["medium"], row["carrier"]) == ("802.11", "management frame")
        if not needy.intersection(parts := (row["detect"], row["notify"], row["respond"]))
    ]
