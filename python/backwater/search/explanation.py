"""The cause of a finding: sentences for the study of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from backwater.errors import Refusal
from backwater.model.world import World
from backwater.search.blaming import blame, delivered
from backwater.search.found_study import applied
from backwater.search.settings import Setting

# Forks of each set of causes, where chance has a part.
_RESEEDS = 3


def explanation(
    scene: Mapping[str, Any],
    settings: Sequence[Setting],
    flows: Sequence[str],
    target: Mapping[str, Any],
    reference: tuple[str, Mapping[str, Any]],
) -> list[str]:
    """Which causes take from a controller what the reference has in the same environment."""
    label, table = reference
    made = [applied(scene, settings) for _ in (target, table)]
    for one, controller in zip(made, (target, table), strict=True):
        for flow in flows:
            one["flows"][flow]["controller"] = copy.deepcopy(dict(controller))
    try:
        told, rates = made[0], [_goodput(one, flows[0]) for one in made]
        if rates[1] < 2 * rates[0]:
            return [
                f"{label} has {rates[1] / 1e6:.4g} Mbit/s here, less than twice the "
                f"{rates[0] / 1e6:.4g} Mbit/s of the target: no cause was looked for."
            ]
        found = blame(told, flows[0], fair=rates[1], reseeds=_RESEEDS)
    except Refusal as refusal:
        return [f"No cause was looked for: {refusal.what}."]
    effects = [
        f"Without this alone it has {100 * one.restored:.0f} %: {one.cause.says}."
        for one in found.effects[:5]
    ]
    return [f"Fair is what {label} has here.", *found.summary(), *effects]


def _goodput(scenario: Mapping[str, Any], flow: str) -> float:
    world = World(scenario)
    world.advance(world.end_ps)
    return delivered(world)[flow] * 8e12 / world.end_ps
