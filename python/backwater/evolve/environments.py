"""The paths of a suite: five strata, drawn from a public number or from a secret."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backwater.search import settings

STRATA = ("steady", "shallow", "deep", "lossy", "steps")
SUITES = ("internet-1",)
PACKET, WIRE, PAYLOAD = 1500, 1538, 1448
# Bytes of an opportunity of a trace.
OPPORTUNITY = 1504


@dataclass(frozen=True)
class Environment:
    """A path with one flow `f`."""

    stratum: str
    rate_bps: int
    rtt_ms: float
    queue_bdp: float
    loss: float
    every_s: float
    seed: int
    # Of the steps, over the rate.
    shares: tuple[float, ...] = ()

    @property
    def best_bps(self) -> float:
        """The goodput of a sender that knows everything."""
        if self.shares:
            mean = sum(self.shares) / len(self.shares)
            return self.rate_bps * mean * PAYLOAD / OPPORTUNITY
        return self.rate_bps * (1.0 - self.loss) * PAYLOAD / WIRE

    @property
    def queue(self) -> int:
        """Packets that the queue holds."""
        return max(4, round(self.queue_bdp * self.rate_bps * self.rtt_ms / 1000 / 8 / PACKET))

    def scaled(self, rate: float, rtt: float) -> Environment:
        """The same path with another rate and round trip; the queue stays the same in products."""
        return Environment(
            self.stratum,
            round(self.rate_bps * rate),
            self.rtt_ms * rtt,
            self.queue_bdp,
            self.loss,
            self.every_s * rtt,
            self.seed,
            self.shares,
        )

    def scenario(self, controller: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """A run of a controller on it."""
        half = {"kind": "delay", "delay": f"{self.rtt_ms / 2:.6f} ms"}
        boxes: list[dict[str, Any]] = [half]
        if self.loss:
            boxes.append({"kind": "loss", "share": f"{100 * self.loss:.6f} %"})
        down: dict[str, Any] = {"rate": f"{self.rate_bps} bit/s", "delay": "0 s"}
        if self.shares:
            each = max(1, round(1000 * self.every_s))
            at_ms = list(range(0, round(1000 * seconds), each)) or [0]
            rates = [
                max(1000, round(self.rate_bps * self.shares[i % len(self.shares)]))
                for i in range(len(at_ms))
            ]
            trace = {
                "kind": "rates",
                "at_ms": settings.packed(at_ms),
                "rate_bps": settings.packed(rates),
            }
            down = {"kind": "trace", "trace": trace}
        wire = {"rate": "10 Gbit/s", "delay": "0 s"}
        return {
            "schema": "backwater/scenario/1",
            "seed": self.seed,
            "duration": f"{seconds:g} s",
            "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
            "links": {
                "down": {"from": "S", "to": "R", **down, "boxes": boxes},
                "up": {"from": "R", "to": "S", **wire, "boxes": [half]},
            },
            "ports": {"S>R": {"buffer": f"{self.queue} packets"}},
            "flows": {
                "f": {
                    "from": "S",
                    "to": "R",
                    "transport": "tcp",
                    "controller": dict(controller),
                    "source": settings.endless(),
                }
            },
        }


def draw(secret: bytes, count: int) -> list[Environment]:
    """So many environments, the strata one by one. Number i depends on the secret and i."""
    return [_one(secret, index) for index in range(count)]


def public(part: str, count: int) -> list[Environment]:
    """Environments that everybody can draw: `train` or `validation`."""
    return draw(f"backwater/{SUITES[0]}/{part}".encode(), count)


class _Units:
    """Uniform draws of a secret and a number (RFC 2104)."""

    def __init__(self, secret: bytes, index: int) -> None:
        self._secret, self._index, self._next = secret, index, 0

    def __call__(self, low: float, high: float) -> float:
        said = f"{self._index}/{self._next}".encode()
        self._next += 1
        digest = hmac.new(self._secret, said, hashlib.sha256).digest()
        return low + (high - low) * (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53

    def log(self, low: float, high: float) -> float:
        """Uniform in the logarithm."""
        return math.exp(self(math.log(low), math.log(high)))


def _one(secret: bytes, index: int) -> Environment:
    units = _Units(secret, index)
    stratum = STRATA[index % len(STRATA)]
    queues = {"shallow": (0.1, 0.5), "deep": (4.0, 16.0)}
    rate, rtt = units.log(1e6, 30e6), units.log(10.0, 200.0)
    queue = units.log(*queues.get(stratum, (0.5, 4.0)))
    loss, every = units.log(0.001, 0.02), units.log(0.5, 5.0)
    shares = tuple(units.log(0.2, 1.0) for _ in range(8))
    seed = int(units(0, 2**31))
    return Environment(
        stratum,
        round(rate),
        rtt,
        queue,
        loss if stratum == "lossy" else 0.0,
        every,
        seed,
        shares if stratum == "steps" else (),
    )
