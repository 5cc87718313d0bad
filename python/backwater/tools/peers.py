"""Other simulators that run a benchmark's workload beside ours: one function and one row each."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parent.parent / "benches"


@dataclass(frozen=True)
class Absent:
    """Why a peer can't be measured here."""

    reason: str


@dataclass(frozen=True)
class Peer:
    """A program that runs the workload once and prints its cost as JSON."""

    name: str
    version: str
    program: Path
    arguments: tuple[str, ...] = ()
    #: Its standard input.
    reads: str = ""

    def run(self) -> dict[str, Any]:
        """One run: cpu_s, packet_hops, goodput_bps and rss_peak_B among other keys."""
        ended = subprocess.run(
            [self.program, *self.arguments],
            input=self.reads,
            capture_output=True,
            text=True,
            check=True,
        )
        document: dict[str, Any] = json.loads(ended.stdout)
        return document


def ns3_version() -> str | Absent:
    """The version of ns-3 that a program can be compiled against."""
    for tool in ("pkg-config", "g++"):
        if shutil.which(tool) is None:
            return Absent(f"{tool} is absent")
    asked = subprocess.run(
        ["pkg-config", "--modversion", "ns3-core"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() if asked.returncode == 0 else Absent("ns-3 is absent")


def ns3(program: str, arguments: tuple[str, ...] = (), reads: str = "") -> Peer | Absent:
    """ns-3 as Debian packages it, its program compiled once and kept in the user's cache folder."""
    version = ns3_version()
    if isinstance(version, Absent):
        return Absent(f"{version.reason} (`backwater doctor` says how to install it)")
    source = SOURCES / "ns3" / f"{program.replace('-', '_')}.cc"
    # Not pkg-config's own libraries: Debian's name development files that ns-3 doesn't depend on.
    modules = (
        *("wifi", "propagation", "mobility", "applications", "bridge", "internet"),
        *("traffic-control", "network", "core"),
    )
    libraries = ["-Wl,--as-needed", *(f"-lns3-{module}" for module in modules)]
    try:
        compiled = _compiled(f"ns3-{version}", source, libraries)
    except subprocess.CalledProcessError as error:
        return Absent(f"ns-3's side doesn't compile: {error.stderr.strip()[-400:]}")
    except OSError as error:
        return Absent(f"ns-3's side can't be kept in the cache folder: {error}")
    return Peer("ns-3", version, compiled, arguments, reads)


PEERS: dict[str, Callable[[str, tuple[str, ...], str], Peer | Absent]] = {"ns-3": ns3}


def _compiled(label: str, source: Path, libraries: list[str]) -> Path:
    """The program made from a C++ file, made anew when it, a header or the command changes."""
    command = ["g++", "-std=c++17", "-O2", *libraries]
    texts = [source, *sorted(source.parent.glob("*.h"))]
    parts = [*(text.read_bytes() for text in texts), "\0".join(command).encode()]
    content = hashlib.sha256(b"".join(parts)).hexdigest()
    folder = _cache() / f"{label}-{content[:16]}"
    program = folder / source.stem
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Renamed when complete: an interrupted build leaves no program.
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            fresh = Path(scratch) / source.stem
            subprocess.run(
                [*command[:3], str(source), *libraries, "-o", str(fresh)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=True,
            )
            fresh.replace(program)
    return program


def _cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "backwater"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "backwater"
