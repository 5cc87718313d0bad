"""The answers of agents, as window and pacing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backwater.errors import Refusal
from backwater.learn.worlds import COLUMN, Floats, Knob

# Packets that a window beside a rate never holds back, and those of mvfst.
FREE, MVFST_LEAST, MVFST_MOST = 1e6, 2.0, 2000.0
# Packets a second between which PCC-RL keeps a rate, and the share of a step.
SLOWEST, FASTEST, STEP = 40.0, 1000.0, 0.025
# The answer that leaves the sender alone and moves knobs.
HOLD = "hold"


@dataclass(frozen=True)
class Actions:
    """A kind of answer: its bounds, or how many words it has. Values of knobs come last."""

    name: str
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    words: int = 0
    knobs: int = 0

    def beside(self, knobs: Sequence[Knob]) -> Actions:
        """The same with the values of some knobs behind its own numbers."""
        if knobs and self.words:
            raise Refusal(
                f"`{self.name}` answers with a word, and a knob with a number",
                place="knobs",
                fix="take `hold`, `cwnd-log2` or another action of numbers",
            )
        if self.name == HOLD and not knobs:
            raise Refusal(
                f"`{self.name}` leaves the window as it is, and there is no knob to move",
                place="action",
                fix="name some `knobs`, or take another action",
            )
        low = (*self.low, *(knob.low for knob in knobs))
        high = (*self.high, *(knob.high for knob in knobs))
        return replace(self, low=low, high=high, knobs=len(knobs))

    def settings(self, answers: Floats, rates: Floats, seen: Floats) -> Floats:
        """Window in bytes and pacing in bit/s of each agent.

        `rates`, in packets a second, are remembered between steps and change in place.
        """
        told = np.full((*rates.shape, 2), np.nan)
        mss = seen[..., COLUMN["mss_B"]]
        window = seen[..., COLUMN["window_B"]]
        match self.name:
            case "rate-delta" | "rate-delta-unit":
                step = STEP * answers[..., 0]
                up = rates * (1.0 + np.maximum(step, 0.0))
                moved = np.where(step >= 0, up, rates / (1.0 - np.minimum(step, 0.0)))
                np.copyto(rates, np.clip(moved, SLOWEST, FASTEST))
                told[..., 0] = FREE * mss
                told[..., 1] = rates * mss * 8
            case "cwnd-log2":
                told[..., 0] = np.maximum(window * np.exp2(answers[..., 0]), mss)
            case "mvfst":
                packets = window / mss
                word = answers[..., 0].astype(np.int64)
                choices = [packets, packets / 2, packets - 10, packets + 10, packets * 2]
                told[..., 0] = mss * np.clip(np.choose(word, choices), MVFST_LEAST, MVFST_MOST)
            case "hold":
                pass
            case _:
                told[..., 0] = answers[..., 0] * mss
                told[..., 1] = np.where(answers[..., 1] > 0, answers[..., 1] * mss * 8, np.inf)
        return told

    def checked(self, answers: Any, shape: tuple[int, ...]) -> Floats:
        """The answers as numbers, a row for each agent, or a refusal with the first bad one."""
        width = max(1, len(self.low))
        given = np.asarray(answers, dtype=np.float64)
        if given.size != int(np.prod(shape)) * width:
            raise Refusal(
                f"actions of the shape {given.shape}, where {(*shape, width)} is wanted",
                place="actions",
                fix="give one action for each environment",
            )
        given = given.reshape(*shape, width)
        # A space has its bounds in single precision, and samples may lie on these, too.
        low, high = (
            np.array([end, np.array(end, dtype=np.float32)])
            for end in (self.low or (0.0,), self.high or (self.words - 1.0,))
        )
        low, high = low.min(axis=0), high.max(axis=0)
        bad = ~((given >= low) & (given <= high))
        if self.words:
            bad |= given != np.floor(given)
        if bad.any():
            first = tuple(int(i) for i in np.argwhere(bad)[0])
            raise Refusal(
                f"the action {given[first]} lies outside of {low[first[-1]]} to {high[first[-1]]}",
                place=f"actions: environment {first[0]}",
                fix="clip what a policy gives into the action space",
            )
        return given


ACTIONS = {
    one.name: one
    for one in (
        Actions("rate-delta", (-1e12,), (1e12,)),
        Actions("rate-delta-unit", (-1.0,), (1.0,)),
        Actions("cwnd-log2", (-2.0,), (2.0,)),
        Actions("mvfst", words=5),
        Actions(HOLD),
        Actions("absolute", (1.0, 0.0), (100_000.0, 10_000_000.0)),
    )
}
