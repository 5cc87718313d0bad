"""Fenced blocks and placeholders of a study's Markdown, with their lines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from backwater.errors import Refusal

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*([^`]*?)\s*$")
_CODE = re.compile(r"(`+).*?\1")
_OPENED = re.compile(r"\{\{\s*(figures?|claims?|topology|repeat)\b")
PLACEHOLDER = re.compile(r"\{\{\s*([a-z]+)(?:\s+([^\s{}]+))?\s*\}\}")


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string, its content and the line on which the content begins."""

    info: str
    text: str
    line: int


@dataclass(frozen=True)
class Placeholder:
    """`{{figure loss}}`: what is placed here, which one, and where it stands."""

    kind: str
    name: str | None
    line: int
    column: int


def split(text: str, name: str, taken: set[str]) -> tuple[list[Block], str]:
    """Takes the blocks with these info strings out of a text; the rest is the prose."""
    blocks: list[Block] = []
    prose: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        if opening is None:
            prose.append(lines[at])
            at += 1
            continue
        end = _closing(lines, at, opening[1])
        info = " ".join(opening[2].split())
        if info not in taken:
            prose += lines[at : end + 1]
        elif end == len(lines):
            raise Refusal(
                f"the block `{info}` is never closed",
                place=name,
                line=at + 1,
                column=1,
                fix=f"close it with a line {opening[1]}",
                excerpt=lines[at],
            )
        else:
            blocks.append(Block(info, "\n".join(lines[at + 1 : end]) + "\n", at + 2))
        at = end + 1
    return blocks, "\n".join(prose).strip() + "\n"


def placeholders(text: str) -> Iterator[Placeholder]:
    """Every placeholder outside fenced blocks."""
    fence: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence is None and mark is not None:
            fence = mark[1]
        elif fence is not None and _closes(line, fence):
            fence = None
        elif fence is None:
            for found in PLACEHOLDER.finditer(line):
                yield Placeholder(found[1], found[2], number, found.start() + 1)


def unclosed(text: str) -> Iterator[Placeholder]:
    """Texts outside code that begin like a placeholder, but their braces are not closed."""
    closed = {(found.line, found.column) for found in placeholders(text)}
    fence: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence is None and mark is not None:
            fence = mark[1]
        elif fence is not None:
            fence = None if _closes(line, fence) else fence
        else:
            bare = _CODE.sub(lambda code: " " * len(code[0]), line)
            for found in _OPENED.finditer(bare):
                if (number, found.start() + 1) not in closed:
                    yield Placeholder(found[1], None, number, found.start() + 1)


def without(text: str, kind: str, names: Collection[str], words: str) -> str:
    """The text with these words in place of placeholders of this kind and these names."""
    lines = text.split("\n")
    # From the last to the first: the columns of the others stay.
    for found in reversed(list(placeholders(text))):
        if found.kind == kind and found.name in names:
            line = lines[found.line - 1]
            end = line.index("}}", found.column) + 2
            lines[found.line - 1] = line[: found.column - 1] + words + line[end:]
    return "\n".join(lines)


def with_heading(text: str, heading: str) -> str:
    """The text with another heading in its first line."""
    _, _, rest = text.partition("\n")
    return f"# {heading}\n{rest}"


def _closing(lines: list[str], start: int, fence: str) -> int:
    for at in range(start + 1, len(lines)):
        if _closes(lines[at], fence):
            return at
    return len(lines)


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]} and line[:4] != "    "
