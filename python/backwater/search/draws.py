"""Random draws that are keyed by what they are for."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream keyed by a seed and names.

    Only `random()` of the generator is used: its values are promised to stay the same.
    """

    def __init__(self, seed: int, *key: object) -> None:
        text = "/".join(str(part) for part in (seed, *key))
        digest = hashlib.sha256(text.encode()).digest()
        # Uniform on [0, 1).
        self.unit: Callable[[], float] = random.Random(int.from_bytes(digest, "big")).random

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1."""
        return int(self.unit() * count)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def spread(self, half: float) -> float:
        """Uniform on (-half, half)."""
        return (2 * self.unit() - 1) * half

    def choice(self, of: Sequence[T]) -> T:
        """One of several."""
        return of[self.below(len(of))]
