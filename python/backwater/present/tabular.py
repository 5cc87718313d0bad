"""Tables that fit a width: columns go below by a stated priority, or rows become records.

Sentences that do not fit are left out; names and numbers stand below, behind the names of their
rows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

# Spaces between columns.
_GAP = 2
# The narrowest column of prose that is pleasant to read.
_PROSE = 24


@dataclass(frozen=True)
class Column:
    """A column; of those with `drop` > 0 the largest is moved first where the width is small."""

    name: str
    right: bool = False
    drop: int = 0
    prose: bool = False


def words(name: str, drop: int = 0) -> Column:
    """A column of names, which are never cut."""
    return Column(name, drop=drop)


def figures(name: str, drop: int = 0) -> Column:
    """A column of numbers, aligned to the right and never cut."""
    return Column(name, right=True, drop=drop)


def prose(name: str, drop: int = 0) -> Column:
    """A column of sentences, which are wrapped."""
    return Column(name, drop=drop, prose=True)


@dataclass(frozen=True)
class Table:
    """A title, columns and rows of text."""

    title: str | None
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Laid:
    """The lines of a table, and the names of columns that did not fit."""

    lines: list[str]
    absent: list[str]


def lay_out(table: Table, width: int | None) -> Laid:
    """Lays a table out; without a width nothing is dropped or wrapped."""
    natural = _natural(table, [cell_len(column.name) for column in table.columns])
    kept = list(range(len(table.columns)))
    if width is not None and _least(table, natural, kept) > width:
        # Heads of several words take several lines before a column is left out.
        longest = [max(map(cell_len, column.name.split() or [""])) for column in table.columns]
        natural = _natural(table, longest)
    while width is not None and _least(table, natural, kept) > width:
        worst = max(kept, key=lambda i: table.columns[i].drop)
        if table.columns[worst].drop == 0:
            break
        kept.remove(worst)
    moved = [i for i in range(len(table.columns)) if i not in kept]
    absent = [table.columns[i].name for i in moved if table.columns[i].prose]
    moved = [i for i in moved if not table.columns[i].prose]
    title = [] if table.title is None else textwrap.wrap(table.title, width or 10_000)
    if width is None:
        return Laid(title + _block(table, kept, natural), absent)
    parts = _parts(table, natural, moved, width)
    if any(_least(table, natural, part) > width for part in (kept, *parts)):
        return Laid(title + _records(table, sorted(kept + moved), width), absent)
    lines = _block(table, kept, _shared(table, natural, kept, width))
    for part in parts:
        lines += ["", *_block(table, part, natural)]
    return Laid(title + lines, absent)


def _block(table: Table, kept: Sequence[int], widths: Sequence[int]) -> list[str]:
    """Head and rows of some columns."""
    head = [column.name for column in table.columns]
    lines = _lines(table, head, kept, widths, head=True)
    return lines + [line for row in table.rows for line in _lines(table, row, kept, widths)]


def _parts(table: Table, natural: list[int], moved: list[int], width: int) -> list[list[int]]:
    """Columns that stand below, in as few parts as fit, each behind the names of the rows."""
    names = _names(table)
    parts: list[list[int]] = []
    for i in moved:
        if parts and _least(table, natural, [*parts[-1], i]) <= width:
            parts[-1].append(i)
        else:
            parts.append([*names, i])
    return parts


def _names(table: Table) -> list[int]:
    """The columns that name a row: up to the last of the first names in line."""
    found: list[int] = []
    for i, column in enumerate(table.columns):
        name = not column.right and not column.prose
        if not name and any(not table.columns[j].right for j in found):
            break
        found.append(i)
    return found if any(not table.columns[i].right for i in found) else [0]


def _natural(table: Table, heads: Sequence[int]) -> list[int]:
    """The width that each column needs beside so wide a head."""
    return [max([head, *(cell_len(row[i]) for row in table.rows)]) for i, head in enumerate(heads)]


def _least(table: Table, natural: Sequence[int], kept: Sequence[int]) -> int:
    narrow = (min(natural[i], _PROSE) if table.columns[i].prose else natural[i] for i in kept)
    return sum(narrow) + _GAP * (len(kept) - 1)


def _shared(table: Table, natural: list[int], kept: list[int], width: int) -> list[int]:
    """The widths of columns; prose shares what names and numbers leave."""
    widths = list(natural)
    texts = sorted((i for i in kept if table.columns[i].prose), key=lambda i: natural[i])
    left = width - _GAP * (len(kept) - 1) - sum(natural[i] for i in kept if i not in texts)
    for n, i in enumerate(texts):
        widths[i] = min(natural[i], left // (len(texts) - n))
        left -= widths[i]
    return widths


def _lines(
    table: Table,
    row: Sequence[str],
    kept: Sequence[int],
    widths: Sequence[int],
    head: bool = False,
) -> list[str]:
    cells = [
        (textwrap.wrap(row[i], max(1, widths[i])) or [""])
        if head or table.columns[i].prose
        else [row[i]]
        for i in kept
    ]
    lines = []
    for n in range(max(map(len, cells))):
        line = ""
        for cell, i in zip(cells, kept, strict=True):
            text = cell[n] if n < len(cell) else ""
            space = " " * (widths[i] - cell_len(text))
            line += (space + text if table.columns[i].right else text + space) + " " * _GAP
        lines.append(line.rstrip())
    return lines


def _records(table: Table, kept: Sequence[int], width: int) -> list[str]:
    """Each row as lines of name and value."""
    lines = []
    for row in table.rows:
        first, *others = (i for i in kept if row[i])
        name = table.columns[first].name
        lines.append(f"{name}: {row[first]}" if name else row[first])
        for i in others:
            lines += textwrap.wrap(
                f"{table.columns[i].name or 'note'}: {row[i]}",
                width,
                initial_indent="  ",
                subsequent_indent="    ",
                break_long_words=False,
            )
    return lines
