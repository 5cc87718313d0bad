"""Puts scorecards of several controllers into one table of a page, below its mark.

    backwater scorecard NAME --json > cards/NAME.json
    python scripts/results/scorecards.py --into docs/results/scorecards.md cards/*.json

A card's file holds the one document that the command prints.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import page

ALONE = "c401"
SIGNS = {"pass": "+", "fail": "**−**", "undecided": "?", "not-run": "·", "reference": "="}


def table(cards: list[dict[str, Any]]) -> str:
    """One row for each controller, one column for each criterion; below, what each column asks."""
    own = [_own(card) for card in cards]
    heads = _heads([row["section"] for row in own[0]])
    lines = [
        "| controller | + | − | ? | " + " | ".join(heads) + " |",
        "|---" * (4 + len(heads)) + "|",
    ]
    for card, rows in zip(cards, own, strict=True):
        verdicts = [row["verdict"] for row in rows]
        counts = [str(verdicts.count(one)) for one in ("pass", "fail", "undecided")]
        # Who leaves the link idle when alone spares others for that reason.
        if any(row["claim"] == ALONE and row["verdict"] == "fail" for row in rows):
            counts[0] = f"({counts[0]})"
        signs = [SIGNS[verdict] for verdict in verdicts]
        lines.append(f"| `{card['controller']}` | " + " | ".join([*counts, *signs]) + " |")
    lines.append("")
    for row, head in zip(own[0], heads, strict=True):
        lines.append(f"* **{head}**: {row['says'] or row['title']}")
    seeds = {card["seeds"] for card in cards}
    lines += ["", f"Seeds: {', '.join(map(str, sorted(seeds)))}. Fingerprints:", ""]
    lines.append(", ".join(f"`{card['controller']}` {card['fingerprint']}" for card in cards) + ".")
    return "\n".join(lines) + "\n"


def _own(card: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in card["rows"] if row["controller"] == card["controller"]]


def _heads(sections: list[str]) -> list[str]:
    """The sections, with a letter where one has several criteria."""
    return [
        f"{section}{' ' * section.isalpha()}{chr(ord('a') + sections[:at].count(section))}"
        if sections.count(section) > 1
        else section
        for at, section in enumerate(sections)
    ]


def main() -> None:
    """The command."""
    page.written(__doc__, "scorecards as JSON, one file a controller", text)


def text(files: list[Path]) -> str:
    """The table of these cards."""
    return table([json.loads(file.read_text(encoding="utf-8")) for file in files])


if __name__ == "__main__":
    main()
