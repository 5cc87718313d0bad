"""The bound of a claim, and the verdict that an interval gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from backwater.model import quantity
from backwater.study.toml_text import Fields
from backwater.verdict.interval import Interval, seeds_to_decide

# "Zero" means below one lost packet in ten thousand offered.
ZERO = 1e-4
FORMS = ("is", "at_least", "at_most", "within", "target", "effect")
# The share of the effect that a claim of a sign needs at least, unless the study says otherwise.
MARGIN = 0.1

REPRODUCED = "reproduced"
DIFFERS = "differs"
UNDECIDED = "undecided"
NOT_RUN = "not-run"
VERDICTS = (REPRODUCED, DIFFERS, UNDECIDED, NOT_RUN)


@dataclass(frozen=True)
class Bound:
    """A closed range; the form says how it was written."""

    form: str
    low: float | None
    high: float | None

    def holds(self, value: float) -> bool:
        """Whether a number lies inside."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)

    def verdict(self, found: Interval) -> str:
        """All of the interval inside: reproduced. All outside: differs. Else undecided."""
        if found.low is None or found.high is None:
            return UNDECIDED
        if self.holds(found.low) and self.holds(found.high):
            return REPRODUCED
        below = self.low is not None and found.high < self.low
        above = self.high is not None and found.low > self.high
        return DIFFERS if below or above else UNDECIDED

    def margin(self, value: float) -> float:
        """Distance to the nearest edge, negative outside."""
        room = []
        if self.low is not None:
            room.append(value - self.low)
        if self.high is not None:
            room.append(self.high - value)
        return min(room)

    def seeds_needed(self, found: Interval) -> int | None:
        """How many seeds would decide, if mean and deviation stayed as they are."""
        if found.low is None or math.isinf(found.mean):
            return None
        return seeds_to_decide(found.deviation, abs(self.margin(found.mean)), found.n + 1)

    def record(self) -> dict[str, Any]:
        """The bound in a claim's record."""
        return {"is": self.form, "low": self.low, "high": self.high}


def read(fields: Fields, nothing: float = 0.0) -> Bound:
    """Reads the one form in which a bound is written.

    `nothing` is what the measured number is without an effect: 0, or 1 for a ratio.
    """
    written = [form for form in FORMS if form in fields.data]
    fields.mark_known(*FORMS, "tolerance", "margin")
    if not written:
        fields.done()
    if len(written) != 1:
        fields.refuse(
            f"`{fields.word()}` has {len(written)} bounds"
            if written
            else f"`{fields.word()}` has no bound",
            *written[1:2],
            fix='write one of is = "zero", at_least, at_most, within = [low, high], '
            "target with tolerance, effect with margin",
        )
    form = written[0]
    if form == "is":
        fields.choice("is", ("zero",), "zero")
        return Bound("zero", None, ZERO)
    if "tolerance" in fields.data and form != "target":
        fields.refuse("a tolerance belongs to a target", "tolerance", fix="remove it")
    if "margin" in fields.data and form != "effect":
        fields.refuse("a margin belongs to an effect", "margin", fix="remove it")
    if form == "effect":
        return _effect(fields, nothing)
    if form == "at_least":
        return Bound(form, read_number(fields, form), None)
    if form == "at_most":
        return Bound(form, None, read_number(fields, form))
    if form == "within":
        return _within(fields)
    return _target(fields)


def read_number(fields: Fields, key: str) -> float:
    """A number, or a quantity such as "20 ms" in SI units."""
    return _number(fields, fields.get(key), key)


def _number(fields: Fields, value: Any, *keys: str) -> float:
    written = value
    if isinstance(value, str):
        parsed = quantity.parse(value)
        value = None if parsed is None else parsed.value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        fields.refuse(
            f"`{fields.word(*keys)}` is not a number",
            *keys,
            fix=quantity.advice(written)
            or 'write a plain number in the metric\'s SI unit, or a quantity such as "20 ms"',
        )
    return float(value)


def _within(fields: Fields) -> Bound:
    pair = fields.get("within")
    if not isinstance(pair, list) or len(pair) != 2:
        fields.refuse("`within` is not a pair", "within", fix="write within = [low, high]")
    low, high = (_number(fields, value, "within", str(i)) for i, value in enumerate(pair))
    if low > high:
        fields.refuse("`within` has its low end above its high end", "within", fix="swap them")
    return Bound("within", low, high)


def _target(fields: Fields) -> Bound:
    target = read_number(fields, "target")
    written = fields.get("tolerance")
    if written is None:
        fields.refuse("a target has no tolerance", "target", fix='add tolerance = "10 %"')
    parsed = quantity.parse(written) if isinstance(written, str) else None
    slack = read_number(fields, "tolerance")
    if parsed is not None and parsed.dimension == "share":
        slack *= abs(target)
    if slack < 0:
        fields.refuse("a tolerance is negative", "tolerance", fix="write it without a sign")
    return Bound("within", target - slack, target + slack)


def _effect(fields: Fields, nothing: float) -> Bound:
    """A claim of a sign: at least the margin's share of the effect that the source claims."""
    size = read_number(fields, "effect") - nothing
    margin = read_number(fields, "margin") if "margin" in fields.data else MARGIN
    if size == 0:
        fields.refuse(
            f"the effect is {nothing:g}, which is none", "effect", fix="write what the source says"
        )
    if not 0 < margin <= 1:
        fields.refuse("the margin is no share of the effect", "margin", fix='write margin = "10 %"')
    edge = nothing + margin * size
    return Bound("at_least", edge, None) if size > 0 else Bound("at_most", None, edge)
