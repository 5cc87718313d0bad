"""The axes of a study: what is varied, the label of each value, selections by label."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from backwater.errors import nearest
from backwater.model import quantity
from backwater.study.toml_text import Fields

# Characters of a label, which names a row of tables and figures.
_LONGEST_LABEL = 500

Sets = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Value:
    """One value of an axis: its label, and what it sets in the scenario."""

    label: str
    sets: Sets
    line: int
    column: int
    # Trace files that it needs.
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Axis:
    """One dimension of a study."""

    name: str
    title: str
    values: tuple[Value, ...]

    @property
    def labels(self) -> list[str]:
        """The labels in the order in which they were written."""
        return [value.label for value in self.values]

    @cached_property
    def _by_label(self) -> dict[str, Value]:
        return {value.label: value for value in self.values}

    def value(self, label: str) -> Value:
        """The value with this label."""
        return self._by_label[label]

    @property
    def numbers(self) -> list[float] | None:
        """The labels in SI units, if all of them are quantities of one kind."""
        parsed = quantity.parse_all(self.labels)
        return None if parsed is None else [found.value for found in parsed]


@dataclass(frozen=True)
class Subject:
    """A controller as a scenario has it, and its label in the study."""

    label: str
    controller: Mapping[str, Any]

    def record(self) -> dict[str, Any]:
        """The subject in a manifest."""
        return {"label": self.label, "controller": dict(self.controller)}


class Axes:
    """All axes of a study; reads the fields that name axes or labels."""

    def __init__(self, axes: list[Axis]) -> None:
        self.axes = axes

    def names(self) -> list[str]:
        """Their names."""
        return [axis.name for axis in self.axes]

    def numbers(self, axis: str) -> list[float] | None:
        """The values of an axis in SI units, if they are quantities of one kind."""
        return next(a.numbers for a in self.axes if a.name == axis)

    def select(self, fields: Fields, key: str) -> dict[str, tuple[str, ...]]:
        """A table `axis = value or values` below a key."""
        return self.selection(fields.table(key))

    def selection(self, fields: Fields) -> dict[str, tuple[str, ...]]:
        """A table `axis = value or values`."""
        found = {}
        for name, value in fields.data.items():
            axis = next((a for a in self.axes if a.name == name), None)
            if axis is None:
                near = nearest(name, self.names()) or self.names()
                fields.refuse(
                    f"there is no axis `{name}`", name, near=near, fix="name an axis of the study"
                )
            values = value if isinstance(value, list) else [value]
            labels = [label_of(one) for one in values]
            for label in labels:
                if label not in axis.labels:
                    fields.refuse(
                        f"axis `{name}` has no value `{label}`",
                        name,
                        near=nearest(str(label), axis.labels) or axis.labels,
                        fix="write a value, or a label, of the axis",
                    )
            found[name] = tuple(label for label in labels if label is not None)
        return found

    def labels(self, name: str | None) -> tuple[str, ...]:
        """The values of an axis; none where there is no such axis."""
        return next((tuple(axis.labels) for axis in self.axes if axis.name == name), ())

    def one(self, fields: Fields, key: str) -> str | None:
        """The name of an axis, or None if it was left out."""
        name = fields.text(key)
        if name is not None and name not in self.names():
            near = nearest(name, self.names()) or self.names()
            fields.refuse(f"there is no axis `{name}`", key, near=near, fix="name an axis")
        return name


def label_of(value: Any) -> str | None:
    """The label of a plain value; None for a table or a list, which need one."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return None


def read(fields: Fields) -> Axis:
    """Reads `axes.NAME`."""
    name = fields.path[-1]
    path = fields.text("path")
    paths = fields.typed("paths", list, "a list of paths") or ([path] if path else [])
    if path and "paths" in fields.data:
        fields.refuse("`path` and `paths` are both written", "path", fix="keep one")
    if not all(isinstance(one, str) and one for one in paths):
        fields.refuse("a path is not a text", "paths", fix='write paths = ["…", "…"]')
    values = fields.typed("values", list, "a list")
    if not values:
        fields.refuse(f"axis `{name}` has no values", "values", fix="write values = [ … ]")
    read = [_value(fields, i, value, paths) for i, value in enumerate(values)]
    labels = [value.label for value in read]
    seen: set[str] = set()
    for i, label in enumerate(labels):
        if len(label) > _LONGEST_LABEL:
            fields.refuse(
                f"a label of axis `{name}` has {len(label)} characters",
                "values",
                str(i),
                fix=f"write at most {_LONGEST_LABEL}",
            )
        if label in seen:
            fields.refuse(
                f"axis `{name}` has two values `{label}`",
                "values",
                str(i),
                fix="remove one, or give them labels",
            )
        seen.add(label)
    title = fields.text("title") or name
    fields.done()
    return Axis(name, title, tuple(read))


def _value(fields: Fields, index: int, value: Any, paths: list[str]) -> Value:
    at = ("values", str(index))
    position = fields.toml.locate((*fields.path, *at))
    if isinstance(value, dict):
        inner = Fields(fields.toml, (*fields.path, *at), value)
        label = inner.needed("label")
        sets = inner.typed("set", dict, "a table of paths and values")
        if sets is None:
            inner.refuse(f"value `{label}` sets nothing", fix='add set = { "path" = value }')
        needs = inner.typed("needs", list, "a list of trace files") or []
        if not all(isinstance(one, str) and one for one in needs):
            inner.refuse(f"value `{label}` needs something that is not the name of a file", "needs")
        inner.done()
        _plain(fields, sets, at)
        return Value(label, tuple(sets.items()), *position, needs=tuple(needs))
    label_or_none = label_of(value)
    if label_or_none is None:
        fields.refuse(
            "a value is neither plain nor a table",
            *at,
            fix='write { label = "…", set = { "path" = value } }',
        )
    _plain(fields, value, at)
    if not paths:
        fields.refuse(
            f"axis `{fields.path[-1]}` has no path to set", *at, fix='add path = "…" to the axis'
        )
    return Value(label_or_none, tuple((path, value) for path in paths), *position)


def _plain(fields: Fields, value: Any, at: tuple[str, ...]) -> None:
    """Refuses values that JSON does not have."""
    if isinstance(value, dict):
        for inner in value.values():
            _plain(fields, inner, at)
    elif isinstance(value, list):
        for inner in value:
            _plain(fields, inner, at)
    elif not isinstance(value, (str, bool, int, float)) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        fields.refuse(f"`{value}` is not a value of a scenario", *at, fix="write a plain value")
