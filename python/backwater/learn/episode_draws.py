"""Uniform draws of an episode, keyed by its environment's seed and its number."""

from __future__ import annotations

_MASK = 2**64 - 1


def _mixed(state: int) -> int:
    """A step of SplitMix64 (Steele, Lea and Flood 2014)."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & _MASK
    return state ^ (state >> 31)


class Draws:
    """The draws of episode `number` of an environment that was reset with `seed`."""

    def __init__(self, seed: int, number: int) -> None:
        self._state = _mixed(_mixed(seed & _MASK) + (number + 1) * 0x9E3779B97F4A7C15 & _MASK)

    def whole(self) -> int:
        """A whole number below 2^63, such as a scenario's seed."""
        self._state = self._state + 0x9E3779B97F4A7C15 & _MASK
        return _mixed(self._state) >> 1

    def between(self, low: float, high: float) -> float:
        """Uniform on [low, high)."""
        return low + (high - low) * (self.whole() >> 10) * 2.0**-53
