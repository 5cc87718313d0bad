"""Which way is better, as an arrow behind the title of an axis.

The title of a y axis is turned, so that its text runs upward: there → points up and ← down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from backwater.verdict.compare import MORE_IS_BETTER

MORE, LESS = "better →", "← better"
# Queues, windows, counts of notices and the like are good or bad only for a purpose.
_LESS = re.compile(
    r"(?:.*_)?(?:delay|loss|age|rtt|srtt|fct|slowdown|convergence|filled|dropped|starved)(?:_.*)?"
    r"|self_inflicted_s|deadlocks|goodput_variation|collision|retransmitted_pkts"
)


def better(metrics: Sequence[str]) -> str | None:
    """The words behind the title of an axis with these metrics; None where neither is better."""
    ways = {_of(metric) for metric in metrics}
    return ways.pop() if len(ways) == 1 else None


def _of(metric: str) -> str | None:
    if metric.endswith(MORE_IS_BETTER) or metric.startswith("jain"):
        return MORE
    return LESS if _LESS.fullmatch(metric) else None


def tell(node: Any, channel: str, title: str, words: str) -> None:
    """Puts the words behind the title of an axis, wherever the view names it."""
    for one in node if isinstance(node, list) else ():
        tell(one, channel, title, words)
    if not isinstance(node, dict):
        return
    axis = node.get(channel)
    if isinstance(axis, dict) and axis.get("title") == title:
        axis["title"] = f"{words} · {title}" if words == LESS else f"{title} · {words}"
    for one in node.values():
        tell(one, channel, title, words)
