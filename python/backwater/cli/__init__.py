"""The command line: one file for each command. stdout has data, stderr has messages."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from backwater.cli import console, real_time
from backwater.errors import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    BackwaterError,
    Refusal,
    Terminated,
    Unfinished,
)


def entry() -> None:
    """The installed command."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(main(sys.argv[1:]))


def main(args: Sequence[str]) -> int:
    """Runs a command line and returns its exit code; nothing is raised."""
    as_json = "--json" in args
    try:
        _check_text(args)
        code = _run(["backwater", *args])
        sys.stdout.flush()
        return int(code or EXIT_DONE)
    except BackwaterError as error:
        return _fail(error, as_json)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except Terminated:
        return EXIT_TERMINATED
    except BrokenPipeError:
        # The reader closed the pipe: nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except SystemExit as leave:
        # Typer exits with 1 when the pipe is closed; shell completion exits on its own.
        if isinstance(leave.__context__, BrokenPipeError):
            return EXIT_DONE
        raise
    # A panic of the engine is a BaseException. The user gets one sentence, no traceback.
    except BaseException as error:
        if os.environ.get("BACKWATER_TRACEBACK"):
            raise
        return _fail(_bug(error), as_json)


def _fail(error: BackwaterError, as_json: bool) -> int:
    try:
        return console.fail(error, as_json)
    except BrokenPipeError:
        # Nobody reads what is wrong; the exit code says it.
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error.exit_code


def _check_text(args: Sequence[str]) -> None:
    """Refuses words that are no text, such as the path of a file that another system has named."""
    for word in args:
        try:
            word.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(word).decode("utf-8", "replace")
            raise Refusal(
                f"`{shown}` is not UTF-8", place=shown, fix="give names of UTF-8"
            ) from None


def _run(command: list[str]) -> int | None:
    if command[1:2] == [real_time.VERB] and (line := real_time.plain(command[2:])) is not None:
        return real_time.run(*line)
    if command[1:] == ["--version"]:
        from backwater import _native

        console.data(_native.version())
        return EXIT_DONE
    from backwater.cli import application

    return application.run(command)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _bug(error: BaseException) -> BackwaterError:
    if isinstance(error, OSError):
        return Unfinished(
            error.strerror or str(error), place=str(error.filename) if error.filename else None
        )
    return Unfinished(
        f"a bug in Backwater: {type(error).__name__}: {error}",
        fix="please report it with the command; BACKWATER_TRACEBACK=1 shows where it happened",
    )
