"""The output in notebooks: Altair charts, drawings, and series as frames of three libraries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater.errors import Refusal, Unfinished
from backwater.present import topology

if TYPE_CHECKING:
    import altair
    import pandas
    import polars
    import xarray

    from backwater.results.results import Results
    from backwater.study.figure import Figure


def missing(module: str, extra: str | None = None) -> Refusal:
    """The refusal where a library of an extra is absent."""
    return Refusal(f"{module} is not installed", fix=f"pip install 'backwater[{extra or module}]'")


def chart(spec: dict[str, Any]) -> altair.TopLevelMixin:
    """A specification as an Altair chart, which a notebook shows and a person can change."""
    try:
        import altair
    except ImportError as error:
        raise missing("altair") from error
    found: altair.TopLevelMixin = altair.Chart.from_dict(_valid(spec))
    return found


def figure(results: Results, which: Figure) -> altair.TopLevelMixin:
    """A figure of a study or sweep as an Altair chart."""
    from backwater.present import plot

    return chart(plot.spec(results, which))


def _valid(spec: Any) -> Any:
    """A rule over the whole height, as the schema has it: Altair checks, a browser doesn't."""
    if isinstance(spec, list):
        return [_valid(one) for one in spec]
    if not isinstance(spec, dict):
        return spec
    found = {name: value if name == "data" else _valid(value) for name, value in spec.items()}
    if "x" in found and "y" in found and found["y"] is None:
        found |= {"y": {"value": 0}, "y2": {"value": "height"}}
    return found


@dataclass(frozen=True)
class Drawing:
    """A network as a notebook shows it."""

    resolved: Mapping[str, Any]

    def save(self, path: str | Path) -> Path:
        """Writes the drawing as .svg or .png."""
        path = Path(path)
        if path.suffix not in (".svg", ".png"):
            raise Refusal(f"`{path.name}` is neither .svg nor .png", fix="name such a file")
        try:
            topology.write(self.resolved, path)
        except OSError as error:
            raise Unfinished(error.strerror or str(error), place=str(path)) from error
        return path

    def _repr_svg_(self) -> str:
        return topology.svg(self.resolved)

    def __repr__(self) -> str:
        return "\n".join(topology.letters(self.resolved))


@dataclass(frozen=True)
class OverTime:
    """The series of flows, ports and hops in each interval of a run."""

    series: Mapping[str, Any]

    def table(self, kind: str = "flows") -> dict[str, list[Any]]:
        """Columns: time_s, the name of the flow or port, and each of its series."""
        if kind not in self.series or kind == "every_s":
            kinds = [one for one in self.series if one != "every_s"]
            raise Refusal(f"a run has no series of {kind}", nearest=kinds, fix="name one of these")
        every = self.series["every_s"]
        metrics = sorted({name for values in self.series[kind].values() for name in values})
        columns: dict[str, list[Any]] = {name: [] for name in ("time_s", kind[:-1], *metrics)}
        for place, values in self.series[kind].items():
            length = max(len(known) for known in values.values() if known)
            columns["time_s"] += [round(index * every, 12) for index in range(length)]
            columns[kind[:-1]] += [place] * length
            for name in metrics:
                columns[name] += values.get(name) or [None] * length
        return columns

    def to_pandas(self, kind: str = "flows") -> pandas.DataFrame:
        """The table as a pandas data frame."""
        try:
            import pandas
        except ImportError as error:
            raise missing("pandas") from error
        frame: pandas.DataFrame = pandas.DataFrame(self.table(kind))
        return frame

    def to_polars(self, kind: str = "flows") -> polars.DataFrame:
        """The table as a Polars data frame."""
        try:
            import polars
        except ImportError as error:
            raise missing("polars") from error
        frame: polars.DataFrame = polars.DataFrame(self.table(kind))
        return frame

    def to_xarray(self, kind: str = "flows") -> xarray.Dataset:
        """The table as an xarray dataset over the names and the time."""
        try:
            import xarray  # noqa: F401 -- pandas needs it for what follows
        except ImportError as error:
            raise missing("xarray") from error
        found: xarray.Dataset = self.to_pandas(kind).set_index([kind[:-1], "time_s"]).to_xarray()
        return found
