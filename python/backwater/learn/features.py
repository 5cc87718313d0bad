"""An agent's view of an interval as numbers between bounds: the twelve metrics of PCC-RL.

A packet counts 1500 B. The receiving rate leaves out one packet, and both durations are that of the
interval, as there. An interval without an acknowledgement has rate 0, the latency of the last one
and ratio 1; `idle` tells of it. Values are clipped into their bounds, which PCC-RL's are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backwater.errors import Refusal
from backwater.learn.worlds import COLUMN, Floats

BITS = 1500 * 8

# Name: least and greatest value.
BOUNDS: dict[str, tuple[float, float]] = {
    "send rate": (0.0, 100.0),
    "recv rate": (0.0, 100.0),
    "recv dur": (0.0, 100.0),
    "send dur": (0.0, 100.0),
    "avg latency": (0.0, 100.0),
    "loss ratio": (0.0, 1.0),
    "ack latency inflation": (-1.0, 10.0),
    "sent latency inflation": (-1.0, 10.0),
    "conn min latency": (0.0, 100.0),
    "latency increase": (0.0, 100.0),
    "latency ratio": (1.0, 10_000.0),
    "send ratio": (0.0, 1000.0),
    "idle": (0.0, 1.0),
}
DEFAULT = ("sent latency inflation", "latency ratio", "send ratio")
# Bit/s that count as one in both rates.
SCALE = 1e7


class Seen:
    """Intervals of some agents, a row each: the last axis is `worlds.SEEN`."""

    def __init__(self, seen: Floats) -> None:
        self.dt = _column(seen, "dt_s")
        packet = np.maximum(_column(seen, "mss_B"), 1.0)
        self.acked = _column(seen, "acked_B") / packet
        self.sent = _column(seen, "sent_B") / packet
        self.lost = _column(seen, "lost_B") / packet
        self.latency = _column(seen, "rtt_mean_s")
        self.least = _column(seen, "rtt_least_mean_s")
        self.increase = _column(seen, "rtt_increase_s")
        self.longest = _column(seen, "rtt_max_s")
        self.shortest = _column(seen, "rtt_min_s")
        self.idle = _column(seen, "acks") == 0
        per = 1.0 / np.maximum(self.dt, 1e-12)
        self.recv_pps = np.where(self.idle, 0.0, (self.acked - 1.0) * per)
        self.send_pps = self.sent * per
        told = self.lost + self.acked
        self.loss = np.where(told > 0, self.lost / np.maximum(told, 1e-12), 0.0)
        self._per = per

    def feature(self, name: str) -> Floats:
        """A feature of each row, unclipped."""
        match name:
            case "send rate":
                return self.send_pps * (BITS / SCALE)
            case "recv rate":
                return self.recv_pps * (BITS / SCALE)
            case "recv dur" | "send dur":
                return self.dt
            case "avg latency":
                return self.latency
            case "loss ratio":
                return self.loss
            case "ack latency inflation" | "sent latency inflation":
                return self.increase * self._per
            case "conn min latency":
                return self.least
            case "latency increase":
                return self.increase
            case "latency ratio":
                known = (self.least > 0) & ~self.idle
                return _ratio(self.latency, self.least, known)
            case "send ratio":
                known = (self.recv_pps > 0) & (self.send_pps < 1000.0 * self.recv_pps)
                return _ratio(self.send_pps, self.recv_pps, known)
            case _:
                idle: Floats = self.idle.astype(np.float64)
                return idle


def _ratio(above: Floats, below: Floats, known: NDArray[np.bool_]) -> Floats:
    """Their ratio where it is known, else 1."""
    found: Floats = np.where(known, above / np.where(known, below, 1.0), 1.0)
    return found


def _column(seen: Floats, name: str) -> Floats:
    return np.ascontiguousarray(seen[..., COLUMN[name]])


class Features:
    """Some features, and their history."""

    def __init__(self, names: Sequence[str] = DEFAULT, history: int = 10) -> None:
        for name in names:
            if name not in BOUNDS:
                raise Refusal(
                    f"there is no feature `{name}`",
                    place="features",
                    nearest=[one for one in BOUNDS if one.split()[0] == name.split()[0]],
                    fix=f"write some of {', '.join(BOUNDS)}",
                )
        if not names or history < 1:
            raise Refusal(
                "an observation has no number in it", place="features", fix="give one or more"
            )
        self.names, self.history = tuple(names), history
        self.low = np.array([BOUNDS[name][0] for name in names], dtype=np.float32)
        self.high = np.array([BOUNDS[name][1] for name in names], dtype=np.float32)
        # Of an interval in which nothing happened.
        ratio = [1.0 if name.endswith("ratio") and name != "loss ratio" else 0.0 for name in names]
        self.empty = np.array(ratio, dtype=np.float32)

    @property
    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Least and greatest observation."""
        return np.tile(self.low, self.history), np.tile(self.high, self.history)

    def of(self, seen: Seen) -> NDArray[np.float32]:
        """A row of features for each row."""
        columns = [seen.feature(name).astype(np.float32) for name in self.names]
        return np.clip(np.stack(columns, axis=-1), self.low, self.high)
