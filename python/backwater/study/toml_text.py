"""TOML with positions: an error about a value names its line.

`tomllib` gives no positions. `Toml` keeps the text and finds the line and column of a key path by
scanning it again; the scan may assume valid TOML because `tomllib` has accepted it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, TypeVar

from backwater.errors import Refusal, nearest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")
Path = tuple[str, ...]

# Characters of a text.
_LONGEST = 10_000
_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\n]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL
)


@dataclass(frozen=True)
class Toml:
    """A parsed TOML text; `first_line` is the line of the file on which it begins."""

    name: str
    text: str
    first_line: int
    data: dict[str, Any]
    _keys: dict[Path, int] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @staticmethod
    def parse(text: str, name: str, first_line: int = 1) -> Toml:
        """Reads TOML; what is not TOML is refused with its line in the file."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise _syntax(error, text, name, first_line) from error
        # Python limits nesting and the digits of integers.
        except (RecursionError, ValueError) as error:
            raise Refusal(
                f"this TOML is nested too deep, or has a number of too many digits: {error}",
                place=name,
                fix="write less than 100 levels, and integers of 64 bits",
            ) from error
        return Toml(name, text, first_line, data)

    def locate(self, path: Iterable[str]) -> tuple[int, int]:
        """Line in the file and column of a key, or of its nearest ancestor that was written."""
        if not self._keys:
            _KeyScanner(self.text, self._keys).document()
        wanted = tuple(path)
        while wanted and wanted not in self._keys:
            wanted = wanted[:-1]
        offset = self._keys.get(wanted, 0)
        line = bisect_right(self._lines, offset)
        return line - 1 + self.first_line, offset - self._lines[line - 1] + 1

    def refuse(
        self, what: str, path: Iterable[str], near: Iterable[str] = (), fix: str | None = None
    ) -> NoReturn:
        """Refuses a key, with its line."""
        line, column = self.locate(path)
        raise Refusal(
            what,
            place=self.name,
            line=line,
            column=column,
            nearest=near,
            fix=fix,
            excerpt=_line(self.text, line - self.first_line),
        )


