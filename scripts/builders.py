"""Writes the typed builders of scenarios from the engine's tables (`make tables`)."""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from builder_places import MODULES, PLACES, SAYS, Place
from engine_tables import (
    PACKAGE,
    TABLES,
    UNITS,
    Row,
    Schema,
    at,
    class_of,
    needed,
    part_of,
    parts,
)

from backwater.model.builders.documented import (
    TYPES,
    WORDS,
    Argument,
    arguments_of,
    description,
    identifier,
    need,
    note,
    ordered,
)

FOLDER = PACKAGE / "model" / "builders"
MARK = "Written by `make tables` from the tables that the engine reads; do not edit."

BASE = ("Part", "Series", "Table", "Written")


def files() -> dict[Path, str]:
    """Every file of the builders, as `ruff format` leaves it."""
    written = {"part_builders.pyi": _signatures()}
    for module in dict.fromkeys(place.module for place in PLACES):
        written[f"{module}.py"] = _table_file(module)
    written["__init__.py"] = _package()
    return {FOLDER / name: _formatted(name, text) for name, text in written.items()}


# Parts.


def _signatures() -> str:
    body = "\n".join(_kind(kind, rows) for kind, rows in parts())
    return _file("Signatures of the parts' builders.", body)


def _kind(kind: str, rows: list[Row]) -> str:
    """A class with the signature and the summary of each builder; `help` describes arguments."""
    name = class_of(kind)
    lines = [f"class {name}(Part):"]
    for row in rows:
        arguments = [_declared(one) for one in arguments_of(row)]
        given = ", ".join(["*", *arguments] if arguments else [])
        said = _quoted(description(f"The {name.lower()} `{row['id']}`.", row["summary"], [], []))
        lines += ["    @staticmethod", f"    def {_method(row)}({given}) -> {name}:"]
        lines.append(textwrap.indent(said, " " * 8))
    return "\n".join(lines) + "\n"


def _method(row: Row) -> str:
    name = identifier(row["id"])
    if not name.isidentifier() or keyword.iskeyword(name) or name in ("table", "kind", "options"):
        raise SystemExit(f"no method can be called {name}")
    return str(name)


# Tables.


def _table_file(module: str) -> str:
    mine = [place for place in PLACES if place.module == module]
    body = "\n\n".join(map(_table, mine))
    if module == "wired":
        recipes = [n for row in TABLES["mechanisms"] for n in (row["id"], *row["aliases"])]
        body = (
            f"Recipe: TypeAlias = Literal[{', '.join(map(repr, [*recipes, 'none']))}]\n\n\n{body}"
        )
    return _file(MODULES[module], body)


def _table(place: Place) -> str:
    schema = at(place.path)
    fixed = {n: one["const"] for n, one in schema["properties"].items() if "const" in one}
    required = {*needed(schema), *place.needed}
    found = (
        _field(place, name, one, name in required)
        for name, one in schema["properties"].items()
        if name not in fixed and name not in place.without
    )
    arguments = ordered(found, place.needed)
    summary = place.summary or schema.get("title") or schema["description"]
    said = _quoted(description(f"`{place.path}` of a scenario.", summary, [], arguments))
    lines = ["@dataclass", f"class {place.name}(Table):", textwrap.indent(said, "    "), ""]
    lines += [f"    {_declared(one)}" for one in arguments]
    if fixed:
        lines.append(f"    _fixed: ClassVar[Written] = {json.dumps(fixed)}")
    return "\n".join(lines) + "\n"


def _field(place: Place, name: str, schema: Schema, required: bool) -> Argument:
    kind = SAYS.get((place.name, name)) or _type(f"{place.path}.{name}".lstrip("."), schema)
    facts = [WORDS.get(kind, ""), need(required, schema.get("default"))]
    return Argument(name, kind, required, note(schema["description"], facts))


def _type(path: str, schema: Schema) -> str:
    """The type of a field."""
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    if part := part_of(schema):
        return f"{part} | Written"
    if "anyOf" in schema:
        return _either(schema["anyOf"])
    if schema.get("type") == "array":
        items = schema["items"]
        part = part_of(items)
        return f"Sequence[{part} | Written]" if part else "Sequence[str]"
    if schema.get("type") == "object":
        return _object(path, schema)
    if unit := re.search(r" \+\(?([^()$|]+)[^$]*\$$", schema.get("pattern", "")):
        return UNITS[unit[1]]
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[schema["type"]]


