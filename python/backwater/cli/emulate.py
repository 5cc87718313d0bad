"""`backwater emulate`."""

from __future__ import annotations

import json as texts
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, override
from backwater.errors import EXIT_DONE, EXIT_UNFINISHED, Refusal, Unfinished, refusing

NAME = "emulate"
# What follows the boxes belongs to them and to the command behind them.
CONTEXT = {"allow_interspersed_args": False, "ignore_unknown_options": True}
SCENARIO = "scenario"


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="BOX... [-- COMMAND...] | scenario FILE --attach NODE=COMMAND...",
            help="delay MS; loss uplink|downlink SHARE; onoff uplink|downlink ON-S OFF-S; "
            "jitter uplink|downlink MS; reorder uplink|downlink SHARE MS; mark uplink|downlink "
            "SHARE; link UP-TRACE DOWN-TRACE; rate UP DOWN. The first box is the outermost; raw "
            "alone forwards without a model.",
        ),
    ],
    low_cpu: Annotated[
        bool, typer.Option("--low-cpu", help="Sleep whenever nothing is due.")
    ] = False,
    live: Annotated[bool, typer.Option("--live", help="Show counts while it runs.")] = False,
    no_offload: Annotated[
        bool, typer.Option("--no-offload", help="Take no super-packets of TCP and UDP.")
    ] = False,
    late: Annotated[
        float, typer.Option(min=0, help="Seconds by which 1 % of packets may be late.")
    ] = 0.001,
    unmodelled: Annotated[
        float, typer.Option(min=0, max=1, help="Share of packets lost without the model's will.")
    ] = 0.0,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON document on stdout; the command's output goes to stderr.",
        ),
    ] = False,
) -> int:
    """Run a program behind emulated boxes, or programs at nodes of a scenario, in real time.

    The exit code is the program's; where that is 0, 3 says that a bound of the validity certificate
    does not hold.
    """
    if not hasattr(_native, "emulate"):
        raise Refusal("emulation needs Linux", fix="run it on Linux, or in a virtual machine")
    resolved, attached = _scenario(words[1:]) if words[0] == SCENARIO else (None, [])
    try:
        with refusing(), _output_aside(json):
            code, document, broken = _native.emulate(
                words,
                resolved,
                attached,
                list(os.environ.items()),
                os.environ.get("BACKWATER_TRACES"),
                shlex.join(["backwater", NAME, *words]),
                low_cpu,
                live,
                no_offload,
                late,
                unmodelled,
            )
    except _native.EmulationError as error:
        raise Unfinished(str(error), fix=error.fix) from error
    if json:
        console.emit(_document(texts.loads(document)))
    for why in broken:
        console.message(f"not valid: {why}")
    return code or (EXIT_UNFINISHED if broken else EXIT_DONE)


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
    from backwater.model.simulate import resolve

    file: str | None = None
    seed: int | None = None
    attached: list[tuple[str, list[str]]] = []
    overrides: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in ("--attach", "--set", "--seed"):
            value = value if equals else next(rest, "")
            if name == "--seed":
                seed = _whole(value)
            elif name == "--set":
                overrides.update([override.parse(value)])
            else:
                node, text = override.split(value, "NODE=COMMAND")
                attached.append((node, shlex.split(text)))
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


def _whole(text: str) -> int:
    if not text.isdigit():
        raise Refusal(f"`{text}` is no seed", place="--seed", fix="write a whole number")
    return int(text)