class Fields:
    """A table being read; `done` refuses keys that were not read."""

    def __init__(self, toml: Toml, path: Path, data: dict[str, Any]) -> None:
        self.toml = toml
        self.path = path
        self.data = data
        self.known: list[str] = []

    def refuse(
        self, what: str, *keys: str, near: Iterable[str] = (), fix: str | None = None
    ) -> NoReturn:
        """Refuses a key below this table."""
        self.toml.refuse(what, (*self.path, *keys), near, fix)

    def get(self, key: str) -> Any:
        """The value as read, or None."""
        self.known.append(key)
        return self.data.get(key)

    def typed(self, key: str, kind: type[T] | tuple[type[T], ...], words: str) -> T | None:
        """The value if it is of a type, None if it was left out."""
        value = self.get(key)
        if value is None:
            return None
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kinds):
            self.refuse(f"`{self.word(key)}` is not {words}", key, fix=f"write {words}")
        return value

    def text(self, key: str) -> str | None:
        """A string that fits on a page."""
        value = self.typed(key, str, "a text in quotes")
        if value is not None and len(value) > _LONGEST:
            what = f"`{self.word(key)}` has {len(value)} characters"
            self.refuse(what, key, fix=f"write at most {_LONGEST}")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of strings, at least two."""
        value = self.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self.refuse(f"`{self.word(key)}` is not a list of texts", key, fix='write ["…", "…"]')
        if len(set(value)) != len(value) or len(value) < 2:
            what = f"`{self.word(key)}` doesn't have two texts that differ"
            self.refuse(what, key, fix="write several, each once")
        return tuple(value)

    def needed(self, key: str) -> str:
        """A string that must be there."""
        value = self.text(key)
        if value is None:
            self.mark_known(key)
            self.refuse(f"`{self.word()}` has no `{key}`", fix=f'add {key} = "…"')
        return value

    def choice(self, key: str, words: Iterable[str], default: str) -> str:
        """One of some words."""
        value = self.text(key)
        if value is None:
            return default
        valid = list(words)
        if value not in valid:
            self.refuse(
                f'`{self.word(key)}` is "{value}"',
                key,
                near=nearest(value, valid) or valid,
                fix="write one of " + ", ".join(valid),
            )
        return value

    def count(self, key: str) -> int | None:
        """A whole number of at least 1."""
        value = self.typed(key, int, "a whole number")
        if value is not None and value < 1:
            self.refuse(f"`{self.word(key)}` is {value}", key, fix="write a number of at least 1")
        return value

    def table(self, key: str) -> Fields:
        """A table below this one; empty when it was left out."""
        value = self.typed(key, dict, "a table")
        return Fields(self.toml, (*self.path, key), value or {})

    def tables(self, key: str) -> list[tuple[str, Fields]]:
        """The named tables below a key."""
        parent = self.table(key)
        return [(name, parent.table(name)) for name in parent.data]

    def mark_known(self, *keys: str) -> None:
        """Marks keys as known."""
        self.known += keys

    def done(self) -> None:
        """Refuses the first key that was not read."""
        for key in self.data:
            if key not in self.known:
                near = nearest(key, self.known)
                self.refuse(
                    f"unknown field `{self.word(key)}`",
                    key,
                    near=near,
                    fix=f"write `{near[0]}`, or remove it" if near else "remove it",
                )

    def word(self, *keys: str) -> str:
        """The dotted path, for messages."""
        return ".".join((*self.path, *keys)) or "the study block"


class _KeyScanner:
    """Notes the offset of every key in a valid TOML text."""

    def __init__(self, text: str, found: dict[Path, int]) -> None:
        self.text = text
        self.at = 0
        self.found = found

    def document(self) -> None:
        prefix: Path = ()
        counts: dict[Path, int] = {}
        while True:
            self.skip()
            if self.at >= len(self.text):
                return
            if self.text[self.at] != "[":
                self.pair(prefix)
                continue
            many = self.text.startswith("[[", self.at)
            start = self.at
            self.at += 2 if many else 1
            prefix = self.key(())
            if many:
                counts[prefix] = counts.get(prefix, -1) + 1
                prefix = (*prefix, str(counts[prefix]))
            self.found[prefix] = start
            self.at += 2 if many else 1

    def pair(self, prefix: Path) -> None:
        path = self.key(prefix)
        self.at += 1
        self.skip()
        self.value(path)

    def key(self, prefix: Path) -> Path:
        while True:
            self.skip()
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE.match(self.text, self.at)
            assert found is not None, "tomllib accepted a key that is not one"
            name = found[0]
            prefix = (*prefix, tomllib.loads(f"k = {name}")["k"] if quoted else name)
            self.found.setdefault(prefix, self.at)
            self.at = found.end()
            self.skip()
            if self.text[self.at] != ".":
                return prefix
            self.at += 1

    def value(self, path: Path) -> None:
        if self.text[self.at] == "{":
            self.many(path, "}")
        elif self.text[self.at] == "[":
            self.many(path, "]")
        else:
            found = _STRING.match(self.text, self.at) or _SCALAR.match(self.text, self.at)
            assert found is not None, "tomllib accepted a value that is not one"
            self.at = found.end()

    def many(self, path: Path, end: str) -> None:
        self.at += 1
        index = 0
        while True:
            self.skip()
            if self.text[self.at] == end:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
            elif end == "}":
                self.pair(path)
            else:
                element = (*path, str(index))
                self.found[element] = self.at
                self.value(element)
                index += 1

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at


def _syntax(error: Exception, text: str, name: str, first_line: int) -> Refusal:
    message = str(error)
    found = _WHERE.search(message)
    what = message[: found.start()] if found else message
    line = int(found[1]) if found and found[1] else text.count("\n") + 1
    column = int(found[2]) if found and found[2] else 1
    return Refusal(
        f"this is not TOML: {what[:1].lower()}{what[1:]}",
        place=name,
        line=line + first_line - 1,
        column=column,
        fix="correct the line; every text stands in quotes and every table on one line",
        excerpt=_line(text, line - 1),
    )


def _line(text: str, index: int) -> str:
    lines = text.split("\n")
    return lines[index] if 0 <= index < len(lines) else ""
