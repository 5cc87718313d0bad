"""The results of a study or sweep, for reports, notebooks and claims."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater.errors import Refusal, Unfinished, nearest
from backwater.results import integrity, picture
from backwater.results.alike import Alike, alike
from backwater.results.columns import Columns
from backwater.results.integrity import DamagedError
from backwater.results.store import BROKEN, FAILED, FILE, Store
from backwater.study.axes import Subject
from backwater.study.definition import Base, Study, canonical
from backwater.study.subject import put_in
from backwater.verdict.claim import Labels, is_unexpected

if TYPE_CHECKING:
    import altair
    import pandas
    import polars


MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Case:
    """One combination under one seed, as it stands in the store."""

    key: str
    labels: dict[str, str]
    seed: int
    status: str
    error: str | None
    fingerprint: str | None
    # The labels as one text, equal where they are.
    combination: str


@dataclass(frozen=True)
class CaseMetrics:
    """The metrics of one case, read when needed."""

    results: Results
    key: str

    def get(self, at: tuple[str, str]) -> float | None:
        """The metric of a (scope, name)."""
        return self.results._column(*at).get(self.key)

    def drops(self) -> Mapping[tuple[str, str], float | None]:
        """Packets lost by (scope, cause)."""
        return self.results._drops.get(self.key, {})

    def by_flow(self, metric: str) -> Mapping[str, float | None]:
        """A metric of every flow, by the flow's name."""
        return self.results._by_flow(metric).get(self.key, {})


