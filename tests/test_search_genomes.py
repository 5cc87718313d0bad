"""Genomes of many numbers, draws, and what a search keeps between generations."""

from __future__ import annotations

import hashlib
import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from backwater import _native
from backwater._native import Counts, Instants
from backwater.model import scenario
from backwater.search import objectives
from backwater.search.draws import Draws
from backwater.search.known import Known
from backwater.search.spaces import Steps, Traffic
from backwater.search.trials import Judged, Trials


@pytest.mark.parametrize("key", [(1, "ga", 3, 5), (0,), (2**70, "eps", "ü"), (7, "random", 0, 0)])
def test_draws_are_those_of_a_generator_of_python(key: tuple[object, ...]) -> None:
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    theirs, ours = random.Random(int.from_bytes(digest, "big")), Draws(*key)
    assert [ours.unit() for _ in range(2000)] == [theirs.random() for _ in range(2000)]
    assert [ours.below(n) for n in range(1, 500)] == [
        int(theirs.random() * n) for n in range(1, 500)
    ]
    assert ours.between(-3, 9) == -3 + int(theirs.random() * 13)
    assert ours.choice("abcdefgh") == "abcdefgh"[int(theirs.random() * 8)]


def some_counts(number: int) -> tuple[int, ...]:
    chance = random.Random(number)
    return tuple(chance.randrange(9) for _ in range(40))


def test_a_genome_of_counts_is_a_list_of_numbers() -> None:
    lists = [some_counts(n) for n in (*range(30), *range(10))]
    genomes = [Counts(one) for one in lists]
    assert [tuple(one) for one in sorted(genomes)] == sorted(lists)
    assert len({*genomes}) == len({*lists}) == 30
    for one, numbers in zip(genomes, lists, strict=True):
        assert (len(one), one[3], one[-2:], one.sum(5, 7)) == (
            *(40, numbers[3], numbers[-2:]),
            sum(numbers[5:12]),
        )
        assert np.asarray(one).tolist() == list(numbers)
        assert Counts.unpacked(one.packed()) == one == pickle.loads(pickle.dumps(one))
        assert one.packed() == _native.pack(np.array(numbers, dtype=np.uint64))
    with pytest.raises(ValueError, match="beyond 2\\^32"):
        Counts.unpacked(_native.pack(np.array([1, 2**32], dtype=np.uint64)))
    for wrong in (lambda: genomes[0].sum(39, 2), lambda: genomes[0].with_part(1, genomes[1])):
        with pytest.raises(IndexError):
            wrong()


@pytest.mark.parametrize("number", range(8))
def test_a_moving_mean_is_that_of_running_sums_by_definition(number: int) -> None:
    numbers, low, length, half = some_counts(number), 3, 30, 1 + number
    sums = [sum(numbers[low : low + at]) for at in range(length + 1)]
    means = []
    for at in range(length + 1):
        near = min(half, at, length - at)
        means.append(math.floor(Fraction(sum(sums[at - near : at + near + 1]), 2 * near + 1)))
    made = tuple(Counts(numbers).smooth(low, length, half))
    assert [sum(made[low : low + at]) for at in range(length + 1)] == means
    assert made[:low] + made[low + length :] == numbers[:low] + numbers[low + length :]


def test_instants_are_those_of_arrays() -> None:
    counts = Counts(some_counts(1))
    at_ms = np.repeat(np.arange(1, 41), np.asarray(counts))
    assert counts.ends().array().tolist() == at_ms.tolist()
    slots = [10 * slot + k * 10 // n for slot, n in enumerate(counts) for k in range(n)]
    assert counts.evenly(10).array().tolist() == slots
    # 3 a ms for 50 ms, then 11: each time that 7 more have come together.
    sums = np.cumsum([3] * 50 + [11] * 20) // 7
    filled = Instants.filled([3, 11], [50, 20], 7)
    assert filled.array().tolist() == np.repeat(np.arange(1, 71), np.diff(sums, prepend=0)).tolist()
    assert pickle.loads(pickle.dumps(filled)).array().tolist() == filled.array().tolist()


def test_what_is_known_is_kept_as_it_would_be_found_anew() -> None:
    chance, known, size, islands = random.Random(5), Known(), 12, 4
    for _ in range(9):
        scores = [None if chance.random() < 0.2 else chance.randrange(6) / 5 for _ in range(size)]
        known.add(Judged((chance.randrange(99),), one, (one,), {}, ("0",)) for one in scores)
        every = list(known)
        rows = known.best(5, size, islands)
        for island, row in enumerate(rows):
            members = [one for at, one in enumerate(every) if at % size % islands == island]
            assert [one.rank for one in row] == sorted(one.rank for one in members)[:5]
        assert [one.rank for one in known.best(7)[0]] == sorted(one.rank for one in every)[:7]
        assert known.taken == {one.genome for one in every}
        for without in (0, 5, len(every) - 1):
            rest = [one.score for one in every[: len(every) - without] if one.score is not None]
            assert known.top(without) == max(rest, default=None)
        assert known.top(len(every)) is None
        kinds = known.kinds(lambda one: one.genome[0] % 3)
        scored = [one for one in every if one.score is not None]
        assert {kind: one.rank for kind, one in kinds.items()} == {
            kind: min(one.rank for one in scored if one.genome[0] % 3 == kind)
            for kind in {one.genome[0] % 3 for one in scored}
        }


def test_batches_that_run_at_once_are_those_that_run_alone() -> None:
    space, goal = Steps(), objectives.objective("waste", "f")
    read = scenario.read(space.scene())[0]
    genomes = [space.draw(Draws(n, "batches")) for n in range(12)]
    alone = Trials(read, space, goal, [{"kind": "cubic"}], ("f",), 1)
    beside = Trials(read, space, goal, [{"kind": "cubic"}], ("f",), 2)
    begun = [beside.begin(genomes[at : at + 4], [1]) for at in (0, 4, 8)]
    # What nobody waits for is left out.
    beside.begin(genomes, [2])
    last, first = begun[2].judged(), begun[0].judged()
    assert first + begun[1].judged() + last == alone.judge(genomes, [1])


def test_traffic_of_any_length_is_simplified() -> None:
    """Packets in the last slot, which is not the end of a division into parts of 62 slots."""
    space = Traffic(300)
    genome = space.genome([0] * 499 + [1])
    assert all(len(made) == 500 for made in space.simpler(genome))
    assert any(sum(made) == 0 for made in space.simpler(genome))
