"""Stops a batch whose runs execute Python classes, which may never return."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable

from backwater.errors import EXIT_INTERRUPTED, EXIT_TERMINATED, Terminated


def interrupt(threads: Iterable[int]) -> None:
    """Raises KeyboardInterrupt in these threads where they execute Python.

    Other threads are not touched. A thread in a C function, such as `time.sleep`, is interrupted
    when that returns.
    """
    for number in threads:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(number), ctypes.py_object(KeyboardInterrupt)
        )


def warn() -> None:
    """Prints that a class has not stopped yet."""
    print(
        "a Python class does not stop; interrupt again to end at once, finished runs are kept",
        file=sys.stderr,
        flush=True,
    )


def leave(signal: BaseException) -> None:
    """Ends the process at once; threads that are still running would keep it alive."""
    os._exit(EXIT_TERMINATED if isinstance(signal, Terminated) else EXIT_INTERRUPTED)
