"""A claim as people read it: verdict, measured interval, bound, and a small drawing of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from markupsafe import Markup

from backwater.present.numbers import (
    Unit,
    claim_unit,
    counted,
    metric_title,
    number,
)
from backwater.verdict.claim import Claim, is_unexpected
from backwater.verdict.readings import BY_READING

# Significant digits.
DIGITS = 3
WORDS = {
    "reproduced": "reproduced",
    "differs": "differs",
    "undecided": "undecided",
    "not-run": "not run",
    BY_READING: "in some readings only",
}
# Shapes differ as much as colours do: a tick, a cross, a question mark, a dash.
_ICONS = {
    "reproduced": '<path d="M4.6 8.3l2.4 2.4 4.6-5"/>',
    "differs": '<path d="M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4"/>',
    "undecided": '<path d="M6 6.2c0-2.6 4-2.6 4 0 0 1.5-2 1.7-2 3.2M8 11.6v.2"/>',
    "not-run": '<path d="M5 8h6"/>',
    BY_READING: '<path d="M4.4 5.6h7.2M4.4 8h7.2M4.4 10.4h3.6"/>',
}
_WIDTH, _HEIGHT = 132.0, 26.0


@dataclass(frozen=True)
class Shown:
    """A claim's record in words."""

    id: str
    short: str
    anchor: str
    says: str
    # How the claim reads its sentence, and what all readings of it say together; else empty.
    reading: str
    statement: str
    verdict: str
    badge: Markup
    kind: str
    measured: str
    interval: str
    n: int
    bound: str
    published: str
    expected: str
    unexpected: bool
    metric: str
    source: str
    why: list[str]
    evidence: str
    # The result of the ablation of its mechanism; empty if it was not ablated.
    ablated: str
    strip: Markup
    cases: list[tuple[str, Markup, str, str]]


def icon(verdict: str) -> str:
    """A verdict's sign, drawn in the colour of the text around it."""
    return (
        '<svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" '
        'stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">'
        f'<circle cx="8" cy="8" r="6.9" stroke-width="1.2"/>{_ICONS[verdict]}</svg>'
    )


def badge(verdict: str, words: str | None = None) -> Markup:
    """A verdict with its colour, its sign and its word."""
    inside = icon(verdict) + escape(WORDS[verdict] if words is None else words)
    return Markup(f'<span class="verdict {verdict}">{inside}</span>')


def link(verdict: str, words: str, address: str, *, unexpected: bool = False) -> Markup:
    """A link to a claim with its sign; screen readers read the word."""
    said = WORDS[verdict] + (", unexpected" if unexpected else "")
    kind = f"verdict {verdict}" + (" unexpected" if unexpected else "")
    return Markup(
        f'<a class="{kind}" href="{escape(address)}" title="{escape(words)}: {said}">'
        f'{icon(verdict)}{escape(words)}<span class="unseen"> {said}</span></a>'
    )


def shown(
    record: Mapping[str, Any], claim: Claim | None, quick: bool, digits: int = DIGITS
) -> Shown:
    """Puts a claim's record into words; `claim` is what the study says of it."""
    unit = claim_unit(record, claim)
    short = str(record["id"]).rpartition("/")[2]
    expected = str(record["expected"])
    return Shown(
        id=str(record["id"]),
        short=short,
        anchor=short,
        says=str(record["says"]),
        reading=str(record.get("reading") or ""),
        statement=str((record.get("statement") or {}).get("says", "")),
        verdict=str(record["verdict"]),
        badge=badge(str(record["verdict"])),
        kind=f"{record['kind']}, {record['strength']}",
        measured=(
            counted(record["runs"])
            if record.get("runs")
            else _quantity(record["measured"], unit, digits)
        ),
        interval=_interval(record, unit, digits),
        n=int(record["n"]),
        bound=_bound(record["bound"], unit, digits),
        published=_published(record["published"], unit),
        expected=WORDS.get(expected, expected),
        unexpected=is_unexpected(record, quick=quick),
        metric=_metric(record, claim),
        source=", ".join(str(text) for text in (record["source"], record.get("quoted")) if text),
        why=_why(record),
        evidence=str(record["evidence"] or ""),
        ablated=_ablated(record, unit),
        strip=Markup(_strip(record, unit)),
        cases=[_case(case, unit) for case in record["cases"]],
    )


def _why(record: Mapping[str, Any]) -> list[str]:
    sentences = [text.strip() for text in str(record["reason"] or "").split("; ")]
    if record.get("warning"):
        sentences.append(str(record["warning"]))
    elif record.get("seeds_needed"):
        sentences.append(f"about {number(record['seeds_needed'], 9)} seeds would decide")
    return [text[0].upper() + text[1:].rstrip(".") + "." for text in sentences if text]


