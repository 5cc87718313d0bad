"""Execution traces of Chakra: a file for each rank, whose name ends in `.RANK.et`.

A compute or memory node takes its duration. A collective becomes transfers: all-reduce,
reduce-scatter and all-gather along a ring, all-to-all between pairs, as in the source `collective`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.imports import chakra_messages
from backwater.imports.schedule import Operation, transfers
from backwater.imports.transfers import PS, Line, Transfer

SEND, RECV, COLLECTIVE = 5, 6, 7
_ALL_REDUCE, _ALL_GATHER, _ALL_TO_ALL, _REDUCE_SCATTER = 0, 2, 6, 7
_COLLECTIVES = (_ALL_REDUCE, _ALL_GATHER, _ALL_TO_ALL, _REDUCE_SCATTER)


@dataclass
class Node:
    """A node of one rank."""

    line: Line
    number: int = 0
    name: str = ""
    kind: int = 0
    before: list[int] = field(default_factory=list)
    micros: int = 0
    attributes: dict[str, int] = field(default_factory=dict)

    def attribute(self, name: str) -> int:
        """An attribute that it must have."""
        if name not in self.attributes:
            raise self.line.refuse(
                f"node {self.number} `{self.name}` has no attribute {name}", "write it in the trace"
            )
        return self.attributes[name]


def read(paths: list[Path]) -> tuple[int, list[Transfer]]:
    """How many ranks there are, and their transfers. The paths are files, or a folder of them."""
    files: dict[int, Path] = {}
    listed = [f for path in paths for f in (sorted(path.glob("*.et")) if path.is_dir() else [path])]
    for path in listed:
        found = re.search(r"\.(\d+)\.et$", path.name)
        if found is None:
            raise Refusal(
                f"`{path.name}` does not say its rank", place=str(path), fix="name it NAME.RANK.et"
            )
        files[int(found[1])] = path
    if not files or sorted(files) != list(range(len(files))):
        raise Refusal(
            f"there are traces of ranks {', '.join(map(str, sorted(files))) or 'none'}",
            place=str(paths[0]),
            fix="give a file for each rank from 0 on",
        )
    ranks = {rank: nodes(path) for rank, path in files.items()}
    return len(files), transfers(_operations(ranks))


def nodes(path: Path) -> list[Node]:
    """The nodes of one rank."""
    data, found = path.read_bytes(), []
    try:
        for number, message in enumerate(chakra_messages.read(data), 1):
            found.append(_node(Line(path, number), message))
    except chakra_messages.Damaged as error:
        raise Refusal(
            f"this is no trace: {error}",
            place=str(path),
            fix="write messages behind their lengths: GlobalMetadata, then Node",
        ) from error
    return found


def _node(line: Line, message: Any) -> Node:
    node = Node(line, message.id, message.name, message.type)
    node.before = [*message.ctrl_deps, *message.data_deps]
    node.micros = message.duration_micros
    for attribute in message.attr:
        value = chakra_messages.whole(attribute)
        if value is not None:
            node.attributes[attribute.name] = value
    return node


def _operations(ranks: dict[int, list[Node]]) -> list[Operation]:
    made: list[Operation] = []
    ends: dict[tuple[int, int], list[int]] = {}
    waits: list[tuple[int, int, Node]] = []
    turn: dict[int, int] = {}
    collectives = {
        r: [n.attribute("comm_type") for n in ns if n.kind == COLLECTIVE] for r, ns in ranks.items()
    }
    for rank, listed in ranks.items():
        for node in listed:
            first = len(made)
            if node.kind == COLLECTIVE:
                _same(collectives, rank, turn.get(rank, 0), node)
                made += _collective(rank, len(ranks), node, turn.get(rank, 0), first)
                turn[rank] = turn.get(rank, 0) + 1
            else:
                made.append(_single(rank, node))
            if (rank, node.number) in ends:
                raise node.line.refuse(f"rank {rank} has two nodes {node.number}", "number them")
            ends[rank, node.number] = list(range(first, len(made)))
            waits += [(place, rank, node) for place in range(first, len(made))]
    for place, rank, node in waits:
        for before in node.before:
            if (rank, before) not in ends:
                raise node.line.refuse(
                    f"node {node.number} waits for node {before}, which rank {rank} has not, "
                    "so it waits for ever",
                    "write that node, or remove the dependency",
                )
            made[place].after += ends[rank, before]
    return made


def _same(collectives: dict[int, list[int]], rank: int, turn: int, node: Node) -> None:
    for other, kinds in collectives.items():
        if turn >= len(kinds) or kinds[turn] != collectives[rank][turn]:
            raise node.line.refuse(
                f"rank {other} does not take part in collective {turn} of rank {rank} "
                f"(`{node.name}`), so that rank waits for ever",
                "write the same collectives in the same order at each rank",
            )


def _single(rank: int, node: Node) -> Operation:
    name = node.name or f"node {node.number}"
    if node.kind in (SEND, RECV):
        kind, end = ("send", "comm_dst") if node.kind == SEND else ("recv", "comm_src")
        made = Operation(kind, rank, node.line, name, peer=node.attribute(end))
        made.tag, made.size = node.attributes.get("comm_tag", 0), node.attribute("comm_size")
        if made.size < 1:
            raise node.line.refuse(f"`{name}` has no bytes", "write a comm_size of 1 or more")
        return made
    return Operation("calc", rank, node.line, name, delay=node.micros * PS["us"])


def _collective(rank: int, ranks: int, node: Node, turn: int, first: int) -> list[Operation]:
    kind, size = node.attribute("comm_type"), node.attribute("comm_size")
    if kind not in _COLLECTIVES:
        raise node.line.refuse(
            f"`{node.name}` is a collective of type {kind}; read are all-reduce (0), "
            "all-gather (2), all-to-all (6) and reduce-scatter (7)",
            "write it as sends and receives",
        )
    if ranks < 2 or size < ranks:
        raise node.line.refuse(
            f"{size} bytes among {ranks} ranks leave none for each", "write a larger comm_size"
        )
    steps = 2 * (ranks - 1) if kind == _ALL_REDUCE else ranks - 1
    made: list[Operation] = []
    for step in range(steps):
        away = step + 1 if kind == _ALL_TO_ALL else 1
        tag = (turn, step)
        name = f"{node.name} step {step}"
        send = Operation("send", rank, node.line, name, (rank + away) % ranks, tag, size // ranks)
        recv = Operation("recv", rank, node.line, name, (rank - away) % ranks, tag, size // ranks)
        if step:
            before = first + 2 * (step - 1)
            send.after = [before + 1]
            recv.after = [before + 1]
        made += [send, recv]
    return made
