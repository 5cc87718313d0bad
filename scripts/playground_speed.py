"""Times of the playground, and the engine's speed in WebAssembly beside the compiled program's.

`make web` first. Needs node with npm, and Chromium. The speed is that of CPU time over five runs
in one instance: the first includes the compilation by the browser's engine.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from backwater._native import Scenario

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
playground: Any = importlib.import_module("playground")
BENCHES = ROOT / "python/backwater/benches"
# Each takes the compiled program 0.1 to 0.3 s.
LONG = {"tcp-10-100M": "60 s", "lan-merge-pause": "2000 s", "wifi-12-rts": "120 s"}


def native(text: str, duration: str) -> tuple[str, float]:
    """The fingerprint of a run and the CPU seconds of the least of three."""
    spent = []
    for _ in range(3):
        scenario = Scenario.from_toml(text, "speed", None)
        scenario.set("duration", json.dumps(duration), "speed")
        resolved = scenario.resolve(1)
        began = time.process_time()
        outcome = resolved.run(None, None, columns=False)
        spent.append(time.process_time() - began)
    return json.loads(outcome.document)["fingerprint"], min(spent)


def main() -> None:
    """Prints what was measured as JSON."""
    playground.packages()
    requests = []
    known = {}
    for name, duration in LONG.items():
        text = (BENCHES / f"{name}.toml").read_text(encoding="utf-8")
        known[name] = native(text, duration)
        sets = [["duration", duration]]
        request = {"text": text, "form": "toml", "seed": 1, "set": sets}
        requests.append({"key": name, "run": request})
    command = ["node", "node.mjs", "time", str(playground.ENGINE)]
    printed = subprocess.run(
        command, cwd=playground.WEB, check=True, input=json.dumps(requests), text=True, stdout=-1
    ).stdout
    found: dict[str, Any] = {}
    for name, (fingerprint, runs_ms) in json.loads(printed).items():
        own, native_s = known[name]
        ratios = [round(native_s * 1e3 / one, 2) for one in (runs_ms[0], min(runs_ms))]
        row = {"equal": own == fingerprint, "native_ms": round(native_s * 1e3), "wasm_ms": runs_ms}
        found[name] = row | {"cold": ratios[0], "warm": ratios[1]}
    page = str(ROOT / "out" / "playground.html")
    printed = subprocess.run(
        ["node", "test/speed.mjs", page], cwd=playground.WEB, check=True, stdout=-1, text=True
    ).stdout
    print(json.dumps({"speed": found, "page": json.loads(printed)}, indent=1))


if __name__ == "__main__":
    main()
