"""The installed command, as a person runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BACKWATER = (sys.executable, "-m", "backwater")
# Ends a command that hangs. A slow or busy machine never takes that long.
HANGS_S = 3600.0


@dataclass
class Ended:
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one document on stdout."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def start(
    *args: object,
    cwd: Path,
    limit: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[str]:
    """Starts a command. It reacts to SIGINT, though these tests may run where that is ignored."""

    def begin() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if limit is not None:
            limit()

    return subprocess.Popen(
        [*BACKWATER, *map(str, args)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=begin,
        env={**os.environ, **(environment or {})},
    )


def ended(process: subprocess.Popen[str], timeout: float = HANGS_S) -> Ended:
    """Waits for a command; whatever happened, nobody sees a traceback or a panic."""
    out, err = process.communicate(timeout=timeout)
    assert "Traceback" not in err, err
    assert "panicked" not in err, err
    return Ended(process.returncode, out, err)


def call(
    *args: object,
    cwd: Path,
    limit: Callable[[], None] | None = None,
    timeout: float = HANGS_S,
    traces: Path | None = None,
) -> Ended:
    """Runs a command to its end; `traces` is the folder of trace files."""
    environment = None if traces is None else {"BACKWATER_TRACES": str(traces)}
    return ended(start(*args, cwd=cwd, limit=limit, environment=environment), timeout)
