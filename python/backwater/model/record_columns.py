"""The numbers in the columns of a record file (version 2).

A column is a sequence of numbers as LEB128 of zigzag: 0, -1, 1, -2 are 0, 1, 2, 3. With a `group`
each number is the difference from the one before among the rows that are equal in those columns.
`flow` is one more than the number of the name; 0 is no flow.

Rows of one packet follow one another: `enqueue`, `send`, `deliver` and `drop` with the same flow,
above 0, and the same `seq`. After `deliver` or `drop` the number begins anew. Two columns use this:

* `time_ps`: of `deliver`, and of `enqueue` with a row before of its packet, the time since that
  row; of every other row the time since the row above.
* `value`, before the differences: of `send` less the time since the packet's row before, of
  `deliver` less the time since its first row, so both are 0 in most rows. Of `srtt` what was added
  to seven eighths: with p, the flow's value before, v - (p - p/8), the eighth rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
# In the order of the file: what comes later may use what came before.
COLUMNS: dict[str, tuple[str, ...]] = {
    "what": (),
    "place": (),
    "flow": ("what", "place"),
    "seq": ("what", "place", "flow"),
    "class": ("what", "place", "flow"),
    "size_B": ("what", "place", "flow"),
    "time_ps": (),
    "value": ("what", "place"),
}


class Columns:
    """Columns of events, to be written or being read."""

    def __init__(self, numbers: dict[str, Numbers], whats: Sequence[str]) -> None:
        self.numbers = numbers
        self.whats = whats

    def raw(self, name: str) -> bytes:
        """The bytes of a column."""
        numbers = self.numbers[name]
        if name == "time_ps":
            numbers = numbers - _at(numbers, self._since)
        elif name == "value":
            numbers = numbers - self._waits()
            rows, before = self._round_trips
            earlier = _at(self.numbers[name], before)
            numbers[rows] -= earlier - (earlier >> 3)
        return _leb128(_zigzag(_differences(numbers, self._groups(name))))

    def take(self, name: str, raw: bytes, rows: int) -> None:
        """Reads a column; those above it have been read."""
        numbers = _sums(_unzigzag(_from_leb128(raw, rows)), self._groups(name))
        if name == "time_ps":
            numbers = _along(numbers, self._since)
        elif name == "value":
            numbers += self._waits()
            known: dict[int, int] = {}
            flows = self.numbers["flow"]
            for row in self._round_trips[0].tolist():
                earlier = known.get(flow := int(flows[row]), 0)
                known[flow] = int(numbers[row]) + earlier - (earlier >> 3)
                numbers[row] = known[flow]
        self.numbers[name] = numbers

    def _is(self, *whats: str) -> NDArray[np.bool_]:
        known = [number for number, what in enumerate(self.whats) if what in whats]
        return np.isin(self.numbers["what"], known)

    def _groups(self, name: str) -> Numbers | None:
        """A number for each row that is equal where all columns of the group are."""
        group = COLUMNS[name]
        if not group:
            return None
        found = np.zeros_like(self.numbers[group[0]])
        for one in group:
            found = found * (int(self.numbers[one].max(initial=0)) + 1) + self.numbers[one]
        return found

    @cached_property
    def _packets(self) -> tuple[Numbers, Numbers]:
        """The row before of each row's packet, -1 for none, and its first row."""
        flow, seq = self.numbers["flow"], self.numbers["seq"]
        ends = self._is("deliver", "drop")
        rows = np.flatnonzero((ends | self._is("enqueue", "send")) & (flow > 0))
        rows = rows[np.lexsort((seq[rows], flow[rows]))]
        begins = np.ones(len(rows), dtype=bool)
        later, earlier = rows[1:], rows[:-1]
        begins[1:] = (flow[later] != flow[earlier]) | (seq[later] != seq[earlier]) | ends[earlier]
        before = np.full(len(flow), -1)
        before[rows] = np.where(begins, -1, np.roll(rows, 1))
        first = np.arange(len(flow))
        starts = np.flatnonzero(begins)
        first[rows] = np.repeat(rows[starts], np.diff(np.r_[starts, len(rows)]))
        return before, first

    @property
    def _since(self) -> Numbers:
        """The row from which the time of each row counts; -1 for the beginning."""
        before, _ = self._packets
        follows = self._is("enqueue", "deliver") & (before >= 0)
        return np.where(follows, before, np.arange(len(before)) - 1)

    def _waits(self) -> Numbers:
        """The times that the values of `send` and `deliver` are expected to be."""
        at, (before, first) = self.numbers["time_ps"], self._packets
        expected = np.zeros_like(at)
        sent, delivered = self._is("send") & (before >= 0), self._is("deliver")
        expected[sent] = at[sent] - at[before[sent]]
        expected[delivered] = at[delivered] - at[first[delivered]]
        return expected

    @cached_property
    def _round_trips(self) -> tuple[Numbers, Numbers]:
        """Rows of `srtt`, and for each the one before of its flow, -1 for none."""
        rows = np.flatnonzero(self._is("srtt"))
        flows = self.numbers["flow"][rows]
        order = np.argsort(flows, kind="stable")
        before = np.full(len(rows), -1)
        same = np.flatnonzero(flows[order][1:] == flows[order][:-1])
        before[order[same + 1]] = rows[order[same]]
        return rows, before