class Results:
    """The results of a study or sweep so far."""

    def __init__(
        self, study: Study, store: Store, manifest: dict[str, Any], folder: Path | None
    ) -> None:
        self.study = study
        self.store = store
        self.manifest = manifest
        self.folder = folder
        self._columns: dict[tuple[str, str], dict[str, float | None]] = {}
        self._flows: dict[str, dict[str, dict[str, float | None]]] = {}
        self._lost: dict[str, dict[tuple[str, str], float | None]] | None = None
        self._read: tuple[int, Columns] | None = None
        # Set after judging; results that are opened again read them from the store.
        self.judged: list[dict[str, Any]] | None = None
        # Series of cases that figures over time have run again, by key and length of the intervals.
        self.reruns: dict[tuple[str, str], dict[str, Any]] = {}

    @staticmethod
    def open(folder: str | Path) -> Results:
        """Opens a folder that `study run` or `sweep` has written."""
        folder = Path(folder)
        manifest = read_manifest(folder)
        if manifest is None or not (folder / FILE).is_file():
            inside = sorted(str(path.parent) for path in folder.glob(f"*/{MANIFEST}"))
            raise Refusal(
                "this folder holds no results",
                place=str(folder),
                nearest=inside,
                fix="name a folder that `backwater study run` or `backwater sweep` has written",
            )
        store = Store(folder, writable=False)
        unsound = store.unsound()
        if unsound:
            names = {
                key: f"{labels[:100]}, seed {seed}"
                for key, labels, seed in store.query("SELECT key, case_json, seed FROM cases")
            }
            what = f"the store is damaged: {integrity.said(unsound, names)}"
            raise DamagedError(what, folder / FILE)
        results = Results(study_of(manifest), store, manifest, folder)
        results._check_match()
        return results

    def _check_match(self) -> None:
        """Refuses a store and a manifest of two runs."""
        axes = {axis.name: set(axis.labels) for axis in self.study.axes}
        found = [
            json.loads(labels) for (labels,) in self.store.query("SELECT case_json FROM cases")
        ]
        fits = all(
            labels.keys() == axes.keys() and all(labels[name] in axes[name] for name in axes)
            for labels in found
        )
        before = self.manifest["fingerprint"]
        if not fits or before not in (None, self.fingerprint):
            assert self.folder is not None, "what is opened has a folder"
            what = "the store holds other cases than its manifest says"
            raise DamagedError(what, self.folder / MANIFEST)

    @cached_property
    def cases(self) -> list[Case]:
        """Every case in the store, in the order of the study's axes and then of the seeds."""
        order = {axis.name: axis.labels.index for axis in self.study.axes}
        combination = cache(lambda text: canonical(json.loads(text)))
        found = [
            Case(key, json.loads(text), seed, status, error, fingerprint, combination(text))
            for key, text, seed, status, error, fingerprint in self.store.query(
                "SELECT key, case_json, seed, status, error, fingerprint FROM cases"
            )
        ]
        return sorted(
            found,
            key=lambda case: ([order[axis](case.labels[axis]) for axis in order], case.seed),
        )

    def metric(self, name: str, scope: str = "run") -> dict[str, float | None]:
        """A metric of every case that has it, by the case's key."""
        return dict(self._column(scope, name))

    @property
    def _table(self) -> Columns:
        """The metrics of all cases, read once until the store changes."""
        if self._read is None or self._read[0] != self.store.changes:
            self._read = (self.store.changes, self.store.columns())
            self._columns.clear()
            self._flows.clear()
            self._lost = None
        return self._read[1]

    def _column(self, scope: str, name: str) -> dict[str, float | None]:
        """A metric of every case that has it."""
        table = self._table
        if (scope, name) not in self._columns:
            self._columns[scope, name] = table.column(scope, name)
        return self._columns[scope, name]

    @property
    def _drops(self) -> dict[str, dict[tuple[str, str], float | None]]:
        table = self._table
        if self._lost is None:
            self._lost = table.drops()
        return self._lost

    def _by_flow(self, metric: str) -> dict[str, dict[str, float | None]]:
        """A metric of every flow of every case, by the case's key."""
        table = self._table
        if metric not in self._flows:
            self._flows[metric] = table.by_flow(metric)
        return self._flows[metric]

    def names(self) -> list[tuple[str, str]]:
        """Every (scope, name) that some case has."""
        return self._table.names()

    @cached_property
    def _keys(self) -> dict[tuple[str, int], str]:
        return {
            (case.combination, case.seed): case.key for case in self.cases if case.status != FAILED
        }

    def metrics(self, labels: Labels, seed: int) -> CaseMetrics | None:
        """The metrics of one case; None if it has not finished."""
        key = self._keys.get((canonical(dict(labels)), seed))
        return None if key is None else CaseMetrics(self, key)

    @property
    def claims(self) -> list[dict[str, Any]]:
        """The records of the claims, in the order of the study."""
        if self.judged is not None:
            return self.judged
        stored = dict(self.store.query("SELECT id, record_json FROM claims"))
        ids = [f"{self.study.id}/{claim.id}" for claim in self.study.claims]
        return [json.loads(stored[name]) for name in ids if name in stored]

    @property
    def quick(self) -> bool:
        """Whether this is the smaller version of the study."""
        return bool(self.manifest["mode"] == "quick")

    @property
    def resolved_example(self) -> dict[str, Any]:
        """The scenario of one case, with a mechanism if any has one and every default filled in."""
        found: dict[str, Any] = self.manifest["resolved_example"]
        return found

    @property
    def example(self) -> dict[str, str]:
        """The labels of that case."""
        found: dict[str, str] = self.manifest["example"]
        return found

    @property
    def warnings(self) -> dict[str, int]:
        """The engine's warnings with their number of cases, the most frequent first."""
        return dict(
            self.store.query(
                "SELECT text, count(*) FROM warnings GROUP BY text ORDER BY count(*) DESC, text"
            )
        )

    @property
    def warned(self) -> list[Alike]:
        """The engine's warnings; those that differ in numbers and names alone are one."""
        return alike(self.store.query("SELECT key, text FROM warnings ORDER BY text, key"))

    @property
    def summary(self) -> dict[str, int]:
        """The number of claims by verdict."""
        found = dict.fromkeys(("reproduced", "differs", "undecided", "not_run", "unexpected"), 0)
        for record in self.claims:
            found[record["verdict"].replace("-", "_")] += 1
            found["unexpected"] += is_unexpected(record, quick=self.quick)
        return found

    @property
    def finished(self) -> int:
        """Cases that ran to their end."""
        return sum(case.status != FAILED for case in self.cases)

    @property
    def status(self) -> str:
        """ok, unexpected or incomplete."""
        if any(case.status == BROKEN for case in self.cases):
            return "unexpected"
        if self.finished < self.manifest["cases_total"] or self.manifest["status"] != "done":
            return "incomplete"
        return "unexpected" if self.summary["unexpected"] else "ok"

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the fingerprints of all cases, whatever order they finished in."""
        lines = sorted(
            f"{case.combination} {case.seed} {case.fingerprint}\n" for case in self.cases
        )
        return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]

    @property
    def cost(self) -> dict[str, float]:
        """CPU time and summed wall time of the cases."""
        ((cpu, wall),) = self.store.query("SELECT total(cpu_s), total(wall_s) FROM cost")
        return {"cpu_s": cpu, "wall_s": wall}

    def table(self, scope: str = "run") -> dict[str, list[Any]]:
        """Columns: one row per case with its labels, its seed and every metric of a scope."""
        metrics = [name for at, name in self.names() if at == scope]
        axes = self._axis_columns({"key", "seed", "status", *metrics})
        columns: dict[str, list[Any]] = {column: [] for column in axes.values()}
        columns |= {"key": [], "seed": [], "status": []}
        for case in self.cases:
            for axis, label in case.labels.items():
                columns[axes[axis]].append(label)
            columns["seed"].append(case.seed)
            columns["status"].append(case.status)
            columns["key"].append(case.key)
        row_of = {key: row for row, key in enumerate(columns["key"])}
        for name in metrics:
            columns[name] = [None] * len(row_of)
            for key, value in self._column(scope, name).items():
                columns[name][row_of[key]] = value
        return columns

    def long_table(self) -> dict[str, list[Any]]:
        """Columns: one row per case and metric, all scopes."""
        own = ("seed", "key", "scope", "name", "value")
        axes = self._axis_columns(set(own))
        names = (*axes.values(), *own)
        rows: dict[str, list[tuple[Any, ...]]] = {}
        for key, scope, name, value in self._table.rows():
            rows.setdefault(key, []).append((scope, name, value))
        listed = [
            (*(case.labels[axis] for axis in axes), case.seed, case.key, *row)
            for case in self.cases
            for row in rows.get(case.key, ())
        ]
        return {name: [row[i] for row in listed] for i, name in enumerate(names)}

    def _axis_columns(self, taken: set[str]) -> dict[str, str]:
        """The column of each axis: its name, after `axis.` where another column has that name."""
        names = [axis.name for axis in self.study.axes]
        return {name: f"axis.{name}" if name in taken else name for name in names}

    def to_pandas(self, scope: str = "run") -> pandas.DataFrame:
        """The table as a pandas data frame."""
        try:
            import pandas
        except ImportError as error:
            raise _missing("pandas") from error
        frame: pandas.DataFrame = pandas.DataFrame(self.table(scope))
        return frame

    def to_polars(self, scope: str = "run") -> polars.DataFrame:
        """The table as a polars data frame."""
        try:
            import polars
        except ImportError as error:
            raise _missing("polars") from error
        frame: polars.DataFrame = polars.DataFrame(self.table(scope))
        return frame

    def figure(self, name: str) -> altair.TopLevelMixin:
        """A figure of the study or sweep, by its id, as an Altair chart."""
        known = {one.id: one for one in self.study.figures}
        if name not in known:
            near = nearest(name, known) or list(known)
            raise Refusal(f"there is no figure `{name}`", nearest=near, fix="name one of these")
        return picture.chart(self, known[name])

    def __repr__(self) -> str:
        done, total = self.finished, self.manifest["cases_total"]
        return f"<Results of {self.study.id}: {done} of {total} cases, {self.status}>"

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def _repr_html_(self) -> str:
        from html import escape

        from backwater.present.numbers import claim_bound, claim_measured, claim_unit

        known = {claim.id: claim for claim in self.study.claims}
        rows = ""
        for record in self.claims:
            name = record["id"].rpartition("/")[2]
            unit = claim_unit(record, known.get(name))
            measured, bound = claim_measured(record, unit), claim_bound(record["bound"], unit)
            cells = (name, record["says"], measured, bound, record["verdict"])
            rows += f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>"
        heads = ("claim", "says", "measured [95 %]", "bound", "verdict")
        head = f"<tr>{''.join(f'<th>{text}</th>' for text in heads)}</tr>"
        title = escape(f"{self.study.id}: {self.finished} of {self.manifest['cases_total']} cases")
        return f"<p>{title}</p>" + (f"<table>{head}{rows}</table>" if rows else "")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder; None if it has none."""
    path = folder / MANIFEST
    try:
        # A device has no end, and a FIFO without a writer blocks.
        if path.exists() and not path.is_file():
            raise DamagedError("the manifest is damaged: it is not a regular file", path)
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unfinished(f"cannot read the manifest: {error}", place=str(path)) from error
    except ValueError as error:
        raise DamagedError(f"the manifest is damaged: {error}", path) from error
    return integrity.manifest_of(text, path)


def study_of(manifest: Mapping[str, Any]) -> Study:
    """The study as it was when it ran, from its manifest."""
    ran = manifest["study"]
    base = Base(ran["scenario"]["text"], ran["scenario"]["name"], None)
    study = Study.parse(ran["text"], ran["name"], None, base)
    return put_in(study, Subject(**ran["subject"])) if "subject" in ran else study


def _missing(module: str) -> Refusal:
    return Refusal(f"{module} is not installed", fix=f"pip install 'backwater[{module}]'")
