"""Meshes beside ns-3, one thing changed at a time: what explains the difference.

Needs the package (`make setup`) and libns3-dev; some minutes. With `fer_target` our links take
12 Mbit/s where they would go at 6. ns-3 reads what the scenario says, so a change in it is for
both.

    wifi_mesh.py

is `mesh-44`. Our frame errors and our floor are options of ns-3's side.

    wifi_mesh.py --thresholds 6

runs `mesh-44` on both sides with the thresholds of the standard, -82 dBm for preambles and -62 dBm
for energy, ours over a hundred seeds and ns-3 over six, and prints means with their standard
errors. Links of the mesh are as long as 192 m, which -82 dBm does not reach: power and noise are
both 9.4 dB higher, so each link keeps its SNR.

    wifi_mesh.py --snapshot 3

runs 60 s of `mesh40-snapshot`, ours over twenty seeds and ns-3 over three, under our frame errors,
with parts of the scenario changed on both sides; then ns-3 under its own frame errors.
"""

import argparse
import json
import math
from dataclasses import replace
from statistics import fmean, stdev

from backwater.tools import benchmark, peers
from backwater.tools.benchmark_cases import Benchmark
from backwater.tools.peer_network import network

#: Frame errors and the floor of ours, in ns-3.
LAW = ("--errors=law", "--floor=-113.5")
RTS_WITHOUT_LIMIT = {"media.air.mac.retry_short": 0}

OURS: tuple[tuple[str, dict[str, object]], ...] = (
    ("ours", {}),
    ("ours, links too fast", {"media.air.channel.fer_target": "99 %"}),
    ("ours, RTS without limit", RTS_WITHOUT_LIMIT),
)
THEIRS: tuple[tuple[str, dict[str, object], tuple[str, ...]], ...] = (
    ("ns-3", {}, ()),
    ("ns-3, RTS without limit", RTS_WITHOUT_LIMIT, ()),
    ("ns-3, all at 12 Mbit/s", {}, ("--fixed=12",)),
    ("ns-3, errors as by Yans", {}, ("--errors=YansErrorRateModel",)),
    ("ns-3, errors as by Nist", {}, ("--errors=NistErrorRateModel",)),
    ("ns-3, our errors", {}, ("--errors=law",)),
    ("ns-3, our errors and floor", {}, LAW),
    ("ns-3, the same, 12 Mbit/s", {}, (*LAW, "--fixed=12")),
)

STANDARD: dict[str, object] = {
    "media.air.channel.tx_power": "29.4 dBm",
    "media.air.channel.noise": "-84.1 dBm",
    "media.air.channel.preamble_detect": "-82 dBm",
    "media.air.channel.energy_detect": "-62 dBm",
    **RTS_WITHOUT_LIMIT,
}
FLOOR_OF_STANDARD = ("--errors=law", "--floor=-104.1")

#: What both sides do otherwise in the snapshot.
SNAPSHOT: tuple[tuple[str, dict[str, object]], ...] = (
    ("as it is", {}),
    ("RTS without limit", RTS_WITHOUT_LIMIT),
    ("answers at mandatory rates", {"media.air.phy.answer": "mandatory"}),
)
SECONDS = 60


def main() -> None:
    """Prints goodput and failed share of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--thresholds", type=int, metavar="SEEDS")
    parser.add_argument("--snapshot", type=int, metavar="SEEDS")
    asked = parser.parse_args()
    if asked.thresholds is not None:
        thresholds(asked.thresholds)
    elif asked.snapshot is not None:
        snapshot(asked.snapshot)
    else:
        case = named("mesh-44")
        for name, changes in OURS:
            tell(name, *ours(case, changes))
        for name, changes, arguments in THEIRS:
            tell(name, *theirs(case, changes, (*case.peer_arguments, *arguments)))


def named(name: str) -> Benchmark:
    """A benchmark."""
    (case,) = benchmark.select([name])
    return case


def thresholds(seeds: int) -> None:
    """Prints means over a hundred seeds of ours and so many of ns-3."""
    case = named("mesh-44")
    runs = [ours(case, {**STANDARD, "seed": n}) for n in range(1, 101)]
    summarise("ours, -82 and -62 dBm", runs)
    arguments = (*case.peer_arguments, *FLOOR_OF_STANDARD)
    runs = [theirs(case, STANDARD, (*arguments, f"--run={n}")) for n in range(1, seeds + 1)]
    summarise("ns-3, the same", runs)


def snapshot(seeds: int) -> None:
    """Prints means over twenty seeds of ours and so many of ns-3, for each change."""
    case = named("mesh40-snapshot")
    length = f"--duration={SECONDS}"

    def beside(name: str, changes: dict[str, object], errors: tuple[str, ...]) -> None:
        numbers = range(1, seeds + 1)
        runs = [theirs(case, changes, (length, *errors, f"--run={n}")) for n in numbers]
        summarise(f"ns-3, {name}", runs)

    for name, changes in SNAPSHOT:
        shorter = {**changes, "duration": f"{SECONDS} s"}
        runs = [ours(case, {**shorter, "seed": n}) for n in range(1, 21)]
        summarise(f"ours, {name}", runs)
        beside(name, changes, LAW)
    beside("its own errors and floor", {}, ())


def ours(case: Benchmark, changes: dict[str, object]) -> tuple[float, float]:
    """Goodput in bit/s and failed share of one run of ours."""
    changed = replace(case, changes=changes)
    document = json.loads(benchmark.resolved(changed).run(None, None, False).document)
    goodput = sum(flow["goodput_bps"] for flow in document["flows"])
    failed = benchmark._failed_share(document)
    assert failed is not None, "a run with exchanges"
    return goodput, failed


def theirs(
    case: Benchmark, changes: dict[str, object], arguments: tuple[str, ...]
) -> tuple[float, float]:
    """Goodput in bit/s and failed share of one run of ns-3."""
    reads = network(benchmark.resolved(replace(case, changes=changes)))
    peer = peers.ns3("mesh", arguments, reads)
    if isinstance(peer, peers.Absent):
        raise SystemExit(f"ns-3: {peer.reason}")
    document = peer.run()
    return document["goodput_bps"], document["failed_share"]


def summarise(name: str, runs: list[tuple[float, float]]) -> None:
    """Prints means and their standard errors."""
    shown = []
    for values, unit in zip(zip(*runs, strict=True), (1e6, 1), strict=True):
        spread = stdev(values) if len(values) > 1 else math.nan
        error = spread / math.sqrt(len(values)) / unit
        shown.append(f"{fmean(values) / unit:.3f} ± {error:.3f}")
    print(f"{name:44} {shown[0]} Mbit/s of IP, failed share {shown[1]}", flush=True)


def tell(name: str, goodput: float, failed: float) -> None:
    """Prints a row."""
    print(f"{name:44} {goodput / 1e6:.2f} Mbit/s of IP, failed share {failed:.3f}", flush=True)


if __name__ == "__main__":
    main()
