"""A sweep: a study without claims, made from a scenario and axes."""

from __future__ import annotations

import fnmatch
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater.errors import Refusal, nearest, refusing
from backwater.model import arguments
from backwater.model import scenario as scenarios
from backwater.model.builders.base import plain
from backwater.model.quantity import parse_all
from backwater.present.numbers import metric_title
from backwater.results.results import Results
from backwater.study.axes import label_of
from backwater.study.definition import Base, Study
from backwater.study.execution import Execution
from backwater.study.metric import METRICS as METRIC_ROWS

if TYPE_CHECKING:
    from backwater.model.builders import Scenario

# The metrics that a sweep shows unless others are named.
METRICS = ("loss", "goodput_bps", "delay_mean_s")


@dataclass(frozen=True)
class Shown:
    """A metric that a sweep shows, and where: `goodput_bps@flow:bbr`, or `…@flow:web*`."""

    written: str
    metric: str
    # The scope "run", or all scopes that fit the pattern.
    scopes: tuple[str, ...]
    # Whether the scope is a pattern.
    several: bool

    @property
    def title(self) -> str:
        """The words for it."""
        if not self.several:
            return metric_title(self.metric, self.scopes[0])
        scope = self.written.partition("@")[2].replace(":", "s ", 1)
        return f"{metric_title(self.metric)}, {scope}"


@dataclass(frozen=True)
class Sweep:
    """Every combination of some values, each under the same seeds.

    `axes` maps a path of the scenario to values, or a name to `{label: {path: value, …}, …}`.
    """

    scenario: str | Path | Mapping[str, Any] | Scenario
    axes: Mapping[str, Sequence[Any] | Mapping[str, Mapping[str, Any]]]
    seeds: int = 10
    # Instead of the limit of 100,000 cases.
    max_cases: int | None = None
    # The metrics of the figures: names, or `metric@scope`; a scope may have a *.
    metrics: Sequence[str] = METRICS

    def shown(self) -> list[Shown]:
        """The metrics to show, each with its scopes."""
        return [_shown(written, self.scenario) for written in self.metrics]

    def study(self) -> Study:
        """The sweep as a study."""
        base = _base(self.scenario)
        stem = Path(base.name).stem if base.folder is not None else "scenario"
        if not self.axes:
            raise Refusal("the sweep has no axis", fix="give a path and its values")
        arguments.table(self.axes, "axes", "give paths and lists of values")
        seeds = arguments.whole(self.seeds, "seeds", 1, arguments.MOST_SEED)
        for path, values in self.axes.items():
            _check(path, values)
        arguments.cases(math.prod(map(len, self.axes.values())), seeds, self.max_cases)
        names = _names(list(self.axes))
        lines = [
            f"study = {{ id = {toml(_slug(stem))}, title = {toml(f'Sweep of {stem}')}, "
            f"seeds = {self.seeds}, scenario = {toml(base.name)} }}"
        ]
        for (path, values), name in zip(self.axes.items(), names, strict=True):
            lines.append(f"axes.{toml(name)} = {_axis(path, values)}")
        lines += _figures(list(self.axes.values()), names, self.shown())
        block = "\n".join(lines)
        text = (
            f"# Sweep of {stem}\n\n{{{{topology}}}}\n\n{{{{figures}}}}\n\n{{{{repeat}}}}\n\n"
            f"```toml study\n{block}\n```\n"
        )
        name = f"sweep of {base.name}"
        try:
            return Study.parse(text, name, None, base)
        except Refusal as refusal:
            raise _of_axes(refusal, name) from refusal

    def run(
        self,
        out: str | Path | None = None,
        *,
        workers: int | None = None,
        resume: bool = False,
    ) -> Results:
        """Runs every case; without `out` the results stay in memory."""
        folder = None if out is None else Path(out)
        return Execution(
            self.study(), folder, workers=workers, resume=resume, max_cases=self.max_cases
        ).run()


def _check(path: str, values: Any) -> None:
    """Refuses what is no list of values and no table of labels."""
    if isinstance(values, Mapping):
        for label, sets in values.items():
            arguments.table(sets, f"axis {path}, {label}", "give paths and values")
    elif isinstance(values, str) or not isinstance(values, Sequence):
        raise Refusal(
            f"the values are {type(values).__name__}, not a list",
            place=f"axis {path}",
            fix="give a list of values, or a table of labels",
        )


