"""The errors, each with its exit code and its JSON document."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from backwater import _native

EXIT_DONE = 0
EXIT_UNEXPECTED = 1
EXIT_REFUSED = 2
EXIT_UNFINISHED = 3
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


# Characters of a message that a person gets to see.
_LONGEST = 2_000


def visible(text: str) -> str:
    """A text for a terminal: bounded, and without characters that a terminal obeys."""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return "".join(c if c == "\n" or c.isprintable() else "\ufffd" for c in shown)


class BackwaterError(Exception):
    """An error with a place, the nearest valid names and what to do instead."""

    exit_code = EXIT_UNFINISHED

    def __init__(
        self,
        what: str,
        *,
        place: str | None = None,
        line: int | None = None,
        column: int | None = None,
        nearest: Iterable[str] = (),
        fix: str | None = None,
        excerpt: str | None = None,
        rendered: str | None = None,
    ) -> None:
        what = visible(what)
        super().__init__(what)
        self.what = what
        self.place = None if place is None else visible(place)
        self.line = line
        self.column = column
        self.nearest = [visible(name) for name in nearest]
        self.fix = None if fix is None else visible(fix)
        self.excerpt = None if excerpt is None else visible(excerpt)
        self.rendered = rendered

    def document(self) -> dict[str, Any]:
        """The error document of the contract."""
        return {
            "schema": "backwater/error/1",
            "version": _native.version(),
            "error": {
                "what": self.what,
                "place": self.place,
                "line": self.line,
                "column": self.column,
                "nearest": self.nearest,
                "fix": self.fix,
            },
        }

    def fields(self) -> dict[str, Any]:
        """The error as plain data, for another process."""
        return {
            "refused": isinstance(self, Refusal),
            "what": self.what,
            "place": self.place,
            "line": self.line,
            "column": self.column,
            "nearest": self.nearest,
            "fix": self.fix,
            "excerpt": self.excerpt,
            "rendered": self.rendered,
        }

    def __str__(self) -> str:
        if self.rendered is not None:
            return self.rendered
        where = ":".join(str(part) for part in (self.place, self.line, self.column) if part)
        lines = [f"error: {self.what}"]
        if where:
            lines.append(f"  --> {where}")
        if self.excerpt is not None and self.line:
            margin = " " * len(str(self.line))
            lines += [f" {margin} |", f" {self.line} | {self.excerpt}"]
            lines.append(f" {margin} | {' ' * ((self.column or 1) - 1)}^")
        if self.nearest:
            lines.append("  nearest: " + ", ".join(self.nearest))
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)


class Refusal(BackwaterError, ValueError):
    """The request is wrong; nothing ran."""

    exit_code = EXIT_REFUSED


class Unfinished(BackwaterError):
    """The request is valid but could not be finished; finished rows are kept."""

    exit_code = EXIT_UNFINISHED


def from_fields(fields: Mapping[str, Any]) -> BackwaterError:
    """The error of another process, from its plain data."""
    rest = {name: value for name, value in fields.items() if name not in ("refused", "what")}
    return (Refusal if fields["refused"] else Unfinished)(fields["what"], **rest)


class Terminated(BaseException):
    """SIGTERM arrived."""


_Kind = TypeVar("_Kind", bound=BackwaterError)


def from_native(error: _native.ScenarioError) -> Refusal:
    """The scenario reader's refusal as a Refusal, with file, line and caret."""
    return _said(Refusal, error)


def _said(kind: type[_Kind], error: _native.ScenarioError) -> _Kind:
    found = json.loads(error.diagnostic)
    return kind(
        found["what"],
        place=found.get("place"),
        line=found.get("line"),
        column=found.get("column"),
        nearest=found.get("nearest") or (),
        fix=found.get("fix"),
        rendered=str(error),
    )


@contextmanager
def refusing() -> Iterator[None]:
    """Turns what the scenario reader refuses into a Refusal.

    What a controller in a file did wrong has left its run unfinished.
    """
    try:
        yield
    except _native.FaultError as error:
        raise _said(Unfinished, error) from error
    except _native.ScenarioError as error:
        raise from_native(error) from error


def nearest(name: str, valid: Iterable[str]) -> list[str]:
    """The valid names most like a wrong one, best first."""
    return difflib.get_close_matches(name, sorted(set(valid)), n=3, cutoff=0.5)
