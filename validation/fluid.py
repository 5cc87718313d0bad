"""Loss of paused buffers in the LAN studies, by fluid queues that know no frames and no notices.

Behind a port that back-pressure protects, data wait in the switches before it. Seen from far enough
these are queues that share one link equally while the protected queue stands at its mark. Bursts
arrive as in the studies (uniform-uniform: 64 B to 2M bytes at intervals of 0 to 2T) at the rate of
the source's link, and are lost where a queue is full. Nothing here knows the simulator: no frames,
no control frames, no reaction times, another random generator. What both lose is lost for want of
room and not by the mechanism.

Prints mean loss with its standard error over runs, and the number of runs that lose. Takes some
minutes.
"""

import math
import random
import statistics

PACKET, FRAME, SLOT = 1500, 1518, 1538
# Bytes below which a queue counts as empty or full: rounding errors.
DUST = 1e-6


def bursts(
    rng: random.Random, mean: float, rate: float, seconds: float
) -> list[tuple[float, float]]:
    """(instant, bytes) of a source."""
    gap = 8 * mean / rate
    at, all_ = 0.0, []
    while (at := at + rng.uniform(0, 2 * gap)) < seconds:
        all_.append((at, rng.uniform(64, 2 * mean)))
    return all_


def loss(
    seed: int,
    sources: int,
    link: float,
    outward: float,
    room: float,
    mean: float,
    rate: float,
    seconds: float,
) -> float:
    """Share lost by `sources` queues of `room` bytes, with links of `link` bit/s to and from them.

    They share `outward` bit/s equally while the queue beyond stands at its mark of 40 kB, and send
    at the rate of their links until it does.
    """
    rng = random.Random(seed)
    # All in bytes of packets: a wire carries 1500 of 1538 bytes, a buffer 1500 of 1518.
    fill = link / 8 * PACKET / SLOT
    drain = outward / 8 * PACKET / SLOT
    full, mark = room * PACKET / FRAME, 40e3 * PACKET / FRAME
    arrivals = sorted(
        (at, i, size) for i in range(sources) for at, size in bursts(rng, mean, rate, seconds)
    )
    backlog, queue = [0.0] * sources, [0.0] * sources
    beyond = now = lost = 0.0
    for at, source, size in [*arrivals, (seconds, 0, 0.0)]:
        while now < at:
            active = [i for i in range(sources) if backlog[i] > 0 or queue[i] > 0]
            held = beyond >= mark and len(active) * fill > drain
            share = drain / len(active) if held else fill
            rise = 0.0 if held else len(active) * share - drain
            step = at - now
            if rise > 0:
                step = min(step, (mark - beyond) / rise)
            elif rise < 0 and beyond > 0:
                step = min(step, beyond / -rise)
            for i in active:
                if backlog[i] > 0:
                    step = min(step, backlog[i] / fill)
                    if fill > share and queue[i] < full:
                        step = min(step, (full - queue[i]) / (fill - share))
                else:
                    step = min(step, queue[i] / share)
            for i in active:
                come = min(backlog[i], fill * step)
                backlog[i] = backlog[i] - come if backlog[i] - come > DUST else 0.0
                stands = queue[i] + come - share * step
                lost += max(0.0, stands - full)
                queue[i] = min(full, stands) if stands > DUST else 0.0
            beyond = beyond + rise * step
            beyond = mark if beyond > mark - DUST else max(beyond, 0.0)
            now += step
        now = at
        backlog[source] += size
    return lost / sum(size for _, _, size in arrivals)


def show(what: str, runs: int, **of: float) -> None:
    """Prints the loss over that many runs."""
    found = [loss(seed, **of) for seed in range(runs)]  # type: ignore[arg-type]
    error = statistics.stdev(found) / math.sqrt(runs)
    losing = sum(f > 0 for f in found)
    print(f"{what}: {statistics.mean(found):.3%} ± {error:.3%}, {losing} of {runs} runs lose")


if __name__ == "__main__":
    merging = {"sources": 3, "link": 10e6, "outward": 10e6, "rate": 3e6, "mean": 48e3}
    show("lan-merging, 3 Mbit/s, 48 kB, 60 s", 400, **merging, room=500e3, seconds=60)
    show("lan-merging, 3 Mbit/s, 48 kB, 600 s", 160, **merging, room=500e3, seconds=600)
    show("lan-merging, 3 Mbit/s, 48 kB, 600 s, 2 MB", 40, **merging, room=2e6, seconds=600)
    alone = {"sources": 1, "link": 100e6, "room": 500e3, "seconds": 10_000}
    for rate, mean in ((8e6, 48e3), (8e6, 96e3), (9e6, 48e3)):
        what = f"lan-rate-mismatch, {rate / 1e6:.0f} Mbit/s, {mean / 1e3:.0f} kB"
        show(what, 20, **alone, outward=10e6, rate=rate, mean=mean)
    # Video of 3 Mbit/s goes first.
    left = 10e6 - 3e6 * SLOT / PACKET
    for rate, mean in ((5e6, 48e3), (6e6, 24e3), (6e6, 48e3)):
        what = f"lan-cos with class, {rate / 1e6:.0f} Mbit/s, {mean / 1e3:.0f} kB"
        show(what, 20, **alone, outward=left, rate=rate, mean=mean)
