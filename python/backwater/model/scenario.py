"""Reads scenarios: those built in code, texts and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model.builders import Scenario
from backwater.model.builders.base import plain

BUILT = "<scenario built in Python>"
TEXT = "<text>"


def written(what: Any) -> str:
    """A scenario or value built in code, as JSON."""
    try:
        return json.dumps(plain(what), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Refusal(
            f"this value cannot be written as JSON: {error}",
            place=BUILT,
            fix="use texts, finite numbers, flags, lists and tables",
        ) from error


def read_text(path: Path) -> str:
    """The content of a scenario file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Refusal(
            f"cannot read the scenario: {reason}",
            place=str(path),
            fix="give the path of a TOML or JSON file",
        ) from error


def read(what: str | Path | Mapping[str, Any] | Scenario) -> tuple[_native.Scenario, str]:
    """Reads a scenario; returns it with its name.

    A text with a line break is TOML; any other text is the path of a TOML or JSON file.
    """
    with refusing():
        if isinstance(what, (Scenario, Mapping)):
            return _native.Scenario.from_json(written(what), BUILT, None), BUILT
        if isinstance(what, str) and "\n" in what:
            return _native.Scenario.from_toml(what, TEXT, None), TEXT
        path = Path(what)
        json_file = path.suffix == ".json"
        reader = _native.Scenario.from_json if json_file else _native.Scenario.from_toml
        return reader(read_text(path), str(path), str(path.parent)), str(path)
