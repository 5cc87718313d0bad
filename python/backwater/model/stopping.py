"""Stopping a batch whose runs execute classes of Python, which may never come back."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable

from backwater.errors import EXIT_INTERRUPTED, EXIT_TERMINATED, Terminated


def interrupt(threads: Iterable[int]) -> None:
    """Raises KeyboardInterrupt in these threads where they execute Python.

    A thread that does not is left alone. One inside a call of C, such as `time.sleep`, is
    interrupted when that returns.
    """
    for number in threads:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(number), ctypes.py_object(KeyboardInterrupt)
        )


def warn() -> None:
    """Says that a class takes its time."""
    print(
        "a class of Python does not stop; interrupt again to end at once, finished runs are kept",
        file=sys.stderr,
        flush=True,
    )


def leave(signal: BaseException) -> None:
    """Ends the process as it stands, because its threads would keep it."""
    os._exit(EXIT_TERMINATED if isinstance(signal, Terminated) else EXIT_INTERRUPTED)
