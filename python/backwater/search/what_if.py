"""The effect of a change, with the same random streams on both sides.

`what_if` forks a world in the middle of its run; `sensitivity` runs a scenario from its beginning
with a quantity a little smaller and a little larger. The two sides of a pair draw the same random
numbers, so that chance cancels as far as the change leaves it alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _native
from backwater.errors import Refusal, Unfinished, nearest, refusing
from backwater.model import arguments, quantity, scenario
from backwater.model.machine import available_cores
from backwater.verdict.interval import interval

if TYPE_CHECKING:
    from backwater.model.builders import Scenario
    from backwater.model.world import World


@dataclass(frozen=True)
class Difference:
    """A figure without the change and with it: means over reseeds, and the difference's interval.

    `noise` is the variance of the paired difference over the sum of the variances of both sides:
    0 where the same random numbers cancel all chance, 1 where they help nothing. It is None where
    no side varies. `low` and `high` are None where one reseed says nothing about chance.
    """

    figure: str
    before: float
    after: float
    difference: float
    low: float | None
    high: float | None
    noise: float | None


@dataclass(frozen=True)
class Derivative:
    """How much a figure moves with a quantity: per unit, with an interval, and in percent.

    `elasticity` is the percent by which the figure changes for a percent of the quantity.
    """

    path: str
    figure: str
    value: float
    low: float | None
    high: float | None
    elasticity: float | None
    noise: float | None

    @property
    def document(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def what_if(
    world: World,
    set: Mapping[str, Any],  # noqa: A002 -- the name of the command's option
    until: int | str,
    *,
    reseeds: int = 20,
    figures: Sequence[str] = ("*",),
) -> list[Difference]:
    """The effect of a change from the present on, up to an instant: pairs of forks.

    Both forks of a pair have the same random streams from the present on. `set` changes what
    `World.fork` can change. Figures are those of `World.probe`, such as `flows.f.delivered_B`, and
    at the end of the scenario those of its document, too, such as `metrics.delay_p95_s`; `*` is
    any text. The world itself stays where it is.

        world = backwater.World("merge.toml")
        world.advance("2 s")
        for one in backwater.what_if(world, {"flows.f1.source.rate": "2 Mbit/s"}, "5 s"):
            print(one.figure, one.difference, one.low, one.high)
    """
    changes = arguments.table(set, "set", "give paths and values")
    if not changes:
        raise Refusal("nothing is changed", place="set", fix="give at least one path and value")
    count = arguments.whole(reseeds, "reseeds", 1, 100_000)
    befores: list[dict[str, float]] = []
    afters: list[dict[str, float]] = []
    for key in range(count):
        for found, fork in (
            (befores, world.fork(reseed=key)),
            (afters, world.fork(reseed=key, set=changes)),
        ):
            fork.advance(until)
            found.append(_figures(fork))
    names = _chosen(figures, {name: None for row in (*befores, *afters) for name in row})
    return [_difference(name, befores, afters) for name in names]


def _figures(world: World) -> dict[str, float]:
    probe = world.probe()
    found = {f"drops_pkts.{cause}": float(n) for cause, n in probe["drops_pkts"].items()}
    for kind in ("flows", "ports"):
        for name, row in probe[kind].items():
            found |= {f"{kind}.{name}.{key}": float(value) for key, value in row.items()}
    if world.now_ps == world.end_ps:
        document = world.document
        found |= _numbers("metrics", document["metrics"])
        for flow in document["flows"]:
            found |= _numbers(f"flows.{flow['id']}", flow)
    return found


def _numbers(of: str, row: Mapping[str, Any]) -> dict[str, float]:
    plain = {k: v for k, v in row.items() if isinstance(v, (int, float))}
    return {f"{of}.{key}": float(value) for key, value in plain.items()}


def _chosen(patterns: Sequence[str], known: Mapping[str, None]) -> list[str]:
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise Refusal(
                f"there is no figure `{pattern}` at that instant",
                place="figures",
                nearest=nearest(pattern, known),
                fix="name one of `World.probe`, or end at the scenario's end",
            )
    return [name for name in known if any(fnmatchcase(name, one) for one in patterns)]


def _difference(
    name: str, befores: Sequence[Mapping[str, float]], afters: Sequence[Mapping[str, float]]
) -> Difference:
    # A cause of loss that a run never saw is not in its probe.
    before, after = ([row.get(name, 0.0) for row in side] for side in (befores, afters))
    found = interval([b - a for a, b in zip(before, after, strict=True)])
    assert found is not None, "there is a pair"
    return Difference(
        figure=name,
        before=statistics.fmean(before),
        after=statistics.fmean(after),
        difference=found.mean,
        low=found.low,
        high=found.high,
        noise=_noise(before, after),
    )


def _noise(before: Sequence[float], after: Sequence[float]) -> float | None:
    if len(before) < 2:
        return None
    both = statistics.variance(before) + statistics.variance(after)
    paired = [b - a for a, b in zip(before, after, strict=True)]
    return statistics.variance(paired) / both if both > 0 else None


def sensitivity(
    what: str | Path | Mapping[str, Any] | Scenario,
    vary: Mapping[str, str | int | float],
    figures: Sequence[str],
    *,
    step: float = 0.05,
    seeds: int = 20,
    set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
    workers: int | None = None,
) -> list[Derivative]:
    """How much figures of a run move with quantities: central differences with the same seeds.

    `vary` gives each path its middle value with a unit; runs have it `step` smaller and larger. A
    count of packets, bytes or the like is rounded, and the derivative is over what was run. It is
    per SI unit (bit/s, s, bytes, packets).

        backwater.sensitivity(
            "merge.toml", {"links.d.rate": "10 Mbit/s"}, ["metrics.goodput_bps"], seeds=5
        )
    """
    if not isinstance(step, (int, float)) or not 0 < step < 1:
        raise Refusal(f"{step} is no step", place="step", fix="give a share, such as 0.05")
    count = arguments.whole(seeds, "seeds", 1, 100_000)
    threads = arguments.whole_or_none(workers, "workers", 1, 4096) or available_cores()
    overrides = arguments.table(set, "set", "give paths and values")
    read, _ = scenario.read(what)
    with refusing():
        for path, value in overrides.items():
            read.set(path, scenario.written(value), f"set {path}")
    names = list(figures)
    found = []
    for path, middle in arguments.table(vary, "vary", "give paths and values").items():
        low, high = (_moved(path, middle, 1 - step), _moved(path, middle, 1 + step))
        runs = [_run(read, path, one.text, names, count, threads) for one in (low, high)]
        across = high.value - low.value
        if across <= 0:
            raise Refusal(
                f"`{middle}` has no smaller and larger value at a step of {step}",
                place=path,
                fix="give a larger step",
            )
        for at, name in enumerate(names):
            sides = [[float(row[at]) for row in rows] for rows in runs]
            found.append(_derivative(path, name, sides, across, (high.value + low.value) / 2))
    return found


@dataclass(frozen=True)
class _Moved:
    text: str | int | float
    value: float


def _moved(path: str, middle: str | float, times: float) -> _Moved:
    number, _, unit = str(middle).strip().partition(" ")
    read = quantity.parse(str(middle))
    if unit == "packets":
        read = quantity.parse(number)
    if read is None or isinstance(middle, bool) or read.value <= 0:
        raise Refusal(
            f"`{middle}` is no quantity above zero", place=path, fix='write "10 Mbit/s" or a number'
        )
    whole = "." not in number and "e" not in number.lower()
    if unit in ("packets", "B") or (whole and not unit):
        moved: float = round(float(number) * times)
    else:
        moved = float(f"{float(number) * times:.12g}")
    per = read.value / float(number)
    text = f"{moved:.12g} {unit}" if unit else moved
    return _Moved(text, moved * per)


def _run(
    read: _native.Scenario,
    path: str,
    value: str | float,
    figures: Sequence[str],
    seeds: int,
    workers: int,
) -> list[list[float]]:
    copy = read.copy()
    with refusing():
        copy.set(path, scenario.written(value), f"vary {path}")
        base = copy.resolve_once(None)
        patches: list[list[tuple[Any, ...]]] = [[("seed", seed)] for seed in range(1, seeds + 1)]
        begun = _native.Trials(workers).begin([base] * seeds, patches, list(figures))
        values, _, _, _, failed = begun.found()
    if failed:
        raise Unfinished(
            f"a run with {value} failed: {failed[0][1]}", place=path, fix="give another value"
        )
    return values


def _derivative(
    path: str, name: str, sides: Sequence[Sequence[float]], across: float, middle: float
) -> Derivative:
    less, more = sides
    if any(value != value for value in (*less, *more)):
        raise Refusal(
            f"`{name}` has no value in some runs", place="figures", fix="name another figure"
        )
    found = interval([(b - a) / across for a, b in zip(less, more, strict=True)])
    assert found is not None, "there is a seed"
    mean = statistics.fmean((*less, *more))
    return Derivative(
        path=path,
        figure=name,
        value=found.mean,
        low=found.low,
        high=found.high,
        elasticity=found.mean * middle / mean if mean else None,
        noise=_noise(less, more),
    )
