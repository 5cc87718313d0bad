"""GOAL schedules, as text: `rank r { l1: send 8b to 1 tag 0  l2: calc 100  l2 requires l1 }`."""

from __future__ import annotations

import re
from pathlib import Path

from backwater.errors import Refusal
from backwater.imports.schedule import Operation, transfers
from backwater.imports.transfers import PS, Line, Transfer

UNITS = ("ps", "ns", "us")
_SEND = re.compile(r"(send|recv)\s+(\d+)b\s+(to|from)\s+(\d+)(?:\s+tag\s+(\d+))?")


def read(path: Path, unit: str | None) -> tuple[int, list[Transfer]]:
    """How many ranks there are, and their transfers."""
    reader = _Reader(path, unit)
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        plain = text.split("//", 1)[0].split("#", 1)[0]
        for part in re.split(r"[;]|(?<=[{])|(?=[}])", plain):
            if part.strip():
                reader.statement(Line(path, number), part.strip())
    if reader.ranks is None:
        raise Refusal("no line says `num_ranks n`", place=str(path), fix="write it first")
    if reader.rank is not None:
        raise Refusal(f"rank {reader.rank} has no end", place=str(path), fix="write }")
    return reader.ranks, transfers(reader.operations)


class _Reader:
    def __init__(self, path: Path, unit: str | None) -> None:
        self.path = path
        self.unit = unit
        self.ranks: int | None = None
        self.rank: int | None = None
        self.operations: list[Operation] = []
        self.labels: dict[tuple[int, str], int] = {}

    def statement(self, line: Line, text: str) -> None:
        words = text.split()
        if words[0] == "num_ranks" and len(words) == 2:
            self.ranks = line.whole(words[1], "num_ranks", 1)
        elif words[0] == "rank" and words[-1] == "{":
            self.begin(line, words)
        elif text == "}":
            self.rank = None
        elif self.rank is None:
            raise line.refuse(f"`{text}` stands outside of a rank", "write it between { and }")
        elif len(words) == 3 and words[1] in ("requires", "irequires"):
            self.wait(line, words)
        else:
            self.operation(line, text)

    def begin(self, line: Line, words: list[str]) -> None:
        self.rank = line.whole(words[1], "the rank") if len(words) == 3 else None
        if self.rank is None or self.ranks is None or self.rank >= self.ranks:
            raise line.refuse(
                f"`{' '.join(words)}` begins none of {self.ranks or 0} ranks",
                "write num_ranks first, and rank r { with a lower r",
            )

    def operation(self, line: Line, text: str) -> None:
        assert self.rank is not None
        label, _, rest = text.rpartition(":")
        label, rest = label.strip() or f"line {line.number}", rest.strip()
        found = _SEND.match(rest)
        if found is not None and (found[1] == "send") == (found[3] == "to"):
            made = Operation(found[1], self.rank, line, label)
            made.peer, made.tag = int(found[4]), int(found[5] or 0)
            made.size = line.whole(found[2], "the size", 1)
            if self.ranks is not None and (made.peer >= self.ranks or made.peer == self.rank):
                raise line.refuse(
                    f"rank {made.peer} is no other of {self.ranks} ranks", "name another rank"
                )
        elif (calc := re.match(r"calc\s+(\d+)", rest)) is not None:
            made = Operation("calc", self.rank, line, label, delay=self.time(line, calc[1]))
        else:
            raise line.refuse(
                f"`{rest}` is no operation",
                "write send 8b to 1 tag 0, recv 8b from 0 tag 0, or calc 100",
            )
        if (self.rank, label) in self.labels:
            raise line.refuse(f"rank {self.rank} has `{label}` already", "write another label")
        self.labels[self.rank, label] = len(self.operations)
        self.operations.append(made)

    def time(self, line: Line, text: str) -> int:
        if self.unit is None and int(text):
            raise line.refuse(
                f"calc {text} has no unit: LogGOPSim reads ns, others what their author took",
                "write --unit ns, ps or us",
            )
        return int(text) * PS[self.unit or "ps"]

    def wait(self, line: Line, words: list[str]) -> None:
        assert self.rank is not None
        places = []
        for label in (words[0], words[2]):
            if (self.rank, label) not in self.labels:
                raise line.refuse(
                    f"rank {self.rank} has no `{label}` above this line", "name one, or move it up"
                )
            places.append(self.labels[self.rank, label])
        operation = self.operations[places[0]]
        (operation.after if words[1] == "requires" else operation.with_begin).append(places[1])
