"""Reference values of the queueing tests, in exact or 60-digit arithmetic.

An Ethernet port is a queue whose server is the wire: a frame occupies it for its own bytes, 8 bytes
of preamble and 12 bytes of gap. Two details differ from the textbook server. The buffer is free
when the last bit has left, a gap before the server is; and the next frame is chosen at that
instant too. Without a gap every function gives the textbook value.
"""

from mpmath import exp, factorial, findroot, floor, lu_solve, mp, mpf, quad
from mpmath import matrix as matrix_of

mp.dps = 60

FRAME = 1518
SLOT = FRAME + 20
GAP = mpf(12) / SLOT
NO_GAP = mpf(0)


def md1_wait(rho: mpf) -> mpf:
    """Mean wait of M/D/1 in service times (Pollaczek and Khinchine)."""
    return rho / (2 * (1 - rho))


def md1_cdf(rho: mpf, t: mpf) -> mpf:
    """P(wait <= t service times) of M/D/1 (Erlang)."""
    terms = (
        (rho * (k - t)) ** k / factorial(k) * exp(-rho * (k - t)) for k in range(int(floor(t)) + 1)
    )
    return (1 - rho) * sum(terms, mpf(0))


def poisson(mean: mpf, n: int) -> mpf:
    """P(n arrivals)."""
    return exp(-mean) * mean**n / factorial(n)


def md1k_loss(rho: mpf, room: int, gap: mpf = NO_GAP) -> mpf:
    """Loss of M/D/1/K, K counting the frame in transmission.

    States are the frames present when a service begins, seen after the gap: those that come during
    the frame find room while fewer than K are present, those that come during the gap find one
    place more.
    """
    frame_arrivals = [poisson(rho * (1 - gap), n) for n in range(room + 1)]
    gap_arrivals = [poisson(rho * gap, n) for n in range(room + 1)]
    matrix = [[mpf(0)] * (room + 1) for _ in range(room + 1)]
    for state in range(room + 1):
        begin = max(state, 1)
        for n in range(room - begin + 1):
            last = n == room - begin
            p = 1 - sum(frame_arrivals[:n]) if last else frame_arrivals[n]
            left = begin + n - 1
            for m in range(room - left + 1):
                end = m == room - left
                q = 1 - sum(gap_arrivals[:m]) if end else gap_arrivals[m]
                matrix[state][left + m] += p * q
    # share = share * matrix, with the last equation replaced by sum(share) = 1.
    size = room + 1
    equations = matrix_of(size, size)
    for i in range(size):
        for j in range(size - 1):
            equations[j, i] = matrix[i][j] - (1 if i == j else 0)
        equations[size - 1, i] = 1
    ones = matrix_of(size, 1)
    ones[size - 1] = 1
    share = lu_solve(equations, ones)
    return 1 - 1 / (rho + share[0])


def batch_wait(rho: mpf, batch: int) -> mpf:
    """Mean wait where arrivals come in batches at exponential intervals."""
    return (rho + batch - 1) / (2 * (1 - rho))


def priority_waits(high: mpf, low: mpf, gap: mpf = NO_GAP) -> tuple[mpf, mpf]:
    """Mean waits of two classes of equal frames, the higher first without interruption.

    A frame that is chosen while others are being sent occupies the chooser for a whole service; one
    that finds the wire idle for a service without the gap, or with what is left of it.
    """
    rate = high + low

    def left_of_gap(power: int) -> mpf:
        """E[D^power] of a frame that finds nothing before it; u is the idle time before."""
        inside = quad(lambda u: rate * exp(-rate * u) * (1 - u) ** power, [0, gap])
        return inside + exp(-rate * gap) * (1 - gap) ** power

    alone = left_of_gap(1)
    busy = findroot(lambda b: b - rate * (b + (1 - b) * alone), rate)
    square = busy + (1 - busy) * left_of_gap(2)
    residual = rate * square / 2
    own_gap = busy * gap + (1 - busy) * quad(lambda u: rate * exp(-rate * u) * (gap - u), [0, gap])
    first = residual / (1 - high)
    second = first / (1 - high - low)
    return first + own_gap, second + own_gap


def main() -> None:
    """Print the values that tests quote."""
    for rho in ("0.5", "0.8", "0.9"):
        print("M/D/1 wait", rho, mp.nstr(md1_wait(mpf(rho)), 10))
    for rho, times in (("0.8", (0, 1, 2, 5, 10)), ("0.9", (5, 10, 20))):
        for t in times:
            print("M/D/1 P(W<=t)", rho, t, mp.nstr(md1_cdf(mpf(rho), mpf(t)), 10))
    for room, loads in ((10, ("0.8", "0.9", "1", "1.2")), (50, ("0.95", "1", "1.05"))):
        for rho in loads:
            book, wire = md1k_loss(mpf(rho), room), md1k_loss(mpf(rho), room, GAP)
            print("M/D/1/K loss", room, rho, mp.nstr(book, 8), "wire", mp.nstr(wire, 8))
    for batch in (4, 8, 32):
        print("batch wait", batch, mp.nstr(batch_wait(mpf("0.7"), batch), 10))
    # One class only: the chooser's view must give the wait of M/D/1 whatever the gap.
    for gap in (mpf(0), GAP, mpf("0.3")):
        one = priority_waits(mpf(0), mpf("0.8"), gap)[1]
        assert abs(one - md1_wait(mpf("0.8"))) < mpf(10) ** -20, one
    for high, low in (("0.3", "0.5"), ("0.2", "0.7"), ("0.5", "0.4")):
        book = priority_waits(mpf(high), mpf(low))
        wire = priority_waits(mpf(high), mpf(low), GAP)
        # Kleinrock's conservation law: whoever goes first, the mean over all frames is the same.
        rho = mpf(high) + mpf(low)
        mean = (mpf(high) * wire[0] + mpf(low) * wire[1]) / rho
        assert abs(mean - md1_wait(rho)) < mpf(10) ** -20, mean
        print(
            "priority",
            high,
            low,
            *(mp.nstr(w, 8) for w in book),
            "wire",
            *(mp.nstr(w, 8) for w in wire),
        )


if __name__ == "__main__":
    main()
