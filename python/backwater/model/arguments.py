"""Checks of what a person passes: numbers within bounds, tables, regular files of bounded size."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.model import machine

# The largest seed of the engine.
MOST_SEED = 2**64 - 1
# More threads than this help on no machine.
MOST_WORKERS = 1024
# Cases of a study or sweep, unless --max-cases says otherwise.
MOST_CASES = 100_000
# Combinations of one study: only to list more takes minutes.
MOST_COMBINATIONS = 1_000_000
# Of the machine's memory, unless --max-memory says otherwise.
MEMORY_SHARE = 0.8
# Bytes of a text that a person writes.
LARGEST_TEXT = 64 << 20


def whole(value: Any, name: str, low: int, high: int) -> int:
    """A whole number between bounds."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise Refusal(
            f"{name} is {type(value).__name__}, not a whole number",
            place=name,
            fix=f"give {low} to {high}",
        )
    number = int(value)
    if not low <= number <= high:
        raise Refusal(
            f"{name} lies outside {low} to {high}", place=name, fix=f"give {low} to {high}"
        )
    return number


def whole_or_none(value: Any, name: str, low: int, high: int) -> int | None:
    """A whole number between bounds, or None for the default."""
    return None if value is None else whole(value, name, low, high)


def memory(written: str | None) -> int | None:
    """Bytes, from a size such as "4 GB" or "500 MB"; left out, most of the machine's memory.

    What takes more is ended by the system without a word, and the command with it.
    """
    if written is None:
        whole_machine = machine.memory()
        return None if whole_machine is None else int(MEMORY_SHARE * whole_machine)
    number, _, unit = written.strip().partition(" ")
    factor = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    try:
        found = float(number) * factor[unit.strip()]
    except (KeyError, ValueError):
        found = 0.0
    if not 1e6 <= found <= 1e15:
        raise Refusal(
            f"`{written}` is not a size of memory", place="--max-memory", fix='write "4 GB"'
        )
    return int(found)


def seconds(value: float | None) -> float | None:
    """A positive time in seconds, or None for no limit."""
    if value is not None and not 0 < value < float("inf"):
        raise Refusal(f"{value} is no time", place="--max-wall", fix="give seconds, such as 60")
    return value


def table(value: Any, name: str, fix: str) -> Mapping[str, Any]:
    """A mapping of texts, empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise Refusal(
            f"{name} is {type(value).__name__}, not a table of texts", place=name, fix=fix
        )
    return value


def cases(combinations: int, seeds: int, most: int | None) -> None:
    """Refuses more cases than are allowed, before any is made."""
    limit = MOST_CASES if most is None else most
    if combinations * seeds > limit:
        raise Refusal(
            f"{combinations} combinations and {seeds} seeds are {combinations * seeds} cases; "
            f"at most {limit} are allowed",
            fix="vary less or take fewer seeds; --max-cases of `study run` and `sweep` (max_cases "
            "in Python) lifts the limit",
        )


def combinations(count: int, place: str) -> None:
    """Refuses more combinations than anybody means, before they are listed."""
    if count > MOST_COMBINATIONS:
        raise Refusal(
            f"the axes have {count} combinations, more than {MOST_COMBINATIONS}",
            place=place,
            fix="vary less in one study",
        )


def read_text(path: Path, what: str, fix: str) -> str:
    """The content of a regular file of UTF-8; `what` is what it should be, such as "the study"."""
    try:
        # A FIFO without a writer would block.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        about = os.fstat(number)
        # Closing the file closes the number; a directory cannot become a file.
        if stat.S_ISDIR(about.st_mode):
            os.close(number)
            raise IsADirectoryError(0, "it is not a regular file")
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(about.st_mode):
                reason = "it is not a regular file"
            elif about.st_size > LARGEST_TEXT:
                reason = f"it has {about.st_size} bytes, more than {LARGEST_TEXT}"
            else:
                return file.read(LARGEST_TEXT).decode("utf-8").replace("\r\n", "\n")
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise Refusal(f"cannot read {what}: {reason}", place=str(path), fix=fix) from error
    raise Refusal(f"cannot read {what}: {reason}", place=str(path), fix=fix)
