"""The mesh of 44 beside ns-3, one thing changed at a time: what explains the difference.

Needs the package (`make setup`) and libns3-dev; some minutes. With `fer_target` our links take
12 Mbit/s where they would go at 6.
"""

import json
from dataclasses import replace

from backwater.tools import benchmark, peers
from backwater.tools.benchmark_cases import network

OURS = (
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


def main() -> None:
    """Prints goodput and failed share of each."""
    (case,) = benchmark.select(["mesh-44"])
    for name, changes in OURS:
        changed = replace(case, changes=changes)
        ours = json.loads(benchmark.resolved(changed).run(None, None, False).document)
        goodput = sum(flow["goodput_bps"] for flow in ours["flows"])
        tell(name, goodput, benchmark._failed_share(ours))
    reads = network(benchmark._text(case))
    for name, arguments in THEIRS:
        peer = peers.ns3("mesh", (*case.peer_arguments, *arguments), reads)
        if isinstance(peer, peers.Absent):
            print(f"ns-3: {peer.reason}")
            return
        theirs = peer.run()
        tell(name, theirs["goodput_bps"], theirs["failed_share"])


def tell(name: str, goodput: float, failed: float) -> None:
    """Prints a row."""
    print(f"{name:28} {goodput / 1e6:.2f} Mbit/s of IP, failed share {failed:.3f}", flush=True)


if __name__ == "__main__":
    main()
