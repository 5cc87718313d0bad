"""The stages: each costs more than the one before, and a bad candidate leaves early."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from backwater import _native
from backwater.errors import refusing
from backwater.evolve import gates
from backwater.evolve.attack import EVALS, Attacked, attack
from backwater.evolve.candidate import Candidate
from backwater.evolve.environments import Environment, public
from backwater.evolve.gates import Condition
from backwater.evolve.scoring import LEAST, Score, score, total, utility
from backwater.model import workers as processes
from backwater.model.builders import Controller
from backwater.model.scenario import read
from backwater.verdict.interval import interval

# Environments and seconds of each stage; the stages after the first are scored.
STAGES = ((3, 5.0), (64, 10.0), (512, 30.0))
ALPHA = 0.01
REFERENCES = tuple(
    one.table() for one in (Controller.cubic(), Controller.bbr3_linux(), Controller.copa())
)
# Factors of a path that show whether a controller knows numbers by heart. Their product is
# not 1: a window that is constant must not come out even.
RATE, RTT = 1.37, 1.73
MOST_CHANGE = 0.1
# Seconds of a run before it counts as one that hangs.
PATIENCE_S = 60.0


@dataclass
class Evaluated:
    """How far a candidate came."""

    candidate: str
    stage: int = 0
    why: str | None = None
    value: float = LEAST
    scores: list[Score] = field(default_factory=list)
    gates: list[Condition] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    wall_s: float = 0.0
    # The sum of the fingerprints of all runs.
    fingerprint: str = "0" * 16
    # The change of the mean on other rates and round trips; None where that was not asked.
    rescaled: float | None = None
    rescaled_range: tuple[float | None, float | None] = (None, None)
    # The worst path of the last stage, and nothing where that was not reached.
    hunt: Attacked | None = None
    # By reference: mean difference on the same paths, with its 95 % interval.
    against: dict[str, dict[str, float | None]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether all gates are passed and no stage sent it away."""
        return self.why is None

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self) | {"passed": self.passed}


class Evaluator:
    """Evaluates candidates on a suite, against an incumbent."""

    def __init__(
        self, workers: int, stages: Sequence[tuple[int, float]] = STAGES, evals: int = EVALS
    ) -> None:
        self._workers, self._stages, self._evals = workers, tuple(stages), evals
        self._known: dict[tuple[str, float, int], list[float]] = {}

    def evaluate(
        self,
        candidate: Candidate,
        incumbent: float = LEAST,
        part: str = "train",
        last: int | None = None,
    ) -> Evaluated:
        """Its stages up to `last`, the gates before the longest; ends where it is sent away.

        The stage after the scored ones is a hunt, and runs only where `last` asks for it.
        """
        found, began = Evaluated(candidate.name), time.monotonic()
        stages = self._stages[: len(self._stages) if last is None else last]
        for number, (count, seconds) in enumerate(stages, 1):
            if number == len(self._stages):
                self.judge_gates(candidate, found)
                if found.why is not None:
                    break
            environments = public(part, count)
            utilities = self.utilities(candidate, environments, seconds, found)
            found.stage = number
            if number == 1:
                if found.failures:
                    found.why = f"a run failed: {found.failures[0]}"
                    break
                continue
            each = ALPHA / max(1, len(self._stages) - 1)
            scored = score(environments, utilities, each)
            found.scores.append(scored)
            found.value = scored.value
            if found.failures:
                found.why = f"a run failed: {found.failures[0]}"
                break
            if scored.upper < incumbent:
                found.why = f"at most {scored.upper:.3f}, and the incumbent has {incumbent:.3f}"
                break
        if found.why is None and last is not None and last > len(self._stages):
            self._hunt(candidate, found)
        if found.why is not None and (found.failures or not _all(found.gates)):
            found.value = LEAST
        found.wall_s = time.monotonic() - began
        return found

    def _hunt(self, candidate: Candidate, found: Evaluated) -> None:
        """Looks for a path on which it gets next to nothing where the reference gets much."""
        found.stage += 1
        found.hunt = attack(candidate.controller, self.run, self._evals)
        if found.hunt is None:
            found.why = "the hunt: no path gave anything to anybody"
            found.failures.append(found.why)
        elif not found.hunt.passed:
            one = found.hunt
            found.why = (
                f"the hunt: {one.candidate_bps / 1e6:.2f} Mbit/s where the reference gets "
                f"{one.reference_bps / 1e6:.2f}: {one.says}"
            )
            found.value = LEAST

    def utilities(
        self,
        candidate: Candidate,
        environments: Sequence[Environment],
        seconds: float,
        found: Evaluated | None = None,
    ) -> list[float]:
        """Of each environment; a run that fails has the least."""
        written = [one.scenario(candidate.controller, seconds) for one in environments]
        documents, errors = self.run(written)
        if found is not None:
            found.failures += errors
            found.fingerprint = total([{"fingerprint": found.fingerprint}, *documents])
        return [
            LEAST if document is None else utility(one, document["flows"][0])
            for one, document in zip(environments, documents, strict=True)
        ]

    def compare(self, candidate: Candidate, found: Evaluated, part: str = "train") -> None:
        """Differences from references, and from itself on rescaled paths."""
        count, seconds = self._stages[-2] if len(self._stages) > 1 else self._stages[-1]
        environments = public(part, count)
        own = self.utilities(candidate, environments, seconds)
        for table in REFERENCES:
            name = str(table["kind"])
            key = (f"{part}/{name}", seconds, count)
            if key not in self._known:
                reference = Candidate(name, dict(table))
                self._known[key] = self.utilities(reference, environments, seconds)
            apart = [a - b for a, b in zip(own, self._known[key], strict=True)]
            between = interval(apart)
            assert between is not None, "there are environments"
            found.against[name] = {
                "difference": between.mean,
                "low": between.low,
                "high": between.high,
            }
        # As long in round trips as the paths themselves.
        scaled = [one.scaled(RATE, RTT) for one in environments]
        other = self.utilities(candidate, scaled, seconds * RTT)
        moved = interval([a - b for a, b in zip(other, own, strict=True)])
        assert moved is not None, "there are environments"
        found.rescaled, found.rescaled_range = moved.mean, (moved.low, moved.high)

    def judge_gates(self, candidate: Candidate, found: Evaluated) -> None:
        """The conditions that no score makes up for."""
        documents, errors = self.run(gates.scenarios(candidate.controller))
        found.failures += errors
        found.gates = gates.judged(documents)
        failed = [one for one in found.gates if not one.passed]
        if failed:
            found.why = f"gate `{failed[0].name}`: {failed[0].says}"

    def run(self, written: Sequence[Any]) -> tuple[list[Any], list[str]]:
        """The documents of scenarios, in their order; none for a run that failed. And why."""
        cases = []
        with refusing():
            for one in written:
                cases.append(read(one)[0].resolve_once(None))
        documents: list[Any] = [None] * len(cases)
        errors: dict[int, str] = {}

        def done(index: int, document: str | None, error: str | None) -> None:
            if error is not None or document is None:
                errors[index] = error or "no document"
            else:
                documents[index] = json.loads(document)

        processes.run_batch(cases, self._workers, done, max_wall_s=PATIENCE_S)
        return documents, [errors[index] for index in sorted(errors)]


def _all(judged: Sequence[Condition]) -> bool:
    return all(one.passed for one in judged)


def engine() -> str:
    """The engine on whose sources scores depend."""
    return _native.engine_id()
