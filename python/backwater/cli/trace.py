"""`backwater trace fit`, `backwater trace make` and `backwater trace log`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options, override
from backwater.errors import EXIT_DONE, Unfinished
from backwater.model import arguments, outputs, trace_file
from backwater.present import numbers
from backwater.present.tabular import figures, words

MOST = 2**64 - 1
app = typer.Typer(
    help="Fit, make and measure traces of cellular links.",
    invoke_without_command=True,
    rich_markup_mode=None,
)
Out = Annotated[Path | None, typer.Option("--out", "-o", help="A file; default stdout.")]
Opportunity = Annotated[str, typer.Option(help="Size of an opportunity, such as 1504 B.")]

# Titles of a trace's figures.
_TITLES = {
    "mean_bps": "mean rate",
    "cv_100ms": "coefficient of variation in 100 ms",
    "cv_1s": "coefficient of variation in 1 s",
    "autocorrelation_1s": "autocorrelation at 1 s",
    "autocorrelation_2s": "autocorrelation at 2 s",
    "autocorrelation_5s": "autocorrelation at 5 s",
    "dispersion_40ms": "index of dispersion in 40 ms",
    "outages": "outages",
    "outage_share": "share of time in outages",
    "gap_max_s": "longest gap",
}
_LOG_TITLES = {
    "capacity_bps": "average capacity",
    "ingress_bps": "average ingress",
    "throughput_bps": "average throughput",
    "utilisation": "utilisation",
    "delay_p95_s": "95th percentile of the packets' queueing delay",
    "signal_delay_p95_s": "95th percentile of the signal delay",
    "dropped_pkts": "packets dropped",
    "dropped_leaving_pkts": "of these, by queue management as they left; mm-link logs none",
}


@app.callback()
def _root(context: typer.Context) -> None:
    """Fit, make and measure traces of cellular links."""
    if context.invoked_subcommand is None:
        console.data(context.get_help())


@app.command("fit")
def fit(
    file: Annotated[str, typer.Argument(help="A trace file, here or in BACKWATER_TRACES.")],
    kind: Annotated[str, typer.Option(help="cox, random-walk or constant.")] = "cox",
    opportunity: Opportunity = trace_file.OPPORTUNITY,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A TOML file for `trace make`.")
    ] = None,
    json: options.Json = False,
) -> int:
    """Find the parameters with which a generator is most like a trace."""
    found = trace_file.fit(file, kind, opportunity)
    for warning in found["warnings"]:
        console.message(f"warning: {warning}")
    if out is not None:
        outputs.distinct({"--out": out}, [file])
        head = f"# Fitted by `backwater trace fit {file} --kind {kind}`.\n"
        _write(out, head + trace_file.toml(found["kind"], found["options"]))
    if json:
        console.emit({**_head("trace-fit"), "trace": file, **found})
        return EXIT_DONE
    options = ", ".join(trace_file.toml(found["kind"], found["options"]).splitlines())
    console.data(f"trace = {{ {options} }}")
    console.data("")
    length = numbers.number(found["recording"]["length_s"])
    console.table(
        f"{length} s of the recording, and 20 runs of the model as long",
        (words(""), figures("recording"), figures("model"), figures("standard deviation", 1)),
        (
            (title, _show(found["recording"][name], name), *_model(found["fitted"][name], name))
            for name, title in _TITLES.items()
        ),
    )
    console.data("")
    least = numbers.number(found["recording"]["outage_from_s"] * 1e3)
    console.data(f"An outage is a gap of {least} ms or more.")
    return EXIT_DONE


@app.command("make")
def make(
    what: Annotated[
        str, typer.Argument(help="A kind of generator, or a TOML file that describes one.")
    ],
    out: Out = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="An option; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=MOST, help="Seed of the generator.")] = 1,
    duration: Annotated[str, typer.Option(help="Length of the trace.")] = "140 s",
    opportunity: Opportunity = trace_file.OPPORTUNITY,
    json: options.Json = False,
) -> int:
    """Write the trace file of a generator: the millisecond of an opportunity on each line."""
    path = Path(what)
    if path.suffix == ".toml" or path.is_file():
        text, name = _read(path), what
    else:
        text, name = trace_file.toml(what, {}), "trace make"
    sets = dict(override.parse(one) for one in set_ or ())
    made = trace_file.make(
        text, name=name, set=sets, seed=seed, duration=duration, opportunity=opportunity
    )
    count = made.count("\n")
    if out is not None:
        outputs.distinct({"--out": out}, [path])
        _write(out, made)
        console.message(f"{count} opportunities in {out}")
    if json:
        stamps = None if out is not None else [int(line) for line in made.splitlines()]
        file = None if out is None else str(out)
        document = {"file": file, "opportunities": count, "stamps_ms": stamps}
        console.emit({**_head("trace-make"), "seed": seed, **document})
    elif out is None:
        console.data(made.removesuffix("\n"))
    return EXIT_DONE


@app.command("log")
def log(
    file: Annotated[str, typer.Argument(help="A link log of mahimahi or of `backwater run`.")],
    json: options.Json = False,
) -> int:
    """Print the figures of mahimahi's mm-throughput-graph for a link log."""
    found = trace_file.log(file)
    if json:
        console.emit({**_head("trace-log"), "log": file, **found})
        return EXIT_DONE
    for name, title in _LOG_TITLES.items():
        console.data(f"{title}: {_show(found[name], name)}")
    return EXIT_DONE


def _head(verb: str) -> dict[str, Any]:
    return {"schema": f"backwater/{verb}/1", "version": _native.version()}


def _show(value: float | None, metric: str) -> str:
    if value is not None and metric in ("outage_share", "utilisation"):
        return f"{numbers.number(100 * value)} %"
    return numbers.metric_text(metric, value)


def _model(found: dict[str, float | None], name: str) -> tuple[str, str]:
    return _show(found["mean"], name), _show(found["deviation"], name)


def _read(path: Path) -> str:
    return arguments.read_text(path, "the generator", "name a TOML file")


def _write(path: Path, text: str) -> None:
    try:
        outputs.save(path, text)
    except OSError as error:
        raise Unfinished(
            f"cannot write: {error.strerror or error}", place=str(path), fix="name another file"
        ) from error
