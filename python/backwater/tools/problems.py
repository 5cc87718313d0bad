"""All problems of a scenario or study file, where a run names the first.

The reader stops at the first problem. So each problem that it names is mended in a copy, with the
nearest valid name or by leaving the field or part out, and the copy is read again. What follows
from a part that was left out is no problem of its own.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, from_native
from backwater.model import arguments, scenario
from backwater.study.definition import Study

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# More problems than this are of no use to a reader.
MOST = 100
# Of a text of more characters: each problem reads it again.
FEW = 10
LONG = 100_000
Tree = dict[str, Any]
Place = tuple[str, ...]


def problems(path: Path) -> list[Refusal]:
    """The problems of a file; none means that it runs."""
    return _of_study(path) if path.suffix == ".md" else _of_scenario(path)


def _of_study(path: Path) -> list[Refusal]:
    """The first problem of the study's text, or one for each that its combinations have."""
    found: dict[str, Refusal] = {}
    try:
        study = Study.load(path)
        arguments.cases(study.size(), 1, None)
        for labels in study.runnable(quick=False):
            try:
                study.resolved(labels, 1, False)
            except Refusal as refusal:
                found.setdefault(refusal.what, refusal)
    except Refusal as refusal:
        return [refusal]
    return list(found.values())[:MOST]


def _of_scenario(path: Path) -> list[Refusal]:
    text = scenario.read_text(path)
    first = _problem(text, path, path.suffix == ".json")
    if first is None:
        return []
    try:
        tree = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError):
        # A text that can't be read has one problem: where reading ends.
        return [first]
    mending = _Mending(tree, text)
    found: list[Refusal] = []
    problem: Refusal | None = first
    most = MOST if len(text) <= LONG else FEW
    while problem is not None and len(found) < most:
        if mending.is_new(problem):
            found.append(mending.located(problem))
        if not mending.mend(problem):
            break
        problem = _problem(json.dumps(tree), path, as_json=True)
    return found


def _problem(text: str, path: Path, as_json: bool) -> Refusal | None:
    read = _native.Scenario.from_json if as_json else _native.Scenario.from_toml
    try:
        read(text, str(path), str(path.parent)).resolve(None).check()
    except _native.ScenarioError as error:
        return from_native(error)
    return None


