"""Why a flow starved: forks without each cause, and the smallest set that restores it.

A flow has starved from the window on in which its goodput falls below half of its fair share and
stays there longest. Candidates are what happened up to then: losses, marks, estimates, rivals,
steps of delay, and options that a person names. All are removed first and the set is
made smaller (delta debugging): of two causes that each suffice, neither shows if one is removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater.errors import Refusal, nearest, refusing
from backwater.model import arguments, quantity, scenario
from backwater.model.machine import available_cores
from backwater.model.world import World, instant
from backwater.search import causes
from backwater.search.causes import Cause
from backwater.verdict.interval import interval

if TYPE_CHECKING:
    from backwater.model.builders import Scenario

# The share of what was lost that a set of causes must restore.
ENOUGH = 0.8
# Windows of a run in which shares are looked at.
_WINDOWS = 60
# Up to so many causes, each is tried alone, whatever the set of all does.
_SINGLES = 40


@dataclass(frozen=True)
class Effect:
    """The effect of removing one cause: 1 is the whole of what the flow lost, 0 nothing."""

    cause: Cause
    restored: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Blame:
    """The answer.

    `effects` has what each cause alone restores, the largest first; where there are very many
    causes, only those of the smallest set.
    """

    flow: str
    fair_bps: float
    goodput_bps: float
    diverged_s: float
    until_s: float
    candidates: int
    restored_by_all: float
    restored: float
    smallest: tuple[Cause, ...]
    effects: tuple[Effect, ...]
    deterministic: bool
    runs: int
    # Packets that no fork could spare: radios and shared memories lost them.
    unspared: int

    @property
    def explained(self) -> bool:
        """Whether the causes restore enough."""
        return self.restored_by_all >= ENOUGH

    def summary(self) -> list[str]:
        """In sentences."""
        lines = [
            f"Flow {self.flow} has {self.goodput_bps / 1e6:.4g} Mbit/s from "
            f"{self.diverged_s:.4g} s to {self.until_s:.4g} s, where "
            f"{self.fair_bps / 1e6:.4g} Mbit/s would be fair."
        ]
        if self.explained:
            causes = "; ".join(cause.says for cause in self.smallest)
            lines.append(
                f"Without this it has {100 * self.restored:.0f} % of what it lacks: {causes}."
            )
        else:
            lines.append(
                f"Without all {self.candidates} causes that were found it has "
                f"{100 * self.restored_by_all:.0f} % of what it lacks, so they do not explain it."
            )
        if self.unspared:
            lines.append(f"{self.unspared} packets could not be spared: radios lost them.")
        return lines


class _Case:
    """A scenario and its forks."""

    def __init__(
        self, what: Any, fields: Mapping[str, Any], seed: int | None, flow: str, workers: int
    ) -> None:
        self.what, self.fields, self.seed = what, fields, seed
        self.flow, self.workers = flow, workers
        self.runs = self.unspared = 0
        # Whether all forks of the latest set were one run.
        self.equal = False

    def world(self, fields: Mapping[str, Any], watch: bool = False, **facts: Any) -> World:
        """At its beginning, with some facts otherwise."""
        world = World(self.what, seed=self.seed, set={**self.fields, **fields})
        return world.fork(watch=watch, **facts)

    def goodput(
        self, removed: Sequence[Cause], since: int, until: int, reseeds: int
    ) -> list[float]:
        """Of the flow between two instants without some causes: a value for each reseed."""
        fields = {path: value for one in removed for path, value in one.set.items()}
        world = self.world(
            fields,
            spare=[packet for one in removed for packet in one.spare],
            unmark=[packet for one in removed for packet in one.unmark],
            round_trips=[sample for one in removed for sample in one.round_trips],
        )
        world.advance(since)
        before = delivered(world)[self.flow]

        def run(key: int) -> tuple[float, str]:
            fork = world.fork(reseed=key)
            fork.advance(until)
            self.unspared = max(self.unspared, len(fork.unspared()))
            rate = (delivered(fork)[self.flow] - before) * 8e12 / (until - since)
            return rate, fork.fingerprint

        self.runs += reseeds
        with ThreadPoolExecutor(self.workers) as pool:
            rates, fingerprints = zip(*pool.map(run, range(reseeds)), strict=True)
        self.equal = len({*fingerprints}) == 1
        return list(rates)


def delivered(world: World) -> dict[str, float]:
    """Bytes of each flow that have come: in order, where its transport orders them."""
    flows = world.probe()["flows"]
    return {name: row.get("in_order_B", row["delivered_B"]) for name, row in flows.items()}


def blame(
    what: str | Path | Mapping[str, Any] | Scenario,
    flow: str,
    *,
    fair: int | float | str | None = None,
    until: int | str | None = None,
    options: Mapping[str, Any] | None = None,
    reseeds: int = 5,
    seed: int | None = None,
    set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
    workers: int | None = None,
) -> Blame:
    """Why a flow got less than half of its fair share: what restores it, smallest set first.

    `fair` is what the flow should have, in bit/s or such as "5 Mbit/s"; by default the mean of all
    flows. `options` are fields with the values that they would have without the cause. Forks begin
    where the flow fell behind, each with random streams of its own, `reseeds` of them, or one where
    chance has no part in the run.

        found = backwater.blame("starved.toml", "a")
        for one in found.smallest:
            print(one.cause.says, one.restored)
    """
    count = arguments.whole(reseeds, "reseeds", 1, 10_000)
    threads = arguments.whole_or_none(workers, "workers", 1, 4096) or available_cores()
    fields = arguments.table(set, "set", "give paths and values")
    read, _ = scenario.read(what)
    with refusing():
        for path, value in fields.items():
            read.set(path, scenario.written(value), f"set {path}")
        canonical = json.loads(read.resolve(seed).canonical)
    case = _Case(what, fields, seed, flow, threads)
    told = _story(case, until)
    fair_bps = _fair(fair, told)
    since, low_bps = _divergence(told, flow, fair_bps)
    facts = told.world.facts()
    candidates = [
        *causes.of_facts(facts, since),
        *causes.of_options(arguments.table(options, "options", "give paths and values")),
        *causes.of_scenario(canonical, flow),
    ]
    return _judge(case, candidates, since, told.until, (low_bps, fair_bps), count)


@dataclass(frozen=True)
class _Story:
    """The run as it was: instants, and the bytes of each flow at each."""

    world: World
    until: int
    instants: list[int]
    bytes: list[dict[str, float]]


def _story(case: _Case, until: int | str | None) -> _Story:
    world = case.world({}, watch=True)
    end = world.end_ps if until is None else instant(until)
    if case.flow not in (rows := delivered(world)):
        raise Refusal(
            f"there is no flow `{case.flow}`",
            place="flow",
            nearest=nearest(case.flow, rows),
            fix="name a flow of the scenario",
        )
    if not 0 < end <= world.end_ps:
        raise Refusal("this lies outside the run", place="until", fix="give an instant of the run")
    instants = [end * k // _WINDOWS for k in range(1, _WINDOWS + 1)]
    seen = []
    for at in instants:
        world.advance(at)
        seen.append(delivered(world))
    case.runs += 1
    return _Story(world, end, instants, seen)


def _fair(fair: int | float | str | None, told: _Story) -> float:
    if fair is None:
        whole = told.bytes[-1]
        return sum(whole.values()) / len(whole) * 8e12 / told.until
    read = quantity.parse(str(fair))
    if read is None or read.value <= 0:
        raise Refusal(f"`{fair}` is no rate", place="fair", fix='write "5 Mbit/s"')
    return read.value


def _divergence(told: _Story, flow: str, fair: float) -> tuple[int, float]:
    """When a flow fell behind, and its goodput from then on.

    That is the end of the first window of the longest stretch below half of the share.
    """
    row = [0.0, *(seen[flow] for seen in told.bytes)]
    at = [0, *told.instants]
    low = [
        (b - a) * 8e12 / (u - t) < fair / 2
        for a, b, t, u in zip(row, row[1:], at, at[1:], strict=False)
    ]
    best, length, run = 0, 0, 0
    for number, one in enumerate(low):
        run = run + 1 if one else 0
        if run > length:
            best, length = number - run + 1, run
    since = at[min(best + 1, len(low) - 1)]
    rate = (row[-1] - row[at.index(since)]) * 8e12 / (told.until - since)
    if not length or rate >= fair / 2:
        raise Refusal(
            f"flow `{flow}` does not fall below half of its fair share of {fair:.4g} bit/s",
            place="flow",
            fix="name another flow, or give `fair`",
        )
    return since, rate


def _judge(
    case: _Case,
    candidates: Sequence[Cause],
    since: int,
    until: int,
    bounds: tuple[float, float],
    reseeds: int,
) -> Blame:
    low, fair = bounds
    base = case.goodput([], since, until, 2)
    deterministic = case.equal
    if deterministic:
        # A run that stands still has no chance left; without its causes it may have.
        case.goodput(candidates, since, until, 2)
        deterministic = case.equal
    count = 1 if deterministic else reseeds
    base = base[:1] if deterministic else case.goodput([], since, until, count)
    tried: dict[tuple[int, ...], list[float]] = {}

    def restored(numbers: Sequence[int]) -> list[float]:
        key = tuple(sorted(numbers))
        if key not in tried:
            got = case.goodput([candidates[n] for n in key], since, until, count)
            tried[key] = [
                (g - b) / (fair - b) if fair > b else 0.0 for g, b in zip(got, base, strict=True)
            ]
        return tried[key]

    def mean(numbers: Sequence[int]) -> float:
        values = restored(numbers)
        return sum(values) / len(values)

    everything = list(range(len(candidates)))
    by_all = mean(everything) if everything else 0.0
    smallest: list[int] = []
    if by_all >= ENOUGH:
        smallest = _smallest(everything, lambda numbers: mean(numbers) >= ENOUGH)
    effects = []
    for number in everything if len(everything) <= _SINGLES else smallest:
        found = interval(restored([number]), exact=deterministic)
        assert found is not None, "there is a reseed"
        effects.append(Effect(candidates[number], found.mean, found.low, found.high))
    effects.sort(key=lambda effect: (-effect.restored, effect.cause.at_s))
    return Blame(
        flow=case.flow,
        fair_bps=fair,
        goodput_bps=low,
        diverged_s=since / 1e12,
        until_s=until / 1e12,
        candidates=len(candidates),
        restored_by_all=by_all,
        restored=mean(smallest) if smallest else 0.0,
        smallest=tuple(candidates[number] for number in smallest),
        effects=tuple(effects),
        deterministic=deterministic,
        runs=case.runs,
        unspared=case.unspared,
    )


def _smallest(numbers: list[int], enough: Any) -> list[int]:
    """A set of which no single member can be left out (Zeller and Hildebrandt's ddmin)."""
    parts = 2
    while len(numbers) > 1:
        size = -(-len(numbers) // parts)
        chunks = [numbers[at : at + size] for at in range(0, len(numbers), size)]
        for chunk in chunks:
            if len(chunks) > 1 and enough(chunk):
                numbers, parts = chunk, 2
                break
        else:
            for chunk in chunks:
                rest = [n for n in numbers if n not in chunk]
                if rest and enough(rest):
                    numbers, parts = rest, max(parts - 1, 2)
                    break
            else:
                if parts >= len(numbers):
                    break
                parts = min(2 * parts, len(numbers))
    return numbers
