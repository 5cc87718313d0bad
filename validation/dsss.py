"""Frame errors of 802.11b by SINR: closed forms, and an integral where the simulator has a bound.

DBPSK and DQPSK: Eb/N0 is SINR x 22 MHz over the bit rate. CCK: the probability that one of 16
biorthogonal signals is mistaken, by numerical integration (Proakis, Digital Communications, 5.2);
11 Mbit/s are two sets of 16 with half of the energy each. ns-3's DsssErrorRateModel gives the same
figures to all digits printed.
"""

from math import erfc, exp, pi, sqrt

BITS = 12_000
STEPS = 4_000


def tail(x: float) -> float:
    """P(a standard normal exceeds x)."""
    return erfc(x / sqrt(2)) / 2


def dbpsk(sinr: float) -> float:
    """Bit error rate at 1 Mbit/s."""
    return exp(-22 * sinr) / 2


def dqpsk(sinr: float) -> float:
    """Bit error rate at 2 Mbit/s (Ferrari and Corazza, 2004)."""
    per_bit = 11 * sinr
    scale = (sqrt(2) + 1) / sqrt(8 * pi * sqrt(2) * per_bit)
    return min(scale * exp(-(2 - sqrt(2)) * per_bit), 0.5)


def sixteen(beta: float) -> float:
    """Error of 16 biorthogonal signals: Simpson's rule over the output of the right correlator."""
    low, high = -beta, 10.0
    step = (high - low) / STEPS
    total = 0.0
    for i in range(STEPS + 1):
        x = low + i * step
        weight = 1 if i in (0, STEPS) else 4 if i % 2 else 2
        total += weight * (1 - 2 * tail(x + beta)) ** 7 * exp(-x * x / 2) / sqrt(2 * pi)
    return 1 - total * step / 3


def bound(beta: float) -> float:
    """The union bound of the same: 14 signals at a right angle, one opposite."""
    return min(14 * tail(beta / sqrt(2)) + tail(beta), 1.0)


def lost(sinr: float) -> list[float]:
    """Shares of lost frames at 1, 2, 5.5 and 11 Mbit/s, then those of CCK by the bound."""
    shares = [1 - (1 - p) ** BITS for p in (dbpsk(sinr), dqpsk(sinr))]
    for error in (sixteen, bound):
        slow, half = error(sqrt(16 * sinr)), error(sqrt(8 * sinr))
        shares += [1 - (1 - slow) ** (BITS / 4), 1 - (1 - half) ** (BITS / 4)]
    return shares


if __name__ == "__main__":
    heads = ("1", "2", "5.5", "11 Mbit/s", "5.5 bound", "11 bound")
    print(" SINR " + " ".join(f"{head:>12}" for head in heads))
    for sinr in (0.5, 0.6, 0.8, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0):
        print(f"{sinr:5.1f} " + " ".join(f"{share:12.6g}" for share in lost(sinr)))
