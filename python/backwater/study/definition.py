"""A study: one Markdown file with prose, a base scenario, axes, figures and claims."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from backwater import _native
from backwater.errors import Refusal, from_native, nearest
from backwater.model import arguments, trace_file, workers
from backwater.study import ablation, checks, figure, markdown, places
from backwater.study import axes as axes_of
from backwater.study import quick as quick_of
from backwater.study.ablation import Ablations
from backwater.study.axes import Axes, Axis, Sets, Subject
from backwater.study.figure import Figure
from backwater.study.quick import Quick
from backwater.study.toml_text import Fields, Toml
from backwater.verdict import read_claim
from backwater.verdict.claim import Claim, Labels, matches

STUDY_BLOCK, SCENARIO_BLOCK = "toml study", "toml scenario"


@dataclass(frozen=True)
class Base:
    """The scenario that every case starts from; its text carries the right line numbers."""

    text: str
    name: str
    folder: str | None
    json: bool = False

    def open(self) -> _native.Scenario:
        """A fresh copy to set paths in."""
        read = _native.Scenario.from_json if self.json else _native.Scenario.from_toml
        return read(self.text, self.name, self.folder)


@dataclass(frozen=True)
class Planned:
    """One case: a combination and a seed, ready to run."""

    labels: Labels
    seed: int
    resolved: _native.Resolved

    @property
    def case_json(self) -> str:
        """The combination, canonically."""
        return canonical(self.labels)


S = TypeVar("S", bound="Study")


@dataclass(frozen=True)
class Study:
    """A parsed study."""

    id: str
    title: str
    source: str
    seeds: int
    axes: tuple[Axis, ...]
    exclude: tuple[dict[str, tuple[str, ...]], ...]
    quick: Quick
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    prose: str
    base: Base
    name: str
    text: str
    ablations: Ablations
    # The study's own words for scopes: "data" for `class:0`.
    names: Mapping[str, str] = field(default_factory=dict)
    # The sentences that a reader should know first, and the figure that shows them.
    lead: tuple[str, str] = ("", "")
    # Of a study about one controller, once that is known.
    subject: Subject | None = None
    # Whether a person wrote the text; that of a sweep is made from its axes.
    written: bool = True

    @classmethod
    def load(cls: type[S], which: str | Path) -> S:
        """A shipped study by its id, or a Markdown file by its path."""
        path = _find(str(which))
        text = arguments.read_text(path, "the study", "name a Markdown file")
        return cls.parse(text, str(path), path.parent)

    @classmethod
    def parse(
        cls: type[S],
        text: str,
        name: str,
        folder: str | Path | None = None,
        base: Base | None = None,
    ) -> S:
        """Reads a study's text; `base` stands for a scenario that was read before."""
        blocks, prose = markdown.split(text, name, {STUDY_BLOCK, SCENARIO_BLOCK})
        toml = _only(blocks, STUDY_BLOCK, name)
        fields = Fields(toml, (), toml.data)
        head = fields.table("study")
        if not head.data:
            fields.refuse("there is no `study` table", fix='write study = { id = "…", … }')
        axes = Axes([axes_of.read(f) for _, f in fields.tables("axes")])
        source = head.text("source") or ""
        study = cls(
            id=_id(head),
            title=head.text("title") or "",
            source=source,
            seeds=head.count("seeds") or 10,
            axes=tuple(axes.axes),
            exclude=tuple(_exclusions(fields, axes)),
            quick=quick_of.read(fields.table("quick"), axes, head.count("seeds") or 10),
            figures=tuple(figure.read(f, name, axes) for name, f in fields.tables("figures")),
            claims=tuple(
                read_claim.read(f, name, axes, source) for name, f in fields.tables("claims")
            ),
            prose=prose,
            base=_base(head, blocks, name, folder, base),
            name=name,
            text=text,
            written=base is None,
            lead=(head.text("answer") or "", head.text("shows") or ""),
            names=_names(fields),
            ablations=ablation.read(
                fields.table("ablate"), axes, [name for name, _ in fields.tables("claims")]
            ),
        )
        head.done()
        fields.done()
        checks.check(study, fields)
        checks.check_placeholders(study)
        return study

    def axis(self, name: str) -> Axis:
        """An axis by its name."""
        return next(axis for axis in self.axes if axis.name == name)

    def combinations(self, quick: bool = False) -> list[dict[str, str]]:
        """Every combination of labels that is not excluded, the last axis fastest."""
        arguments.combinations(self.size(quick), self.name)
        names, offered = [axis.name for axis in self.axes], self._offered(quick)
        every = (dict(zip(names, some, strict=True)) for some in itertools.product(*offered))
        kept = [labels for labels in every if not any(matches(labels, e) for e in self.exclude)]
        return self.quick.kept(kept, self.claims) if quick else kept

    def absent(self, labels: Labels) -> list[str]:
        """The trace files that a combination needs and that are not there."""
        values = (axis.value(labels[axis.name]) for axis in self.axes)
        wanted = dict.fromkeys(name for value in values for name in value.needs)
        return [name for name in wanted if not trace_file.present(name)]

    def missing_traces(self, quick: bool = False) -> dict[str, int]:
        """The trace files that are not there, each with the number of combinations without it."""
        counted: dict[str, int] = {}
        for labels in self.combinations(quick):
            for name in self.absent(labels):
                counted[name] = counted.get(name, 0) + 1
        return counted

    def runnable(self, quick: bool = False) -> list[dict[str, str]]:
        """The combinations whose traces are there."""
        return [labels for labels in self.combinations(quick) if not self.absent(labels)]

    def seed_list(self, quick: bool = False, seeds: int | None = None, first: int = 1) -> list[int]:
        """The seeds, the same for every combination, so that arrivals are paired."""
        return list(range(first, first + self.seed_count(quick, seeds)))

    def seed_count(self, quick: bool = False, seeds: int | None = None) -> int:
        """How many seeds each combination has."""
        return seeds or (self.quick.seeds if quick else self.seeds)

    def size(self, quick: bool = False) -> int:
        """How many combinations there are at most, exclusions aside."""
        return math.prod(len(labels) for labels in self._offered(quick))

    def _offered(self, quick: bool) -> list[list[str]]:
        """The labels of each axis."""
        return [
            [label for label in axis.labels if not quick or self.quick.has(axis.name, label)]
            for axis in self.axes
        ]

    def plan(
        self,
        quick: bool = False,
        seeds: int | None = None,
        max_cases: int | None = None,
        first: int = 1,
    ) -> list[Planned]:
        """Every case, resolved; a scenario that cannot run is refused here."""
        arguments.cases(self.size(quick), self.seed_count(quick, seeds), max_cases)
        places.check(self, quick)
        seed_list = self.seed_list(quick, seeds, first)
        runnable = self.runnable(quick)
        return [case for labels in runnable for case in self.cases(labels, seed_list, quick)]

    def cases(
        self, labels: Labels, seeds: list[int], quick: bool = False, sets: Sets = ()
    ) -> list[Planned]:
        """A combination under each seed, with further settings."""
        resolved = self._resolve(labels, quick, seeds, sets)
        return [Planned(labels, seed, one) for seed, one in resolved]

    def resolved(self, labels: Labels, seed: int, quick: bool = False) -> _native.Resolved:
        """A case as it runs; a scenario that cannot run is refused."""
        return self.cases(labels, [seed], quick)[0].resolved

    def _resolve(
        self, labels: Labels, quick: bool, seeds: list[int], sets: Sets
    ) -> Iterator[tuple[int, _native.Resolved]]:
        try:
            scenario = self.base.open()
            if quick:
                for path, value in self.quick.sets:
                    scenario.set(path, json.dumps(value), f"quick of {self.name}")
            for axis in self.axes:
                chosen = axis.value(labels[axis.name])
                for path, content in chosen.sets:
                    scenario.set(path, json.dumps(content), self._origin(axis))
            for path, value in sets:
                scenario.set(path, json.dumps(value), f"ablate of {self.name}")
            for seed in seeds:
                resolved = scenario.resolve(seed)
                if seed == seeds[0]:
                    # A scenario that is valid under one seed is valid under all.
                    workers.check(resolved)
                yield seed, resolved
        except _native.ScenarioError as error:
            raise self._refusal(from_native(error), labels) from error
        except Refusal as refusal:
            raise self._refusal(refusal, labels) from refusal

    def _origin(self, axis: Axis) -> str:
        return f"axes.{axis.name} of {self.name}"

    def _refusal(self, refusal: Refusal, labels: Labels) -> Refusal:
        """The same refusal; where an axis is the cause, with the line of its value."""
        axis = next((a for a in self.axes if refusal.place == self._origin(a)), None)
        if axis is None:
            return refusal
        value = axis.value(labels[axis.name])
        if self.subject is not None and value.label == self.subject.label:
            return Refusal(
                refusal.what,
                place=f"controller {value.label}",
                nearest=refusal.nearest,
                fix=refusal.fix,
            )
        if not self.written:
            return Refusal(
                refusal.what,
                place=f"axis {axis.title}, value {value.label}",
                nearest=refusal.nearest,
                fix=refusal.fix,
            )
        return Refusal(
            refusal.what,
            place=self.name,
            line=value.line,
            column=value.column,
            nearest=refusal.nearest,
            fix=refusal.fix,
            excerpt=self.text.split("\n")[value.line - 1],
        )

    def positions(self) -> dict[str, dict[str, float]]:
        """The positions of labels on each axis: SI numbers, or indices where labels are names."""
        return {
            axis.name: dict(
                zip(axis.labels, axis.numbers or map(float, itertools.count()), strict=False)
            )
            for axis in self.axes
        }


