"""The mesh of 44 beside ns-3, one thing changed at a time: what explains the difference.

Needs the package (`make setup`) and libns3-dev; some minutes. With `fer_target` our links take
12 Mbit/s where they would go at 6.

    wifi_mesh.py --thresholds 6

runs both with the thresholds of the standard, -82 dBm for preambles and -62 dBm for energy, ours
over a hundred seeds and ns-3 over six, and prints means with their standard errors. Links of the
mesh are as long as 192 m, which -82 dBm does not reach: power and noise are both 9.4 dB higher, so
each link keeps its SNR. Options are equal: our frame errors and our floor in ns-3, RTS without
limit in ours, since ns-3 never gives a packet up for its RTS.
"""

import argparse
import json
import math
from dataclasses import replace
from statistics import fmean, stdev

from backwater import bench, peers

OURS: tuple[tuple[str, dict[str, object]], ...] = (
    ("ours", {}),
    ("ours, links too fast", {"media.air.channel.fer_target": "99 %"}),
    ("ours, RTS without limit", {"media.air.mac.retry_short": 0}),
)
THEIRS = (
    ("ns-3", ()),
    ("ns-3, all at 12 Mbit/s", ("--fixed=1",)),
    ("ns-3, errors as by Yans", ("--errors=YansErrorRateModel",)),
    ("ns-3, errors as by Nist", ("--errors=NistErrorRateModel",)),
    ("ns-3, our errors", ("--errors=law",)),
    ("ns-3, our errors and floor", ("--errors=law", "--floor=-113.5")),
    ("ns-3, the same, 12 Mbit/s", ("--errors=law", "--floor=-113.5", "--fixed=1")),
)

OURS_OF_STANDARD = {
    "media.air.channel.tx_power": "29.4 dBm",
    "media.air.channel.noise": "-84.1 dBm",
    "media.air.channel.preamble_detect": "-82 dBm",
    "media.air.channel.energy_detect": "-62 dBm",
    "media.air.mac.retry_short": 0,
}
THEIRS_OF_STANDARD = (
    *("--power=29.4", "--noise=-84.1", "--preamble=-82", "--energy=-62"),
    *("--errors=law", "--floor=-104.1"),
)


def main() -> None:
    """Prints goodput and failed share of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--thresholds", type=int, metavar="SEEDS")
    seeds = parser.parse_args().thresholds
    if seeds is not None:
        thresholds(seeds)
        return
    for name, changes in OURS:
        tell(name, *ours(changes))
    for name, arguments in THEIRS:
        tell(name, *theirs(arguments))


def thresholds(seeds: int) -> None:
    """Prints means over a hundred seeds of ours and so many of ns-3."""
    runs = [ours({**OURS_OF_STANDARD, "seed": n}) for n in range(1, 101)]
    summarise("ours, -82 and -62 dBm", runs)
    runs = [theirs((*THEIRS_OF_STANDARD, f"--run={n}")) for n in range(1, seeds + 1)]
    summarise("ns-3, the same", runs)


def ours(changes: dict[str, object]) -> tuple[float, float]:
    """Goodput in bit/s and failed share of one run of ours."""
    (case,) = bench.select(["mesh-44"])
    changed = replace(case, changes=changes)
    document = json.loads(bench.resolved(changed).run(None, None, False).document)
    goodput = sum(flow["goodput_bps"] for flow in document["flows"])
    failed = bench._failed_share(document)
    assert failed is not None, "a run with exchanges"
    return goodput, failed


def theirs(arguments: tuple[str, ...]) -> tuple[float, float]:
    """Goodput in bit/s and failed share of one run of ns-3."""
    (case,) = bench.select(["mesh-44"])
    reads = bench.network(bench._text(case))
    peer = peers.ns3("mesh", (*case.peer_arguments, *arguments), reads)
    if isinstance(peer, peers.Absent):
        raise SystemExit(f"ns-3: {peer.reason}")
    document = peer.run()
    return document["goodput_bps"], document["failed_share"]


def summarise(name: str, runs: list[tuple[float, float]]) -> None:
    """Prints means and their standard errors."""
    shown = []
    for values, unit in zip(zip(*runs, strict=True), (1e6, 1), strict=True):
        error = stdev(values) / math.sqrt(len(values)) / unit
        shown.append(f"{fmean(values) / unit:.3f} ± {error:.3f}")
    print(f"{name:28} {shown[0]} Mbit/s of IP, failed share {shown[1]}", flush=True)


def tell(name: str, goodput: float, failed: float) -> None:
    """Prints a row."""
    print(f"{name:28} {goodput / 1e6:.2f} Mbit/s of IP, failed share {failed:.3f}", flush=True)


if __name__ == "__main__":
    main()
