"""Checks of this installation, each with the command that repairs or completes it."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from backwater.model.invariants import broken
from backwater.tools import emulation
from backwater.tools.peers import Absent, ns3_version

OLDEST_PYTHON = (3, 10)


@dataclass(frozen=True)
class Check:
    """One check: what was found, and the remedy if it failed."""

    name: str
    ok: bool
    required: bool
    found: str
    fix: str | None = None


@dataclass(frozen=True)
class Tool:
    """An optional program, its use, and the packages that have it."""

    name: str
    use: str
    programs: tuple[str, ...]
    debian: str
    fedora: str
    macos: str


TOOLS = (
    Tool(
        "tshark",
        "reading captures as Wireshark does (tests)",
        ("tshark",),
        "tshark",
        "wireshark-cli",
        "wireshark",
    ),
    Tool(
        "chromium",
        "looking at reports without a screen (tests)",
        ("chromium", "chromium-browser", "google-chrome"),
        "chromium",
        "chromium",
        "--cask chromium",
    ),
)

# Two senders overload one port until it sends PAUSE: the run uses every layer of the engine.
TRIAL = """
schema = "backwater/scenario/1"
seed = 1
duration = "1 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.W = { kind = "switch", model = "output-queued" }
nodes.D = { kind = "host" }
links.a = { ends = ["A", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.b = { ends = ["B", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"] }
flows.a.from = "A"
flows.a.to = "D"
flows.a.source = { kind = "poisson", packet = "1500 B", rate = "6 Mbit/s" }
flows.b.from = "B"
flows.b.to = "D"
flows.b.source = { kind = "poisson", packet = "1500 B", rate = "6 Mbit/s" }
"""


def check() -> list[Check]:
    """Every check, the required ones first. None of them raises."""
    required = [_python(), _module(), _engine(), _trial(), _temporary()]
    optional = [_speed(), *map(_tool, TOOLS), _ns3(), _extra("polars"), _extra("pandas")]
    optional.append(Check("emulation: devices", *_emulation(emulation.device())))
    optional.append(Check("emulation: namespaces", *_emulation(emulation.namespaces())))
    optional.append(Check("emulation: networks beyond", *_emulation(emulation.beyond())))
    optional.append(Check("emulation: names", *_emulation(emulation.names())))
    return [replace(row, fix=None) if row.ok else row for row in (*required, *optional)]


def document(checks: list[Check]) -> dict[str, Any]:
    """The document of `doctor --json`."""
    return {
        "schema": "backwater/doctor/1",
        "version": importlib.metadata.version("backwater"),
        "ok": all(row.ok for row in checks if row.required),
        "checks": [asdict(row) for row in checks],
    }


def _python() -> Check:
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Check(
        "Python",
        sys.version_info >= OLDEST_PYTHON,
        True,
        f"{platform.python_version()} at {sys.executable}",
        f"make clean && make setup PYTHON=<a Python of {oldest} or newer>",
    )


def _module() -> Check:
    fix = "make setup"
    try:
        from backwater import _native

        loaded, installed = _native.version(), importlib.metadata.version("backwater")
    except (ImportError, importlib.metadata.PackageNotFoundError) as error:
        return Check("native module", False, True, f"{type(error).__name__}: {error}", fix)
    if loaded != installed:
        return Check("native module", False, True, f"{loaded}, but the package is {installed}", fix)
    return Check("native module", True, True, f"{loaded} at {_native.__file__}", fix)


def _engine() -> Check:
    def identify() -> str:
        from backwater import _native

        name = _native.engine_id()
        if re.fullmatch(r"[0-9a-f]+(\+[0-9a-f]+)?", name) is None:
            raise ValueError(f"{name!r} is not a hash")
        return name

    return _attempt("engine id", identify, "make clean && make setup")


def _speed() -> Check:
    """`make test` installs an engine that is built in half of the time. Its runs take longer."""
    try:
        from backwater import _native

        ok = _native.optimised()
    except (ImportError, AttributeError) as error:
        return Check("optimised engine", False, False, str(error), "make setup")
    found = "yes" if ok else "no, it was built for tests: runs take about 1.3 times as long"
    return Check("optimised engine", ok, False, found, "make setup")


def _trial() -> Check:
    def twice() -> str:
        from backwater import _native

        def run() -> dict[str, Any]:
            trial = _native.Scenario.from_toml(TRIAL, "doctor.toml", None).resolve(None)
            ended: dict[str, Any] = json.loads(trial.run(None, None, False).document)
            return ended

        first, second = run(), run()
        if first["fingerprint"] != second["fingerprint"]:
            raise ValueError(f"fingerprints {first['fingerprint']} and {second['fingerprint']}")
        if wrong := broken(first):
            raise ValueError(wrong)
        return f"fingerprint {first['fingerprint']} twice"

    return _attempt("two equal runs", twice, "report this with `backwater doctor --json`")


def _temporary() -> Check:
    def write() -> str:
        with tempfile.TemporaryFile() as file:
            file.write(b"\0" * 65536)
            file.flush()
        return tempfile.gettempdir()

    return _attempt("temporary folder", write, "export TMPDIR=<a folder that can be written>")


def _tool(tool: Tool) -> Check:
    path = next(filter(None, map(shutil.which, tool.programs)), None)
    fix = _install(tool.debian, tool.fedora, tool.macos)
    return Check(tool.name, path is not None, False, path or f"absent: {tool.use}", fix)


def _ns3() -> Check:
    version = ns3_version()
    if isinstance(version, Absent):
        fix = _install("libns3-dev g++ pkg-config", "ns3-devel gcc-c++ pkgconf", None)
        found = f"{version.reason}: the peer's side of `backwater bench`"
        return Check("ns-3", False, False, found, fix)
    return Check("ns-3", True, False, version)


def _extra(name: str) -> Check:
    fix = f"{sys.executable} -m pip install {name}"
    if importlib.util.find_spec(name) is None:
        return Check(name, False, False, f"absent: results.to_{name}()", fix)
    return Check(name, True, False, importlib.metadata.version(name), fix)


def _emulation(found: tuple[bool, str, str]) -> tuple[bool, bool, str, str]:
    ok, what, fix = found
    return ok, False, what, fix


def _attempt(name: str, question: Callable[[], str], fix: str) -> Check:
    """A required check; any exception is a failure and its text is what was found."""
    try:
        return Check(name, True, True, question(), fix)
    except Exception as error:
        return Check(name, False, True, f"{type(error).__name__}: {error}", fix)


def _install(debian: str, fedora: str, macos: str | None) -> str:
    if sys.platform == "darwin":
        return f"brew install {macos}" if macos else "build it from https://www.nsnam.org"
    family = _family()
    if family == "fedora":
        return f"sudo dnf install -y {fedora}"
    return f"sudo apt-get install -y {debian}"


def _family() -> str:
    release = Path("/etc/os-release")
    text = release.read_text(encoding="utf-8") if release.exists() else ""
    like_fedora = re.search(r"^ID(_LIKE)?=.*\b(fedora|rhel)\b", text, re.MULTILINE)
    return "fedora" if like_fedora else "debian"
