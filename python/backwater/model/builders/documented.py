"""Options of parts and fields of tables as arguments of Python: their types and descriptions.

The engine's rows say what an option is. Builders of parts are made from them when they are first
used, and `scripts/builders.py` writes their signatures.
"""

from __future__ import annotations

import json
import keyword
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

# The type of an option by the engine's word for it.
TYPES = {
    "time": "Time",
    "rate": "Rate",
    "size": "Size",
    "packets": "Packets",
    "length": "Length",
    "ratio": "Level",
    "power": "Level",
    "share": "Share",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "file": "str",
    "name": "str",
    "list": "Sequence[str]",
    "size or packets": "Capacity",
    "table": "Written",
    "series": "Series",
}
# The values of a type, in words.
WORDS = {
    "Time": "time",
    "Rate": "rate",
    "Size": "size",
    "Packets": "packets",
    "Share": "share",
    "Length": "length",
    "Level": "level",
    "Capacity": "size, packets or unlimited",
    "int": "whole number",
    "float": "number",
    "Series": "whole numbers",
}
WIDTH = 86


@dataclass(frozen=True)
class Argument:
    """An argument of a builder."""

    name: str
    type: str
    required: bool
    note: str

    @property
    def parameter(self) -> str:
        """The name in Python."""
        return identifier(self.name)

    @property
    def annotation(self) -> str:
        """The type in Python; what may be left out may be None."""
        return self.type if self.required else f"{self.type} | None"


def identifier(name: str) -> str:
    """A name of the scenario as one of Python: `base-window` is base_window, `class` is class_."""
    name = name.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def arguments_of(row: dict[str, Any]) -> list[Argument]:
    """The arguments of a part's builder, those that must be given first."""
    return ordered(_option(option) for option in row["options"])


def _option(option: dict[str, Any]) -> Argument:
    values = option["values"]
    kind = f"Literal[{', '.join(map(repr, values))}]" if values else TYPES[option["type"]]
    facts = [WORDS.get(kind, ""), need(option["required"], option["default_written"])]
    low, high = option["min_written"], option["max_written"]
    facts += [f"≥ {low}"] if low is not None else []
    facts += [f"≤ {high}"] if high is not None else []
    return Argument(option["name"], kind, option["required"], note(option["help"], facts))


def ordered(arguments: Iterable[Argument], first: Sequence[str] = ()) -> list[Argument]:
    """Those in `first` in that order, then what else must be given, then the rest."""

    def rank(one: Argument) -> tuple[bool, int]:
        return not one.required, first.index(one.name) if one.name in first else len(first)

    return sorted(arguments, key=rank)


def note(text: str, facts: list[str]) -> str:
    """A description with facts behind it."""
    said = ", ".join(filter(None, facts))
    return f"{text} ({said})" if said else text


def need(required: bool, default: Any) -> str:
    """Whether a value must be given, or what it is if left out."""
    if required or default is None:
        return "required" if required else ""
    return f"default {default if isinstance(default, str) else json.dumps(default)}"


def description(title: str, summary: str, more: list[str], arguments: list[Argument]) -> str:
    """A summary in one line, or below the title; then a line for each argument."""
    lines = [summary[0].upper() + summary[1:] + "."]
    if len(lines[0]) > WIDTH:
        lines = [title, "", *textwrap.wrap(lines[0], WIDTH)]
    for text in more:
        lines += ["", *textwrap.wrap(text, WIDTH)]
    if arguments:
        lines.append("")
    for one in arguments:
        text = f"* `{one.parameter}`: {one.note}"
        lines += textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines)


def described(title: str, row: dict[str, Any]) -> str:
    """The documentation of a part's builder."""
    source = [f"Source: {row['source']}."] if row["source"] else []
    return description(title, row["summary"], source, arguments_of(row))
