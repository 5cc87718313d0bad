"""Whether results on disk are those that were written: checksums of cases, claims and manifest.

A damaged disk, a copy that was cut off and an edit by hand all show here. What is damaged is named
and never read as a result.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backwater.errors import Refusal

# Under this key stands the checksum of all claims together.
CLAIMS = "claims"
SUFFIX = ".damaged"
NAMED = 5
AGAIN = "continue with --resume: what is damaged is set aside and run again"

# The fields of a manifest that are read again.
_FIELDS: dict[str, type] = {
    "engine": str,
    "study": dict,
    "mode": str,
    "seeds": list,
    "cases_total": int,
    "cases_done": int,
    "inputs": dict,
    "resolved_example": dict,
    "example": dict,
    "status": str,
    "started": str,
}


class DamagedError(Refusal):
    """Results that are not as they were written."""

    def __init__(self, what: str, path: Path | None, fix: str = AGAIN) -> None:
        super().__init__(what, place=str(path), fix=fix)


def case_checksum(
    case: tuple[Any, ...], layout: bytes, blob: bytes, warnings: Sequence[str]
) -> str:
    """The SHA-256 of a case's row, the digest of its layout, its values and its warnings."""
    hashed = hashlib.sha256(repr(case).encode())
    hashed.update(layout)
    hashed.update(blob)
    for text in warnings:
        hashed.update(repr(text).encode())
    return hashed.hexdigest()


def checksum(connection: sqlite3.Connection, key: str) -> str:
    """The SHA-256 of what the store holds of a case, or of its claims."""
    if key == CLAIMS:
        return _claims(connection)
    return _cases(connection, "WHERE cases.key = ?", key)[key]


def unsound(connection: sqlite3.Connection) -> list[str]:
    """Keys of cases, and the key of the claims, that are not as they were written."""
    written = dict(connection.execute("SELECT key, sha256 FROM checksums").fetchall())
    found = _cases(connection)
    for table in ("blobs", "warnings"):
        # A row that belongs to no case has no checksum.
        for (key,) in connection.execute(f"SELECT DISTINCT key FROM {table}"):
            found.setdefault(key, "")
    if CLAIMS in written or connection.execute("SELECT count(*) FROM claims").fetchone()[0]:
        found[CLAIMS] = _claims(connection)
    return sorted(key for key in found.keys() | written if written.get(key) != found.get(key))


def _cases(connection: sqlite3.Connection, where: str = "", *values: str) -> dict[str, str]:
    """The checksums of cases as they are in the store."""
    digests = {
        number: digest(names)
        for number, names in connection.execute("SELECT id, names FROM layouts")
    }
    warnings: dict[str, list[str]] = {}
    mine = where.replace("cases.key", "key")
    found = connection.execute(f"SELECT key, text FROM warnings {mine} ORDER BY key, text", values)
    for key, text in found:
        warnings.setdefault(key, []).append(text)
    rows = connection.execute(
        f"SELECT cases.*, layout, data FROM cases LEFT JOIN blobs ON blobs.key = cases.key {where}",
        values,
    )
    return {
        row[0]: case_checksum(
            row[:-2], digests.get(row[-2], b""), _bytes(row[-1]), warnings.get(row[0], ())
        )
        for row in rows
    }


def digest(names: Any) -> bytes:
    """The bytes of a layout that a checksum takes in."""
    return hashlib.sha256(_bytes(names)).digest()


def _bytes(found: Any) -> bytes:
    return found if isinstance(found, bytes) else repr(found).encode()


def _claims(connection: sqlite3.Connection) -> str:
    hashed = hashlib.sha256()
    for row in connection.execute("SELECT * FROM claims ORDER BY id"):
        hashed.update(repr(row).encode())
    return hashed.hexdigest()


def said(keys: Sequence[str], names: Mapping[str, str]) -> str:
    """How many cases are damaged, and the first of them by name."""
    cases = [key for key in keys if key != CLAIMS]
    parts = []
    if cases:
        first = "; ".join(names.get(key, f"key {key[:12]}") for key in cases[:NAMED])
        more = f" and {len(cases) - NAMED} more" if len(cases) > NAMED else ""
        parts.append(f"{len(cases)} case{'s' if len(cases) > 1 else ''} ({first}{more})")
    if CLAIMS in keys:
        parts.append("the claims")
    return " and ".join(parts)


def aside(path: Path) -> Path:
    """A name beside a damaged file under which it is kept."""
    number, free = 1, path.with_name(path.name + SUFFIX)
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}{SUFFIX}-{number}")
    return free


def sealed(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest with its checksum."""
    plain = {name: value for name, value in manifest.items() if name != "checksum"}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return {**plain, "checksum": hashlib.sha256(text.encode()).hexdigest()}


def manifest_of(text: str, path: Path) -> dict[str, Any]:
    """The manifest of a text; one that is not as it was written is refused."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"the manifest is damaged: {error}", path) from error
    if not isinstance(found, dict) or found.get("schema") != "backwater/manifest/1":
        raise DamagedError("the manifest is damaged: it is not one of results", path)
    if sealed(found) != found:
        raise DamagedError("the manifest is damaged: its checksum is that of another", path)
    for name, kind in _FIELDS.items():
        if not isinstance(found.get(name), kind):
            raise DamagedError(f"the manifest is damaged: it has no `{name}`", path)
    return found
