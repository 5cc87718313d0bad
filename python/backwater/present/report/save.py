"""Writes files whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def save(path: Path, text: str) -> Path:
    """Writes a file whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    return path
