"""The verbs of the command line. Only the modules of the one that is called are loaded."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console
from backwater.errors import EXIT_DONE, EXIT_INTERRUPTED, Refusal

# In the order of the help. A module has the name of its verb, but for these.
VERBS = (
    *("list", "explain", "new", "check", "draw", "run", "import", "sweep", "hunt", "rare"),
    *(
        "fork",
        "blame",
        "sensitivity",
        "train",
        "board",
        "merge",
        "report",
        "export",
        "diff",
        "doctor",
        "bench",
        "scorecard",
        "copy",
        "contest",
    ),
    *("emulate", "view", "evolve", "flow", "study", "trace"),
)
MODULES = {"list": "list_", "import": "import_", "copy": "new", "flow": "real_flows"}


def _version(wanted: bool) -> None:
    if wanted:
        console.data(_native.version())
        raise typer.Exit(EXIT_DONE)


def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A packet-level laboratory for congestion control."""
    if context.invoked_subcommand is None:
        console.data(context.get_help())


def _empty() -> typer.Typer:
    app = typer.Typer(
        name="backwater",
        help="A packet-level laboratory for congestion control.",
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    return app


def made(verb: str | None = None) -> typer.Typer:
    """The command line with one verb, or with all of them."""
    app = _empty()
    for name in (verb,) if verb in VERBS else VERBS:
        _add(app, name)
    return app


def _add(app: typer.Typer, verb: str) -> None:
    module = import_module(f"backwater.cli.{MODULES.get(verb, verb)}")
    match verb:
        case "evolve" | "flow" | "study" | "trace":
            app.add_typer(module.app, name=verb)
        case "contest":
            app.command(name=verb, cls=module.Command)(module.command)
        case "emulate":
            app.command(name=verb, context_settings=module.CONTEXT)(module.command)
        case "copy":
            app.command(name=verb)(module.copy)
        case _:
            app.command(name=verb)(module.command)


def summaries() -> typer.Typer:
    """The command line as its help shows it: each verb with its sentence, and nothing loaded."""
    app = _empty()
    for verb in VERBS:
        app.command(name=verb, help=_sentence(verb))(lambda: None)
    return app


def _sentence(verb: str) -> str:
    """The description of a verb, read from its file."""
    text = Path(__file__).with_name(f"{MODULES.get(verb, verb)}.py").read_text(encoding="utf-8")
    name = "copy" if verb == "copy" else "command"
    found = re.search(rf'^def {name}\(.*?^    """(.*?)"""', text, re.M | re.S)
    found = found or re.search(r'^app = typer\.Typer\(\s*help="(.*?)"', text, re.M | re.S)
    assert found is not None, f"{verb} says what it does"
    return found[1]


def run(command: list[str]) -> int | None:
    """Runs a command line. Raises what a command raises, and `Refusal` for a line that is none."""
    alone = command[1:] in ([], ["--help"])
    app = summaries() if alone else made(command[1])
    try:
        code: int | None = app(
            args=command[1:], prog_name=command[0], standalone_mode=False, obj=command
        )
    except typer.TyperException as error:
        raise _usage(error) from error
    except typer.Abort:
        return EXIT_INTERRUPTED
    return code


def _usage(error: typer.TyperException) -> Refusal:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "backwater"
    return Refusal(error.format_message() or "no command was given", fix=f"see `{command} --help`")
