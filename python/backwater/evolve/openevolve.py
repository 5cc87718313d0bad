"""The functions that OpenEvolve calls: `evaluate`, and its stages of a cascade.

    # evaluator.py of a campaign
    from backwater.evolve.openevolve import evaluate, evaluate_stage1, evaluate_stage2

A result has `combined_score`, which is larger for better programs and never below 0, and texts that
go back to the model: what was refused, which gate failed, which stratum is worst.
"""

from __future__ import annotations

from typing import Any

from backwater.errors import Refusal
from backwater.evolve import candidate
from backwater.evolve.evaluate import STAGES, Evaluator
from backwater.evolve.scoring import LEAST
from backwater.model.machine import available_cores


def evaluate(program_path: str) -> dict[str, Any]:
    """All stages."""
    return _evaluated(program_path, None)


def evaluate_stage1(program_path: str) -> dict[str, Any]:
    """Three short runs, which say whether it works at all."""
    return _evaluated(program_path, 1)


def evaluate_stage2(program_path: str) -> dict[str, Any]:
    """64 runs of 10 s."""
    return _evaluated(program_path, 2)


def evaluate_stage3(program_path: str) -> dict[str, Any]:
    """All stages, with the gates."""
    return _evaluated(program_path, len(STAGES))


def _evaluated(path: str, last: int | None) -> dict[str, Any]:
    try:
        read = candidate.read(path)
        found = Evaluator(available_cores()).evaluate(read, last=last)
    except Refusal as refused:
        return {"combined_score": 0.0, "artifacts": {"refused": refused.rendered or refused.what}}
    told: dict[str, Any] = {"stage": float(found.stage), "wall_s": found.wall_s}
    said: dict[str, str] = {}
    if found.why is not None:
        said["why"] = found.why
    if found.scores:
        worst = min(found.scores[-1].by_stratum.items(), key=lambda one: one[1])
        said["worst_stratum"] = f"{worst[0]}: {worst[1]:.3f}"
        told |= {f"score_{name}": value for name, value in found.scores[-1].by_stratum.items()}
    failed = found.why is not None
    # The first stage has no score: a program that works is better than one that fails.
    passed = 1.0 if found.stage == 1 and not failed else found.value - LEAST
    return told | {"combined_score": 0.0 if failed else passed, "artifacts": said}
