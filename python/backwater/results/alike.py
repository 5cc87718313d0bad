"""Warnings that differ in numbers and names alone, as one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

# A word with a digit in it is a number or a name, such as 0.030, f12, s0>s1.
_VARIES = re.compile(r"[^\s,:;()]*\d[^\s,:;()]*")
_LIST = re.compile(r"#(?:, #)+")


@dataclass(frozen=True)
class Alike:
    """Warnings of one form: the most frequent text, all their cases, how many texts there are."""

    text: str
    cases: int
    texts: int

    def __str__(self) -> str:
        """The text, and how many others differ from it in numbers or names alone."""
        others = self.texts - 1
        if not others:
            return self.text
        return f"{self.text} ({others} more such, with other numbers or names)"


def alike(warnings: Iterable[tuple[str, str]]) -> list[Alike]:
    """Groups warnings, each with its case, by form: the form of most cases first."""
    forms: dict[str, list[tuple[str, str]]] = {}
    for case, text in warnings:
        forms.setdefault(_LIST.sub("#", _VARIES.sub("#", text)), []).append((case, text))
    found = []
    for rows in forms.values():
        texts = Counter(text for _, text in rows)
        cases = len({case for case, _ in rows})
        found.append(Alike(texts.most_common(1)[0][0], cases, len(texts)))
    return sorted(found, key=lambda one: -one.cases)
