"""Controllers of the study `random-loss` as real flows, beside the simulation.

    python scripts/results/live_loss.py 10 "100 Mbit/s" "1 %" cubic bbr1 copa

`backwater flow` runs between the ends of the study's network in `backwater emulate`, for so many
seconds, of which the first three do not count, over TCP and over datagrams. Run it as root with
/dev/net/tun. The table stands in docs/results/controllers.md.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import tomllib

from backwater.study.runnable import Study

# Sender and receiver go before what else the machine does.
SOONER = "chrt --rr 1"
BACKWATER = [sys.executable, "-m", "backwater"]
SKIPPED_S = 3
SEEDS = (1, 2, 3)
# A packet fits into the devices with its headers. TCP of the study acknowledges each at once.
SIZE = "packet=1480 B"
FIELDS = {"tcp": [SIZE, "delayed_ack=0 s"], "datagram": [SIZE]}


def run(command: list[str], folder: Path) -> str:
    """The output of a command; its failure ends the script."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{ended.stdout[-500:]}\n{ended.stderr}")
    return ended.stdout


def network(folder: Path, rate: str, loss: str) -> tuple[Path, Path]:
    """The study's scenario at this rate and with this loss, with its flow and without."""
    with_flow, without = folder / "flow.json", folder / "network.json"
    scenario = tomllib.loads(Study.load("random-loss").base.text)
    down = scenario["links"]["down"]
    down["boxes"][0]["share"] = loss
    down["trace"]["rate"] = rate
    # The buffer holds what 100 ms bring.
    down["buffer"] = f"{float(rate.split()[0]) * 12.5:g} kB"
    with_flow.write_text(json.dumps(scenario), encoding="utf-8")
    # A scenario has a flow: the study's own, which begins when the real one is over.
    later = {**scenario["flows"]["f"], "start": "39 s"}
    without.write_text(json.dumps({**scenario, "flows": {"later": later}}), encoding="utf-8")
    return with_flow, without


def live(kind: str, transport: str, seconds: int, scenario: Path) -> tuple[float, dict[str, Any]]:
    """Bit/s of the application, and the certificate."""
    folder = scenario.parent
    backwater = shlex.join(BACKWATER)
    fields = " ".join(f"--set {shlex.quote(field)}" for field in FIELDS[transport])
    send = (
        f"sleep 2; {SOONER} {backwater} flow send R --transport {transport} --controller {kind} "
        f"{fields} --duration '{seconds} s' --interval '1 s' > sent"
    )
    listen = f"exec {SOONER} {backwater} flow listen --once --bind :: --interval '1 s' > heard"
    ends = [
        f"--attach {one}={shlex.quote(shlex.join(['sh', '-c', command]))}"
        for one, command in (("R", listen), ("S", send))
    ]
    text = (
        f"ip link set lo up && {backwater} emulate --low-cpu --json --late 10 --unmodelled 1 "
        f"scenario {scenario.name} {' '.join(ends)}"
    )
    told = json.loads(run(["unshare", "--net", "--", "sh", "-c", text], folder))
    lines = [json.loads(line) for line in (folder / "heard").read_text().splitlines()]
    return rate(lines), told["certificate"]


def rate(lines: list[dict[str, Any]]) -> float:
    """The mean of what the listener says of each second after the first ones."""
    seen = [line for line in lines if line["kind"] == "arrivals" and line["t_s"] > SKIPPED_S + 0.5]
    return sum(float(line["goodput_bps"]) for line in seen) / len(seen)


def simulated(kind: str, transport: str, seconds: int, scenario: Path) -> list[float]:
    """Bit/s of the same seconds in the model, for each seed."""
    found = []
    for seed in SEEDS:
        sets = [f"duration={seconds} s", f"warmup={SKIPPED_S} s", f"flows.f.transport={transport}"]
        sets += [
            f"flows.f.controller.kind={kind}",
            *(f"flows.f.{one}" for one in FIELDS[transport]),
        ]
        words = [word for one in sets for word in ("--set", one)]
        line = [*BACKWATER, "run", scenario.name, "--seed", str(seed), "--json", *words]
        document = json.loads(run(line, scenario.parent))
        found.append(next(flow["goodput_bps"] for flow in document["flows"] if flow["id"] == "f"))
    return found


def main() -> None:
    """Prints the table."""
    if len(sys.argv) < 5 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    seconds, bandwidth, loss = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    print("| controller | TCP, live | simulated | datagrams, live | simulated | late p99 |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind in sys.argv[4:]:
        cells, late = [kind], []
        for transport in FIELDS:
            with tempfile.TemporaryDirectory() as name:
                with_flow, without = network(Path(name), bandwidth, loss)
                real, certificate = live(kind, transport, seconds, without)
                model = [one / 1e6 for one in simulated(kind, transport, seconds, with_flow)]
            late.append(certificate["late_p99_s"] * 1e3)
            cells += [f"{real / 1e6:.3g}", f"{min(model):.3g} to {max(model):.3g}"]
        print(f"| {' | '.join(cells)} | {max(late):.2f} ms |", flush=True)


if __name__ == "__main__":
    main()
