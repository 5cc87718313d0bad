"""Reads scenarios: those built in code, texts and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model import arguments
from backwater.model.builders.base import Table, plain

if TYPE_CHECKING:
    from backwater.model.builders import Scenario

BUILT = "<scenario built in Python>"
TEXT = "<text>"


def written(what: Any) -> str:
    """A scenario or value built in code, as JSON."""
    try:
        return json.dumps(plain(what), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal(
            f"this value cannot be written as JSON: {error}",
            place=BUILT,
            fix="use texts, finite numbers, flags, lists and tables",
        ) from error


def is_built(what: object) -> TypeGuard[Mapping[str, Any] | Scenario]:
    """Whether this is a scenario built in code: a table, or a `Scenario`.

    The class is loaded only where an object of a builder is at hand.
    """
    if isinstance(what, Table):
        from backwater.model.builders import Scenario

        return isinstance(what, Scenario)
    return isinstance(what, Mapping)


def read_text(path: Path) -> str:
    """The content of a scenario file."""
    return arguments.read_text(path, "the scenario", "give the path of a TOML or JSON file")


def read(what: str | Path | Mapping[str, Any] | Scenario) -> tuple[_native.Scenario, str]:
    """Reads a scenario; returns it with its name.

    A text with a line break is TOML; any other text is the path of a TOML or JSON file.
    """
    with refusing():
        if is_built(what):
            return _native.Scenario.from_json(written(what), BUILT, None), BUILT
        if not isinstance(what, (str, Path)):
            raise Refusal(
                f"{type(what).__name__} is no scenario",
                fix="give a Scenario, a table, a text of TOML, or the path of a file",
            )
        if isinstance(what, str) and "\n" in what:
            return _native.Scenario.from_toml(what, TEXT, None), TEXT
        path = Path(what)
        json_file = path.suffix == ".json"
        reader = _native.Scenario.from_json if json_file else _native.Scenario.from_toml
        return reader(read_text(path), str(path), str(path.parent)), str(path)
