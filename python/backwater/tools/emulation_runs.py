"""Runs that `backwater bench emulate` measures: programs in networks of their own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PORT = 9091


def python(text: str) -> str:
    """The command that has this interpreter run a text."""
    return shlex.join([sys.executable, "-c", text])


def receiver(packets: int, nominal_s: float) -> str:
    """The command that receives datagrams and prints their delays."""
    return python(
        "from backwater import _native;"
        f"print(_native.probe_receive({PORT}, {packets}, {nominal_s}))"
    )


def sender(packets: int, rate_pps: float, size: int, host: str = "MAHIMAHI_BASE") -> str:
    """The command that sends datagrams with exponential gaps."""
    return python(
        "import os; from backwater import _native;"
        f"print(_native.probe_send(os.environ.get('{host}', '{host}'), {PORT}, {packets},"
        f" {rate_pps}, True, {size}))"
    )


def in_network(text: str, timeout_s: float = 120) -> dict[str, Any]:
    """Runs a shell script in a network of its own; gives the documents that it left in files."""
    mapped = [] if os.geteuid() == 0 else ["--map-root-user"]
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            ["unshare", "--net", *mapped, "--", "sh", "-c", f"ip link set lo up\n{text}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        found = {}
        for file in Path(folder).glob("*.json"):
            written = file.read_text()
            found[file.stem] = json.loads(written) if written.strip() else None
        found["error"] = ended.stderr.strip()[-400:] if ended.returncode else None
        return found


def emulated(
    words: str, packets: int, rate_pps: float, size: int, nominal_s: float = 0.0
) -> dict[str, Any]:
    """Datagrams from inside the boxes to the network outside."""
    emulate = f"{sys.executable} -m backwater emulate --json --late 10 --unmodelled 1 {words}"
    send = sender(packets, rate_pps, size)
    inside = shlex.join(["sh", "-c", f"{send} > sent.json; sleep {nominal_s + 0.2}"])
    receive = receiver(packets, nominal_s)
    return in_network(f"{receive} > got.json &\nsleep 1\n{emulate} -- {inside} > run.json\nwait\n")
