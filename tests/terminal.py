"""A command in a pseudo-terminal of a given width, as a person sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from pathlib import Path

from command import BACKWATER


def seen(*args: object, width: int, cwd: Path) -> str:
    """What a command writes to a terminal; stdout and stderr come together there."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        # The width is set before the command asks for it.
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        os.execvp(BACKWATER[0], [*BACKWATER, *map(str, args)])
    found = b""
    while True:
        try:
            more = os.read(terminal, 1 << 16)
        except OSError:
            # The other side of the terminal is closed: the command has ended.
            break
        if not more:
            break
        found += more
    os.waitpid(child, 0)
    os.close(terminal)
    return found.decode().replace("\r\n", "\n")
