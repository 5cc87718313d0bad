"""Controllers over an emulated cellular link, beside the simulation.

    BACKWATER_TRACES=FOLDER python docs/results/cell_emulator.py fixed:window=20 aimd

`backwater flow` runs behind `backwater emulate`. Run it as root with /dev/net/tun. Each word is a
controller with its options. The live flow's first packet says when the simulated one starts: both
meet the same part of the trace. Both link logs, cut to the same seconds, are judged by
`backwater trace log`. The table stands in emulator.md.
"""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS = 20
# A sender that has heard nothing for so long sends a packet.
SILENCE = "1 s"
BACKWATER = [sys.executable, "-m", "backwater"]
TRACES = ("Verizon-LTE-short.down", "Verizon-LTE-short.up")
SCENARIO = """
schema = "backwater/scenario/1"
duration = "{end} ms"
nodes.S = {{ kind = "host" }}
nodes.R = {{ kind = "host" }}
[links.data]
from = "S"
to = "R"
kind = "trace"
delay = "20 ms"
repeat = false
trace = "{data}"
queue = {{ kind = "infinite" }}
[links.acks]
from = "R"
to = "S"
kind = "trace"
delay = "20 ms"
repeat = false
trace = "{acks}"
queue = {{ kind = "infinite" }}
[flows.f]
from = "S"
to = "R"
transport = "datagram"
start = "{start} ms"
silence = "{silence}"
controller = {{ {controller} }}
source = {{ kind = "bulk" }}
"""


def run(command: list[str], folder: Path) -> str:
    """What a command prints; its failure ends the script."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{ended.stdout[-500:]}\n{ended.stderr}")
    return ended.stdout


def live(kind: str, options: list[str], folder: Path) -> dict[str, Any]:
    """Runs the flow over sockets; leaves `live.log` and gives the certificate."""
    fields = [f"silence={SILENCE}", *(f"controller.{option}" for option in options)]
    words = " ".join(f"--set {shlex.quote(field)}" for field in fields)
    backwater = shlex.join(BACKWATER)
    send = (
        f"{backwater} flow send $MAHIMAHI_BASE --port 9090 --transport datagram "
        f"--controller {kind} {words} --duration '{SECONDS} s' --interval '1 s' > lines"
    )
    boxes = f"delay 20 link {TRACES[0]} {TRACES[1]} --once --uplink-log=live.log"
    text = (
        f"ip link set lo up || exit 1; {backwater} flow listen --port 9090 > heard & other=$!; "
        f"sleep 2; {backwater} emulate --json --late 10 --unmodelled 1 {boxes} -- "
        f"sh -c {shlex.quote(send)} > run.json; code=$?; kill $other; exit $code"
    )
    run(["unshare", "--net", "--", "sh", "-c", text], folder)
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["certificate"]
    return found


def begin(log: Path) -> int:
    """The millisecond of the first data packet. What the device and the handshake send is short."""
    lines = (line.split() for line in log.read_text().splitlines() if line[0] != "#")
    return next(int(at) for at, kind, size, *_ in lines if kind == "+" and int(size) > 1000)


def judged(log: Path, start: int) -> dict[str, float]:
    """Throughput and signal delay of a log's seconds from `start`, and the score of the contest."""
    kept = []
    for line in log.read_text().splitlines():
        at = line.split()[0]
        if at == "#" or start <= int(at) <= start + SECONDS * 1000:
            kept.append(line)
    cut = log.with_suffix(".cut")
    cut.write_text("\n".join(kept) + "\n")
    found = json.loads(run([*BACKWATER, "trace", "log", cut.name, "--json"], log.parent))
    mbps, delay_ms = found["throughput_bps"] / 1e6, found["signal_delay_p95_s"] * 1e3
    return {"mbps": mbps, "delay_ms": delay_ms, "score": math.log(mbps / delay_ms)}


def simulated(kind: str, options: list[str], start: int, folder: Path) -> None:
    """Runs the flow in a simulation; leaves `simulated.log`."""
    pairs = [option.split("=", 1) for option in options]
    fields = [f'kind = "{kind}"'] + [f"{name} = {json.dumps(value)}" for name, value in pairs]
    text = SCENARIO.format(
        end=start + SECONDS * 1000,
        data=TRACES[0],
        acks=TRACES[1],
        start=start,
        silence=SILENCE,
        controller=", ".join(fields),
    )
    (folder / "cell.toml").write_text(text)
    log = "data=simulated.log"
    run([*BACKWATER, "run", "cell.toml", "--json", "--mahimahi-log", log], folder)


def main() -> None:
    """Prints the table."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print(
        "| controller | Mbit/s, live | simulated | difference | signal delay p95, ms, live "
        "| simulated | difference | score, difference | late p99 | unmodelled loss | valid |"
    )
    print("|" + "---|" * 11)
    for word in sys.argv[1:]:
        kind, _, rest = word.partition(":")
        options = [option for option in rest.split(",") if option]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            certificate = live(kind, options, folder)
            start = begin(folder / "live.log")
            simulated(kind, options, start, folder)
            real, model = (judged(folder / f"{one}.log", start) for one in ("live", "simulated"))
        lost = certificate["device_drops_pkts"] + certificate["refused_pkts"]
        late = certificate["late_p99_s"]
        print(
            f"| {word} | {real['mbps']:.2f} | {model['mbps']:.2f} "
            f"| {real['mbps'] / model['mbps'] - 1:+.1%} "
            f"| {real['delay_ms']:.0f} | {model['delay_ms']:.0f} "
            f"| {real['delay_ms'] - model['delay_ms']:+.0f} "
            f"| {real['score'] - model['score']:+.3f} | {late * 1e3:.2f} ms | {lost} "
            f"| {'yes' if late <= 0.001 and lost == 0 else 'no'} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
