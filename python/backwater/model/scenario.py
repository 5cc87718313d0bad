"""Scenarios built in code. They become the same table that a person writes, and go the same way."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from backwater import _native
from backwater.errors import Refusal, refusing

SCHEMA = "backwater/scenario/1"
BUILT = "<scenario built in Python>"
TEXT = "<text>"


class Part:
    """A kind with its options: `Source("cbr", rate="3 Mbit/s")`; `backwater list` names them."""

    def __init__(self, kind: str | None = None, **options: Any) -> None:
        self.kind = kind
        self.options = options

    def table(self) -> dict[str, Any]:
        """As a person would write it."""
        kind = {} if self.kind is None else {"kind": self.kind}
        return {**kind, **{name: plain(value) for name, value in self.options.items()}}

    def __repr__(self) -> str:
        shown = [repr(self.kind)] if self.kind is not None else []
        shown += [f"{name}={value!r}" for name, value in self.options.items()]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, Part)
            and self._as_pair() == (other._as_pair())
        )

    def __hash__(self) -> int:
        return hash((type(self), self.kind, tuple(sorted(self.options))))

    def _as_pair(self) -> tuple[str | None, dict[str, Any]]:
        return self.kind, self.options


class Source(Part):
    """What a flow sends, and when."""


class Queue(Part):
    """The queue of a port."""


class Detector(Part):
    """How a mechanism sees congestion. Without a kind: the options of the recipe's detector."""


class Notifier(Part):
    """How a mechanism tells. Without a kind: the options of the recipe's notifier."""


class Responder(Part):
    """How a mechanism answers. Without a kind: the options of the recipe's responder."""


class _Table:
    """A dataclass that is a table of the scenario; what is None is left out."""

    _fixed: ClassVar[Mapping[str, Any]] = {}

    def table(self) -> dict[str, Any]:
        """As a person would write it."""
        written = dict(self._fixed)
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if value is not None:
                written[one.name.rstrip("_")] = plain(value)
        return written


@dataclass
class Host(_Table):
    """An end station; `obeys` says whether it acts on control frames."""

    obeys: bool | None = None
    _fixed: ClassVar[Mapping[str, Any]] = {"kind": "host"}


@dataclass
class Switch(_Table):
    """A store-and-forward switch; the sizes belong to the model shared-memory."""

    model: str | None = None
    memory: str | None = None
    reserve: str | None = None
    headroom: str | None = None
    shift: int | None = None
    _fixed: ClassVar[Mapping[str, Any]] = {"kind": "switch"}


@dataclass
class Medium(_Table):
    """An 802.11 medium."""

    phy: Mapping[str, Any]
    channel: Mapping[str, Any]
    mac: Mapping[str, Any] | None = None


@dataclass
class Station(_Table):
    """An 802.11 station at a place, such as ("0 m", "100 m")."""

    medium: str
    at: tuple[str, str]
    buffer: str | None = None
    own_share: str | None = None
    rate: str | None = None
    ac: Mapping[str, Any] | None = None
    queue: str | None = None
    _fixed: ClassVar[Mapping[str, Any]] = {"kind": "station"}


@dataclass
class Link(_Table):
    """A full-duplex link; it makes the ports "A>B" and "B>A"."""

    ends: tuple[str, str]
    rate: str
    delay: str | None = None
    max_frame: str | None = None


@dataclass
class Port(_Table):
    """The egress ports that a pattern names."""

    queue: Queue | None = None
    buffer: str | None = None


@dataclass
class Mechanism(_Table):
    """Back-pressure at some egress ports: a recipe, or its three parts one by one."""

    at: Sequence[str]
    recipe: str | None = None
    detect: Detector | None = None
    notify: Notifier | None = None
    respond: Responder | None = None


@dataclass
class Flow(_Table):
    """Datagrams from a host to a host; patterns make one flow for each sender."""

    from_: str
    to: str
    source: Source
    class_: int | None = None
    ac: str | None = None
    transport: str | None = None
    packet: str | None = None
    start: str | None = None
    stop: str | None = None
    pattern: str | None = None
    budget: str | None = None


class Topology(Part):
    """A generator of nodes and links: `Topology("fat-tree", k=4, rate="10 Gbit/s", …)`."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__(kind, **options)


class Routing(Part):
    """How destinations become ports: `Routing("ecmp")`."""

    def __init__(self, kind: str, **options: Any) -> None:
        super().__init__(kind, **options)


@dataclass
class Scenario(_Table):
    """A whole scenario. Every quantity has its unit: `duration="60 s"`."""

    duration: str
    flows: Mapping[str, Flow | Mapping[str, Any]]
    media: Mapping[str, Medium | Mapping[str, Any]] | None = None
    nodes: Mapping[str, Host | Switch | Station | Mapping[str, Any]] | None = None
    links: Mapping[str, Link | Mapping[str, Any]] | None = None
    ports: Mapping[str, Port | Mapping[str, Any]] | None = None
    mechanisms: Mapping[str, Mechanism | Mapping[str, Any]] | None = None
    routes: Mapping[str, Sequence[str]] | None = None
    topology: Topology | Mapping[str, Any] | None = None
    routing: Routing | Mapping[str, Any] | None = None
    seed: int | None = None
    warmup: str | None = None
    _fixed: ClassVar[Mapping[str, Any]] = {"schema": SCHEMA}


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, (_Table, Part)):
        return value.table()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def written(what: Any) -> str:
    """What was built in code as JSON."""
    try:
        return json.dumps(plain(what), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Refusal(
            f"this holds what a file could not: {error}",
            place=BUILT,
            fix="use texts, finite numbers, flags, lists and tables",
        ) from error


def read_text(path: Path) -> str:
    """The content of a scenario file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Refusal(
            f"cannot read the scenario: {reason}",
            place=str(path),
            fix="give the path of a TOML or JSON file",
        ) from error


def read(what: str | Path | Mapping[str, Any] | Scenario) -> tuple[_native.Scenario, str]:
    """Reads a scenario and says how it is called.

    A text with a line break is TOML; any other text is the path of a TOML or JSON file.
    """
    with refusing():
        if isinstance(what, (Scenario, Mapping)):
            return _native.Scenario.from_json(written(what), BUILT, None), BUILT
        if isinstance(what, str) and "\n" in what:
            return _native.Scenario.from_toml(what, TEXT, None), TEXT
        path = Path(what)
        json_file = path.suffix == ".json"
        reader = _native.Scenario.from_json if json_file else _native.Scenario.from_toml
        return reader(read_text(path), str(path), str(path.parent)), str(path)
