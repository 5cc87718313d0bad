"""`backwater train`."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, Refusal, Unfinished

NAME = "train"
# Seconds between lines of progress.
_EVERY_S = 5.0


def command(
    path: Annotated[str, typer.Option(help="Paths that are drawn: aurora or genet.")] = "aurora",
    scenario: Annotated[
        Path | None, typer.Option(help="A scenario with one `agent`, in place of paths.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps of training.")] = 1_000_000,
    worlds: Annotated[int, typer.Option(min=1, max=100_000, help="Worlds at once.")] = 32,
    clock: Annotated[
        str | None, typer.Option(help='"30 ms", "0.5 rtt", "1 round" or "4 acks".')
    ] = None,
    action: Annotated[str | None, typer.Option(help="rate-delta, cwnd-log2, mvfst …")] = None,
    reward: Annotated[str, typer.Option(help="aurora, genet, mvfst, power …")] = "aurora",
    curriculum: Annotated[
        str, typer.Option(help="uniform, or genet: train where the policy is furthest behind.")
    ] = "uniform",
    judged: Annotated[int, typer.Option(min=2, help="Held-out paths at the end.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of draws and networks.")] = 1,
    out: Annotated[Path, typer.Option(metavar="POLICY.npz", help="Where the policy goes.")] = Path(
        "policy.npz"
    ),
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Train a policy that tells a sender window and rate."""
    from backwater.learn import training
    from backwater.learn.episodes import Options
    from backwater.learn.ppo import Settings

    if out.suffix != ".npz" or not out.parent.is_dir():
        raise Refusal("this is no file of a policy", place=str(out), fix="name a .npz in a folder")
    made = Options(
        path=path,
        scenario=None if scenario is None else str(scenario),
        clock=clock,
        action=action,
        reward=reward,
        threads=workers,
    )
    began = time.monotonic()
    learner = training.learner(curriculum)
    found, promoted = learner(made, worlds, steps, seed, Settings(), _Line(steps))
    trained_s = time.monotonic() - began
    earned = training.judge(found.policy, made, judged)
    constant = training.judge(None, made, judged) if scenario is None and action is None else None
    try:
        found.policy.save(out)
    except OSError as error:
        why = error.strerror or str(error)
        fix = "name another file and train again"
        raise Unfinished(f"the policy cannot be written: {why}", place=str(out), fix=fix) from error
    document = {
        "schema": "backwater/trained/1",
        "version": _native.version(),
        "engine": _native.engine_id(),
        "policy": str(out),
        "seed": seed,
        "curriculum": curriculum,
        "promoted": promoted,
        **_trained(found, trained_s),
        "held_out": _written(earned, judged),
        "constant_rate": None if constant is None else _written(constant, judged),
    }
    if json:
        console.emit(document)
        return EXIT_DONE
    console.data(f"{found.steps} steps in {trained_s:.0f} s; policy of step {found.at}: {out}")
    console.data(f"return on {judged} held-out paths: {_shown(earned)}")
    if constant is not None:
        console.data(f"a constant 95 % of the capacity: {_shown(constant)}")
    return EXIT_DONE


def _trained(found: Any, trained_s: float) -> dict[str, Any]:
    return {
        "steps": found.steps,
        "chosen_at": found.at,
        "settings": found.settings,
        "returns": [None if math.isnan(one) else one for one in found.returns],
        "cost": {"wall_s": trained_s, "steps_per_s": found.steps / trained_s},
    }


def _written(found: Any, count: int) -> dict[str, Any]:
    return {"mean": found.mean, "low": found.low, "high": found.high, "episodes": count}


def _shown(found: Any) -> str:
    return f"{found.mean:.1f} [{found.low:.1f}, {found.high:.1f}]"


class _Line:
    """How far the training is, on stderr."""

    def __init__(self, total: int) -> None:
        self._total, self._told = total, time.monotonic()

    def __call__(self, done: int, mean: float) -> None:
        """After each round."""
        now = time.monotonic()
        if now - self._told >= _EVERY_S:
            self._told = now
            console.message(f"{NAME}: {done} of {self._total} steps, return {mean:.1f}")
