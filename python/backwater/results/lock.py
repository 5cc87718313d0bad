"""One writer for a folder of results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from backwater.errors import Refusal


@contextmanager
def alone(folder: Path | None, notice: Callable[[str], None]) -> Iterator[None]:
    """Holds a folder, which has to exist, for this process; the kernel frees it when that ends.

    The lock is the folder's own, so that no file is left behind.
    """
    if folder is None or os.name != "posix":
        # On Windows SQLite alone keeps two writers apart.
        yield
        return
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refusal(
                "another command is writing results into this folder",
                place=str(folder),
                fix="wait until it ends, or name another folder with --out",
            ) from None
        except OSError as error:
            # Some file systems of networks lock no folders.
            notice(f"{folder} can't be locked ({error.strerror}): let no other command write there")
        yield
    finally:
        os.close(held)
