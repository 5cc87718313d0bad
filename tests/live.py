"""Live runs in tests: what makes one count, and the same packets in simulation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

import backwater

# How often a run that kept no time is tried again.
TRIES = 3
# Lateness of 1 % of packets that no count here feels: ten packets at 500 a second. These tests
# count packets beside other work, so the emulator does not sleep, as it would on slow links.
LATE = "--exact --late 0.02"
# Packets by which two runs of the same arrivals may differ: backoffs and phases.
NEAR = 20


class Result(Protocol):
    """The result of a command."""

    code: int
    err: str


Some = TypeVar("Some", bound=Result)


def valid(attempt: Callable[[], Some]) -> Some:
    """The first run whose certificate is valid; where there is none the test is skipped."""
    for _ in range(TRIES):
        ended = attempt()
        wrong = [line for line in ended.err.splitlines() if line.startswith("not valid: ")]
        if not wrong:
            return ended
    pytest.skip(f"this machine is too busy for a live run, {TRIES} times: {'; '.join(wrong)}")


# Put before a program that sends: `note()` keeps the instant, and the file is written at its end.
NOTE = """
import atexit, json, time
noted = []
def note():
    noted.append(time.monotonic())
atexit.register(lambda: json.dump(noted, open("noted.json", "w")))
"""


def replayed(
    folder: Path,
    scenario: str,
    ends: tuple[str, str],
    length: int,
    *,
    more: str = "",
) -> dict[str, Any]:
    """A scenario with the flow `live`, of packets of this length at the noted instants."""
    noted: list[float] = json.loads((folder / "noted.json").read_text())
    rows = [f"{at - noted[0]:.9f},{length}" for at in noted]
    (folder / "noted.csv").write_text("\n".join(["time_s,size_B", *rows, ""]))
    flow = (
        f'\n[flows.live]\nfrom = "{ends[0]}"\nto = "{ends[1]}"\nstart = "1 s"\n'
        f'source = {{ kind = "replay", file = "noted.csv" }}\n{more}'
    )
    (folder / "simulated.toml").write_text(scenario + flow)
    lasts = {"duration": f"{noted[-1] - noted[0] + 5:.3f} s"}
    return backwater.run(folder / "simulated.toml", set=lasts, columns=False).document


def lost(document: Mapping[str, Any], flow: str, place: str) -> int:
    """Packets of a flow that a place lost."""
    rows = [row for row in document["drops"] if (row["flow"], row["place"]) == (flow, place)]
    return sum(row["pkts"] for row in rows)


def of(document: Mapping[str, Any], flow: str) -> dict[str, Any]:
    """A flow's row."""
    [found] = [row for row in document["flows"] if row["id"] == flow]
    return dict(found)
