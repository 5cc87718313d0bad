"""The store of a study or sweep: one SQLite file, a transaction for every case that finishes.

Write-ahead logging makes a killed process lose at most the case it was writing. A case's row, its
metrics and its cost are one transaction, so that a row is there whole or not at all. The metrics
are one blob (`columns`). A checksum for each case, taken before it is written, shows later damage.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Unfinished
from backwater.model.invariants import broken
from backwater.results import columns, integrity, rows_of
from backwater.results.columns import At, Columns
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
CREATE TABLE IF NOT EXISTS layouts (id INTEGER PRIMARY KEY, names BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS blobs (
  key TEXT PRIMARY KEY, layout INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (id TEXT PRIMARY KEY, record_json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS warnings (
  key TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, text)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cost (
  key TEXT PRIMARY KEY, cpu_s REAL, wall_s REAL, finished_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checksums (key TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
"""
# Pages of the log before they go to the file, 64 MB. Cases come in the order of no key, so each
# changes some five pages, and with the 4 MB of SQLite's own a case waits twice as long.
_LOG_PAGES = 16_000
# Equal results have equal rows here, sorted by key; cost and warnings are no results.
RESULT_TABLES = ("cases", "metrics", "claims")
# The messages of SQLite about a file that it cannot read as a store.
_DAMAGE = ("not a database", "no such", "malformed", "unsupported", "corrupt", "encoding")


