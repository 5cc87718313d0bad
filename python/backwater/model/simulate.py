"""One run: a scenario and a seed in, a document and columns of events out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model import arguments, controller_file, outputs, scenario
from backwater.model.outcome import Factory, document_of, run_resolved

if TYPE_CHECKING:
    import altair
    import pandas
    import polars
    from numpy.typing import NDArray

    from backwater.model.builders import Scenario
    from backwater.present.display import Drawing, OverTime


@dataclass(frozen=True)
class RunResult:
    """The results of a run: the document of `backwater run --json`, and every event in columns.

    `columns` has time_s, what, place, flow, seq, size_B (IP bytes) and value; what, place and flow
    are indices into the lists of the same names here.
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

    @property
    def over_time(self) -> OverTime:
        """The series of flows and ports in each interval; needs `series` in the run."""
        from backwater.present.display import OverTime

        if self.document.get("series") is None:
            fix = 'run with series="100 ms"'
            raise Refusal("the run kept nothing over time", place="series", fix=fix)
        return OverTime(self.document["series"])

    def plot(self, *whats: str) -> altair.TopLevelMixin:
        """Charts over time, by default all: goodput, rtt, delay, window, queue (and throughput).

        The run needs `series`.
        """
        from backwater.present import display
        from backwater.present import run as view

        return display.chart(view.spec(self.document, whats))

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

    def __repr__(self) -> str:
        goodput = self.metrics.get("goodput_bps") or 0.0
        return (
            f"<RunResult {self.document['scenario']}, seed {self.document['seed']}: "
            f"{len(self.document['flows'])} flows, {goodput / 1e6:.4g} Mbit/s, "
            f"fingerprint {self.fingerprint}>"
        )

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
    perfetto: str | Path | None = None,
    qlog: str | Path | None = None,
    columns: bool = True,
    controllers: Mapping[str, Factory | str | Path] | None = None,
    mahimahi_log: Mapping[str, str | Path] | None = None,
    series: str | None = None,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> RunResult:
    """Runs a scenario once.

    `what` is a Scenario, a table, a text with line breaks, or a path; `set` overrides fields by
    path; `record`, `pcap` and `perfetto` name files to write, `qlog` a folder. Without `columns`
    memory doesn't grow with simulated time.

    `mahimahi_log` writes trace links, by name, as link logs of mahimahi. `series` is the length of
    intervals, such as "100 ms": the document then has what ports and flows did in each of them.
    `max_wall_s` (seconds) and `max_memory` ("4 GB") end a run that costs more with Unfinished.

    `controllers` gives flows with a transport, by name, congestion controllers written in Python in
    place of those that the scenario names: what `factory(setup)` returns has a `window` in bytes, a
    method `on_round(round)` or `on_ack(ack)`, and may have `on_congestion(congestion)`,
    `on_idle(idle)`, called before a segment leaves when nothing was in flight, `on_sent(sent)`,
    called for each segment that leaves, `pacing` in bit/s, and `wake_s`, an instant in seconds at
    which `on_timer(timer)` is called. A text in place of a factory names a file, as commands do:
    "mine.wasm" or "gentle.py:Gentle".
    """
    logs = arguments.table(mahimahi_log, "mahimahi_log", "give names of links and files")
    arguments.table(controllers, "controllers", "give names of flows and factories")
    overrides = dict(arguments.table(set, "set", "give paths and values"))
    factories = {}
    for flow, made in (controllers or {}).items():
        if isinstance(made, str | Path):
            overrides[f"flows.{flow}.controller"] = controller_file.table(str(made))
        else:
            factories[flow] = made
    resolved, name = resolve(what, seed, overrides)
    files = {"record": record, "pcap": pcap, "perfetto": perfetto, "qlog": qlog}
    files.update({f"mahimahi_log[{link!r}]": file for link, file in logs.items()})
    outputs.of_run(what, resolved, files)
    outcome = run_resolved(
        resolved,
        record,
        pcap,
        columns,
        factories or None,
        name=name,
        mahimahi_log=logs,
        series=series,
        max_wall_s=max_wall_s,
        max_memory=max_memory,
        perfetto=perfetto,
        qlog=qlog,
    )
    events = _in_order(outcome.columns) if columns else {}
    document = document_of(outcome, name)
    return RunResult(document, events, outcome.whats, outcome.places, outcome.flows)


def draw(
    what: str | Path | Mapping[str, Any] | Scenario,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
) -> Drawing:
    """The network of a scenario: a notebook shows it, `save` writes it."""
    from backwater.present import topology
    from backwater.present.display import Drawing

    overrides = arguments.table(set, "set", "give paths and values")
    return Drawing(topology.seen(resolve(what, None, overrides)[0]))


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


def _in_order(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Sorts by time: the engine records events of a quiet port later, with their own time."""
    import numpy as np

    order = np.argsort(columns["time_s"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def _look_up(names: list[str], index: NDArray[Any]) -> NDArray[Any]:
    """Names by index; an event about no flow or place carries an index beyond the list."""
    import numpy as np

    known = np.array([*names, ""], dtype=object)
    named: NDArray[Any] = known[np.minimum(index, len(names))]
    return named
