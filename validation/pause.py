"""Reference values of the PAUSE tests, by integer arithmetic in picoseconds.

Nothing here knows the simulator: frames of one size, a source at 100 Mbit/s, a port at 10 Mbit/s, a
control frame of 64 bytes, 1 us of wire, 512 bit times of reaction.
"""

PS = 10**12
WIRE = 10**6


def byte(rate: int) -> int:
    """Picoseconds of a byte."""
    assert 8 * PS % rate == 0
    return 8 * PS // rate


def latency(rate: int, quanta: int = 1) -> int:
    """From posting a control frame to its effect, at a port that is idle."""
    return 72 * byte(rate) + WIRE + quanta * 64 * byte(rate)


def cycle(size: int, buffer: int) -> tuple[int, int, int]:
    """Frames at the trough and at the peak, and frames that leave in a cycle.

    Time zero is the departure that falls below the low mark, and XON is sent.
    """
    low, high = buffer * 7 // 10, buffer * 8 // 10
    trough = (low - 1) // size
    alarm = high // size + 1
    slot_in, slot_out = (size + 20) * byte(10**8), (size + 20) * byte(10**7)
    first = latency(10**8) + (size + 8) * byte(10**8) + WIRE

    def came(now: int) -> int:
        return (now - first) // slot_in + 1 if now >= first else 0

    crossing = next(
        at
        for at in (first + n * slot_in for n in range(10**6))
        if trough + came(at) - at // slot_out >= alarm
    )
    # Frames that have begun when PAUSE takes effect still come, before another leaves.
    stop = crossing + latency(10**8)
    begun = (stop - 1 - latency(10**8)) // slot_in + 1
    peak = trough + begun - crossing // slot_out
    return trough, peak, begun


def fluid(size: int, buffer: int) -> float:
    """The cycle in seconds if frames and latencies were infinitely small."""
    marks = buffer * 0.1 * 8 * (size + 20) / size
    return marks * (1 / 10e6 + 1 / 90e6)


def protected(reverse: bool, blocked: bool) -> int:
    """Most feeders whose frames find room after the mark is crossed, at 10 Mbit/s.

    A 50 kB buffer holds 32 frames of 1518 bytes; the 27th crosses 40 kB. `reverse`: PAUSE waits
    behind a frame that has just begun. `blocked`: the output doesn't drain meanwhile. An output
    that drains sends in step with the feeder that came first, just before that feeder's next frame
    comes in: that one never crosses the mark, and has no frame to come just after it was crossed.
    """
    slot = 1538 * byte(10**7)
    wait = slot if reverse else 0
    stop = wait + latency(10**7)
    # After an arrival at time zero the next frame begins a gap later, less the wire.
    begins = 12 * byte(10**7) - WIRE
    crossing = (stop - begins + slot - 1) // slot
    # Another's frame may come in just after the mark is crossed.
    other = 1 + crossing
    room = 50_000 // 1518 - (40_000 // 1518 + 1)
    feeders = 1
    while True:
        k = feeders + 1
        late = [begins + slot * n + 1526 * byte(10**7) + WIRE for n in range(crossing)]
        drained = 0 if blocked else late[-1] // slot
        come = crossing + (k - 1) * other if blocked else 2 * crossing + (k - 2) * other
        if come - drained > room:
            return feeders
        feeders = k


def headroom(rate: int, quanta: int) -> int:
    """Bytes for a feeder on 100 m: wire both ways, two full slots, a control slot, reaction."""
    wire = -(-2 * 500_000 * rate // (8 * PS))
    return wire + 2 * 1538 + 84 + quanta * 64


def main() -> None:
    """Print the values that tests quote."""
    for size, buffer in ((1518, 50_000), (518, 50_000), (1518, 500_000)):
        trough, peak, leave = cycle(size, buffer)
        exact = leave * (size + 20) * byte(10**7) / PS
        print(
            f"{size} B, {buffer} B: {trough}..{peak} frames, {leave} in a cycle of "
            f"{exact * 1e3:.4f} ms (fluid {fluid(size, buffer) * 1e3:.4f} ms)"
        )
    for reverse in (False, True):
        for blocked in (False, True):
            print(
                "feeders",
                "reverse" if reverse else "idle",
                "blocked" if blocked else "draining",
                protected(reverse, blocked),
            )
    for rate, quanta in ((10**8, 1), (10**9, 2), (10**10, 60), (4 * 10**10, 118), (10**11, 394)):
        print("headroom", rate, headroom(rate, quanta))


if __name__ == "__main__":
    main()
