"""`backwater explain`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markdown import Markdown

from backwater import _native
from backwater.cli import complete, console, options
from backwater.present.tabular import prose, words
from backwater.study.definition import Study
from backwater.study.markdown import PLACEHOLDER
from backwater.tools import catalogue


def command(
    name: Annotated[
        str,
        typer.Argument(
            help="The id of anything in `backwater list`.", autocompletion=complete.names
        ),
    ],
    json: options.Json = False,
) -> int:
    """Explain one part, metric or study with all its options."""
    found = catalogue.find(name)
    if json:
        rows = [{"kind": kind, **row} for kind, row in found]
        console.emit(
            {
                "schema": "backwater/explain/1",
                "version": _native.version(),
                "name": name,
                "rows": rows,
            }
        )
        return 0
    for kind, row in found:
        if kind == catalogue.STUDIES:
            _study(row)
        else:
            _part(kind, row)
    return 0


# Keys that have lines or a table of their own.
_SHOWN = ("id", "aliases", "summary", "source", "options", "modes")


def _part(kind: str, row: dict[str, Any]) -> None:
    console.sentence(f"{row['id']} ({kind})")
    if row.get("aliases"):
        console.sentence("also called " + ", ".join(row["aliases"]))
    console.sentence(row["summary"])
    if row["source"]:
        console.sentence(f"source: {row['source']}")
    for extra, value in row.items():
        if extra not in _SHOWN and value is not None:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            console.sentence(f"{extra}: {shown}")
    options = [
        (
            option["name"],
            option["type"] if not option.get("values") else " | ".join(option["values"]),
            _shown(option.get("default")),
            _range(option),
            option.get("help") or "",
        )
        for option in row.get("options") or ()
    ]
    if options:
        console.data("")
        columns = (
            words("option"),
            prose("type", 2),
            words("default"),
            words("range", 1),
            prose("meaning"),
        )
        console.table(None, columns, options)
    if modes := row.get("modes"):
        guards = list(modes[0]["rates_bps"])
        heads = ("MCS", "width", "bits of a symbol", *(f"Mbit/s, {guard}" for guard in guards))
        lines = [
            (
                str(mode["mcs"]),
                f"{mode['width_MHz']} MHz",
                str(mode["bits_per_symbol"]),
                *(f"{mode['rates_bps'][guard] / 1e6:.1f}" for guard in guards),
            )
            for mode in modes
        ]
        console.data("")
        console.table(None, tuple(words(head) for head in heads), lines)
    console.data("")


def _study(row: dict[str, Any]) -> None:
    study = Study.load(row["id"])
    Console(markup=False).print(Markdown(_in_words(study)))
    console.sentence(
        f"{row['cases']} cases, {row['claims']} claims; quick: {row['cases_quick']} cases. "
        f"Run it: backwater study run {row['id']} --quick"
    )


def _in_words(study: Study) -> str:
    """The prose with sentences of claims and titles of figures where a report has results."""
    says = {claim.id: claim.says for claim in study.claims}
    titles = {figure.id: figure.title or figure.id for figure in study.figures}

    def alone(kind: str, name: str) -> str:
        if kind == "claim":
            return f"- {name}: {says.get(name, '')}"
        return f"- figure: {titles[name]}" if kind == "figure" else ""

    blocks = []
    for block in study.prose.split("\n\n"):
        if block.strip() and not PLACEHOLDER.sub("", block).strip():
            lines = [alone(kind, name) for kind, name in PLACEHOLDER.findall(block)]
            block = "\n".join(filter(None, lines))
        elif not block.lstrip().startswith(("```", "    ")):
            block = PLACEHOLDER.sub(lambda found: found[2] or f"the {found[1]}", block)
        blocks.append(block)
    # The title, what the study found, and then the reasons.
    if study.lead[0]:
        blocks.insert(1, f"Answer: {study.lead[0]}")
    return "\n\n".join(blocks)


def _shown(value: object) -> str:
    return "–" if value is None else str(value)


def _range(option: dict[str, Any]) -> str:
    low, high = option.get("min"), option.get("max")
    if low is None and high is None:
        return ""
    return f"{_shown(low)} … {_shown(high)}"
