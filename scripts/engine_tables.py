"""The tables and the schema of the engine, for the scripts that write from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "backwater"

Row = dict[str, Any]
Schema = dict[str, Any]


def engine() -> Any:
    """The compiled module. Not by `import backwater`: that needs builders, which may be wrong."""
    found = [PACKAGE / f"_native{suffix}" for suffix in EXTENSION_SUFFIXES]
    file = next(path for path in found if path.exists())
    spec = spec_from_file_location("backwater._native", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES: dict[str, list[Row]] = json.loads(engine().parts())
SCHEMA: Schema = json.loads(engine().schema())

# Kinds without a builder of parts: recipes and media are tables of the scenario.
NOT_PARTS = ("mechanisms", "media", "standards", "metrics")

# The type of a quantity by the first unit of its pattern in the schema.
UNITS = {
    "s": "Time",
    "bit/s": "Rate",
    "B": "Size",
    "packets": "Packets",
    "%": "Share",
    "m": "Length",
    "dB": "Level",
    "dBm": "Level",
}


def parts() -> Iterator[tuple[str, list[Row]]]:
    """The kinds of parts with their rows."""
    return ((kind, rows) for kind, rows in TABLES.items() if kind not in NOT_PARTS)


def class_of(kind: str) -> str:
    """The class of a kind: `Box` of `boxes`."""
    ends = (("ies", "y"), ("xes", "x"), ("s", ""))
    end, singular = next(pair for pair in ends if kind.endswith(pair[0]))
    return (kind.removesuffix(end) + singular).capitalize()


def at(path: str) -> Schema:
    """The schema of a table: names go down, `NAME` into any thing, `:kind` chooses a variant."""
    schema = SCHEMA
    description = ""
    # A dot in the name of a kind is followed by a digit.
    for step in filter(None, re.split(r"\.(?!\d)", path)):
        name, _, kind = step.partition(":")
        schema = schema["additionalProperties"] if name == "NAME" else schema["properties"][name]
        description = schema.get("description", description)
        if kind:
            variants = schema.get("anyOf", [schema])[-1]["oneOf"]
            schema = next(one for one in variants if one["properties"]["kind"]["const"] == kind)
    return {"description": description, **schema}


def needed(schema: Schema) -> list[str]:
    """The fields that a table must have; of a flow, a pattern or the defaults may give them."""
    found: list[str] = [*schema.get("required", ()), *schema.get("x-required", ())]
    return found


def part_of(schema: Schema) -> str | None:
    """The class of the part that may stand here."""
    forms = schema.get("oneOf") or schema.get("anyOf") or ()
    names = [one.get("properties", {}).get("kind", {}).get("enum") for one in forms]
    for kind, rows in parts():
        if names and names == [[*row["aliases"], row["id"]] for row in rows]:
            return class_of(kind)
    return None
