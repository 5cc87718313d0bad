"""Genet's curriculum beside uniform draws: equal steps, the same held-out paths, a pair a seed.

`python scripts/curriculum.py [SEEDS [STEPS [EACH]]]`. Searches of the curriculum take steps of
their own, which do not count.
"""

from __future__ import annotations

import sys

from backwater.learn import curriculum, training
from backwater.learn.episodes import Options
from backwater.learn.ppo import Settings
from backwater.verdict.interval import interval

WORLDS, HELD_OUT = 32, 100
# Half of the default, for speed.
curriculum.EPISODES = 2
OPTIONS, SETTINGS = Options(threads=1, steps=100), Settings(rollout=101)


def pair(seed: int, steps: int, each: int) -> tuple[float, float]:
    """The rewards of both on the held-out paths."""
    uniform, _ = training.learn(OPTIONS, WORLDS, steps, seed, SETTINGS, None)
    genet, _ = training.learn_by_curriculum(OPTIONS, WORLDS, steps, seed, SETTINGS, None, each)
    first, second = (
        float(training.returns(one.policy, OPTIONS, HELD_OUT).mean()) for one in (uniform, genet)
    )
    print(f"seed {seed}: uniform {first:.1f}, genet {second:.1f}", flush=True)
    return first, second


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    seeds, steps, each = (*given, *(5, 20_000, 5_000)[len(given) :])
    pairs = [pair(seed, steps, each) for seed in range(1, seeds + 1)]
    found = interval([genet - uniform for uniform, genet in pairs])
    assert found is not None, "there is a seed"
    between = f"[{found.low:.1f}, {found.high:.1f}]"
    print(f"genet - uniform: {found.mean:+.1f} {between} over {found.n} seeds")
    constant = training.returns(None, OPTIONS, HELD_OUT).mean()
    print(f"a constant 95 % of the capacity: {constant:.1f}")
