"""The stamps that belong to senders of explicit feedback, where a tool makes the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# At the port of a wire, whose line rate is the capacity.
ON_WIRES: Mapping[str, Mapping[str, Any]] = {
    "xcp": {"kind": "xcp"},
    "rcp": {"kind": "rcp"},
    "acp": {"kind": "acp"},
    "vcp": {"kind": "vcp"},
    "abc": {"kind": "abc"},
    # The published g = 0.99 winds up (`wlan-gain`).
    "iacp": {"kind": "iacp", "g": 0.5, "buffer": "50 packets"},
}

# At a trace link, where nobody knows a capacity beforehand.
ON_TRACES: Mapping[str, Mapping[str, Any]] = {
    "xcp": {"kind": "xcp", "variant": "wireless"},
    "abc": ON_WIRES["abc"],
    "iacp": ON_WIRES["iacp"],
}

# Senders whose stamps need one.
NEED_CAPACITY = tuple(name for name in ON_WIRES if name not in ON_TRACES)
