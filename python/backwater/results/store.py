"""The store of a study or sweep: one SQLite file, a transaction for every case that finishes.

Write-ahead logging makes a killed process lose at most the case it was writing. A case's row, its
metrics and its cost are one transaction, so that a row is there whole or not at all. A checksum for
each case shows later damage.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from backwater.errors import Unfinished
from backwater.model.invariants import broken
from backwater.results import integrity
from backwater.results.integrity import CLAIMS, DamagedError

FILE = "results.sqlite"
DONE = "done"
FAILED = "failed"
# The run finished but an invariant does not hold.
BROKEN = "broken"

_TABLES = """
CREATE TABLE IF NOT EXISTS cases (
  key TEXT PRIMARY KEY, study TEXT NOT NULL, case_json TEXT NOT NULL, seed INTEGER NOT NULL,
  status TEXT NOT NULL, fingerprint TEXT, error TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS metrics (
  key TEXT NOT NULL, scope TEXT NOT NULL, name TEXT NOT NULL, value REAL,
  PRIMARY KEY (key, scope, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (id TEXT PRIMARY KEY, record_json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS warnings (
  key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, text)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cost (
  key TEXT PRIMARY KEY, cpu_s REAL, wall_s REAL, finished_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checksums (key TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
"""
# Equal results have equal rows here, sorted by key; cost and warnings are no results.
RESULT_TABLES = ("cases", "metrics", "claims")
# What SQLite says of a file that it cannot read as a store.
_DAMAGE = ("not a database", "no such", "malformed", "unsupported", "corrupt", "encoding")

# Sums over the flows of a class.
_SUMS = ("entered_pkts", "delivered_pkts", "dropped_pkts", "offered_bps", "goodput_bps")
_MEANS = (
    "delay_mean_s",
    "delay_serialisation_s",
    "delay_queue_s",
    "delay_gate_s",
    "delay_contention_s",
    "delay_retries_s",
    "delay_propagation_s",
)

# Lists with a value for each class.
_BY_CLASS = ("paused", "aifsn_mean")

Row = tuple[str, str, float | None]


class Store:
    """An open store; `folder` is None for results that are kept in memory only."""

    def __init__(self, folder: Path | None, *, writable: bool = True) -> None:
        self.path = None if folder is None else folder / FILE
        with self._failing():
            self.connection = self._connect(writable)
            # Bytes that are no text show in the checksum.
            self.connection.text_factory = lambda text: text.decode("utf-8", "replace")
            self._check()
            if writable:
                self.connection.execute("PRAGMA journal_mode=WAL").fetchall()
                self.connection.execute("PRAGMA synchronous=NORMAL")
                self.connection.executescript(_TABLES)

    @staticmethod
    def continued(folder: Path | None, notice: Callable[[str], None]) -> Store:
        """The store of a folder; a file that cannot be read as one is set aside."""
        try:
            return Store(folder)
        except DamagedError as error:
            path = Path(error.place or FILE)
            kept = integrity.aside(path)
            path.replace(kept)
            for log in ("-wal", "-shm"):
                path.with_name(path.name + log).unlink(missing_ok=True)
            notice(f"{error.what}; it is set aside as {kept.name}, and every case runs again")
            return Store(folder)

    def _check(self) -> None:
        """Refuses a file that SQLite finds damaged."""
        (first, *_) = self.connection.execute("PRAGMA integrity_check").fetchone()
        if first != "ok":
            raise DamagedError(f"the store is damaged: {first}", self.path)

    def _connect(self, writable: bool) -> sqlite3.Connection:
        if self.path is None:
            return sqlite3.connect(":memory:", isolation_level=None)
        if writable:
            return sqlite3.connect(self.path, isolation_level=None)
        uri = self.path.resolve().as_uri()
        connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
        except sqlite3.OperationalError:
            # Reading a write-ahead log creates a file, which a read-only folder refuses.
            connection.close()
            return sqlite3.connect(f"{uri}?immutable=1", uri=True, isolation_level=None)
        return connection

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Turns what SQLite and the system refuse into one clear error."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if any(words in str(error) for words in _DAMAGE):
                raise DamagedError(f"the store is damaged: {error}", self.path) from error
            raise Unfinished(
                f"cannot write the results: {error}",
                place=str(self.path),
                fix="make room or make the folder writable, then run again with --resume; "
                "finished cases are kept",
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._failing():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                # SQLite has already rolled back after some errors; the first error is reported.
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")
                raise

    def add(
        self,
        key: str,
        study: str,
        case_json: str,
        seed: int,
        document: Mapping[str, Any] | None,
        error: str | None,
    ) -> str:
        """Commits one case and everything that belongs to it; returns its status."""
        status, error = _status(document, error)
        document = document or {}
        rows = [(key, *row) for row in flatten(document)] if status != FAILED else []
        cost = document.get("cost", {})
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        case = (key, study, case_json, seed, status, document.get("fingerprint"), error)
        with self._transaction() as connection:
            connection.execute("DELETE FROM metrics WHERE key = ?", (key,))
            connection.execute("DELETE FROM warnings WHERE key = ?", (key,))
            connection.execute("INSERT OR REPLACE INTO cases VALUES (?, ?, ?, ?, ?, ?, ?)", case)
            connection.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?)", rows)
            connection.executemany(
                "INSERT OR IGNORE INTO warnings VALUES (?, ?)",
                [(key, text) for text in document.get("warnings", ())],
            )
            connection.execute(
                "INSERT OR REPLACE INTO cost VALUES (?, ?, ?, ?)",
                (key, cost.get("cpu_s"), cost.get("wall_s"), now),
            )
            _sum(connection, key)
        return status

    def put_claims(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Replaces the records of all claims."""
        rows = [(record["id"], json.dumps(record, allow_nan=False)) for record in records]
        with self._transaction() as connection:
            connection.execute("DELETE FROM claims")
            connection.executemany("INSERT INTO claims VALUES (?, ?)", rows)
            _sum(connection, CLAIMS)

    def take(self, other: Store) -> None:
        """Adds the cases of another store, with what belongs to them, in one transaction.

        A case that finished here stays.
        """
        finished = self.finished()
        found = [key for (key,) in other.query("SELECT key FROM cases") if key not in finished]
        with self._transaction() as connection:
            for key in found:
                for table in ("cases", "metrics", "warnings", "cost"):
                    connection.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
                    rows = other.query(f"SELECT * FROM {table} WHERE key = ?", key)
                    for row in rows:
                        marks = ", ".join("?" * len(row))
                        connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
                _sum(connection, key)

    def keep_only(self, keys: Iterable[str]) -> int:
        """Removes the cases with other keys: rows of another engine or plan are no results here.

        Returns how many there were.
        """
        wanted = set(keys)
        stale = [key for (key,) in self.query("SELECT key FROM cases") if key not in wanted]
        self.remove(stale)
        return len(stale)

    def unsound(self) -> list[str]:
        """Keys of what is not as it was written."""
        with self._failing():
            return integrity.unsound(self.connection)

    def set_aside(self) -> Path | None:
        """Keeps a copy of the store as it is; returns its path."""
        if self.path is None:
            return None
        kept = integrity.aside(self.path)
        with self._failing():
            self.connection.execute("VACUUM INTO ?", (str(kept),))
        return kept

    def remove(self, keys: Iterable[str]) -> None:
        """Removes cases, or all claims, with what belongs to them."""
        rows = [(key,) for key in keys]
        if not rows:
            return
        with self._transaction() as connection:
            for table in ("cases", "metrics", "warnings", "cost", "checksums"):
                connection.executemany(f"DELETE FROM {table} WHERE key = ?", rows)
            if (CLAIMS,) in rows:
                connection.execute("DELETE FROM claims")

    def relabel(self, cases: Iterable[tuple[str, str]]) -> None:
        """Gives kept cases (key, combination) their present labels: an axis may be new."""
        known = dict(self.query("SELECT key, case_json FROM cases"))
        rows = [(new, key) for key, new in cases if known.get(key, new) != new]
        with self._transaction() as connection:
            connection.executemany("UPDATE cases SET case_json = ? WHERE key = ?", rows)
            for _, key in rows:
                _sum(connection, key)

    def finished(self) -> set[str]:
        """Keys of the cases that need not run again."""
        found = self.query("SELECT key FROM cases WHERE status = ?", DONE)
        return {key for (key,) in found}

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Reads."""
        with self._failing():
            return self.connection.execute(sql, values).fetchall()

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """All rows of a result table in the order of its key, for comparison."""
        assert table in RESULT_TABLES, table
        order = "key, scope, name" if table == "metrics" else "1"
        return self.query(f"SELECT * FROM {table} ORDER BY {order}")

    def seal(self) -> None:
        """Makes a finished store a single file that can be read from anywhere.

        While another process reads it, file and log both stay.
        """
        with suppress(sqlite3.OperationalError):
            self.connection.execute("PRAGMA journal_mode=DELETE").fetchall()

    def close(self) -> None:
        """Closes."""
        with suppress(sqlite3.Error):
            self.connection.close()


def _sum(connection: sqlite3.Connection, key: str) -> None:
    row = (key, integrity.checksum(connection, key))
    connection.execute("INSERT OR REPLACE INTO checksums VALUES (?, ?)", row)


def _status(document: Mapping[str, Any] | None, error: str | None) -> tuple[str, str | None]:
    if document is None:
        return FAILED, error or "the run gave no result"
    wrong = broken(document)
    return (DONE, None) if wrong is None else (BROKEN, wrong)


def flatten(document: Mapping[str, Any]) -> Iterator[Row]:
    """The metrics of a run document as rows (scope, name, value)."""
    for name, value in document["metrics"].items():
        if _is_metric(value):
            yield "run", name, _real(value)
    yield "run", "held_pkts", float(document["conservation"]["held_pkts"])
    yield "run", "deadlocks", float(document.get("deadlock") is not None)
    for kind, table in (("flow", "flows"), ("port", "ports"), ("station", "stations")):
        for row in document.get(table) or ():
            yield from _row(f"{kind}:{row['id']}", row)
    for row in document.get("stamps") or ():
        for name in ("queue_mean_pkts", "queue_deviation_pkts"):
            yield f"law:{row['place']}", name, _real(row[name])
    for flow in document["flows"]:
        for hop in flow["hops"]:
            scope = f"hop:{flow['id']}/{hop['from']}>{hop['to']}"
            yield scope, "throughput_bps", _real(hop["throughput_bps"])
        for receiver in flow.get("receivers", ()):
            yield from _row(f"receiver:{flow['id']}/{receiver['station']}", receiver)
    yield from _classes(document["flows"])
    yield from _drops(document["drops"])


def _row(scope: str, row: Mapping[str, Any]) -> Iterator[Row]:
    for name, value in row.items():
        if name in _BY_CLASS:
            for number, one in enumerate(value):
                yield scope, f"{name}_class{number}", _real(one)
        elif name not in ("id", "class") and _is_metric(value):
            yield scope, name, _real(value)


def _classes(flows: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Sums and means over the flows of each class; quantiles cannot be added."""
    grouped: dict[int, list[Mapping[str, Any]]] = {}
    for flow in flows:
        grouped.setdefault(flow["class"], []).append(flow)
    for number, members in grouped.items():
        scope = f"class:{number}"
        for name in _SUMS:
            yield scope, name, float(sum(flow[name] for flow in members))
        entered = sum(flow["entered_pkts"] for flow in members)
        lost = sum(flow["loss"] * flow["entered_pkts"] for flow in members)
        yield scope, "loss", lost / entered if entered else 0.0
        delivered = [flow for flow in members if flow["delivered_pkts"]]
        total = sum(flow["delivered_pkts"] for flow in delivered)
        for name in _MEANS:
            waited = sum(flow[name] * flow["delivered_pkts"] for flow in delivered)
            yield scope, name, waited / total if total else None


def _drops(drops: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    total: dict[tuple[str, str], float] = {}
    for drop in drops:
        at = (f"drops:{drop['place']}", drop["cause"])
        total[at] = total.get(at, 0.0) + drop["pkts"]
    for (scope, cause), pkts in total.items():
        yield scope, cause, pkts


def _is_metric(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)
