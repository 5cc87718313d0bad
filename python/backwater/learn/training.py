"""Training by a command, and what a policy earns on paths that it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backwater.errors import Refusal
from backwater.learn import curriculum
from backwater.learn.episodes import Episodes, Options
from backwater.learn.ppo import Policy, Settings, Trained, train
from backwater.verdict.interval import Interval, interval

# Seeds of the paths on which a policy is judged; training draws others.
HELD_OUT = 1_000_000_000
# Of those by which one of several policies is chosen, and how many of them.
CHOICE, CHOSEN_ON = 2_000_000_000, 50


# Of the capacity: the constant rate that a policy is held against.
CONSTANT = 0.95


# Paths that were drawn more often, in the order in which they were found, each with its gap.
Promoted = list[dict[str, float]]


def environments(options: Options, count: int) -> Any:
    """The environment that trains, or a refusal where Gymnasium is missing."""
    try:
        from backwater.learn.vector import PathVectorEnv
    except ImportError as error:
        raise Refusal(
            f"training needs Gymnasium: {error}",
            place="backwater train",
            fix='pip install "backwater[rl]"',
        ) from error
    return PathVectorEnv(count, **{one.name: getattr(options, one.name) for one in fields(options)})


def learn(
    options: Options,
    count: int,
    steps: int,
    seed: int,
    settings: Settings,
    told: Callable[[int, float], None] | None,
) -> tuple[Trained, Promoted]:
    """Trains on `count` worlds; the policy is the one that earned most on further paths."""

    def earned(policy: Policy) -> float:
        return judge(policy, options, CHOSEN_ON, CHOICE).mean

    envs = environments(options, count)
    return train(envs, steps, seed=seed, settings=settings, told=told, judge=earned), []


def learn_by_curriculum(
    options: Options,
    count: int,
    steps: int,
    seed: int,
    settings: Settings,
    told: Callable[[int, float], None] | None,
    each: int = curriculum.STEPS,
) -> tuple[Trained, Promoted]:
    """The same with Genet's curriculum. Also the paths that were drawn more often, in order."""
    wider, paths = curriculum.focused(options)
    found: Promoted = []

    def earned(policy: Policy) -> float:
        return judge(policy, options, CHOSEN_ON, CHOICE).mean

    def promote(policy: Policy) -> None:
        first = curriculum.SEARCHED + 1_000 * seed

        def gap(fixed: Mapping[str, float]) -> float:
            ends = [
                returns(who, options, curriculum.EPISODES, first, fixed) for who in (None, policy)
            ]
            return float(np.mean(ends[0]) - np.mean(ends[1]))

        point, apart = curriculum.widest(paths.ranges, gap, seed * 1_000 + len(found))
        paths.found.append(point)
        found.append(point | {"gap": apart})

    envs = environments(wider, count)
    made = train(
        envs,
        steps,
        seed=seed,
        settings=settings,
        told=told,
        judge=earned,
        between=promote,
        each=each,
    )
    return made, found


def learner(name: str) -> Callable[..., tuple[Trained, Promoted]]:
    """The function that trains by this curriculum."""
    known = {"uniform": learn, "genet": learn_by_curriculum}
    if name not in known:
        raise Refusal(
            f"there is no curriculum `{name}`",
            place="--curriculum",
            nearest=list(known),
            fix=f"write {' or '.join(known)}",
        )
    return known[name]


def judge(policy: Policy | None, options: Options, count: int, first: int = HELD_OUT) -> Interval:
    """Its reward in the first episode of so many held-out seeds, with the interval of the mean.

    Without a policy: a constant rate of 95 % of each path's capacity.
    """
    found = interval(returns(policy, options, count, first).tolist())
    assert found is not None, "there is at least one seed"
    return found


def returns(
    policy: Policy | None,
    options: Options,
    count: int,
    first: int = HELD_OUT,
    fixed: Mapping[str, float] | None = None,
) -> NDArray[np.float64]:
    """Its reward in the first episode of each of these seeds. `fixed` values are not drawn."""
    episodes = Episodes(options, count)
    for place in range(count):
        episodes.seed(place, first + place)
    episodes.begin(range(count), fixed)
    if policy is None:
        drawn = [path.capacity_pps for path in episodes.drawn if path is not None]
        if None in drawn or not episodes.actions.name.startswith("rate-delta"):
            raise Refusal(
                "these paths have no constant rate to hold a policy against",
                place="path",
                fix="take `aurora` or `genet` with steps of a rate",
            )
        episodes.hold([[CONSTANT * float(pps or 0.0)] for pps in drawn])
    earned, going = np.zeros(count), np.ones(count, dtype=np.bool_)
    low, high = episodes.actions.low, episodes.actions.high
    while going.any():
        answers = np.zeros((count, 1))
        if policy is not None:
            answers = policy.act(episodes.observations()[:, 0])
        if low:
            answers = np.clip(answers, low, high)
        rewards, dead, over = episodes.step(answers, going)
        earned += rewards[:, 0]
        going = going & ~dead & ~over
    return earned
