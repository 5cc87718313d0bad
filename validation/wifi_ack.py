"""The cell of twelve beside ns-3, with ACKs at 1 and at 11 Mbit/s: what explains the difference.

Needs the package (`make setup`) and, for the last line, libns3-dev. In an ad-hoc network ns-3
takes every mandatory rate for a basic one (`WifiRemoteStationManager::AddAllSupportedModes`) as
soon as it meets a station.
"""

import json

from backwater.tools import benchmark, peers
from backwater.tools.benchmark_cases import Benchmark


def main() -> None:
    """Prints goodput and failed share of three runs of 60 s."""
    (case,) = benchmark.select(["wifi-12-rts"])
    rows = []
    for answer, what in (("control", "1 Mbit/s"), ("mandatory", "11 Mbit/s")):
        changed = Benchmark(case.id, "", case.scenario, changes={"media.air.phy.answer": answer})
        ours = json.loads(benchmark.resolved(changed).run(None, None, False).document)
        goodput = sum(flow["goodput_bps"] for flow in ours["flows"])
        rows.append((f"ours, ACK at {what}", goodput, benchmark._failed_share(ours)))
    peer = peers.ns3("wifi-cell", case.peer_arguments)
    if isinstance(peer, peers.Absent):
        print(f"ns-3: {peer.reason}")
    else:
        theirs = peer.run()
        rows.append(("ns-3, ACK at 11 Mbit/s", theirs["goodput_bps"], theirs["failed_share"]))
    for name, goodput, failed in rows:
        print(f"{name:24} {goodput / 1e6:.3f} Mbit/s of IP, failed share {failed:.3f}")


if __name__ == "__main__":
    main()