def _at(numbers: Numbers, rows: Numbers) -> Numbers:
    """The numbers of rows; 0 of row -1."""
    found: Numbers = np.where(rows >= 0, numbers[rows], 0) if len(rows) else rows
    return found


def _along(numbers: Numbers, since: Numbers) -> Numbers:
    """Sums along the ways that lead from each row to the beginning, in steps that double."""
    while (since >= 0).any():
        numbers = numbers + _at(numbers, since)
        since = np.where(since >= 0, since[since], -1)
    return numbers


def _differences(numbers: Numbers, groups: Numbers | None) -> Numbers:
    if groups is None or not len(numbers):
        return numbers
    order = np.argsort(groups, kind="stable")
    inside, of = numbers[order], groups[order]
    change = np.diff(inside, prepend=0)
    first = np.r_[True, of[1:] != of[:-1]]
    change[first] = inside[first]
    found = np.empty_like(numbers)
    found[order] = change
    return found


def _sums(numbers: Numbers, groups: Numbers | None) -> Numbers:
    if groups is None or not len(numbers):
        return numbers
    order = np.argsort(groups, kind="stable")
    inside, of = np.cumsum(numbers[order]), groups[order]
    starts = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
    before = np.repeat(inside[starts] - numbers[order][starts], np.diff(np.r_[starts, len(of)]))
    found = np.empty_like(numbers)
    found[order] = inside - before
    return found


def _zigzag(numbers: Numbers) -> NDArray[np.uint64]:
    return ((numbers << 1) ^ (numbers >> 63)).astype(np.uint64)


def _unzigzag(numbers: NDArray[np.uint64]) -> Numbers:
    half = (numbers >> np.uint64(1)).astype(np.int64)
    found: Numbers = half ^ -(numbers & np.uint64(1)).astype(np.int64)
    return found


def _leb128(numbers: NDArray[np.uint64]) -> bytes:
    lengths = np.ones(len(numbers), dtype=np.int64)
    for places in range(1, 10):
        lengths += numbers >= np.uint64(1) << np.uint64(7 * places)
    ends = np.cumsum(lengths)
    out = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    starts = ends - lengths
    for place in range(int(lengths.max(initial=0))):
        here = lengths > place
        part = (numbers[here] >> np.uint64(7 * place)) & np.uint64(0x7F)
        more = (lengths[here] > place + 1).astype(np.uint8) << 7
        out[starts[here] + place] = part.astype(np.uint8) | more
    return out.tobytes()


def _from_leb128(raw: bytes, rows: int) -> NDArray[np.uint64]:
    data = np.frombuffer(raw, dtype=np.uint8)
    ends = np.flatnonzero(data < 0x80)
    if len(ends) != rows or (rows and ends[-1] != len(data) - 1):
        raise ValueError("a column has other rows than the head says")
    starts = np.r_[0, ends[:-1] + 1] if rows else ends
    lengths = ends - starts + 1
    found = np.zeros(rows, dtype=np.uint64)
    for place in range(int(lengths.max(initial=0))):
        here = lengths > place
        part = (data[starts[here] + place] & 0x7F).astype(np.uint64)
        found[here] |= part << np.uint64(7 * place)
    return found
