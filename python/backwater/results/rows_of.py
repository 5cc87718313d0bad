"""Older stores, which held a row for each metric: read once, to be converted."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from itertools import groupby

from backwater.results.columns import Row

_CLAIMS = "claims"
_CASE = (
    "SELECT * FROM cases WHERE key = ?",
    "SELECT scope, name, value FROM metrics WHERE key = ? ORDER BY scope, name",
    "SELECT text FROM warnings WHERE key = ? ORDER BY text",
)


def is_old(connection: sqlite3.Connection) -> bool:
    """Whether a store has rows."""
    sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'metrics'"
    return bool(connection.execute(sql).fetchone()[0])


def by_case(connection: sqlite3.Connection) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each case."""
    found = connection.execute(
        "SELECT key, scope, name, value FROM metrics ORDER BY key, scope, name"
    ).fetchall()
    for key, rows in groupby(found, key=lambda row: str(row[0])):
        yield key, [(scope, name, value) for _, scope, name, value in rows]


def unsound(connection: sqlite3.Connection) -> list[str]:
    """Keys of what is not as that version wrote it."""
    written = dict(connection.execute("SELECT key, sha256 FROM checksums").fetchall())
    present = {
        key
        for table in ("cases", "metrics", "warnings")
        for (key,) in connection.execute(f"SELECT DISTINCT key FROM {table}")
    }
    return [
        key
        for key in sorted(present | set(written) - {_CLAIMS})
        if written.get(key) != _checksum(connection, key)
    ]


def _checksum(connection: sqlite3.Connection, key: str) -> str:
    hashed = hashlib.sha256()
    for select in _CASE:
        for row in connection.execute(select, (key,)):
            hashed.update(repr(row).encode())
        hashed.update(b";")
    return hashed.hexdigest()
