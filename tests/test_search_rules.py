"""Rules of blame, shrinking, scoring again, splitting and constraints, by arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from backwater.errors import Refusal
from backwater.model import scenario
from backwater.model.world import Fact
from backwater.search import blaming, causes, methods, objectives, scenes, shrink, splitting
from backwater.search.archive import Archive
from backwater.search.blaming import Blame
from backwater.search.causes import Cause
from backwater.search.draws import Draws
from backwater.search.rare_event import RareEvent
from backwater.search.settings import applied
from backwater.search.spaces import Bounds, Genome, Jitter, Link, Space, Steps, Traffic
from backwater.search.trials import Begun, Judged, Trials

SECOND = 10**12


def story(rates_mbps: Sequence[float], flow: str = "f") -> Any:
    """A run in windows of a second, with these rates of a flow."""
    sums, bytes_ = 0.0, []
    for rate in rates_mbps:
        sums += rate * 125_000
        bytes_.append({flow: sums})
    instants = [SECOND * (n + 1) for n in range(len(rates_mbps))]
    return blaming._Story(cast(Any, None), instants[-1], instants, bytes_)


@pytest.mark.parametrize(
    ("rates", "since_s", "rate"),
    [
        # The longest stretch below 5, not the first: its first window ends at 6 s.
        ([10, 10, 2, 10, 10, 2, 2, 2, 2, 2], 6, 2),
        # Of two stretches of equal length the first; what comes after it counts, too.
        ([10, 2, 2, 10, 2, 2], 2, (2 + 10 + 2 + 2) / 4),
        # Half of the share is enough, and so is 6: only the last three are below.
        ([10, 5, 5, 6, 6, 4, 4, 4], 6, 4),
    ],
)
def test_a_flow_fell_behind_where_its_longest_stretch_below_half_begins(
    rates: list[float], since_s: int, rate: float
) -> None:
    since, found = blaming._divergence(story(rates), "f", 10e6)
    assert since == since_s * SECOND
    assert found == pytest.approx(rate * 1e6)


def test_a_flow_that_has_half_of_its_share_from_then_on_is_refused() -> None:
    with pytest.raises(Refusal, match="does not fall below half"):
        blaming._divergence(story([10, 4, 10, 10]), "f", 10e6)
    with pytest.raises(Refusal, match="does not fall below half"):
        blaming._divergence(story([5, 5, 5]), "f", 10e6)


@pytest.mark.parametrize("needed", [{1, 6}, {0, 3, 5}, {2}, set(range(8)), {0, 7}])
def test_the_smallest_set_has_what_is_needed_and_nothing_else(needed: set[int]) -> None:
    found = blaming._smallest(list(range(8)), lambda numbers: needed <= set(numbers))
    assert sorted(found) == sorted(needed)


def test_nothing_can_be_left_out_of_the_smallest_set() -> None:
    def enough(numbers: Sequence[int]) -> bool:
        return sum(numbers) >= 20 or {1, 2} <= set(numbers)

    found = blaming._smallest(list(range(1, 9)), enough)
    assert enough(found)
    assert not any(enough([n for n in found if n != one]) for one in found)


def test_of_two_sets_that_suffice_the_earlier_one_is_found() -> None:
    early, late = {1, 2}, {5, 6, 7}
    found = blaming._smallest(
        list(range(8)), lambda numbers: early <= set(numbers) or late <= set(numbers)
    )
    assert found == [1, 2]


class Case:
    """Forks whose goodput is a function of what was removed: a value for each reseed."""

    flow, runs, unspared = "f", 0, 0

    def __init__(
        self, of: Callable[[set[str], int], float], chance: Callable[[set[str]], bool]
    ) -> None:
        self.of, self.chance, self.equal = of, chance, True

    def goodput(self, removed: Sequence[Cause], _: int, __: int, reseeds: int) -> list[float]:
        names = {one.says for one in removed}
        self.equal = not self.chance(names)
        return [self.of(names, key) for key in range(reseeds)]


def blamed(
    named: Sequence[Cause],
    of: Callable[[set[str], int], float],
    bounds: tuple[float, float] = (2, 102),
    chance: Callable[[set[str]], bool] = lambda _: False,
    reseeds: int = 5,
) -> Blame:
    return blaming._judge(cast(Any, Case(of, chance)), named, 0, SECOND, bounds, reseeds)


def adding(**worth: float) -> Callable[[set[str], int], float]:
    """Each cause that is removed gives so much, up to 100 beside the 2 that are there."""
    return lambda names, _: 2 + min(100, sum(worth[name] for name in names))


FOUR = [Cause("a", 3.0), Cause("b", 2.0), Cause("c", 1.0), Cause("d", 1.0)]


def test_causes_are_ordered_by_what_they_restore_and_then_by_time() -> None:
    found = blamed(FOUR, adding(a=10, b=50, c=40, d=50))
    assert [one.cause.says for one in found.effects] == ["d", "b", "c", "a"]
    assert [one.restored for one in found.effects] == pytest.approx([0.5, 0.5, 0.4, 0.1])
    # a and b have 60 together, c and d 90.
    assert [one.says for one in found.smallest] == ["c", "d"]
    assert found.restored == pytest.approx(0.9)
    assert found.restored_by_all == pytest.approx(1)
    assert found.explained


@pytest.mark.parametrize(("all_of_them", "explained"), [(79, False), (80, True)])
def test_four_fifths_explain_a_flow_that_starved(all_of_them: float, explained: bool) -> None:
    found = blamed(FOUR, adding(a=0, b=all_of_them - 30, c=30, d=0))
    assert found.explained is explained
    assert [one.says for one in found.smallest] == (["b", "c"] if explained else [])


@pytest.mark.parametrize(("count", "alone"), [(40, 40), (41, 1)])
def test_of_very_many_causes_only_the_smallest_set_is_tried_alone(count: int, alone: int) -> None:
    many = [Cause(str(n), float(n)) for n in range(count)]
    found = blamed(many, lambda names, _: 102.0 if "7" in names else 2.0)
    assert [one.says for one in found.smallest] == ["7"]
    assert len(found.effects) == alone


def test_forks_with_equal_streams_are_compared() -> None:
    """Reseeds with 0 and 50 come to 50 and 75 of 100: half of what each lacks."""
    found = blamed(
        [Cause("a", 0.0)],
        lambda names, key: [50, 75][key % 2] if names else [0, 50][key % 2],
        bounds=(25, 100),
        chance=lambda _: True,
        reseeds=4,
    )
    assert not found.deterministic
    assert (found.effects[0].restored, found.effects[0].low, found.effects[0].high) == (0.5,) * 3


def test_chance_that_comes_back_without_the_causes_is_seen() -> None:
    found = blamed([Cause("a", 0.0)], lambda names, _: 102.0 if names else 2.0, chance=bool)
    assert not found.deterministic
    assert blamed([Cause("a", 0.0)], adding(a=100)).deterministic


def fact(what: str, at_ms: int, number: int, trip_ms: int = 0, flow: str = "f") -> Fact:
    return Fact(what, at_ms * 10**9, flow, number, "buffer-full", "A>B", trip_ms * 10**9)


def test_losses_within_a_tenth_of_a_second_are_one_cause_and_later_ones_are_none() -> None:
    times = [0, 100, 200, 301, 900]
    facts = [fact("lost", at, number) for number, at in enumerate(times)]
    found = causes.of_facts(facts, 500 * 10**9)
    assert [one.spare for one in found] == [(("f", 0), ("f", 1), ("f", 2)), (("f", 3),)]
    assert [one.at_s for one in found] == pytest.approx([0, 0.301])
    assert "3 packets of f" in found[0].says


def test_an_estimate_is_too_low_where_no_later_round_trip_comes_near() -> None:
    trips = [(0, 58), (10, 61), (20, 59), (600, 60), (700, 64)]
    facts = [fact("round-trip", at, n, trip, "f~ack") for n, (at, trip) in enumerate(trips)]
    (found,) = causes.of_facts(facts, 500 * 10**9)
    # They tell the least one of later, and the one that was no lower is left alone.
    assert found.round_trips == (("f~ack", 0, 60 * 10**9), ("f~ack", 2, 60 * 10**9))
    assert "58 ms" in found.says
    assert causes.of_facts(facts[:3], 500 * 10**9) == []


class Row(Space):
    """One whole number from 0 to 99. Smaller is simpler: one less, and five less."""

    name = "row"

    def scene(self) -> dict[str, Any]:
        return scenes.one()

    def bounds(self) -> list[Bounds]:
        return [Bounds(0, 99, 0)]

    def order(self, genome: Genome) -> tuple[float, ...]:
        return (genome[0],)

    def simpler(self, genome: Genome) -> Iterator[Genome]:
        yield from ((genome[0] - by,) for by in (-1, 0, 5, 1) if genome[0] >= by)


class Told(Trials):
    """Scores of genomes as a table has them, for each seed."""

    def __init__(self, scores: Callable[[Genome, int], float | None]) -> None:
        space = Row()
        goal = objectives.objective("waste", "f")
        read = scenario.read(space.scene())[0]
        super().__init__(read, space, goal, [{"kind": "cubic"}], ("f",), 1)
        self.scores = scores
        self.judged: list[tuple[Genome, tuple[int, ...]]] = []

    def begin(self, genomes: Sequence[Genome], seeds: Sequence[int]) -> Begun:
        self.runs += len(genomes) * len(seeds)
        found = []
        for genome in genomes:
            self.judged.append((genome, tuple(seeds)))
            scores = tuple(self.scores(genome, seed) for seed in seeds)
            prints = tuple(f"{genome[0]}/{seed}" for seed in seeds)
            found.append(Judged(genome, scores[0], scores, {}, prints))
        return Begun(len(genomes) * len(seeds), None, lambda: found)


def table(scores: Mapping[int, float], otherwise: float = 1.0) -> Callable[[Genome, int], float]:
    return lambda genome, _: scores.get(genome[0], otherwise)


def shrunk(trials: Told, seeds: Sequence[int] = (1,)) -> int:
    return shrink.shrink(trials, Judged((50,), 1.0, (1.0,), {}, ("",)), seeds)[0].genome[0]


def test_shrinking_goes_on_until_nothing_simpler_is_nearly_as_bad() -> None:
    # Steps of 5 down to 10, then of 1 down to 8, which scores 0.9; 7 and 3 score less.
    assert shrunk(Told(table({5: 0.8, 8: 0.9, 7: 0.89, 3: 0.89, 4: 0.89}))) == 8
    assert shrunk(Told(table({45: 0.89, 49: 0.89}))) == 50


def test_shrinking_holds_under_every_seed_of_the_search() -> None:
    bad = Told(lambda genome, seed: 0.5 if genome[0] < 45 and seed == 2 else 1.0)
    assert shrunk(bad, (1, 2, 3)) == 45
    nothing = Told(lambda genome, seed: None if genome[0] < 45 and seed == 3 else 1.0)
    assert shrunk(nothing, (1, 2, 3)) == 45


def test_shrinking_tries_a_genome_once_and_stops_at_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trials = Told(table({}))
    assert shrunk(trials) == 0
    tried = [genome for genome, _ in trials.judged]
    # 51 and 50 are no simpler than 50.
    assert max(genome[0] for genome in tried) < 50
    # 45 refuses 40, which comes again one below 41.
    refused = Told(table(dict.fromkeys(range(36, 41), 0.0)))
    assert shrunk(refused) == 41
    assert len({*refused.judged}) == len(refused.judged)
    monkeypatch.setattr(shrink, "MOST_RUNS", 4)
    assert shrunk(Told(table({}))) == 40


def rescored(
    tmp_path: Path, found: Mapping[str, Sequence[tuple[int, float]]], trials: Told
) -> tuple[Judged | None, str | None, dict[str, Any] | None, int]:
    """Members by method, as a search knows them, scored again."""
    known = {
        method: [Judged((n,), score, (score,), {}, ("",)) for n, score in members]
        for method, members in found.items()
    }
    return methods._rescored(known, trials, Archive(tmp_path, {}))


def test_the_best_three_of_each_method_are_scored_again_and_the_mean_decides(
    tmp_path: Path,
) -> None:
    trials = Told(table({1: 0.75, 2: 0.7, 3: 0.76, 5: 0.99, 7: 0.78, 8: 0.5}))
    members = {"ga": [(1, 0.9), (2, 0.85), (3, 0.8), (5, 0.7)], "random": [(7, 0.8), (8, 0.79)]}
    best, method, row, dropped = rescored(tmp_path, members, trials)
    # The fourth of a method is not tried, so its 0.99 is not seen. 0.5 is below 0.8 of 0.79.
    assert [genome[0] for genome, _ in trials.judged] == [1, 2, 3, 7, 8]
    assert best is not None
    assert row is not None
    assert (best.genome, method, row["mean"], dropped) == ((7,), "random", 0.78, 1)
    seeds = {seed for _, used in trials.judged for seed in used}
    assert len(seeds) == 16
    assert not seeds & set(methods.SEEDS)


def test_what_holds_nowhere_is_dropped(tmp_path: Path) -> None:
    members = {"ga": [(1, 0.9)], "random": [(2, 0.0)]}
    assert rescored(tmp_path, members, Told(table({1: 0.71, 2: 0.0}))) == (None, None, None, 2)


def test_the_least_that_is_likely_is_the_mean_less_two_errors_of_sixteen() -> None:
    """Eight scores of 1 and eight of 0.8: the deviation is 0.1 sqrt(16 / 15), its error a 4th."""
    again = Judged((1,), None, (1.0, 0.8) * 8, {}, tuple(map(str, range(16))))
    found = methods.interval(again, 1.0)
    assert found["mean"] == pytest.approx(0.9)
    assert found["least"] == pytest.approx(0.9 - 2 * 0.1 * math.sqrt(16 / 15) / 4)
    assert not found["deterministic"]
    lost = Judged((1,), None, (1.0,) * 15 + (None,), {}, tuple(map(str, range(16))))
    assert methods.interval(lost, 1.0)["holds"] is False


@pytest.mark.parametrize(("fresh", "kept"), [(1.0, 40), (0.5, 50)])
def test_what_was_simplified_is_scored_again_or_left(
    tmp_path: Path, fresh: float, kept: int
) -> None:
    trials = Told(
        lambda genome, seed: 0.0 if genome[0] < 40 else fresh if genome[0] < 50 < seed else 1.0
    )
    best = Judged((50,), 1.0, (1.0,), {}, ("",))
    simple, again = methods._shrunk(best, trials, Archive(tmp_path, {}), (1,))
    assert simple.genome == (kept,)
    assert again["mean"] == 1.0


def estimated(
    found: Sequence[tuple[list[int], list[int], int]], levels: Sequence[int] = (3,)
) -> RareEvent:
    """Replicates of 100 runs a stage: hits, events of each stage, and events before."""
    return splitting._estimate(levels, [(*one, None) for one in found], 100, {})


def test_an_estimate_is_the_mean_of_products_with_a_log_normal_interval() -> None:
    """Shares 0.2 · 0.1 and 0.3 · 0.2 are 0.02 and 0.06."""
    found = estimated([([20, 10], [100, 50], 5), ([30, 20], [120, 60], 5)])
    assert found.replicates == pytest.approx((0.02, 0.06))
    assert found.chance == pytest.approx(0.04)
    assert [one.share for one in found.levels] == pytest.approx([0.25, 0.15])
    spread = 0.02 * math.sqrt(2) / 0.04
    stages = math.sqrt(0.75 / (0.25 * 100) + 0.85 / (0.15 * 100))
    assert found.relative_error == pytest.approx(spread / math.sqrt(2))
    assert found.scatter == pytest.approx(spread / stages)
    # The 0.975 quantile of Student's t with one degree of freedom is 12.706.
    wide = 12.7062 * math.sqrt(math.log(1 + found.relative_error**2))
    assert found.low == pytest.approx(0.04 * math.exp(-wide), rel=1e-3)
    assert found.high == min(1.0, found.high)
    assert found.events == 340
    # A plain run serves 220 / 200 events in the first stage, and a quarter of them 110 / 200 more.
    each = 1.1 + 0.25 * 0.55
    assert found.plain_events == pytest.approx(each * 0.96 / (0.04 * found.relative_error**2))


def test_replicates_that_agree_by_chance_have_the_error_of_their_stages() -> None:
    found = estimated([([20, 10], [1, 1], 0)] * 4)
    stages = math.sqrt(0.8 / 20 + 0.9 / 10)
    assert found.relative_error == pytest.approx(stages / 2)
    # The 0.975 quantile with three degrees of freedom is 3.1824.
    wide = 3.1824 * math.sqrt(math.log(1 + found.relative_error**2))
    assert found.high == pytest.approx(0.02 * math.exp(wide), rel=1e-3)


def test_a_replicate_that_ended_early_counts_as_none() -> None:
    found = estimated([([0], [9], 0), ([20, 10], [9, 9], 0), ([20, 10], [9, 9], 0)])
    assert found.replicates == pytest.approx((0, 0.02, 0.02))
    assert found.chance == pytest.approx(0.04 / 3)
    assert [(one.runs, one.hits) for one in found.levels] == [(300, 40), (200, 20)]
    assert "1 of 3 replicates did not see the event" in found.warnings[-1]


def test_what_no_replicate_saw_lies_below_the_rule_of_three() -> None:
    found = estimated([([20, 0], [1, 1], 0), ([10, 0], [1, 1], 0)])
    assert (found.chance, found.low) == (0, 0)
    assert found.high == pytest.approx(0.15 * 3 / 200)
    # Each stage was left by one replicate, and all by none.
    apart = estimated([([20, 0], [1, 1], 0), ([0], [1], 0), ([20, 5, 0], [1, 1, 1], 0)], (3, 6))
    assert apart.high == pytest.approx(40 / 300 * 5 / 200 * 3 / 100)


SPACES: list[Space] = [Link(30), Traffic(300), Steps(), Jitter(50)]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_what_is_simpler_or_left_out_or_decoded_keeps_the_constraints(space: Space) -> None:
    genome = space.draw(Draws(5, "rules"))
    draws = Draws(5, "point")
    found = [space.decoded([draws.unit() for _ in range(space.knobs())])]
    found += [made for _, made in space.parts(genome)]
    found += [made for made, _ in zip(space.simpler(genome), range(40), strict=False)]
    assert len(found) > 5
    for made in found:
        assert len(made) == len(space.bounds())
        for gene, value in zip(space.bounds(), made, strict=True):
            assert gene.low <= value <= gene.high
        if isinstance(space, Link):
            sums, ends = np.cumsum(made), np.arange(1, 5001)
            assert sums[-1] == 5000
            assert (sums <= ends).all()
            assert (sums >= ends - 30).all()
        if isinstance(space, Traffic):
            assert sum(made) <= 300


def test_children_of_much_traffic_have_no_more_than_their_parents() -> None:
    space, draws = Traffic(300), Draws(1, "cross")
    first, last = (3,) * 100 + (0,) * 400, (0,) * 400 + (3,) * 100
    sums = [sum(space.cross(first, last, draws)) for _ in range(50)]
    assert max(sums) == 300


def test_jitter_stays_within_what_its_constraints_say() -> None:
    space = Jitter(50)
    most = (10,) * len(space.bounds())
    made = applied(space.scene(), space.settings(most))
    for link in ("a", "a-back"):
        assert max(made["links"][link]["boxes"][0]["delay_us"]) == 50_000
    assert made["links"]["a-back"]["boxes"][1]["period"] == "60000 us"
    assert "at most 50 ms each way" in space.constraints()[0]
