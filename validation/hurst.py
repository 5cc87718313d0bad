"""Hurst parameters of Pareto bursts at Pareto intervals on a wire, computed apart from the simulator.

Bursts with a truncated Pareto law come at renewal instants (Pareto with shape `alpha`, or exponential), are served by a wire of a
given rate in their order, and the busy share of bins of 10 ms to 81.92 s gives the variance-time plot. Each row is
the mean over four runs of 4000 s: H over the whole range, up to 1.28 s, and from there on.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
DURATION_S = 4000.0
BIN_S = 0.01
OCTAVES = 14
MIDDLE = 7


def least_burst(mean: float, most: float, shape: float) -> float:
    """The least burst that gives this mean, by bisection over the closed form."""
    low, high = 1e-6, 1.0
    for _ in range(100):
        x = (low * high) ** 0.5
        got = x * shape / (shape - 1) * (1 - x ** (shape - 1)) / (1 - x**shape)
        low, high = (x, high) if got < mean / most else (low, x)
    return most * low


def bursts(rng: np.random.Generator, count: int, mean: float) -> Array:
    shape, most = 1.5, 1e6
    least = least_burst(mean, most, shape)
    beyond = (least / most) ** shape
    sizes: Array = least * (beyond + (1 - beyond) * rng.random(count)) ** (-1 / shape)
    return sizes


def instants(rng: np.random.Generator, sources: int, alpha: float | None, mean: float) -> Array:
    """Renewal instants whose first interval is a residual life; `alpha` None: exponential."""
    found: list[Array] = []
    for _ in range(sources):
        count = int(2 * DURATION_S / mean) + 500
        if alpha is None:
            gaps, first = rng.exponential(mean, count), rng.exponential(mean)
        else:
            least = mean * (alpha - 1) / alpha
            gaps = least * rng.random(count) ** (-1 / alpha)
            inside = rng.random() < least / mean
            first = least * (rng.random() if inside else rng.random() ** (-1 / (alpha - 1)))
        times = np.cumsum(np.concatenate([[first], gaps]))
        found.append(times[times < DURATION_S])
    return np.sort(np.concatenate(found))


def busy(times: Array, sizes: Array, rate: float) -> Array:
    """Busy share of each bin of the wire."""
    spans = sizes * 8 / rate
    sums = np.cumsum(spans)
    starts = np.maximum.accumulate(times - (sums - spans)) + sums - spans
    knots = np.stack([starts, starts + spans], axis=1).ravel()
    served = np.stack([sums - spans, sums], axis=1).ravel()
    grid = np.arange(0, DURATION_S + BIN_S / 2, BIN_S)
    return np.diff(np.interp(grid, knots, served)) / BIN_S


def hurst(shares: Array, first: int, last: int) -> float:
    logs = []
    for octave in range(first, last + 1):
        length = 2**octave
        count = len(shares) // length
        logs.append(np.log2(shares[: count * length].reshape(count, length).mean(1).var()))
    return float(1 + np.polyfit(np.arange(len(logs)), logs, 1)[0] / 2)


def main() -> None:
    rng = np.random.default_rng(1)
    laws: list[tuple[str, int, float | None]] = [
        ("1 source, shape 1.3", 1, 1.3),
        ("100 sources, shape 1.5", 100, 1.5),
        ("Poisson", 1, None),
    ]
    points = [(6e3, 1e6, 10e6), (24e3, 2e6, 10e6), (24e3, 6e6, 100e6), (48e3, 8e6, 100e6)]
    for name, sources, alpha in laws:
        for burst, rate, line in points:
            rows = []
            while len(rows) < 4:
                times = instants(rng, sources, alpha, sources * 8 * burst / rate)
                if len(times) == 0:
                    continue
                shares = busy(times, bursts(rng, len(times), burst), line)
                rows.append([hurst(shares, 0, 13), hurst(shares, 0, 7), hurst(shares, 7, 13)])
            figures = " ".join(f"{h:.2f}" for h in np.mean(rows, axis=0))
            print(f"{name:24} {burst / 1e3:3.0f} kB {rate / 1e6:.0f} Mbit/s on {line / 1e6:3.0f}: {figures}")


if __name__ == "__main__":
    main()
