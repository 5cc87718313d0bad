"""The run of a resolved scenario: the engine's outcome and its document, or a clear error."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from backwater import _native
from backwater.errors import Refusal, Unfinished, nearest, refusing
from backwater.model import arguments, python_class


class Summed(Protocol):
    """An object with a run's document."""

    @property
    def document(self) -> str:
        """As JSON."""


#: A function that makes a congestion controller.
Factory = Callable[[_native.ControllerSetup], Any]


def run_resolved(
    resolved: _native.Resolved,
    record: str | Path | None = None,
    pcap: str | Path | None = None,
    columns: bool = False,
    controllers: Mapping[str, Factory] | None = None,
    *,
    name: str = "",
    mahimahi_log: Mapping[str, str | Path] | None = None,
    series: str | None = None,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
    perfetto: str | Path | None = None,
    qlog: str | Path | None = None,
) -> _native.Outcome:
    """Runs a resolved scenario in this process."""
    try:
        # Some errors show in the whole network only, such as a station out of reach.
        with refusing():
            return resolved.run(
                None if record is None else str(record),
                None if pcap is None else str(pcap),
                columns,
                None if controllers is None else dict(controllers),
                [(link, str(path)) for link, path in (mahimahi_log or {}).items()],
                series,
                arguments.seconds(max_wall_s),
                arguments.memory(max_memory),
                None if perfetto is None else str(perfetto),
                None if qlog is None else str(qlog),
            )
    except _native.BudgetError as error:
        raise Unfinished(
            str(error), place=name or None, fix="make the run smaller, or lift the limit"
        ) from error
    except _native.PartError as error:
        raise part_failed(error) from error.__cause__
    except KeyError as error:
        (flow,) = error.args
        known = [
            one
            for one, row in json.loads(resolved.canonical)["flows"].items()
            if row["transport"] != "udp"
        ]
        raise Refusal(
            f"there is no flow `{flow}` with a transport that a controller could be given to",
            place=f"controllers[{flow!r}]",
            nearest=nearest(flow, known),
            fix='name a flow with transport = "tcp" or "datagram"',
        ) from None
    except OSError as error:
        raise Unfinished(
            f"cannot write the recording: {error.strerror or error}",
            place=error.filename or str(record or pcap or perfetto or qlog),
            fix="make room, or name a file you can write to",
        ) from error


def tried(
    resolved: _native.Resolved, figures: list[str], looks: tuple[int, list[str]] | None
) -> tuple[list[float], list[float], int]:
    """Figures, looks and fingerprint of a run with classes of the user, in this process."""
    try:
        with refusing():
            return _native.hosted_trial(resolved, figures, looks)
    except _native.PartError as error:
        raise part_failed(error) from error.__cause__


def part_failed(error: _native.PartError) -> Unfinished:
    """The fault of a class from a file of Python."""
    return Unfinished(
        f"{error.whose} failed: {python_class.raised(error.__cause__)}",
        place=error.place,
        fix="correct the class; its run has ended",
    )


def document_of(outcome: _native.Outcome | Summed, name: str) -> dict[str, Any]:
    """The document of `backwater run --json`."""
    return {
        "schema": "backwater/run/1",
        "version": _native.version(),
        "scenario": name,
        **json.loads(outcome.document),
    }
