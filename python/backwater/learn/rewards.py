"""Scores of an interval.

`aurora` is PCC-RL's, `genet` Genet's, `mvfst` and `mvfst-linear` those of mvfst-rl, `sage-alone`
and `sage-shared` those of Sage, `power` throughput over delay, each relative to the path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from backwater.errors import Refusal
from backwater.learn.features import BITS, Seen
from backwater.learn.worlds import Floats

MB = BITS / 8 / 1e6


@dataclass(frozen=True)
class Known:
    """Of each agent's path: packets a second, the least round trip, and how many share it."""

    capacity_pps: Floats
    least_rtt_s: Floats
    flows: int = 1


Reward = Callable[[Seen, Known], Floats]


def aurora(seen: Seen, _: Known) -> Floats:
    """0.001 (10 packets a second - 1000 s - 2000 of loss)."""
    return 0.001 * (10.0 * seen.recv_pps - 1000.0 * seen.latency - 2000.0 * seen.loss)


def genet(seen: Seen, known: Known) -> Floats:
    """500 of the capacity - 1000 s - 2000 of loss."""
    share = seen.recv_pps / known.capacity_pps
    return 500.0 * share - 1000.0 * seen.latency - 2000.0 * seen.loss


def _above_least_ms(seen: Seen) -> Floats:
    return 1000.0 * np.maximum(seen.longest - seen.shortest, 0.0)


def mvfst(seen: Seen, _: Known) -> Floats:
    """Logarithm of MB/s - 0.2 of that of the largest delay above the least round trip in ms."""
    rate = seen.acked / np.maximum(seen.dt, 1e-12) * MB
    return np.log(1e-5 + rate) - 0.2 * np.log(1e-5 + _above_least_ms(seen))


def mvfst_linear(seen: Seen, _: Known) -> Floats:
    """0.1 MB/s - 0.01 ms of the same delay."""
    return 0.1 * seen.acked / np.maximum(seen.dt, 1e-12) * MB - 0.01 * _above_least_ms(seen)


def sage_alone(seen: Seen, known: Known) -> Floats:
    """25 (rate - 2 loss)^2 of the capacity's, times the least round trip over the present one.

    That ratio counts as 1 from 0.8 on, and a rate above the capacity as 0.9 of it.
    """
    most = known.capacity_pps
    rate = seen.acked / np.maximum(seen.dt, 1e-12)
    rate = np.where(rate > most, 0.9 * most, rate)
    net = rate - 2.0 * seen.lost / np.maximum(seen.dt, 1e-12)
    ratio = known.least_rtt_s / np.maximum(seen.latency, 1e-12)
    ratio = np.where(ratio >= 0.8, 1.0, ratio)
    return np.sign(net) * 25.0 * (net / most) ** 2 * ratio


def sage_shared(seen: Seen, known: Known) -> Floats:
    """25 exp(-8 (x - 1)^2), x the rate over 0.95 of a fair share, at most 2."""
    fair = 0.95 * known.capacity_pps / known.flows
    x = np.minimum(seen.acked / np.maximum(seen.dt, 1e-12) / fair, 2.0)
    return 25.0 * np.exp(-8.0 * (x - 1.0) ** 2)


def power(seen: Seen, known: Known) -> Floats:
    """The share of the capacity times the least round trip over the present one."""
    rate = seen.acked / np.maximum(seen.dt, 1e-12) / known.capacity_pps
    return rate * np.minimum(known.least_rtt_s / np.maximum(seen.latency, 1e-12), 1.0)


REWARDS: dict[str, Reward] = {
    "aurora": aurora,
    "genet": genet,
    "mvfst": mvfst,
    "mvfst-linear": mvfst_linear,
    "sage-alone": sage_alone,
    "sage-shared": sage_shared,
    "power": power,
}
NEED_CAPACITY = ("genet", "sage-alone", "sage-shared", "power")


def reward(what: str | Reward) -> Reward:
    """A reward by its name, or a function of `Seen` and `Known`."""
    if callable(what):
        return what
    if what not in REWARDS:
        raise Refusal(
            f"there is no reward `{what}`",
            place="reward",
            nearest=list(REWARDS),
            fix=f"write one of {', '.join(REWARDS)}, or give a function of (seen, known)",
        )
    return REWARDS[what]
