"""The command line: one file for each command. stdout has data, stderr has messages."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import (
    bench,
    check,
    console,
    contest,
    diff,
    doctor,
    draw,
    emulate,
    explain,
    export,
    list_,
    merge,
    new,
    real_flows,
    report,
    run,
    scorecard,
    study,
    sweep,
    trace,
)
from backwater.errors import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_TERMINATED,
    BackwaterError,
    Refusal,
    Terminated,
    Unfinished,
)

app = typer.Typer(
    name="backwater",
    help="A packet-level laboratory for congestion control.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb in (
    *(list_, explain, new, check, draw, run, sweep, merge, report, export, diff, doctor, bench),
    scorecard,
):
    app.command(name=verb.NAME)(verb.command)
app.command(name=new.COPY)(new.copy)
app.command(name=contest.NAME, cls=contest.Command)(contest.command)
app.command(name=emulate.NAME, context_settings=emulate.CONTEXT)(emulate.command)
app.add_typer(real_flows.app, name=real_flows.NAME)
app.add_typer(study.app, name=study.NAME)
app.add_typer(trace.app, name=trace.NAME)


def _version(wanted: bool) -> None:
    if wanted:
        console.data(_native.version())
        raise typer.Exit(EXIT_DONE)


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A packet-level laboratory for congestion control."""
    if context.invoked_subcommand is None:
        console.data(context.get_help())


def entry() -> None:
    """The installed command."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(main(sys.argv[1:]))


def main(args: Sequence[str]) -> int:
    """Runs a command line and returns its exit code; nothing is raised."""
    as_json = "--json" in args
    try:
        command = ["backwater", *args]
        code = app(args=command[1:], prog_name=command[0], standalone_mode=False, obj=command)
        sys.stdout.flush()
        return int(code or EXIT_DONE)
    except BackwaterError as error:
        return console.fail(error, as_json)
    except typer.TyperException as error:
        return console.fail(_usage(error), as_json)
    except (KeyboardInterrupt, typer.Abort):
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
        return console.fail(_bug(error), as_json)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _usage(error: typer.TyperException) -> Refusal:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "backwater"
    return Refusal(error.format_message() or "no command was given", fix=f"see `{command} --help`")


def _bug(error: BaseException) -> BackwaterError:
    if isinstance(error, OSError):
        return Unfinished(
            error.strerror or str(error), place=str(error.filename) if error.filename else None
        )
    return Unfinished(
        f"a bug in Backwater: {type(error).__name__}: {error}",
        fix="please report it with the command; BACKWATER_TRACEBACK=1 shows where it happened",
    )
