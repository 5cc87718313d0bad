"""A change that a genome makes: as the engine takes it without text, and as a person writes it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from backwater import _native
from backwater._native import Instants
from backwater.model.builders import Controller, Source

PS_PER_MS = 1_000_000_000
# A longer list is packed.
SHORT = 60


class Setting(NamedTuple):
    """One change. `patch` is None where only the text form exists.

    `write` is what a person would write, or makes it: thousands of runs need the patch alone.
    """

    patch: tuple[Any, ...] | None
    write: dict[str, Any] | Callable[[], dict[str, Any]]

    @property
    def fields(self) -> dict[str, Any]:
        """Values by their paths."""
        return self.write() if callable(self.write) else self.write


def applied(scene: Any, changes: Sequence[Setting]) -> dict[str, Any]:
    """A copy of a scenario with changes, as a person would write it."""
    made: dict[str, Any] = copy.deepcopy(scene)
    for one in changes:
        for place, value in one.fields.items():
            *parents, last = place.split(".")
            at: Any = made
            for name in parents:
                at = at[int(name)] if isinstance(at, list) else at.setdefault(name, {})
            if isinstance(at, list):
                at[int(last)] = value
            else:
                at[last] = value
    return made


def array(values: Any) -> Any:
    """Whole numbers as the engine takes them."""
    import numpy as np

    return np.asarray(values, dtype=np.uint64)


def packed(values: Any) -> str | list[int]:
    """Whole numbers as a scenario keeps them: a short list as it is, a long one packed."""
    if isinstance(values, Instants):
        values = values.array()
    if len(values) <= SHORT:
        return [int(value) for value in values]
    return _native.pack(array(values))


def duration(ms: int) -> Setting:
    """The simulated time."""
    return Setting(("duration", ms * PS_PER_MS), {"duration": f"{ms} ms"})


def opportunities(link: str, port: str, at_ms: Instants) -> Setting:
    """The opportunities of a trace link."""

    def write() -> dict[str, Any]:
        return {f"links.{link}.trace": {"kind": "opportunities", "at_ms": packed(at_ms)}}

    return Setting(("opportunities", port, at_ms), write)


def schedule(
    link: str,
    port: str,
    at_ms: Sequence[int],
    delay_us: Sequence[int] | None,
    loss_ppm: Sequence[int] | None = None,
) -> Setting:
    """The rows of a link's first box, which is a `schedule`."""
    lists = (("delay_us", delay_us), ("loss_ppm", loss_ppm))

    def write() -> dict[str, Any]:
        table: dict[str, Any] = {"kind": "schedule", "at_ms": packed(at_ms)}
        table |= {name: packed(values) for name, values in lists if values is not None}
        return {f"links.{link}.boxes.0": table}

    delays, losses = (None if values is None else list(values) for _, values in lists)
    patch = ("schedule", f"{port}~schedule", list(at_ms), delays, losses)
    return Setting(patch, write)


def buffer(link: str, port: str, packets: int) -> Setting:
    """The frames that the queue of a link holds."""
    return Setting(("buffer", port, packets), {f"links.{link}.buffer": f"{packets} packets"})


def rate(link: str, bps: int) -> Setting:
    """The line rate of a wire."""
    return Setting(("rate", link, bps), {f"links.{link}.rate": f"{bps} bit/s"})


def rates(link: str, port: str, at_ms: Sequence[int], bps: Sequence[int]) -> Setting:
    """The rates of a trace link, each from its instant on."""
    table = {"kind": "rates", "at_ms": packed(at_ms), "rate_bps": packed(bps)}
    return Setting(("rates", port, array(at_ms), array(bps)), {f"links.{link}.trace": table})


def driven() -> dict[str, Any]:
    """A controller that is told from outside what to do."""
    return Controller.agent().table()


def endless() -> dict[str, Any]:
    """A source that always has data."""
    return Source.bulk().table()


def listed(at_us: Any, size: int) -> dict[str, Any]:
    """A source of packets of one size at these instants."""
    return Source.packet_list(at_us=packed(at_us), bytes=[size]).table()


def packets(flow: str, at_us: Instants, size: int) -> Setting:
    """The packets of a flow."""

    def write() -> dict[str, Any]:
        return {f"flows.{flow}.source": listed(at_us, size)}

    return Setting(("packets", flow, at_us, [size]), write)


def field(path: str, value: Any) -> Setting:
    """Any field, which the engine reads as text."""
    return Setting(None, {path: value})
