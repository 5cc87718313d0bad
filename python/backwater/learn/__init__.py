"""Learned controllers: environments that step many worlds at once, and a trainer.

    import gymnasium
    import backwater.learn

    envs = gymnasium.make_vec("backwater/Path-v0", num_envs=64)

`worlds` steps scenarios whose flows have the controller `agent`. `paths` draws scenarios, `clocks`
says when an agent is asked, `actions` turns what it answers into window and pacing, `features` what
it sees into numbers and `rewards` into a score; `episodes` joins these for any number of worlds and
agents and needs no library besides NumPy. `vector` and `single` are the environments of Gymnasium,
`parallel_env` that of PettingZoo, `ppo` a trainer in NumPy, which `training` calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backwater.learn.worlds import Worlds

if TYPE_CHECKING:
    from backwater.learn.parallel_env import Parallel

ID = "backwater/Path-v0"

__all__ = ["ID", "Worlds", "parallel", "register"]


def register() -> None:
    """Tells Gymnasium of `backwater/Path-v0`. Importing this package does so where it is there."""
    try:
        from gymnasium.envs.registration import register as tell
        from gymnasium.envs.registration import registry
    except ImportError:
        return
    if ID not in registry:
        tell(
            ID,
            entry_point="backwater.learn.single:PathEnv",
            vector_entry_point="backwater.learn.vector:PathVectorEnv",
        )


def parallel(scenario: Any, **options: Any) -> Parallel:
    """A PettingZoo environment whose agents are the flows of a scenario with such a controller.

    The options are those of `backwater.learn.parallel_env.Parallel`.
    """
    from backwater.learn.parallel_env import Parallel

    return Parallel(scenario, **options)


register()
