"""A record file: every event of a run in columns, for the viewer and `export`.

The engine writes it while the run goes on (`run/record_file.rs`).

Version 2. Eight bytes, `BWREC 2` and a line feed; four bytes, little-endian: the length of the
head; the head, JSON in UTF-8: `rows`, `whats`, `places`, `flows` (names, which the columns number),
`rates` (bit/s of places, where known), `capacity` (of links with traces: `bits` that each interval
of `every_ps` could carry; a packet counts `less` bytes than its frame), `about`, and `columns`, in
order, each with name, bytes and `group`; then the columns, each deflated without a header
(RFC 1951). `record_columns.py` has the meaning of their numbers.
"""

from __future__ import annotations

import csv
import itertools
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backwater.errors import Refusal
from backwater.model import record_columns
from backwater.model.record_columns import COLUMNS, Numbers

MAGIC = b"BWREC 2\n"
# What files of every version begin with.
ANY = MAGIC[:6]
SUFFIX = ".bwrec"
HEADER = "time_s,what,place,flow,seq,class,size_B,value"
# The columns of a row of CSV; its time has twelve places.
ROW = ("time_ps", *HEADER.split(",")[1:])
# More events do not fit into a page's memory.
MOST = 100_000_000
# Bytes of a row of a CSV file at least.
LEAST_ROW = 32
# Rows that are read at a time.
CHUNK = 200_000


@dataclass
class Records:
    """Events of a run in the order of time."""

    columns: dict[str, Numbers]
    whats: Sequence[str]
    places: Sequence[str]
    flows: Sequence[str]
    rates: dict[str, float] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many events there are."""
        return len(self.columns["what"])

    def named(self) -> dict[str, list[Any]]:
        """The columns of `run --record`, with names."""
        whats, places = np.array(self.whats), np.array(self.places)
        flows = np.array(["", *self.flows])
        at = self.columns["time_ps"]
        found: dict[str, list[Any]] = {
            "time_s": [f"{one // 10**12}.{one % 10**12:012d}" for one in at.tolist()],
            "what": whats[self.columns["what"]].tolist(),
            "place": places[self.columns["place"]].tolist(),
            "flow": flows[self.columns["flow"]].tolist(),
        }
        for name in ("seq", "class", "size_B", "value"):
            found[name] = self.columns[name].tolist()
        return found


def read(path: Path) -> Records:
    """Reads a record file, or the CSV of `run --record`."""
    with refusing_to_read(path):
        return _decode(path.read_bytes(), path) if _form(path) == "columns" else from_csv(path)


@contextmanager
def refusing_to_read(path: Path) -> Iterator[None]:
    """Makes a refusal of what the system says."""
    try:
        yield
    except OSError as error:
        raise Refusal(
            f"cannot read: {error.strerror or error}", place=str(path), fix="correct the path"
        ) from error


def _form(path: Path) -> str:
    with path.open("rb") as file:
        begins = file.read(len(HEADER))
    if begins.startswith(MAGIC):
        return "columns"
    if begins.startswith(ANY):
        version = begins[len(ANY) : len(MAGIC)].decode("latin-1").strip()
        what = f"this record file has version {version}, and this program reads version 2"
        raise Refusal(what, place=str(path), fix="record the run again")
    if begins == HEADER.encode():
        return "csv"
    fix = f"name a file of `backwater run --record NAME.csv` or NAME{SUFFIX}"
    raise Refusal("this is no record of a run", place=str(path), fix=fix)


@dataclass(frozen=True)
class Packed:
    """A record file as it is, and what its head says."""

    name: str
    head: dict[str, Any]
    data: bytes


def packed(path: Path, name: str | None = None) -> Packed:
    """A record file's bytes, or those that the CSV of a run becomes; its columns are not read."""
    with refusing_to_read(path):
        data = path.read_bytes() if _form(path) == "columns" else encode(from_csv(path))
    head, begins = _head(data, path)
    if begins + sum(column["bytes"] for column in head["columns"]) != len(data):
        raise Refusal("this record file is damaged", place=str(path), fix="record the run again")
    return Packed(name or head["about"].get("name") or path.name, head, data)


