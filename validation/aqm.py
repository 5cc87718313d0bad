"""Reference values of active queue management, from the laws themselves."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 30


def codel() -> None:
    """RFC 8289: a drop after an interval above target, the next after interval / sqrt(k)."""
    at = Decimal(100)
    print("CoDel, drops in ms, sojourn times above target from 0")
    for k in range(1, 11):
        print(f"  {at:.7f}")
        at += Decimal(100) / Decimal(k).sqrt()


def pie() -> None:
    """RFC 8033 section 4.2, a period at 25 ms after 20 ms with a reference of 15 ms."""
    change = Fraction(1, 8) * Fraction(10, 1000) + Fraction(5, 4) * Fraction(5, 1000)
    print("PIE, probability after a period, from 5 %:", float(Fraction(5, 100) + change / 2))
    idle = (Fraction(1, 2) - Fraction(1, 8) * Fraction(15, 1000)) * Fraction(98, 100)
    print("PIE, from 50 %, after a period without delay:", float(idle))


def dualpi2() -> None:
    """RFC 9332 appendix A, the same delays, from 5 %."""
    rfc = (Fraction(15, 100), Fraction(3))
    linux = (Fraction(41, 256), Fraction(819, 256))
    for name, (alpha, beta) in (("RFC", rfc), ("Linux", linux)):
        base = Fraction(5, 100) + alpha * Fraction(10, 1000) + beta * Fraction(5, 1000)
        print(f"DualPI2, {name}: base, coupled, classic:")
        print(f"  {float(base):.12g} {float(2 * base):.12g} {float(base * base):.12g}")


def excess(rate: int) -> Fraction:
    """Share of 1500-byte packets, 1538 on the line, that 10 Mbit/s cannot take."""
    return 1 - Fraction(10_000_000 * 1500, rate * 1538)


def equilibria() -> None:
    """Where a probability meets a constant overload of 11, 12 and 9.5 + 1 Mbit/s."""
    one_in = 1 / excess(11_000_000)
    probability = 1 / (2 * one_in - 1)
    print("RED: one frame in", float(one_in), "must go; p =", float(probability))
    print("  average in B:", float(15_000 + 30_000 * probability / Fraction(1, 10)))
    ramp = 15_000 + 45_000 * excess(11_000_000) / Fraction(2, 10)
    print("ramp, 15 to 60 kB, top 20 %: queue in B:", float(ramp))
    print("PIE at 12 Mbit/s: loss", float(excess(12_000_000)))
    line, classic, scalable = Fraction(10), *(Fraction(r) * 1538 / 1500 for r in ("9.5", "1"))
    dropped = (classic + scalable - line) / classic
    print("DualPI2: classic loss", float(dropped), "marked", 2 * float(dropped) ** 0.5)


if __name__ == "__main__":
    codel()
    pie()
    dualpi2()
    equilibria()