def shipped() -> dict[str, Path]:
    """The studies of this installation: id to file."""
    folder = Path(str(resources.files("backwater") / "studies"))
    return {path.stem: path for path in sorted(folder.glob("*.md"))}


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _find(which: str) -> Path:
    known = shipped()
    if which in known:
        return known[which]
    path = Path(which)
    if which.endswith(".md") or path.is_file():
        return path
    near = nearest(which, known)
    raise Refusal(
        f"there is no study `{which}`",
        nearest=near,
        fix="see `backwater study list`, or give the path of a Markdown file",
    )


def _only(blocks: Sequence[markdown.Block], info: str, name: str) -> Toml:
    found = [block for block in blocks if block.info == info]
    if len(found) != 1:
        raise Refusal(
            f"there are {len(found)} blocks `{info}`" if found else f"there is no block `{info}`",
            place=name,
            line=found[1].line - 1 if found else None,
            column=1 if found else None,
            fix=f"write one block that begins with ```{info}",
        )
    return Toml.parse(found[0].text, name, found[0].line)


def _id(head: Fields) -> str:
    found = head.needed("id")
    if not found or not all(c.islower() or c.isdigit() or c == "-" for c in found):
        head.refuse(
            f"`{found}` is not the id of a study", "id", fix="use small letters, digits and hyphens"
        )
    return found