class _Mending:
    """A scenario's tree, what was mended in it, and what was left out."""

    def __init__(self, tree: Tree, text: str) -> None:
        self.tree = tree
        self.lines = text.split("\n")
        self.said: set[str] = set()
        self.left_out: set[str] = set()
        # Whether a part was left out: what the whole then lacks is no problem of the file.
        self.hollow = False
        self.reference: re.Match[str] | None = None

    def is_new(self, problem: Refusal) -> bool:
        """Whether the problem was not said before and doesn't follow from what was left out."""
        words = re.findall(r"`([^`]+)`", problem.what)
        if problem.what in self.said or self.left_out.intersection(words):
            return False
        return not self.hollow or any(self._is_leaf(word) for word in words)

    def located(self, problem: Refusal) -> Refusal:
        """The problem with its line in the file; only the first is read from the file itself."""
        if not self.said:
            return problem
        words = re.findall(r"`([^`]+)`", problem.what)
        paths = [part for word in words for part in word.split(".") if not part.isdigit()]
        shared = [sum(_names(line, part) for part in paths) for line in self.lines]
        # A field that was renamed is still in the line of its part.
        enough = max(shared, default=0) >= max(len(paths) - 1, 1)
        return Refusal(
            problem.what,
            place=problem.place,
            line=shared.index(max(shared)) + 1 if enough else None,
            nearest=problem.nearest,
            fix=problem.fix,
        )

    def mend(self, problem: Refusal) -> bool:
        """Mends one problem in the tree; False if it is not clear where it lies."""
        self.said.add(problem.what)
        unmatched = re.match(r"no port matches `([^`]+)`", problem.what)
        if unmatched is not None:
            return self._leave_out_users(unmatched[1])
        words = re.findall(r"`([^`]+)`", problem.what)
        known = [(word, at) for word in words if (at := self._find(word)) is not None]
        self.reference = re.search(r"there is no (\w+) `", problem.what)
        near = problem.nearest[0] if problem.nearest else _example(problem.fix)
        for _, at in known:
            if not isinstance(self._at(at), dict):
                return self._replace(at, near)
        others = [word for word in words if word not in dict(known)]
        for word in others:
            for _, at in [*known, ("", ()), *(("", (section,)) for section in self.tree)]:
                if self._mend_in(at, word, near):
                    return True
        for word in words:
            # A field that is missing: its part is left out.
            parent, _, field = word.rpartition(".")
            at = self._find(parent)
            if at is not None and near is not None and word not in self.left_out:
                self._at(at)[field] = near
                self.left_out.add(word)
                return True
            if at is not None and len(at) > 1:
                return self._leave_out(at[:2], word)
        return bool(known) and len(known[0][1]) > 1 and self._leave_out(known[0][1][:2], words[0])

    def _mend_in(self, at: Place, word: str, near: str | None) -> bool:
        """Mends a key or value `word` in the table at a path."""
        table = self._at(at)
        if not isinstance(table, dict):
            return False
        if word in table:
            value = table.pop(word)
            if near is not None and near not in table:
                table[near] = value
            return True
        for key, value in table.items():
            if value == word:
                return self._replace((*at, key), near)
        return False

    def _is_leaf(self, word: str) -> bool:
        at = self._find(word)
        return at is not None and not isinstance(self._at(at), dict)

    def _replace(self, at: Place, near: str | None) -> bool:
        holder = self._at(at[:-1])
        key: Any = int(at[-1]) if isinstance(holder, list) else at[-1]
        tried = ".".join(at) in self.left_out
        if near is None and self.reference is not None:
            # Any other that exists will do, so that the part can be read on.
            others = self.tree.get(f"{self.reference[1]}s", {})
            near = next((one for one in reversed(others) if one not in str(holder)), None)
        if near is not None and not tried and holder[key] != near:
            holder[key] = near
            self.left_out.add(".".join(at))
            return True
        del holder[key]
        self.left_out.add(".".join(at))
        return True

    def _leave_out_users(self, port: str) -> bool:
        """Leaves out the part that names a port that is not there; a node may have that name."""
        if port in self.tree.get("ports", {}):
            return self._leave_out(("ports", port), f"ports.{port}")
        for section, parts in self.tree.items():
            for part, fields in parts.items() if isinstance(parts, dict) else ():
                values = fields.values() if isinstance(fields, dict) else ()
                if any(port in (one if isinstance(one, list) else [one]) for one in values):
                    return self._leave_out((section, part), f"{section}.{part}")
        return False

    def _leave_out(self, at: Place, word: str) -> bool:
        holder = self._at(at[:-1])
        del holder[at[-1]]
        self.left_out |= {at[-1], ".".join(at), word}
        self.hollow = True
        return True

    def _at(self, path: Sequence[str]) -> Any:
        value: Any = self.tree
        for part in path:
            value = value[int(part)] if isinstance(value, list) else value[part]
        return value

    def _find(self, dotted: str) -> Place | None:
        """The path of a dotted name; names may have dots themselves."""
        parts, path = dotted.split("."), []
        value: Any = self.tree
        while parts:
            for length in range(len(parts), 0, -1):
                key = ".".join(parts[:length])
                index = int(key) if isinstance(value, list) and key.isdigit() else None
                if isinstance(value, dict) and key in value:
                    value = value[key]
                elif isinstance(value, list) and index is not None and index < len(value):
                    value = value[index]
                else:
                    continue
                path.append(key)
                parts = parts[length:]
                break
            else:
                return None
        return tuple(path) or None


def _example(fix: str | None) -> str | None:
    """The value that a remedy gives as an example."""
    examples = [one for one in re.findall(r'"([^"]+)"', fix or "") if not re.search("[<…]", one)]
    return examples[-1] if examples else None


def _names(line: str, part: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(part)}(?![\w-])", line) is not None
