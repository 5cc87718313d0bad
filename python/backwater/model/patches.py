"""Changes of a world as numbers, which cost a small part of a change of its scenario.

    small = world.fork(patches=[("buffer", "L>R", 20)])          # packets
    world.fork(patches=[("rate", "L-R", 5_000_000)])      # bit/s
    world.fork(patches=[("delay", "L-R", 20 * 10**9)])    # ps
    world.fork(patches=[("opportunities", "S>R", at_ms)])        # since the run began
    world.fork(patches=[("rates", "S>R", at_ms, bps)])
    world.fork(patches=[("schedule", "S>R~schedule", at_ms, delay_us, None)])

The `scenario` in the document of such a fork is that of its parent; its `lineage` has the patches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backwater.errors import Refusal
from backwater.model import arguments

# How many values follow the place: a number, or lists of numbers.
VALUES = {"buffer": 1, "rate": 1, "delay": 1, "opportunities": 1, "rates": 2, "schedule": 3}


def made(written: Sequence[Any]) -> tuple[Any, ...]:
    """A patch as the engine takes it."""
    what = written[0] if written else None
    if isinstance(written, str) or what not in VALUES:
        known = ", ".join(VALUES)
        raise Refusal(f"{written!r} is no change", place="patches", fix=f"name one of {known}")
    if len(written) != 2 + VALUES[what] or not isinstance(written[1], str):
        raise Refusal(
            f"`{what}` has a place and {VALUES[what]} more values",
            place="patches",
            fix="write as the documentation of `backwater.model.patches` shows",
        )
    return (what, written[1], *(_value(what, one) for one in written[2:]))


def listed(patch: tuple[Any, ...]) -> list[Any]:
    """A patch as a lineage has it."""
    return [one.tolist() if isinstance(one, np.ndarray) else one for one in patch]


def _value(what: str, value: Any) -> Any:
    if what in ("buffer", "rate", "delay"):
        return arguments.whole(value, f"patches {what}", 0, arguments.MOST_SEED)
    if value is None and what == "schedule":
        return None
    array = np.asarray(value)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise Refusal(
            f"`{what}` takes lists of whole numbers from 0 on",
            place="patches",
            fix="give a list or a NumPy array of integers",
        )
    return np.ascontiguousarray(array, dtype=np.uint64)
