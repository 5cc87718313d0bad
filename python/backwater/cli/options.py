"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print exactly one JSON document on stdout.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Override a field; may be repeated."),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Threads; default all cores.")]
MaxWall = Annotated[
    float | None, typer.Option(help="Seconds after which a run, or a case, is ended.")
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        help='Memory of the process at which a run, or a case, is ended: "4 GB"; default 80 % '
        "of the machine's."
    ),
]
MaxCases = Annotated[int | None, typer.Option(min=1, help="Most cases; default 100,000.")]
Shard = Annotated[
    str | None,
    typer.Option(metavar="I/N", help="Run the I-th of N parts of the cases; `merge` joins them."),
]
Dask = Annotated[
    str | None,
    typer.Option(
        metavar="SCHEDULER",
        help="Run the cases on the workers of a scheduler of dask.distributed, such as "
        "tcp://host:8786.",
    ),
]
