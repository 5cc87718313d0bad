"""`backwater import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, Refusal, Unfinished
from backwater.imports import chakra, goal, hpcc, htsim
from backwater.imports.transfers import Network, Transfer, scenario, star
from backwater.model import outputs
from backwater.model.simulate import resolve

# Each with a line, or a part, that sends bytes.
FORMATS = {
    "cm": "a line such as 0->1 start 0 size 1000",
    "hpcc-flows": "a line such as 0 1 3 100 1000 2.0, and their count first",
    "goal": "send 1000b to 1 tag 0 for rank 0, and recv 1000b from 0 tag 0 for rank 1",
    "chakra": "a send and its receive, or a collective at each rank",
}


def _formats(incomplete: str) -> list[str]:
    return [name for name in FORMATS if name.startswith(incomplete)]


def command(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="cm (htsim), hpcc-flows, goal or chakra.",
            autocompletion=_formats,
        ),
    ],
    files: Annotated[list[Path], typer.Argument(help="The work; of Chakra a file for each rank.")],
    topology: Annotated[
        Path | None,
        typer.Option("--topology", help="htsim's .topo, or HPCC's; default one switch."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option("--unit", help="Of start times (cm: us or ps) or of calc (goal: ns, ps, us)."),
    ] = None,
    gbps: Annotated[
        float | None,
        typer.Option("--gbps", min=0.001, help="Lines of the one switch; default 100."),
    ] = None,
    hosts: Annotated[
        int | None,
        typer.Option("--hosts", min=2, help="Hosts at the one switch; default all ranks."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--duration", help="Default three times an idle network's time.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The scenario's file.")] = None,
    json: options.Json = False,
) -> int:
    """Turn work or a network of htsim, HPCC's simulator, GOAL or Chakra into a scenario."""
    if kind not in FORMATS:
        raise Refusal(
            f"there is no format `{kind}`",
            place="FORMAT",
            nearest=tuple(FORMATS),
            fix="name one of these",
        )
    for path in [*files, *([topology] if topology else [])]:
        if not path.exists():
            raise Refusal("there is no such file", place=str(path), fix="name one that is there")
    for name, value in (("--gbps", gbps), ("--hosts", hosts)):
        if topology is not None and value is not None:
            raise Refusal(
                "the file of --topology says what the network is",
                place=name,
                fix=f"remove {name} or --topology",
            )
    if out is not None:
        outputs.distinct({"--out": out}, files)
    try:
        count, work = _work(kind, files, unit)
        network = _network(kind, topology, hosts or max(count, 2), gbps or 100.0)
    except UnicodeDecodeError as error:
        raise Refusal("this is no text", place=str(files[0]), fix="name another file") from error
    _check_work(kind, files, work)
    if count > len(network.hosts):
        raise Refusal(
            f"{count} ranks on {len(network.hosts)} hosts",
            place=str(topology or "--hosts"),
            fix=f"name a topology of {count} hosts or more" if topology else f"write {count}",
        )
    text = scenario(work, network, duration, f"Imported from {', '.join(p.name for p in files)}.")
    resolve(text, None, {})
    return _say(text, out, len(work), len(network.hosts), json)


def _check_work(kind: str, files: list[Path], work: list[Transfer]) -> None:
    if not work:
        raise Refusal(
            "nothing in it sends bytes, so there is no flow",
            place=str(files[0]),
            fix=f"write {FORMATS[kind]}",
        )


def _work(kind: str, files: list[Path], unit: str | None) -> tuple[int, list[Transfer]]:
    if kind == "chakra":
        if unit is not None:
            raise Refusal("traces of Chakra have microseconds", place="--unit", fix="remove --unit")
        return chakra.read(files)
    if len(files) != 1:
        raise Refusal(f"{len(files)} files", place="FILES", fix="name one")
    valid = {"cm": htsim.UNITS, "goal": goal.UNITS, "hpcc-flows": ("s",)}[kind]
    if unit is not None and unit not in valid:
        raise Refusal(
            f"`{unit}` is no unit here", place="--unit", fix=f"write {' or '.join(valid)}"
        )
    if kind == "cm":
        return htsim.matrix(files[0], unit)
    if kind == "goal":
        return goal.read(files[0], unit)
    work = hpcc.flows(files[0])
    return max((max(t.source, t.to) + 1 for t in work), default=0), work


def _network(kind: str, topology: Path | None, hosts: int, gbps: float) -> Network:
    if topology is None:
        return star(hosts, f"{gbps:g} Gbit/s", "500 ns", gbps * 1e9)
    return hpcc.topology(topology) if kind == "hpcc-flows" else htsim.topology(topology)


def _say(text: str, out: Path | None, flows: int, hosts: int, json: bool) -> int:
    if out is not None:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            what = f"cannot write: {error.strerror or error}"
            raise Unfinished(what, place=str(out), fix="name another file") from error
    if json:
        console.emit(
            {
                "schema": "backwater/import/1",
                "version": _native.version(),
                "file": None if out is None else str(out),
                "flows": flows,
                "hosts": hosts,
                "scenario": text,
            }
        )
    elif out is None:
        console.data(text.rstrip())
    else:
        console.data(str(out))
        console.message(f"{flows} flows between {hosts} hosts; run it: backwater run {out}")
    return EXIT_DONE