def _either(forms: list[Schema]) -> str:
    """A path of a file or a part, or a capacity."""
    part = next((found for one in forms if (found := part_of(one))), None)
    return f"str | {part} | Written" if part else "Capacity"


def _object(path: str, schema: Schema) -> str:
    if isinstance(inner := schema.get("additionalProperties"), dict):
        return f"Mapping[str, {_type(f'{path}.NAME', inner)}]"
    same = [place.name for place in PLACES if _fields(at(place.path)) == _fields(schema)]
    if not same:
        raise SystemExit(f"scripts/builders.py names no class for the table {path}")
    return f"{same[0]} | Written"


def _fields(schema: Schema) -> Schema:
    return dict(schema["properties"])


# Text.


def _declared(one: Argument) -> str:
    if one.required:
        return f"{one.parameter}: {one.type}"
    return f"{one.parameter}: {one.annotation} = None"


def _quoted(text: str) -> str:
    """A text as a docstring."""
    end = "\n" if "\n" in text else ""
    return '"""{}{}"""'.format(text.replace("\\", "\\\\"), end)


def _file(summary: str, body: str) -> str:
    """A module that imports what its body mentions."""
    words = set(re.findall(r"\b[A-Za-z]+\b", re.sub(r'"""(?:.|\n)*?"""', "", body)))
    defined = set(re.findall(r"^class (\w+)", body, re.MULTILINE))

    def named(names: Iterable[str]) -> list[str]:
        return sorted((set(names) & words) - defined - {"str", "int", "float", "bool"})

    imports = [
        ("collections.abc", ["Mapping", "Sequence"]),
        ("dataclasses", ["dataclass"]),
        ("typing", ["ClassVar", "Literal", "TypeAlias"]),
        (
            "backwater.model.builders.base",
            [*BASE, *TYPES.values(), *UNITS.values(), "Capacity"],
        ),
        ("backwater.model.builders.part_builders", [class_of(kind) for kind, _ in parts()]),
        *((f"backwater.model.builders.{place.module}", [place.name]) for place in PLACES),
    ]
    lines = [f'"""{summary}\n\n{MARK}\n"""', "", "from __future__ import annotations", ""]
    lines += [
        f"from {module} import {', '.join(used)}" for module, n in imports if (used := named(n))
    ]
    return "\n".join([*lines, "", "", body])


def _package() -> str:
    names = [("part_builders", class_of(kind)) for kind, _ in parts()]
    names += [(place.module, place.name) for place in PLACES]
    imports = "\n".join(
        f"    from backwater.model.builders.{module} import {n}" for module, n in names
    )
    listed = ", ".join(repr(name) for _, name in sorted(names, key=lambda pair: pair[1]))
    homes = ", ".join(f"{name!r}: {module!r}" for module, name in names)
    return f'''"""Builders of scenarios, with a type for each argument.

`part_builders` has a class for each kind of part, a method for each part; `wired`, `wireless`,
`flow` and `whole` have the tables of a scenario. `base` and `documented` have what they share.
`make tables` writes the tables and the signatures from what the engine reads. Each file is loaded
when one of its names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
{imports}

__all__ = [{listed}]

_HOMES = {{{homes}}}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
    found = getattr(import_module(f"{{__name__}}.{{_HOMES[name]}}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
'''


def _formatted(name: str, text: str) -> str:
    for command in (["check", "--select", "I", "--fix", "-q"], ["format", "-q"]):
        text = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(FOLDER / name), "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    return text


def _main(check: bool) -> int:
    """Writes the files, or names those that are not as they would be written."""
    written = files()
    stale = [path for path, text in written.items() if not _is(path, text)]
    for path in stale:
        sys.stdout.write(f"{path}\n")
        if not check:
            path.write_text(written[path], encoding="utf-8")
    return 1 if check and stale else 0


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(_main(check="--check" in sys.argv[1:]))
