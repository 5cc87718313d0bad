"""Traces: the folder of recordings, fitting a model, writing a model's trace, link logs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import refusing

VARIABLE = "BACKWATER_TRACES"
# The bytes that mahimahi sends at each line of a trace.
OPPORTUNITY = "1504 B"


def folder() -> Path | None:
    """The folder of recordings that BACKWATER_TRACES names, if any."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def present(name: str) -> bool:
    """Whether the folder has this trace."""
    where = folder()
    return where is not None and (where / name).is_file()


def fit(trace: str | Path, kind: str = "cox", opportunity: str = OPPORTUNITY) -> dict[str, Any]:
    """The parameters with which a generator is most like a trace file.

    The file is looked up here and in the folder of traces. `options` and `kind` together are what
    a scenario takes for `trace`; `recording` and `fitted` describe the file and twenty runs of the
    generator, mean and standard deviation, by the same figures. `warnings` says why the options
    may be wrong, and what to do.
    """
    with refusing():
        text = _native.trace_fit(str(trace), kind, opportunity, ".")
    found: dict[str, Any] = json.loads(text)
    return found


def toml(kind: str, options: Mapping[str, Any]) -> str:
    """A generator as TOML, one option on each line."""
    rows = {"kind": kind, **options}
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in rows.items())


def make(
    text: str,
    *,
    name: str = "trace",
    set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
    seed: int = 1,
    duration: str = "140 s",
    opportunity: str = OPPORTUNITY,
) -> str:
    """The text of the trace file that a generator (in TOML) makes under a seed.

    `set` overrides its options; `name` is what a refusal calls the text.
    """
    sets = [(option, json.dumps(value)) for option, value in (set or {}).items()]
    with refusing():
        return _native.trace_make(text, name, sets, seed, duration, opportunity, ".")


def log(file: str | Path) -> dict[str, Any]:
    """The figures of mahimahi's graph script for a link log: rates, utilisation, delays."""
    with refusing():
        text = _native.trace_log(str(file), ".")
    found: dict[str, Any] = json.loads(text)
    return found
