"""Builds the playground: the engine for a browser and the page around it, in one file.

Beside each state of the gallery stands the fingerprint that the compiled program prints for it.
Needs cargo with the target wasm32-unknown-unknown, and node with npm.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from backwater._native import Scenario

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
TARGET = "wasm32-unknown-unknown"
ENGINE = ROOT / "target" / TARGET / "web" / "backwater_web.wasm"
# Two of them are 13 bits. None ends or begins an element, a reference or an escape.
LETTERS = [chr(code) for code in range(33, 127) if chr(code) not in "&<\\"]
# WebAssembly has no alignment, and the bits of a byte say more of the next than its address does.
FILTER = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}


def missing() -> str | None:
    """A tool that the page needs and this machine lacks; None if nothing is missing."""
    for program in ("cargo", "node", "npm"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    libraries = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", TARGET],
        capture_output=True,
        text=True,
        check=False,
    )
    if libraries.returncode != 0 or not Path(libraries.stdout.strip()).is_dir():
        return f"Rust has no target {TARGET} (rustup target add {TARGET})"
    return None


def engine() -> Path:
    """Compiles the engine and returns its file."""
    command = ["cargo", "build", "--locked", "--profile", "web"]
    subprocess.run([*command, "-p", "backwater-web", "--target", TARGET], cwd=ROOT, check=True)
    return ENGINE


def packages() -> None:
    """Installs what `web/package-lock.json` names, once."""
    if not (WEB / "node_modules").is_dir():
        install = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel", "error"]
        subprocess.run(install, cwd=WEB, check=True)


def states() -> list[dict[str, Any]]:
    """The states of the gallery: a key and the request of each."""
    printed = subprocess.run(["node", "node.mjs", "states"], cwd=WEB, check=True, stdout=-1)
    found: list[dict[str, Any]] = json.loads(printed.stdout)
    return found


def native(requests: list[dict[str, Any]]) -> dict[str, str]:
    """The fingerprint of each request by the engine that is installed here."""
    found = {}
    for state in requests:
        request = state["run"]
        scenario = Scenario.from_toml(request["text"], state["key"], None)
        for path, value in request.get("set", []):
            scenario.set(path, json.dumps(value), state["key"])
        resolved = scenario.resolve(request["seed"])
        outcome = resolved.run(None, None, columns=False)
        found[state["key"]] = json.loads(outcome.document)["fingerprint"]
    return found


def browser(requests: list[dict[str, Any]], module: Path) -> dict[str, str]:
    """The fingerprint of each request by the WebAssembly module, in Node."""
    printed = subprocess.run(
        ["node", "node.mjs", "run", str(module)],
        cwd=WEB,
        check=True,
        input=json.dumps(requests).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    found: dict[str, str] = json.loads(printed.stdout)
    return found


def packed(data: bytes) -> bytes:
    """Bytes as LZMA; `web/src/lzma.ts` unpacks them."""
    return lzma.compress(data, format=lzma.FORMAT_ALONE, filters=[FILTER])


def lettered(data: bytes) -> str:
    """Bytes as text: two letters for each 13 bits, the lowest bits first."""
    found = []
    rest = bits = 0
    for byte in data:
        rest |= byte << bits
        bits += 8
        if bits >= 13:
            found.append(LETTERS[rest % 8192 % 91] + LETTERS[rest % 8192 // 91])
            rest >>= 13
            bits -= 13
    if bits:
        found.append(LETTERS[rest % 91] + LETTERS[rest // 91])
    return "".join(found)


def page(module: Path, out: Path, fingerprints: dict[str, str]) -> None:
    """Writes the page."""
    with tempfile.TemporaryDirectory() as folder:
        engine_file, known = Path(folder) / "engine.txt", Path(folder) / "fingerprints.json"
        engine_file.write_text(lettered(packed(module.read_bytes())), encoding="ascii")
        known.write_text(json.dumps(fingerprints), encoding="utf-8")
        command = ["node", "build.mjs", str(engine_file), str(out.resolve()), str(known)]
        subprocess.run(command, cwd=WEB, check=True)


def main() -> None:
    """Reads the command line and builds the page."""
    given = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    given.add_argument("out", type=Path, help="the HTML file to write")
    out = given.parse_args().out
    lacks = missing()
    if lacks is not None:
        sys.exit(f"the playground is not built: {lacks}")
    packages()
    page(engine(), out, native(states()))


if __name__ == "__main__":
    main()
