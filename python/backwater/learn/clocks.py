"""When an agent is asked, from the text that a person writes."""

from __future__ import annotations

import re

from backwater.errors import Refusal
from backwater.learn.worlds import PS_PER_S, Clock
from backwater.model import quantity

_ROUNDS = re.compile(r"(?P<share>\d+(\.\d+)?) rtt")
_ACKS = re.compile(r"(?P<count>\d+) acks?")


def clock(written: str, given_s: float = 0.0, given_steps: int = 1) -> Clock:
    """A clock: "30 ms", "0.5 rtt", "1 round" or "4 acks".

    `rtt` is a share of the mean round trip of the last interval; the first steps take `given_s`. At
    rounds and acknowledgements nothing leaves between the question and the answer, at one instant.
    """
    if written == "1 round":
        return Clock("round", 1.0)
    if (found := _ACKS.fullmatch(written)) and int(found["count"]) > 0:
        return Clock("acks", float(found["count"]))
    if (found := _ROUNDS.fullmatch(written)) and float(found["share"]) > 0:
        return Clock("rtt", float(found["share"]), given_s, given_steps)
    every = quantity.picoseconds(written)
    if every is None or not 0 < every <= 3600 * PS_PER_S:
        raise Refusal(
            f"`{written}` is no clock",
            place="clock",
            fix='write "30 ms", "0.5 rtt", "1 round" or "4 acks"',
        )
    return Clock("every", float(every))
