"""The result of every reader of a foreign format: transfers between hosts, and their scenario."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from backwater.errors import Refusal

TEMPLATE = Path(__file__).parent.parent / "templates" / "imported.toml"
PS = {"ps": 1, "ns": 1_000, "us": 1_000_000, "ms": 1_000_000_000, "s": 1_000_000_000_000}


@dataclass(frozen=True)
class Line:
    """A line of a file, for errors."""

    path: Path
    number: int

    def refuse(self, what: str, fix: str) -> Refusal:
        """The refusal of this line."""
        return Refusal(what, place=str(self.path), line=self.number, fix=fix)

    def whole(self, text: str, name: str, least: int = 0) -> int:
        """A whole number of this line."""
        try:
            number = int(text)
        except ValueError:
            raise self.refuse(
                f"{name} is `{text}`, not a whole number", "write it in digits"
            ) from None
        if number < least:
            raise self.refuse(f"{name} is {number}", f"write {least} or more")
        return number

    def number_of(self, text: str, name: str) -> float:
        """A number of this line."""
        try:
            number = float(text)
        except ValueError:
            raise self.refuse(f"{name} is `{text}`, not a number", "write it in digits") from None
        if not 0 <= number < 1e18:
            raise self.refuse(f"{name} is {text}", "write 0 or more")
        return number


@dataclass
class Transfer:
    """Bytes from one host to another, at an instant or after other transfers."""

    source: int
    to: int
    size: int
    line: Line
    start: int = 0
    """Not before this instant, ps."""
    after: dict[int, int] = field(default_factory=dict)
    """Places of the transfers that come first, and the time after each, ps."""
    group: int = 0


@dataclass(frozen=True)
class Network:
    """A network as lines of a scenario."""

    lines: tuple[str, ...]
    hosts: tuple[str, ...]
    rate: float
    """Of a host's line, bit/s."""
    classes: int = 1


def star(hosts: int, rate: str, delay: str, bits: float) -> Network:
    """All hosts at one switch."""
    names = tuple([f"h{n}" for n in range(1, hosts)] + ["D"])
    line = (
        f'topology = {{ kind = "star", hosts = {hosts - 1}, rate = "{rate}", delay = "{delay}", '
        f'bottleneck = "{rate}", max_frame = "4200 B" }}'
    )
    return Network((line,), names, bits)


def span(ps: int) -> str:
    """A span as a scenario writes it."""
    unit = next(u for u in ("s", "ms", "us", "ns", "ps") if ps % PS[u] == 0)
    return f"{ps // PS[unit]} {unit}"


def _check(transfers: list[Transfer], network: Network) -> None:
    for transfer in transfers:
        for name, host in (("sender", transfer.source), ("receiver", transfer.to)):
            if not 0 <= host < len(network.hosts):
                raise transfer.line.refuse(
                    f"the {name} is {host}, and the network has {len(network.hosts)} hosts",
                    f"name a host below {len(network.hosts)}, or a larger network",
                )
        if transfer.source == transfer.to:
            raise transfer.line.refuse("a host sends to itself", "name another receiver")


def longest(transfers: list[Transfer], network: Network) -> int:
    """A duration within which an idle network ends all transfers three times over, ps."""
    busy: dict[tuple[str, int], int] = {}
    for transfer in transfers:
        for key in (("from", transfer.source), ("to", transfer.to)):
            busy[key] = busy.get(key, 0) + transfer.size
    line = max(busy.values(), default=0) * 8e12 / network.rate
    waits = sum(max(t.after.values(), default=0) for t in transfers)
    last = max((t.start for t in transfers), default=0)
    return -(-int(3 * line + last + waits + 1e9) // 10**6) * 10**6


def scenario(transfers: list[Transfer], network: Network, duration: str | None, said: str) -> str:
    """The scenario of transfers over a network."""
    _check(transfers, network)
    *head, flow = TEMPLATE.read_text(encoding="utf-8").splitlines()
    whole = Template("\n".join(head)).substitute(
        said=said,
        duration=duration or span(longest(transfers, network)),
        network="\n".join(network.lines),
        classes=network.classes,
    )
    names = [f"t{place:0{len(str(len(transfers) - 1))}d}" for place in range(len(transfers))]
    row = Template(flow)
    lines = [
        row.substitute(name=name, fields=", ".join(_fields(t, network, names)), size=t.size)
        for name, t in zip(names, transfers, strict=True)
    ]
    return "\n".join([whole, *lines]) + "\n"


def _fields(transfer: Transfer, network: Network, names: list[str]) -> list[str]:
    fields = [
        f'from = "{network.hosts[transfer.source]}"',
        f'to = "{network.hosts[transfer.to]}"',
    ]
    if transfer.start:
        fields.append(f'start = "{span(transfer.start)}"')
    if transfer.group:
        fields.append(f"class = {transfer.group}")
    if transfer.after:
        after = [
            f'"{names[before]}"' if not delay else f'"{names[before]} + {span(delay)}"'
            for before, delay in sorted(transfer.after.items())
        ]
        fields.append(f"after = [{', '.join(after)}]")
    return fields
