"""The work of `backwater emulate`, and the reading of its plain command lines.

Nothing here loads a library: a program behind boxes starts after a tenth of a second, of which the
library of the command line would take as much again.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.cli import console
from backwater.errors import EXIT_DONE, EXIT_UNFINISHED, Refusal, Unfinished, refusing
from backwater.model import outputs

VERB = "emulate"
SCENARIO = "scenario"
MOST_SEED = 2**64 - 1


@dataclass(frozen=True)
class Wishes:
    """The options of the command; `emulate` says what they mean."""

    # None: where the links are slow enough.
    low_cpu: bool | None = None
    live: bool = False
    no_offload: bool = False
    late: float = 0.001
    unmodelled: float = 0.0
    record: Path | None = None
    pcap: Path | None = None
    pcap_model: Path | None = None
    page: Path | None = None
    control: Path | None = None
    live_page: bool = False
    json: bool = False


FLAGS = {
    "--low-cpu": ("low_cpu", True),
    "--exact": ("low_cpu", False),
    "--live": ("live", True),
    "--live-page": ("live_page", True),
    "--no-offload": ("no_offload", True),
    "--json": ("json", True),
}


def plain(args: Sequence[str]) -> tuple[list[str], Wishes] | None:
    """Boxes and flags of a line with nothing else in front of its boxes; None for any other."""
    given: dict[str, Any] = {}
    for at, word in enumerate(args):
        if not word.startswith("-"):
            return list(args[at:]), Wishes(**given)
        if word not in FLAGS:
            return None
        name, value = FLAGS[word]
        given[name] = value
    return None


def run(words: list[str], wishes: Wishes) -> int:
    """Runs programs behind boxes, or at nodes of a scenario, and gives the exit code."""
    if not hasattr(_native, "emulate"):
        raise Refusal("emulation needs Linux", fix="run it on Linux, or in a virtual machine")
    resolved, attached = _scenario(words[1:]) if words[0] == SCENARIO else (None, [])
    _keep_apart(words, resolved, wishes)
    try:
        with refusing(), _output_aside(wishes.json):
            code, document, broken = _native.emulate(
                words,
                resolved,
                attached,
                list(os.environ.items()),
                os.environ.get("BACKWATER_TRACES"),
                shlex.join(["backwater", VERB, *words]),
                wishes.low_cpu,
                wishes.live,
                wishes.no_offload,
                wishes.late,
                wishes.unmodelled,
                _written(wishes.record),
                _written(wishes.pcap),
                _written(wishes.pcap_model),
                wishes.page is not None,
                _written(wishes.control),
                _live_page() if wishes.live_page else None,
            )
    except _native.EmulationError as error:
        raise Unfinished(str(error), fix=error.fix) from error
    found = _document(json.loads(document))
    if wishes.page is not None:
        _write_page(found, words, resolved, wishes.page)
    if wishes.json:
        console.emit(found)
    for line in closing(found):
        console.message(line)
    if found["recording"] and (missing := found["recording"]["lost_events"]):
        console.message(f"what was kept lacks {missing} events: the disk or the CPU was too slow")
    return code or (EXIT_UNFINISHED if broken else EXIT_DONE)


def _live_page() -> str:
    """The viewer of records, fed by the emulator."""
    from backwater.present import viewer

    return viewer.page([], live=True)


def _keep_apart(words: list[str], resolved: _native.Resolved | None, wishes: Wishes) -> None:
    """Refuses to overwrite what is read, or one output by another."""
    boxes = words[: words.index("--")] if "--" in words else words
    written: dict[str, str | Path | None] = {
        "--record": wishes.record,
        "--pcap": wishes.pcap,
        "--pcap-model": wishes.pcap_model,
        "--page": wishes.page,
        "--control": wishes.control,
    }
    if resolved is not None:
        outputs.of_run(_file(words[1:]), resolved, written)
        return
    read: list[str] = []
    for at, word in enumerate(boxes):
        name, _, value = word.partition("=")
        if word.removeprefix("mm-") == "link":
            read += boxes[at + 1 : at + 3]
        elif name in ("--uplink-light", "--downlink-light"):
            read.append(value or "".join(boxes[at + 1 : at + 2]))
        elif name in ("--uplink-log", "--downlink-log"):
            written[name] = value or "".join(boxes[at + 1 : at + 2])
    outputs.distinct(written, read)


def _file(words: list[str]) -> str:
    """The scenario's file among the words behind `scenario`: the first that no option takes."""
    return next(
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and before not in ("--attach", "--set", "--seed")
    )


# Flows that a closing line names.
NAMED = 4