def refuse_if_many(rows: int, place: str) -> None:
    """Refuses what would not fit into a page."""
    if rows >= MOST:
        what = f"{rows:,} events are more than a page can hold (at most {MOST:,})"
        fix = "record a part: run again with --set 'duration=\"1 s\"', or use --perfetto"
        raise Refusal(what, place=place, fix=fix)


def from_csv(path: Path) -> Records:
    """Reads the CSV of `run --record`."""
    refuse_if_many(path.stat().st_size // LEAST_ROW, str(path))
    names: tuple[dict[str, int], dict[str, int], dict[str, int]] = ({}, {}, {"": 0})
    whats, places, flows = names
    parts: list[NDArray[np.int64]] = []
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        number = 1
        while some := list(itertools.islice(rows, CHUNK)):
            block = []
            for row in some:
                number += 1
                try:
                    time, what, place, flow, *rest = row
                    values = [int(time.replace(".", "", 1)), *map(int, rest)]
                    block.append(
                        (
                            values[0],
                            whats.setdefault(what, len(whats)),
                            places.setdefault(place, len(places)),
                            flows.setdefault(flow, len(flows)),
                            *values[1:],
                        )
                    )
                except ValueError:
                    fix = "record the run again"
                    raise Refusal(
                        "this row is damaged", place=f"{path}:{number}", fix=fix
                    ) from None
            parts.append(np.array(block, dtype=np.int64))
    table = np.concatenate(parts) if parts else np.zeros((0, len(ROW)), dtype=np.int64)
    columns = {name: table[:, at].copy() for at, name in enumerate(ROW)}
    return Records(columns, list(whats), list(places), list(flows)[1:])


def encode(records: Records) -> bytes:
    """A record file's bytes."""
    refuse_if_many(records.rows, "record")
    packed = []
    heads: list[dict[str, Any]] = []
    columns = record_columns.Columns(records.columns, records.whats)
    for name, group in COLUMNS.items():
        raw = columns.raw(name)
        squeezer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed.append(squeezer.compress(raw) + squeezer.flush())
        heads.append({"name": name, "bytes": len(packed[-1]), "group": list(group)})
    head = {
        "schema": "backwater/record/2",
        "rows": records.rows,
        "whats": list(records.whats),
        "places": list(records.places),
        "flows": list(records.flows),
        "rates": records.rates,
        "about": records.about,
        "columns": heads,
    }
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    return b"".join([MAGIC, len(text).to_bytes(4, "little"), text, *packed])


def _head(data: bytes, path: Path) -> tuple[dict[str, Any], int]:
    """The head of a record file, and where its columns begin."""
    begin = len(MAGIC) + 4
    length = int.from_bytes(data[len(MAGIC) : begin], "little")
    with _refusing_damage(path):
        head: dict[str, Any] = json.loads(data[begin : begin + length])
        refuse_if_many(int(head["rows"]), str(path))
        _ = [head[key] for key in ("whats", "places", "flows", "rates", "about", "columns")]
    return head, begin + length


@contextmanager
def _refusing_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except Refusal:
        raise
    except (KeyError, ValueError, zlib.error, IndexError, TypeError) as error:
        fix = "record the run again"
        raise Refusal("this record file is damaged", place=str(path), fix=fix) from error


def _decode(data: bytes, path: Path) -> Records:
    head, at = _head(data, path)
    with _refusing_damage(path):
        whats, places, flows = (list(head[key]) for key in ("whats", "places", "flows"))
        columns = record_columns.Columns({}, whats)
        for column in head["columns"]:
            raw = zlib.decompress(data[at : at + column["bytes"]], -15)
            at += column["bytes"]
            columns.take(column["name"], raw, int(head["rows"]))
        return Records(columns.numbers, whats, places, flows, head["rates"], head["about"])
