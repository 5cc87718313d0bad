"""Controllers over an emulated cellular link, beside the simulation.

    chrt --rr 1 python scripts/results/cell_emulator.py 20 fixed:window=20 aimd

BACKWATER_TRACES names the folder of the traces.
`backwater flow` runs behind `backwater emulate` for so many seconds. Run it as root with
/dev/net/tun. Each word is a controller with its options. The live flow's first packet says to the
microsecond when the simulated one starts: both meet the same part of the trace. Both link logs, cut
to the same seconds, are judged by `backwater trace log`. The table stands in emulator.md.
"""

from __future__ import annotations

import csv
import json
import math
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# A sender that has heard nothing for so long sends a packet.
SILENCE = "1 s"
# Sender and receiver go before the emulator, which looks for packets without sleeping.
SOONER = "chrt --rr 2"
BACKWATER = [sys.executable, "-m", "backwater"]
TRACES = ("Verizon-LTE-short.down", "Verizon-LTE-short.up")
SCENARIO = Path(__file__).with_suffix(".toml")


def run(command: list[str], folder: Path) -> str:
    """The output of a command; its failure ends the script."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{ended.stdout[-500:]}\n{ended.stderr}")
    return ended.stdout


def live(kind: str, options: list[str], seconds: int, folder: Path) -> dict[str, Any]:
    """Runs the flow over sockets; leaves `live.log`, `live.csv` and gives the certificate."""
    fields = [f"silence={SILENCE}", *(f"controller.{option}" for option in options)]
    words = " ".join(f"--set {shlex.quote(field)}" for field in fields)
    backwater = shlex.join(BACKWATER)
    send = (
        f"{SOONER} {backwater} flow send $MAHIMAHI_BASE --port 9090 --transport datagram "
        f"--controller {kind} {words} --duration '{seconds} s' --interval '1 s' > lines"
    )
    boxes = f"delay 20 link {TRACES[0]} {TRACES[1]} --once --uplink-log=live.log"
    text = (
        f"ip link set lo up || exit 1; "
        f"{SOONER} {backwater} flow listen --bind :: --port 9090 > heard & "
        f"other=$!; sleep 2; {backwater} emulate --json --late 10 --unmodelled 1 --record live.csv "
        f"{boxes} -- sh -c {shlex.quote(send)} > run.json; code=$?; kill $other; exit $code"
    )
    run(["unshare", "--net", "--", "sh", "-c", text], folder)
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())["certificate"]
    return found


def begin(record: Path) -> float:
    """The second of the first data packet. What the device and the handshake send is short."""
    with record.open(encoding="utf-8", newline="") as file:
        return next(
            float(row["time_s"])
            for row in csv.DictReader(file)
            if row["what"] == "enqueue" and int(row["size_B"]) > 1000
        )


def judged(log: Path, start: float, seconds: int) -> dict[str, float]:
    """Throughput and signal delay of a log's seconds from `start`, and the score of the contest."""
    first = math.floor(start * 1e3)
    kept = []
    for line in log.read_text().splitlines():
        at = line.split()[0]
        if at == "#" or first <= int(at) <= first + seconds * 1000:
            kept.append(line)
    cut = log.with_suffix(".cut")
    cut.write_text("\n".join(kept) + "\n")
    found = json.loads(run([*BACKWATER, "trace", "log", cut.name, "--json"], log.parent))
    mbps, delay_ms = found["throughput_bps"] / 1e6, found["signal_delay_p95_s"] * 1e3
    return {"mbps": mbps, "delay_ms": delay_ms, "score": math.log(mbps / delay_ms)}


def simulated(kind: str, options: list[str], start: float, seconds: int, folder: Path) -> None:
    """Runs the flow in a simulation; leaves `simulated.log`."""
    fields = [f'kind = "{kind}"']
    for option in options:
        name, _, value = option.partition("=")
        fields.append(f"{name} = {json.dumps(value)}")
    settings = {
        "duration": f"{start + seconds:.6f} s",
        "flows.f.start": f"{start:.6f} s",
        "flows.f.silence": SILENCE,
        "flows.f.controller": f"{{ {', '.join(fields)} }}",
    }
    words = [f"--set={path}={value}" for path, value in settings.items()]
    log = "data=simulated.log"
    command = [*BACKWATER, "run", str(SCENARIO), "--json", "--mahimahi-log", log, *words]
    run(command, folder)


def main() -> None:
    """Prints the table."""
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    seconds = int(sys.argv[1])
    print(
        "| controller | Mbit/s, live | simulated | difference | signal delay p95, ms, live "
        "| simulated | difference | score, difference | late p99 | unmodelled loss | valid |"
    )
    print("|" + "---|" * 11)
    for word in sys.argv[2:]:
        kind, _, rest = word.partition(":")
        options = [option for option in rest.split(",") if option]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            certificate = live(kind, options, seconds, folder)
            start = begin(folder / "live.csv")
            simulated(kind, options, start, seconds, folder)
            real, model = (
                judged(folder / f"{one}.log", start, seconds) for one in ("live", "simulated")
            )
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
