"""TCP of this kernel at two hosts of a LAN with PAUSE, beside the simulated one.

    python scripts/results/kernel_pause.py reno:newreno cubic:cubic bbr:bbr1

Run it as root with /dev/net/tun. S1 sends to D1 over the LAN of kernel_pause.toml, where S2 sends
to D2 and obeys no PAUSE. S1 and D1 are programs of this machine, or a simulated flow; all else is
simulated in both. The table stands in emulator.md.
"""

from __future__ import annotations

import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernel_tcp import SECONDS, SINK, SOURCE, program

REPEATS = 3
SCENARIO = Path(__file__).with_suffix(".toml")
# The flow that the programs replace.
FLOW = "flows.f1"


@dataclass
class Run:
    """The goodput of S1, and the document of the LAN."""

    goodput_bps: float
    run: dict[str, Any]

    def other_bps(self) -> float:
        """The goodput of S2 at D2."""
        flow = next(flow for flow in self.run["flows"] if flow["id"] == "f2")
        return float(flow["goodput_bps"])

    def stopped(self) -> float:
        """Share of the time in which PAUSE stopped the port that both share."""
        port = next(port for port in self.run["ports"] if port["id"] == "W>X")
        return float(port["paused"][0])


def real(controller: str) -> tuple[Run, bool]:
    """The kernel's TCP, and whether the emulator kept its bounds."""
    source = program(SOURCE.replace("NAME", controller))
    with tempfile.TemporaryDirectory() as name:
        scenario = Path(name) / SCENARIO.name
        lines = SCENARIO.read_text().splitlines(keepends=True)
        scenario.write_text("".join(line for line in lines if not line.startswith(FLOW)))
        attached = {
            "S1": shlex.join(["sh", "-c", f"sleep 0.5; MAHIMAHI_BASE=D1 {source}"]),
            "D1": shlex.join(["sh", "-c", f"{program(SINK)} > sink"]),
        }
        command = [sys.executable, "-m", "backwater", "emulate", "--json", "--late", "10"]
        command += ["--unmodelled", "1", "scenario", str(scenario)]
        for node, program_there in attached.items():
            command += ["--attach", f"{node}={program_there}"]
        ended = subprocess.run(command, cwd=name, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise SystemExit(f"{controller}: exit code {ended.returncode}\n{ended.stderr}")
        document = json.loads(ended.stdout)
        certificate = document["certificate"]
        kept = certificate["late_p99_s"] <= 0.001 and (
            certificate["device_drops_pkts"] + certificate["refused_pkts"] == 0
        )
        return Run(float((Path(name) / "sink").read_text()), document["run"]), kept


def simulated(controller: str) -> Run:
    """The simulated TCP."""
    command = [sys.executable, "-m", "backwater", "run", str(SCENARIO), "--json"]
    command += ["--set", f"{FLOW}.controller.kind={controller}"]
    command += ["--set", f"duration={SECONDS} s"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(ended.stdout + ended.stderr)
    document = json.loads(ended.stdout)
    flow = next(flow for flow in document["flows"] if flow["id"] == "f1")
    return Run(float(flow["goodput_bps"]), document)


def main() -> None:
    """Prints the table."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(
        "| controllers | kernel, Mbit/s | simulated, Mbit/s | difference "
        "| S2 to D2, Mbit/s | the shared port stopped | valid |"
    )
    print("|---|---|---|---|---|---|---|")
    for kernel, _, ours in (pair.partition(":") for pair in sys.argv[1:]):
        runs = [real(kernel) for _ in range(REPEATS)]
        goodput = statistics.median(run.goodput_bps for run, _ in runs)
        other = statistics.median(run.other_bps() for run, _ in runs)
        stopped = statistics.median(run.stopped() for run, _ in runs)
        model = simulated(ours)
        print(
            f"| {kernel}, {ours} | {goodput / 1e6:.2f} | {model.goodput_bps / 1e6:.2f} "
            f"| {goodput / model.goodput_bps - 1:+.1%} "
            f"| {other / 1e6:.1f}, {model.other_bps() / 1e6:.1f} "
            f"| {stopped:.0%}, {model.stopped():.0%} "
            f"| {'yes' if all(kept for _, kept in runs) else 'no'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
