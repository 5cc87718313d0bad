"""`backwater flow`."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import override
from backwater.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_TERMINATED, Refusal, Unfinished
from backwater.errors import refusing as refusing_scenario
from backwater.model import controller_file, quantity
from backwater.model.outcome import part_failed
from backwater.tools.rfc9743 import BASELINES

PORT = 9876
# Whoever reaches a listener can make it work: others than this host are let in on purpose.
LOOPBACK = "127.0.0.1"
app = typer.Typer(help="A flow over real UDP, under any controller. Prints JSON lines.")

Interval = Annotated[str, typer.Option(metavar="TIME", help="How often there is a line.")]


@app.command()
def listen(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="UDP port; 0 for any that is free.")
    ] = PORT,
    bind: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where to listen; :: for all addresses of this host."),
    ] = LOOPBACK,
    interval: Interval = "1 s",
    once: Annotated[bool, typer.Option("--once", help="End with the first flow.")] = False,
) -> int:
    """Receive flows of `backwater flow send` until a signal comes."""
    with _refusing():
        ended = _native.flow_listen(bind, port, _seconds("--interval", interval), once)
    # A signal is how a listener is ended.
    return EXIT_TERMINATED if ended == signal.SIGTERM else EXIT_DONE


@app.command()
def send(
    host: Annotated[str, typer.Argument(help="Where `backwater flow listen` runs.")],
    port: Annotated[int, typer.Option(min=1, max=65535, help="Its UDP port.")] = PORT,
    controller: Annotated[
        str, typer.Option(help="A controller of `backwater list`, FILE.py:Class or FILE.wasm.")
    ] = BASELINES[0],
    transport: Annotated[
        str, typer.Option(help="tcp: a reliable stream; datagram: each packet is sent once.")
    ] = "tcp",
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="A field of the flow as in a scenario, such as packet='1200 B'; repeatable.",
        ),
    ] = None,
    duration: Annotated[
        str | None, typer.Option(metavar="TIME", help="When to stop; 10 s without --bytes.")
    ] = None,
    bytes_: Annotated[
        int | None,
        typer.Option("--bytes", min=1, max=2**63 - 1, help="Bytes to send; else no end."),
    ] = None,
    interval: Interval = "100 ms",
    seed: Annotated[int, typer.Option(min=0, help="Of a controller that draws.")] = 1,
) -> int:
    """Send a flow to a listener: window, round trip and rate as JSON lines."""
    if duration is None and bytes_ is None:
        duration = "10 s"
    of_file = controller_file.is_file(controller)
    table = controller_file.table(controller) if of_file else {"kind": controller}
    fields: dict[str, Any] = {"transport": transport, "controller": table}
    for written in set_ or ():
        _put(fields, written)
    with _refusing():
        text = json.dumps(fields)
        scenario = _native.Scenario.from_json(
            _native.flow_scenario(text, seed), "flow send", str(Path.cwd())
        )
        ended = _native.flow_send(
            host,
            port,
            scenario.resolve(None),
            text,
            bytes_,
            None if duration is None else _seconds("--duration", duration),
            _seconds("--interval", interval),
        )
    codes: dict[int | None, int] = {
        signal.SIGINT: EXIT_INTERRUPTED,
        signal.SIGTERM: EXIT_TERMINATED,
    }
    return codes.get(ended, EXIT_DONE)


def _seconds(option: str, text: str) -> float:
    found = quantity.parse(text)
    if found is None or found.dimension != "time" or not 1e-3 <= found.value <= 1e6:
        fix = 'write a number and a unit, such as "100 ms"; at least 1 ms'
        raise Refusal(f"`{text}` is no length of time for a flow", place=option, fix=fix)
    return found.value


def _put(fields: dict[str, Any], written: str) -> None:
    """Sets a field of the flow, or of a table in it."""
    path, value = override.parse(written)
    *tables, last = path.split(".")
    at = fields
    for name in tables:
        inner = at.setdefault(name, {})
        if not isinstance(inner, dict):
            raise Refusal(f"`{name}` is no table", place=f"--set {written}", fix="see `explain`")
        at = inner
    at[last] = value


@contextmanager
def _refusing() -> Iterator[None]:
    """The errors of the engine as those of the command."""
    if not hasattr(_native, "flow_send"):
        raise Refusal("real flows need Linux", fix="run it on Linux, or in a virtual machine")
    sys.stdout.flush()
    try:
        with refusing_scenario():
            yield
    except _native.EmulationError as error:
        raise Unfinished(str(error), fix=error.fix) from error
    except _native.PartError as error:
        raise part_failed(error) from error.__cause__
