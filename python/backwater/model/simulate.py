"""One run: a scenario and a seed in, a document and columns of events out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backwater import _native
from backwater.errors import Refusal, Unfinished, nearest, refusing
from backwater.model import arguments, python_class, scenario
from backwater.model.builders import Scenario

if TYPE_CHECKING:
    import pandas
    import polars


#: Factories of congestion controllers by flow.
Controllers = Mapping[str, Callable[[_native.ControllerSetup], Any]]


@dataclass(frozen=True)
class RunResult:
    """What a run measured: the document of `backwater run --json`, and every event in columns.

    `columns` has time_s, what, place, flow, seq and value; what, place and flow are indices into
    the lists of the same names here.
    """

    document: dict[str, Any]
    columns: dict[str, NDArray[Any]]
    whats: list[str]
    places: list[str]
    flow_names: list[str]

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints are equal runs."""
        return str(self.document["fingerprint"])

    @property
    def metrics(self) -> dict[str, float | None]:
        """Metrics of the whole run."""
        found: dict[str, float | None] = self.document["metrics"]
        return found

    @property
    def flows(self) -> dict[str, dict[str, Any]]:
        """The flows by name."""
        return {row["id"]: row for row in self.document["flows"]}

    @property
    def ports(self) -> dict[str, dict[str, Any]]:
        """The ports by name."""
        return {row["id"]: row for row in self.document["ports"]}

    def named(self) -> dict[str, NDArray[Any]]:
        """The columns with names in place of indices."""
        named = dict(self.columns)
        for column, names in (
            ("what", self.whats),
            ("place", self.places),
            ("flow", self.flow_names),
        ):
            if column in named:
                named[column] = _look_up(names, named[column])
        return named

    def to_pandas(self) -> pandas.DataFrame:
        """The events as a pandas data frame."""
        import pandas

        frame: pandas.DataFrame = pandas.DataFrame(self.named())
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The events as a polars data frame."""
        import polars

        frame: polars.DataFrame = polars.DataFrame(
            {name: column.tolist() for name, column in self.named().items()}
        )
        return frame

    def _repr_html_(self) -> str:
        from backwater.present import report

        return report.run_html(self.document)


def run(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
    record: str | Path | None = None,
    pcap: str | Path | None = None,
    columns: bool = True,
    controllers: Controllers | None = None,
    mahimahi_log: Mapping[str, str | Path] | None = None,
    series: str | None = None,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> RunResult:
    """Runs a scenario once.

    `what` is a Scenario, a table, a text with line breaks, or a path; `set` overrides fields by
    path; `record` and `pcap` name files to write. Without `columns` memory doesn't grow with
    simulated time.

    `mahimahi_log` writes trace links, by name, as link logs of mahimahi. `series` is the length of
    intervals, such as "100 ms": the document then has what ports and flows did in each of them.
    `max_wall_s` (seconds) and `max_memory` ("4 GB") end a run that costs more with Unfinished.

    `controllers` gives flows with a transport, by name, congestion controllers written in Python in
    place of those that the scenario names: what `factory(setup)` returns has a `window` in bytes, a
    method `on_round(round)` or `on_ack(ack)`, and may have `on_congestion(congestion)`,
    `on_idle(idle)`, called before a segment leaves when nothing was in flight, `on_sent(sent)`,
    called for each segment that leaves, `pacing` in bit/s, and `wake_s`, an instant in seconds at
    which `on_timer(timer)` is called.
    """
    logs = arguments.table(mahimahi_log, "mahimahi_log", "give names of links and files")
    arguments.table(controllers, "controllers", "give names of flows and factories")
    world = resolve(what, seed, arguments.table(set, "set", "give paths and values"))
    return run_resolved(
        *world, record, pcap, columns, controllers, logs, series, max_wall_s, max_memory
    )


def resolve(
    what: str | Path | Mapping[str, Any] | Scenario, seed: int | None, overrides: Mapping[str, Any]
) -> tuple[_native.Resolved, str]:
    """A checked scenario with its overrides, and its name."""
    seed = arguments.whole_or_none(seed, "seed", 0, arguments.MOST_SEED)
    world, name = scenario.read(what)
    with refusing():
        for path, value in overrides.items():
            world.set(path, scenario.written(value), f"set {path}")
        return world.resolve(seed), name


def run_resolved(
    resolved: _native.Resolved,
    name: str,
    record: str | Path | None = None,
    pcap: str | Path | None = None,
    columns: bool = False,
    controllers: Controllers | None = None,
    mahimahi_log: Mapping[str, str | Path] | None = None,
    series: str | None = None,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> RunResult:
    """Runs a resolved scenario."""
    try:
        # Some errors show in the whole network only, such as a station out of reach.
        with refusing():
            outcome = resolved.run(
                None if record is None else str(record),
                None if pcap is None else str(pcap),
                columns,
                None if controllers is None else dict(controllers),
                [(link, str(path)) for link, path in (mahimahi_log or {}).items()],
                series,
                arguments.seconds(max_wall_s),
                arguments.memory(max_memory),
            )
    except _native.BudgetError as error:
        raise Unfinished(
            str(error), place=name, fix="make the run smaller, or lift the limit"
        ) from error
    except _native.PartError as error:
        raise Unfinished(
            f"{error.whose} failed: {python_class.raised(error.__cause__)}",
            place=error.place,
            fix="correct the class; its run has ended",
        ) from error.__cause__
    except KeyError as error:
        (name,) = error.args
        known = [
            flow
            for flow, row in json.loads(resolved.canonical)["flows"].items()
            if row["transport"] != "udp"
        ]
        raise Refusal(
            f"there is no flow `{name}` with a transport that a controller could be given to",
            place=f"controllers[{name!r}]",
            nearest=nearest(name, known),
            fix='name a flow with transport = "tcp" or "datagram"',
        ) from None
    except OSError as error:
        raise Unfinished(
            f"cannot write the recording: {error.strerror or error}",
            place=error.filename or str(record or pcap),
            fix="make room, or name a file you can write to",
        ) from error
    document = {
        "schema": "backwater/run/1",
        "version": _native.version(),
        "scenario": name,
        **json.loads(outcome.document),
    }
    events = _in_order(outcome.columns) if columns else {}
    return RunResult(document, events, outcome.whats, outcome.places, outcome.flows)


def _in_order(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Sorts by time: the engine records events of a quiet port later, with their own time."""
    order = np.argsort(columns["time_s"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def _look_up(names: list[str], index: NDArray[Any]) -> NDArray[Any]:
    """Names by index; an event about no flow or place carries an index beyond the list."""
    known = np.array([*names, ""], dtype=object)
    named: NDArray[Any] = known[np.minimum(index, len(names))]
    return named