class Store:
    """An open store; `folder` is None for results that are kept in memory only."""

    def __init__(self, folder: Path | None, *, writable: bool = True) -> None:
        self.path = None if folder is None else folder / FILE
        with self._failing():
            self.connection = self._connect(writable)
            # Bytes that are no text show in the checksum.
            self.connection.text_factory = lambda text: text.decode("utf-8", "replace")
            self._check()
            # The layouts by number, the number of each, and the digest that checksums take in.
            self.layouts: dict[int, tuple[At, ...]] = {}
            self.numbers: dict[str, int] = {}
            self.digests: dict[int, bytes] = {}
            # Told to readers that keep what they have read.
            self.changes = 0
            if writable:
                self.connection.execute("PRAGMA journal_mode=WAL").fetchall()
                self.connection.execute("PRAGMA synchronous=NORMAL")
                self.connection.execute(f"PRAGMA wal_autocheckpoint={_LOG_PAGES}").fetchall()
                self.connection.executescript(_TABLES)
            elif rows_of.is_old(self.connection):
                self._copy_into_memory()
            if rows_of.is_old(self.connection):
                self._convert()
            self._read_layouts()

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

    def _copy_into_memory(self) -> None:
        """Reads a store of rows, which nobody may write, into memory, to convert it there."""
        memory = sqlite3.connect(":memory:", isolation_level=None)
        memory.text_factory = self.connection.text_factory
        self.connection.backup(memory)
        self.connection.close()
        self.connection = memory
        self.connection.executescript(_TABLES)

    def _convert(self) -> None:
        """Turns the rows of an older version into blobs; what was damaged stays known as such."""
        damaged = set(rows_of.unsound(self.connection))
        with self._transaction() as connection:
            for key, rows in rows_of.by_case(connection):
                layout, blob = columns.split(rows)
                number, _ = self._layout(connection, layout)
                connection.execute("INSERT INTO blobs VALUES (?, ?, ?)", (key, number, blob))
            connection.execute("DROP TABLE metrics")
            for (key,) in connection.execute("SELECT key FROM cases").fetchall():
                if key not in damaged:
                    _sum(connection, key)
            for key in damaged - {CLAIMS}:
                connection.execute("UPDATE checksums SET sha256 = 'damaged' WHERE key = ?", (key,))

    def _read_layouts(self) -> None:
        """The layouts that are there; a damaged one is left out, and its cases are unsound."""
        for number, names in self.connection.execute("SELECT id, names FROM layouts"):
            self.digests[number] = integrity.digest(names)
            with suppress(ValueError):
                text, self.layouts[number] = columns.read_layout(names)
                self.numbers[text] = number

    def _layout(self, connection: sqlite3.Connection, layout: str) -> tuple[int, bytes]:
        """The number and digest of a layout, which is written when it is new."""
        number = self.numbers.get(layout)
        if number is None:
            names = columns.write_layout(layout)
            row = connection.execute("INSERT INTO layouts (names) VALUES (?)", (names,))
            number = int(row.lastrowid or 0)
            self.numbers[layout] = number
            _, self.layouts[number] = columns.read_layout(names)
            self.digests[number] = integrity.digest(names)
        return number, self.digests[number]

    def _check(self) -> None:
        """Refuses a file that SQLite finds damaged."""
        (first, *_) = self.connection.execute("PRAGMA integrity_check").fetchone()
        if first != "ok":
            raise DamagedError(f"the store is damaged: {first}", self.path)
        tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        model = sqlite3.connect(":memory:")
        model.executescript(_TABLES)
        meant = dict(model.execute(tables).fetchall())
        model.close()
        # SQLite reads a table whose definition is another, and numbers its rows otherwise.
        for name, sql in self.connection.execute(tables):
            if meant.get(name, sql) != sql:
                what = f"the store is damaged: its table {name} is defined otherwise"
                raise DamagedError(what, self.path)

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
        stored: _native.Stored | None,
        error: str | None,
    ) -> str:
        """Commits one case and everything that belongs to it; returns its status."""
        head: dict[str, Any] = {} if stored is None else json.loads(stored.head)
        layout, blob = columns.split(()) if stored is None else (stored.layout, stored.blob)
        status, error = _status(head, error)
        texts = sorted(set(head.get("warnings", ())))
        cost = head.get("cost", {})
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        case = (key, study, case_json, seed, status, head.get("fingerprint"), error)
        with self._transaction() as connection:
            number, digest = self._layout(connection, layout)
            connection.execute("DELETE FROM warnings WHERE key = ?", (key,))
            connection.execute("INSERT OR REPLACE INTO cases VALUES (?, ?, ?, ?, ?, ?, ?)", case)
            connection.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", (key, number, blob))
            if texts:
                connection.executemany(
                    "INSERT INTO warnings VALUES (?, ?)", [(key, text) for text in texts]
                )
            connection.execute(
                "INSERT OR REPLACE INTO cost VALUES (?, ?, ?, ?)",
                (key, cost.get("cpu_s"), cost.get("wall_s"), now),
            )
            connection.execute(
                "INSERT OR REPLACE INTO checksums VALUES (?, ?)",
                (key, integrity.case_checksum(case, digest, blob, texts)),
            )
        self.changes += 1
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
        self.changes += 1
        with self._transaction() as connection:
            for key in found:
                for number, blob in other.query(
                    "SELECT layout, data FROM blobs WHERE key = ?", key
                ):
                    text = columns.layout_text(other.layouts[number])
                    mine, _ = self._layout(connection, text)
                    row = (key, mine, blob)
                    connection.execute("INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", row)
                for table in ("cases", "warnings", "cost"):
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
        self.changes += 1
        with self._transaction() as connection:
            for table in ("cases", "blobs", "warnings", "cost", "checksums"):
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
        if table == "metrics":
            return list(self.columns().rows())
        return self.query(f"SELECT * FROM {table} ORDER BY 1")

    def columns(self) -> Columns:
        """The metrics of all cases; each blob is read once."""
        try:
            cases = {
                key: (number, columns.unpack(blob, len(self.layouts[number])))
                for key, number, blob in self.query("SELECT key, layout, data FROM blobs")
            }
        except (ValueError, KeyError) as error:
            raise DamagedError(f"the store is damaged: {error}", self.path) from error
        return Columns(self.layouts, cases)

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


def _status(head: Mapping[str, Any], error: str | None) -> tuple[str, str | None]:
    if not head:
        return FAILED, error or "the run gave no result"
    wrong = broken(head)
    return (DONE, None) if wrong is None else (BROKEN, wrong)