def _ablated(record: Mapping[str, Any], unit: Unit) -> str:
    """The verdicts without the mechanism, in a sentence."""
    ablation = record.get("ablation")
    if record.get("mechanism") is False:
        return "It speaks of no mechanism or controller, so that no ablation tests it."
    if ablation is None:
        return ""
    under = "; ".join(
        f"{one['ablation']} ({one['of']}"
        f"{', compared with itself' if one.get('identity') else ''}): "
        f"{WORDS[one['verdict']]}, "
        f"{_quantity(one['measured'], unit)}"
        for one in ablation["under"]
    )
    head = f"Ablated: {ablation['outcome']}"
    told = ", ".join(text for text in (ablation["reason"], under) if text)
    return f"{head}: {told}" if told else head


def _quantity(value: float | None, unit: Unit, digits: int = DIGITS) -> str:
    if value is None:
        return "–"
    return _joined(number(value / unit.factor, digits), unit)


def _joined(text: str, unit: Unit) -> str:
    return f"{text}\u00a0{unit.name}" if unit.name else text


def _interval(record: Mapping[str, Any], unit: Unit, digits: int = DIGITS) -> str:
    low, high = record["low"], record["high"]
    if low is None or high is None:
        return ""
    if low == high == record["measured"]:
        return ""
    return f"[{number(low / unit.factor, digits)}, {number(high / unit.factor, digits)}]"


def _bound(bound: Mapping[str, Any], unit: Unit, digits: int = DIGITS) -> str:
    low, high = bound["low"], bound["high"]
    if bound["is"] == "zero":
        return f"zero (<\u00a0{_joined(number(high / unit.factor), unit)})"
    if low is not None and high is not None:
        ends = f"{number(low / unit.factor, digits)} to {number(high / unit.factor, digits)}"
        return _joined(ends, unit)
    sign, edge = ("≥", low) if low is not None else ("≤", high)
    return f"{sign}\u00a0{_quantity(edge, unit, digits)}"


def _published(value: Any, unit: Unit) -> str:
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _quantity(float(value), unit)
    return str(value)


def _metric(record: Mapping[str, Any], claim: Claim | None) -> str:
    title = metric_title(str(record["metric"]), str(record.get("scope", "run")))
    how = str(record.get("reduce", "each"))
    if claim is None or claim.function is not None:
        return title
    words = {
        "each": "every case",
        "count": "number of cases that hold",
        "increasing": "share of steps that rise",
        "decreasing": "share of steps that fall",
        "non_decreasing": "share of steps that don't fall",
        "non_increasing": "share of steps that don't rise",
        "spearman": "rank correlation",
        "argmax": "place of the largest",
    }.get(how, how)
    along = f" along {claim.along}" if claim.along else ""
    text = f"{title}: {words}{along}"
    if claim.against:
        other = ", ".join(f"{axis} = {' or '.join(v)}" for axis, v in claim.against.items())
        text += f", {claim.by} to {other}"
    return text


def _case(case: Mapping[str, Any], unit: Unit) -> tuple[str, Markup, str, str]:
    verdict = str(case["verdict"])
    return (
        str(case["case"]) or "all cases together",
        badge(verdict),
        _quantity(case["measured"], unit),
        _interval(case, unit),
    )


def _strip(record: Mapping[str, Any], unit: Unit) -> str:
    """The interval as a line with a dot, the bound as a shaded zone, on one scale."""
    measured, bound = record["measured"], record["bound"]
    if measured is None:
        return ""
    low = record["low"] if record["low"] is not None else measured
    high = record["high"] if record["high"] is not None else measured
    edges = [edge for edge in (bound["low"], bound["high"]) if edge is not None]
    values = [measured, low, high, *edges]
    start, end = min(values), max(values)
    if bound["is"] == "zero":
        start = 0.0
    room = (end - start) or abs(end) or 1.0
    start, end = start - 0.14 * room, end + 0.14 * room

    def x(value: float) -> float:
        return float((value - start) / (end - start) * _WIDTH)

    left = x(bound["low"]) if bound["low"] is not None else 0.0
    right = x(bound["high"]) if bound["high"] is not None else _WIDTH
    words = (
        f"measured {_quantity(measured, unit)} {_interval(record, unit)}, "
        f"bound {_bound(bound, unit)}"
    )
    middle = _HEIGHT / 2
    lines = "".join(
        f'<line class="edge" x1="{x(edge):.1f}" x2="{x(edge):.1f}" y1="3" y2="{_HEIGHT - 3}"/>'
        for edge in edges
    )
    return (
        f'<svg class="strip" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img">'
        f"<title>{escape(words)}</title>"
        f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{middle}" y2="{middle}"/>'
        f'<rect class="zone" x="{left:.1f}" y="3" width="{max(right - left, 1.5):.1f}" '
        f'height="{_HEIGHT - 6}"/>{lines}'
        f'<line class="span" x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="dot" cx="{x(measured):.1f}" cy="{middle}" r="3.6"/></svg>'
    )
