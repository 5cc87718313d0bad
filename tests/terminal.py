"""A command in a pseudo-terminal of a given width, as a person sees it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Callable
from pathlib import Path

from backwater.cli import main
from command import BACKWATER

# Colours and movements of the cursor.
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def seen(*args: object, width: int, cwd: Path) -> str:
    """A command's output on a terminal, where stdout and stderr come together."""
    command = [*BACKWATER, *map(str, args)]
    return _in_terminal(lambda: os.execvp(command[0], command), width, cwd)


def seen_quickly(*args: object, width: int, cwd: Path) -> str:
    """The same for a command that starts no threads: no interpreter has to start for it."""

    def run() -> None:
        # The streams that pytest put in the place of these do not write to the terminal.
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        code = main([str(one) for one in args])
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    return _in_terminal(run, width, cwd)


def lines(text: str) -> list[str]:
    """The lines as they stood on the terminal, those that were written over included."""
    return _CONTROL.sub("", text).replace("\r", "\n").split("\n")


def _in_terminal(run: Callable[[], object], width: int, cwd: Path) -> str:
    child, terminal = pty.fork()
    if child == 0:
        try:
            os.chdir(cwd)
            # The width is set before the command asks for it.
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
            run()
        finally:
            # A child that goes on would run the tests a second time.
            os._exit(70)
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