def _names(fields: Fields) -> dict[str, str]:
    """The table `names`; a word for each scope."""
    written = fields.typed("names", dict, "a table of scopes and words") or {}
    for scope, word in written.items():
        if not isinstance(word, str) or not word:
            fields.refuse(f"`{scope}` has no word", "names", scope, fix='write such as "data"')
    return dict(written)


def _base(
    head: Fields,
    blocks: Sequence[markdown.Block],
    name: str,
    folder: str | Path | None,
    given: Base | None,
) -> Base:
    file = head.text("scenario")
    inline = [block for block in blocks if block.info == SCENARIO_BLOCK]
    if (file is not None) + len(inline) != 1:
        head.refuse(
            f"the study has {(file is not None) + len(inline)} base scenarios",
            "scenario",
            fix=f'write one block ```{SCENARIO_BLOCK}, or scenario = "file.toml"',
        )
    if given is not None:
        return given
    where = str(folder) if folder is not None else None
    if file is None:
        padding = "\n" * (inline[0].line - 1)
        return Base(padding + inline[0].text, name, where)
    path = Path(where or ".") / file
    try:
        text = arguments.read_text(path, "the scenario", "name a TOML file")
        return Base(text, str(path), str(path.parent))
    except Refusal as error:
        head.refuse(error.what, "scenario", fix="correct the path")


def _exclusions(fields: Fields, axes: Axes) -> Iterator[dict[str, tuple[str, ...]]]:
    for i, table in enumerate(fields.typed("exclude", list, "a list of tables") or []):
        at = ("exclude", str(i))
        if not isinstance(table, dict) or not table:
            fields.refuse("an exclusion is not a table", *at, fix='write { axis = "value" }')
        yield axes.selection(Fields(fields.toml, at, table))
