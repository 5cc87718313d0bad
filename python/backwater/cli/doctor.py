"""`backwater doctor`."""

from __future__ import annotations

from backwater.cli import console, options
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED


def command(json: options.Json = False) -> int:
    """Check this installation and print the command that repairs it.

    Exit code 0 when everything required is there, 1 otherwise.
    """
    from backwater.tools import installation

    checks = installation.check()
    document = installation.document(checks)
    if json:
        console.emit(document)
    else:
        for check in checks:
            word = "ok     " if check.ok else "FAILS  " if check.required else "absent "
            console.sentence(f"{word}{check.name}: {check.found}")
            if check.fix:
                console.sentence(f"       fix: {check.fix}")
    return EXIT_DONE if document["ok"] else EXIT_UNEXPECTED
