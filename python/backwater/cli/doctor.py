"""`backwater doctor`."""

from __future__ import annotations

from backwater import _native
from backwater.cli import console
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED

NAME = "doctor"


def command(json: console.Json = False) -> int:
    """Check this installation and say how to mend what is wrong.

    Exit code 0 when all checks hold, 1 otherwise.
    """
    from backwater import doctor

    checks = doctor.check()
    ok = all(check.ok for check in checks)
    if json:
        console.emit(
            {
                "schema": "backwater/doctor/1",
                "version": _native.version(),
                "ok": ok,
                "checks": [
                    {
                        "name": check.name,
                        "ok": check.ok,
                        "detail": check.detail,
                        "fix": check.fix or None,
                    }
                    for check in checks
                ],
            }
        )
    else:
        for check in checks:
            console.data(f"{'ok   ' if check.ok else 'FAILS'} {check.name}: {check.detail}")
            if not check.ok and check.fix:
                console.data(f"      fix: {check.fix}")
    return EXIT_DONE if ok else EXIT_UNEXPECTED
