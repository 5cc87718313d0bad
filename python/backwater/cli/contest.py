"""`backwater contest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from backwater import _native
from backwater.cli import complete, console, options, progress_bar
from backwater.errors import (
    EXIT_DONE,
    EXIT_UNEXPECTED,
    EXIT_UNFINISHED,
    Refusal,
    nearest,
)
from backwater.model import arguments, controller_file
from backwater.present import chart_file
from backwater.present.numbers import number
from backwater.present.tabular import figures, words

NAME = "contest"

Pair = tuple[str, str]
# Options that take two files.
PAIRS = ("--trace", "--held-out")


class Command(TyperCommand):
    """Reads `--trace UP DOWN`, repeated: Typer has no lists of pairs."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Joins the two files by a comma; the user may write them so, too."""
        joined: list[str] = []
        for word in args:
            pending = joined[-2:-1] and joined[-2] in PAIRS and "," not in joined[-1]
            if pending and not word.startswith("-"):
                joined[-1] += f",{word}"
            else:
                joined.append(word)
        return super().parse_args(ctx, joined)


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONTROLLER]...",
            help="Controllers, FILE.py:Class or FILE.wasm; default all of `list controllers`.",
            autocompletion=complete.controllers,
        ),
    ] = None,
    trace: Annotated[
        list[str] | None, typer.Option("--trace", metavar="UP DOWN", help="May be repeated.")
    ] = None,
    held_out: Annotated[
        list[str] | None,
        typer.Option("--held-out", metavar="UP DOWN", help="Ranked apart; may be repeated."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1 to N.")] = 1,
    duration: Annotated[float, typer.Option(min=1, help="Seconds of each run.")] = 140.0,
    workers: options.Workers = None,
    plot: Annotated[Path | None, typer.Option(help="A .svg, .png or .pdf of the frontier.")] = None,
    max_wall: options.MaxWall = None,
    max_memory: options.MaxMemory = None,
    json: options.Json = False,
) -> int:
    """Rank controllers over cellular links by ln(link throughput / delay)."""
    from backwater.tools import contest_plot, contest_runs

    _check_names(names or [])
    if plot is not None:
        chart_file.check(plot, "--plot")
    directions = contest_runs.directions(_pairs("--trace", trace), _pairs("--held-out", held_out))
    if not trace:
        directions = (
            contest_runs.default_directions()
            if not held_out
            else [*contest_runs.default_directions(), *directions]
        )
    arguments.cases(1, seeds, None)
    with progress_bar.Bar(NAME) as bar:
        found = contest_runs.run(
            names or contest_runs.entrants(),
            directions,
            range(1, seeds + 1),
            duration,
            workers=workers,
            progress=bar,
            max_wall_s=max_wall,
            max_memory=max_memory,
        )
    for failure in [*found.failures, *found.broken]:
        console.message(f"error: {failure}")
    if plot is not None:
        chart_file.write(contest_plot.plot(found), plot)
    kinds = [
        kind
        for kind in (False, True)
        if any(direction.held_out is kind for direction in directions)
    ]
    if json:
        console.emit(_document(found, directions, kinds))
    else:
        for kind in kinds:
            _show(found, kind)
    if found.broken:
        return EXIT_UNEXPECTED
    return EXIT_UNFINISHED if found.failures else EXIT_DONE


def _pairs(option: str, written: list[str] | None) -> list[Pair]:
    pairs = []
    for text in written or []:
        up, comma, down = text.partition(",")
        if not (up and comma and down) or "," in down:
            fix = "write the files of both directions, such as LTE.up LTE.down"
            raise Refusal(f"`{text}` is not a pair of traces", place=option, fix=fix)
        pairs.append((up, down))
    return pairs


def _check_names(names: list[str]) -> None:
    from backwater.tools import contest_runs, matching_stamp

    known = contest_runs.controllers()
    for name in names:
        if name not in known and not controller_file.is_file(name):
            near = nearest(name, known) or known
            raise Refusal(f"there is no controller `{name}`", nearest=near, fix="name another")
        if matching_stamp.needs_capacity(name):
            what = f"the stamp of `{name}` needs a capacity, and a trace has none that is known"
            fix = "run a scenario whose stamp has `capacity`, or `backwater scorecard`"
            raise Refusal(what, fix=fix)


def _document(found: Any, directions: Any, kinds: list[bool]) -> dict[str, Any]:
    from backwater.tools import contest_runs

    tables = {}
    known = contest_runs.places(found.standings(held_out=False))
    for kind in kinds:
        standings = found.standings(kind)
        front = contest_runs.pareto(standings)
        tables["held_out" if kind else "known"] = [
            {
                "controller": one.controller,
                "place": place,
                "place_known": known.get(one.controller),
                "score_link_ln": one.score,
                "link_throughput_bps": one.throughput_bps,
                "utilisation": one.utilisation,
                "age_p95_s": one.delay_s,
                "score_ln": one.score_2013,
                "cell_throughput_bps": one.throughput_2013_bps,
                "power": one.power,
                "score_moved_by_shift": one.moved,
                "pareto": one.controller in front,
                "runs": one.runs,
                "without_score": one.failed,
            }
            for place, one in enumerate(standings, 1)
        ]
    return {
        "schema": "backwater/contest/1",
        "version": _native.version(),
        "traces": [
            {
                "id": r.name,
                "data": r.data,
                "acks": r.acks,
                "held_out": r.held_out,
                "model_of": contest_runs.MODEL_OF.get(r.data),
            }
            for r in directions
        ],
        "standings": tables,
        "runs": [
            {
                "controller": e.controller,
                "trace": e.direction.name,
                "seed": e.seed,
                "score_link_ln": e.score,
                "score_moved_by_shift": e.moved,
                **{
                    name: e.metrics.get(name)
                    for name in (
                        "score_ln",
                        "power",
                        "cell_throughput_bps",
                        "link_throughput_bps",
                        "age_p95_s",
                        "signal_delay_p95_s",
                        "utilisation",
                        "self_inflicted_s",
                    )
                },
            }
            for e in found.entries
        ],
        "failures": found.failures,
        "broken": found.broken,
        "cost": {"cpu_s": found.cpu_s},
    }


def _show(found: Any, held_out: bool) -> None:
    from backwater.tools import contest_runs

    standings = found.standings(held_out)
    front = contest_runs.pareto(standings)
    known = contest_runs.places(found.standings(held_out=False))

    def shown(value: float | None, factor: float, digits: int) -> str:
        return "–" if value is None else number(value * factor, digits)

    rows = [
        (
            str(place),
            *((str(known.get(one.controller, "–")),) if held_out else ()),
            one.controller + (" *" if one.controller in front else ""),
            shown(one.score, 1, 3),
            shown(one.throughput_bps, 1e-6, 3),
            shown(one.utilisation, 100, 3),
            shown(one.delay_s, 1e3, 4),
            shown(one.moved, 1, 2),
            shown(one.score_2013, 1, 3),
            shown(one.throughput_2013_bps, 1e-6, 3),
            str(one.runs),
        )
        for place, one in enumerate(standings, 1)
    ]
    title = contest_runs.traces_said(found.entries, held_out)
    # A controller that is tuned to the known traces ranks lower here.
    known_place = (figures("over the known", 6),) if held_out else ()
    columns = (
        figures("place"),
        *known_place,
        words("controller"),
        figures("ln(Mbit/s ÷ ms)"),
        figures("link Mbit/s"),
        figures("% used", 5),
        figures("ms"),
        figures(f"± by {contest_runs.SHIFT}", 3),
        figures("2013: ln", 1),
        figures("2013: Mbit/s", 2),
        figures("runs", 4),
    )
    console.table(f"{title}; * = nobody is better in link Mbit/s and ms", columns, rows)