def _of_axes(refusal: Refusal, name: str) -> Refusal:
    """The refusal without lines of the text that stands for the sweep: nobody wrote it."""
    if refusal.place != name:
        return refusal
    return Refusal(refusal.what, place="axes", nearest=refusal.nearest, fix=refusal.fix)


def _base(what: str | Path | Mapping[str, Any] | Scenario) -> Base:
    if scenarios.is_built(what):
        return Base(scenarios.written(what), scenarios.BUILT, None, json=True)
    if isinstance(what, str) and "\n" in what:
        return Base(what, scenarios.TEXT, None)
    assert isinstance(what, (str, Path))
    path = Path(what)
    text = scenarios.read_text(path)
    return Base(text, str(path), str(path.parent), json=path.suffix == ".json")


def _axis(path: str, values: Sequence[Any] | Mapping[str, Mapping[str, Any]]) -> str:
    if isinstance(values, Mapping):
        listed = ", ".join(
            f"{{ label = {toml(label)}, set = {toml(sets)} }}" for label, sets in values.items()
        )
        return f"{{ values = [{listed}] }}"
    listed = ", ".join(_value(path, value) for value in map(plain, values))
    return f"{{ title = {toml(path)}, path = {toml(path)}, values = [{listed}] }}"


def _value(path: str, value: Any) -> str:
    """A plain value, or a table under a label that is its JSON."""
    if label_of(value) is not None:
        return toml(value)
    label = toml(scenarios.written(value))
    return f"{{ label = {label}, set = {{ {toml(path)} = {toml(value)} }} }}"


def _shown(written: str, scenario: str | Path | Mapping[str, Any] | Scenario) -> Shown:
    metric, at, scope = written.partition("@")
    scope = scope if at else "run"
    kind, _, pattern = scope.partition(":")
    if not any(kind in one.scopes and one.fits(metric) for one in METRIC_ROWS):
        known = [one.id for one in METRIC_ROWS if kind in one.scopes]
        raise Refusal(
            f"{kind} has no metric `{metric}`",
            place=f"metric {written}",
            nearest=nearest(metric, known) or sorted({s for m in METRIC_ROWS for s in m.scopes}),
            fix="see `backwater list metrics`; write such as goodput_bps@flow:f1",
        )
    if "*" not in pattern:
        return Shown(written, metric, (scope,), several=False)
    world, _ = scenarios.read(scenario)
    with refusing():
        known = list(json.loads(world.resolve(None).canonical).get(f"{kind}s", {}))
    found = tuple(f"{kind}:{one}" for one in known if fnmatch.fnmatchcase(one, pattern))
    if not found:
        fix = "name one of these, with * for any letters"
        raise Refusal(
            f"no {kind} fits `{pattern}`", place=f"metric {written}", nearest=known[:9], fix=fix
        )
    return Shown(written, metric, found, several=len(found) > 1)


def _figures(
    values: Sequence[Sequence[Any] | Mapping[str, Any]], names: list[str], shown: Sequence[Shown]
) -> list[str]:
    """A figure for each metric: quantities along x as curves, words as bars."""
    if len(names) > 3:
        return []
    numeric = [
        name
        for name, some in zip(names, values, strict=True)
        if not isinstance(some, Mapping) and parse_all([str(plain(value)) for value in some])
    ]
    order = sorted(names, key=lambda name: name not in numeric[:1])
    kind = "line" if numeric else "bars"
    lines = []
    for number, one in enumerate(shown, 1):
        # The places of several scopes are the curves.
        roles = ("x", "panel") if one.several else ("x", "curve", "panel")
        fields: dict[str, Any] = {"kind": kind, "y": one.metric, "title": one.title}
        fields |= dict(zip(roles, order, strict=False))
        fields |= {"scopes": list(one.scopes)} if one.several else {"scope": one.scopes[0]}
        name = one.metric if one.written == one.metric else f"{one.metric}-{number}"
        lines.append(f"figures.{toml(name)} = {toml(fields)}")
    return lines


def _names(paths: list[str]) -> list[str]:
    """The shortest ends of the paths that tell them apart."""
    parts = [[part for part in path.split(".") if part != "*"] or ["axis"] for path in paths]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["-".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{'-'.join(part)}-{i}" for i, part in enumerate(parts, 1)]


def toml(value: Any) -> str:
    """A plain value in TOML, which takes JSON's texts, numbers and flags."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    return scenarios.written(value)


def _slug(stem: str) -> str:
    return "sweep-" + (re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "scenario")