def closing(found: dict[str, Any]) -> list[str]:
    """How a run went, in three lines: throughput, delay, and whether both can be trusted."""
    seconds = found["duration_s"]
    rates = [
        f"{flow['id']} {_figure(8 * flow['delivered_B'] / seconds / 1e6)} Mbit/s"
        for flow in found["flows"]
        if seconds > 0
    ]
    of_run = [] if found["run"] is None else found["run"]["flows"]
    delays = [
        f"{flow['id']} {_figure(1e3 * flow['delay_mean_s'])} ms"
        f" (95 %: {_figure(1e3 * flow['delay_p95_s'])} ms)"
        for flow in of_run
        if flow["delay_mean_s"] is not None and flow["delay_p95_s"] is not None
    ]
    none = "no packet came" if found["run"] is not None else "the run ended in the warm-up"
    return [
        f"throughput: {_listed(rates) or 'no packet came'}",
        f"delay, one way: {_listed(delays) or none}",
        _trust(found["certificate"]),
    ]


def _trust(certificate: dict[str, Any]) -> str:
    if not certificate["valid"]:
        return f"not valid: {'; '.join(certificate['broken'])}"
    late = certificate["late_p99_s"]
    if late is None:
        return "valid: no packet left, and none was lost but by the model"
    bound = certificate["bounds"]["late_p99_s"]
    return (
        f"valid: 99 % of packets left at most {_figure(1e3 * late)} ms late, of "
        f"{_figure(1e3 * bound)} allowed; lost but not by the model: "
        f"{certificate['device_drops_pkts'] + certificate['refused_pkts']}; "
        f"{certificate['given_pkts']} packets in {certificate['writes']} writes"
    )


def _listed(some: list[str]) -> str:
    more = len(some) - NAMED
    return ", ".join([*some[:NAMED], *([f"and {more} more"] if more > 0 else [])])


def _figure(value: float) -> str:
    """Three digits, without powers of ten."""
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{digits}f}"


def _written(path: Path | None) -> str | None:
    return None if path is None else str(path)


def _write_page(
    found: dict[str, Any], words: list[str], resolved: _native.Resolved | None, path: Path
) -> None:
    from backwater.present import report, topology

    if found["run"] is None:
        raise Refusal(
            "the run ended in the warm-up of the scenario, so there is nothing to show",
            place=str(path),
            fix="let it run longer",
        )
    boxes = words[: words.index("--")] if "--" in words else words
    name = Path(words[1]).name if words[0] == SCENARIO else " ".join(boxes)
    document = {**found["run"], "version": found["version"], "scenario": name}
    drawn = None if resolved is None else topology.seen(resolved)
    command = ["backwater", VERB, *words]
    report.write_run(document, drawn, command, path, found["certificate"])


def _document(found: dict[str, Any]) -> dict[str, Any]:
    return {"schema": "backwater/emulate/1", "version": _native.version(), **found}


@contextmanager
def _output_aside(aside: bool) -> Iterator[None]:
    """Sends what programs print to stderr, so that stdout has the document alone."""
    if not aside:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _scenario(words: list[str]) -> tuple[_native.Resolved, list[tuple[str, list[str]]]]:
    """The scenario and the commands of `scenario FILE --attach NODE=COMMAND`."""
    from backwater.cli import override
    from backwater.model.simulate import resolve

    file: str | None = None
    seed: int | None = None
    attached: list[tuple[str, list[str]]] = []
    overrides: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in ("--attach", "--set", "--seed"):
            given = value if equals else next(rest, None)
            if given is None:
                raise Refusal(
                    f"{name} has no value",
                    place=name,
                    fix="write --attach NODE=COMMAND, --set PATH=VALUE or --seed N",
                )
            value = given
            if name == "--seed":
                seed = _whole(value)
            elif name == "--set":
                overrides.update([override.parse(value)])
            else:
                node, text = override.split(value, "NODE=COMMAND")
                attached.append((node, _argv(node, text)))
        elif file is None and not word.startswith("-"):
            file = word
        else:
            raise Refusal(
                f"`{word}` is no option of emulate scenario",
                fix="write scenario FILE --attach NODE=COMMAND [--set PATH=VALUE] [--seed N]",
            )
    if file is None:
        raise Refusal("the scenario's file is missing", fix="write scenario FILE --attach ...")
    for node, argv in attached:
        if not argv:
            raise Refusal("the command is empty", place=f"--attach {node}", fix="write a command")
    return resolve(file, seed, overrides)[0], attached


def _argv(node: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Refusal(
            f"the command `{text}` is not one of a shell: {str(error).lower()}",
            place=f"--attach {node}",
            fix="close the quotes",
        ) from error


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) > MOST_SEED:
        raise Refusal(f"`{text}` is no seed", place="--seed", fix="write a whole number below 2^64")
    return int(text)
