"""Operations of ranks that wait for each other, turned into transfers that wait for each other.

A send ends when its bytes have arrived, a receive when they have and it was begun. A send does not
wait for its receive to begin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from backwater.imports.transfers import Line, Transfer

# When something happens: so many ps after each of these transfers; `None` is the begin of the run.
When = dict[int | None, int]


@dataclass
class Operation:
    """An action of a rank."""

    kind: str
    """send, recv or calc."""
    rank: int
    line: Line
    name: str
    peer: int = -1
    tag: int | tuple[int, ...] = 0
    size: int = 0
    delay: int = 0
    """Of a calc, ps."""
    after: list[int] = field(default_factory=list)
    """Places of the operations that end before this begins."""
    with_begin: list[int] = field(default_factory=list)
    """Places of those that begin before."""


def transfers(operations: list[Operation]) -> list[Transfer]:
    """The transfers of all sends."""
    arrives = _matched(operations)
    made: list[Transfer] = []
    number: dict[int, int] = {}
    begins: dict[int, When] = {}
    ends: dict[int, When] = {}
    for place in _ordered(operations, arrives):
        operation = operations[place]
        begin: When = {}
        for before in operation.after:
            _join(begin, ends[before])
        for before in operation.with_begin:
            _join(begin, begins[before])
        begins[place] = begin
        if operation.kind == "calc":
            ends[place] = {key: at + operation.delay for key, at in (begin or {None: 0}).items()}
            continue
        if operation.kind == "recv":
            ends[place] = {number[arrives[place]]: 0}
            _join(ends[place], begin)
            continue
        number[place] = len(made)
        ends[place] = {len(made): 0}
        made.append(
            Transfer(
                operation.rank,
                operation.peer,
                operation.size,
                operation.line,
                begin.get(None, 0),
                {key: at for key, at in begin.items() if key is not None},
            )
        )
    return made


def _join(when: When, other: When) -> None:
    for key, at in other.items():
        when[key] = max(when.get(key, 0), at)


def _matched(operations: list[Operation]) -> dict[int, int]:
    """The send of each receive, in the order in which a rank names them."""
    sends: dict[tuple[object, ...], list[int]] = {}
    for place, operation in enumerate(operations):
        if operation.kind == "send":
            key = (operation.rank, operation.peer, operation.tag)
            sends.setdefault(key, []).append(place)
    arrives = {}
    for place, operation in enumerate(operations):
        if operation.kind != "recv":
            continue
        waiting = sends.get((operation.peer, operation.rank, operation.tag), [])
        if not waiting:
            raise operation.line.refuse(
                f"rank {operation.rank} waits for ever: `{operation.name}` receives from rank "
                f"{operation.peer}, which sends nothing more with that tag",
                f"write a send to {operation.rank} at rank {operation.peer}, or remove this",
            )
        send = waiting.pop(0)
        arrives[place] = send
        if operations[send].size != operation.size:
            raise operation.line.refuse(
                f"`{operation.name}` receives {operation.size} bytes, and rank {operation.peer} "
                f"sends {operations[send].size} (line {operations[send].line.number})",
                "write the same size in both",
            )
    for waiting in sends.values():
        for place in waiting:
            lost = operations[place]
            raise lost.line.refuse(
                f"`{lost.name}` sends to rank {lost.peer}, which never receives it",
                f"write a receive from {lost.rank} at rank {lost.peer}, or remove this",
            )
    return arrives


def _before(operation: Operation, send: int | None) -> Iterable[int]:
    yield from operation.after
    yield from operation.with_begin
    if send is not None:
        yield send


def _ordered(operations: list[Operation], arrives: dict[int, int]) -> list[int]:
    """The places of all operations, each behind those that it waits for."""
    left = [0] * len(operations)
    follow: list[list[int]] = [[] for _ in operations]
    for place, operation in enumerate(operations):
        for before in _before(operation, arrives.get(place)):
            left[place] += 1
            follow[before].append(place)
    ready = [place for place, count in enumerate(left) if not count]
    for place in ready:
        for behind in follow[place]:
            left[behind] -= 1
            if not left[behind]:
                ready.append(behind)
    if len(ready) < len(operations):
        _refuse_cycle(operations, arrives, left)
    return ready


def _refuse_cycle(operations: list[Operation], arrives: dict[int, int], left: list[int]) -> None:
    place = next(place for place, count in enumerate(left) if count)
    way: list[int] = []
    while place not in way:
        way.append(place)
        before = _before(operations[place], arrives.get(place))
        place = next(other for other in before if left[other])
    circle = [operations[other] for other in way[way.index(place) :]]
    names = ", ".join(f"`{one.name}` of rank {one.rank}" for one in circle)
    raise circle[0].line.refuse(
        f"{names} wait for each other, so none of them ever begins",
        "remove one of the dependencies",
    )
