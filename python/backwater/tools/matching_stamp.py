"""The stamp that belongs to a sender of explicit feedback, where a tool makes the scenario.

Sender and stamp have one identifier; what the stamp can be told is in its row.
"""

from __future__ import annotations

from typing import Any

from backwater.model.tables import tables

# A buffer that counts packets; and half of it as set point, because the published share winds up.
KNOWN = {"buffer": "50 packets", "g": 0.5}
# The form that measures what a link could carry.
MEASURING = "wireless"


def on_wire(controller: str) -> dict[str, Any] | None:
    """At a port whose line rate is the capacity; None where the sender has no stamp."""
    options = _options(controller)
    if options is None:
        return None
    return {"kind": controller, **{name: KNOWN[name] for name in KNOWN if name in options}}


def on_trace(controller: str) -> dict[str, Any] | None:
    """At a trace link, where nobody knows a capacity beforehand."""
    options, stamp = _options(controller), on_wire(controller)
    if options is None or stamp is None or needs_capacity(controller):
        return None
    return stamp | ({"variant": MEASURING} if _measures(options) else {})


def needs_capacity(controller: str) -> bool:
    """Whether every form of its stamp needs a capacity."""
    options = _options(controller) or {}
    return "capacity" in options and not _measures(options)


def _measures(options: dict[str, Any]) -> bool:
    return MEASURING in (options.get("variant", {}).get("values") or ())


def _options(controller: str) -> dict[str, Any] | None:
    """The options of the stamp with this identifier; none of a class of a person's own."""
    for row in tables()["stamps"]:
        if row["id"] == controller and not any(one["required"] for one in row["options"]):
            return {one["name"]: one for one in row["options"]}
    return None
