"""What an argument of a builder may be, by its annotation: refused at once and not at the run."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Mapping
from typing import Any

from backwater.errors import Refusal, nearest
from backwater.model.quantity import parse

# An annotation that lists all that an argument may be.
_LITERAL = re.compile(r"\(?\s*Literal\[([^\]]*)\](?:\s*\|\s*None)?\s*\)?")
# The dimensions of each type of quantity, and how one is written.
_DIMENSIONS = {
    "Time": (("time",), "20 ms"),
    "Rate": (("rate",), "3 Mbit/s"),
    "Size": (("size",), "1500 B"),
    "Packets": (("packets",), "100 packets"),
    "Share": (("share",), "80 %"),
    "Length": (("length",), "100 m"),
    "Level": (("ratio", "power"), "6 dB"),
}
_NUMBERS = {"int": "a whole number", "float": "a number"}


def check(what: str, name: str, annotation: str, value: Any, parts: Mapping[str, Any]) -> None:
    """Refuses a value that an argument cannot have; `parts` are the builders of parts by name.

    The engine judges the rest, such as bounds and what goes together, when the scenario is read.
    """
    place = f"{what}({name}=...)"
    text = " ".join(annotation.split())
    choices = _choices(text)
    if choices and isinstance(value, str) and value not in choices:
        raise Refusal(
            f"{what} has no {name} `{value}`",
            place=place,
            nearest=nearest(value, choices) or list(choices),
            fix=f"give one of {', '.join(choices)}",
        )
    kinds = [one.strip() for one in text.split("|")]
    if kinds[0] in _DIMENSIONS and isinstance(value, (str, int, float)):
        _quantity(place, kinds[0], value)
    if kinds[0] in _NUMBERS and isinstance(value, str):
        raise Refusal(
            f"`{value}` is no number", place=place, fix=f"give {_NUMBERS[kinds[0]]}, not a text"
        )
    part = next((parts[kind] for kind in kinds if kind in parts), None)
    if part is not None and isinstance(value, str) and "str" not in kinds:
        raise Refusal(
            f"`{value}` is a text and no {part.__name__}",
            place=place,
            fix=f'give a {part.__name__} or a table, such as {{"kind": "{value}"}}',
        )
    if part is not None and isinstance(value, Mapping) and isinstance(value.get("kind"), str):
        part(**value)


def _quantity(place: str, kind: str, value: str | float) -> None:
    dimensions, example = _DIMENSIONS[kind]
    found = parse(value) if isinstance(value, str) else None
    if found is None or found.dimension not in dimensions:
        raise Refusal(
            f"`{value}` is no {' or '.join(dimensions)}",
            place=place,
            fix=f'write a number with its unit, such as "{example}"',
        )


@functools.cache
def _choices(annotation: str) -> tuple[str, ...]:
    """The texts that an argument may be; none where it may be others, too."""
    found = _LITERAL.fullmatch(annotation)
    return () if found is None else tuple(ast.literal_eval(f"({found[1]},)"))
