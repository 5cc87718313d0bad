"""Random draws that are keyed by what they are for.

`Draws(seed, *key)` is a stream: that of `random.Random` for the SHA-256 of the seed and the key,
written one after the other with `/` between them. `unit` is uniform on [0, 1), `below(count)` a
whole number from 0 to count - 1, `between(low, high)` one with both ends, `choice(of)` one of
several.
"""

from __future__ import annotations

from backwater._native import Draws

__all__ = ["Draws"]
