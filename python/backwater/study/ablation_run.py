"""Runs the cases of a study with its mechanisms ablated, and judges its claims on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from backwater import _native
from backwater.model import workers as processes
from backwater.model.machine import available_cores
from backwater.results.results import CaseMetrics, Results
from backwater.results.store import Store
from backwater.study import ablation
from backwater.study.ablation import DERIVED, Replacement
from backwater.study.definition import Planned, Study, canonical
from backwater.verdict.ablated import ablation_of, is_tested, replaced
from backwater.verdict.claim import Claim, Labels
from backwater.verdict.finding import JudgedCases

# The store of the ablated cases, in the folder of the study.
FOLDER = "ablation"

Progress = Callable[[int, int], None]


@dataclass
class AblationRun:
    """The ablation of one study that has run."""

    results: Results
    judged_cases: JudgedCases
    quick: bool
    workers: int | None = None
    progress: Progress = field(default=lambda done, total: None)
    notice: Callable[[str], None] = field(default=lambda text: None)

    def run(self) -> None:
        """Adds to the record of every claim what its ablation shows."""
        cases = _Cases(self.study, self.quick, self.judged_cases)
        folder = None if self.results.folder is None else self.results.folder / FOLDER
        if folder is not None:
            folder.mkdir(exist_ok=True)
        records = {record["id"]: record for record in self.results.claims}
        by_claim = [
            (one, record)
            for one in self.study.claims
            if (record := records.get(f"{self.study.id}/{one.id}")) is not None
        ]
        for claim, record in by_claim:
            if not is_tested(claim, record):
                cases.need(claim)
        cases.run(self.results, folder, self.workers or available_cores(), self)
        for claim, record in by_claim:
            record["ablation"] = ablation_of(self.study.id, claim, record, self.judged_cases, cases)
        self.results.store.put_claims(list(records.values()))

    @property
    def study(self) -> Study:
        """The study."""
        return self.results.study


class _Cases:
    """The cases of a study under its ablations."""

    def __init__(self, study: Study, quick: bool, judged_cases: JudgedCases) -> None:
        self.study = study
        self.quick = quick
        self.judged_cases = judged_cases
        self.planned: dict[tuple[str, str], list[Planned]] = {}
        self.keys: dict[tuple[str, str, int], str] = {}
        self.places: dict[str, Results] = {}
        self._replacements = cache(self._replace)

    def _replace(self, labels: str) -> dict[str, Replacement]:
        return ablation.replacements(self.study, json.loads(labels), self.quick)

    def names(self, claim: Claim) -> Sequence[str]:
        """The derived ablations, and those of the study that are for a claim."""
        own = (one for one in self.study.ablations.own)
        return [*DERIVED, *(a.name for a in own if a.claims is None or claim.id in a.claims)]

    def concerns(self, name: str, labels: Labels) -> bool:
        """Whether an ablation replaces a combination."""
        return name in self._replacements(canonical(dict(labels)))

    def need(self, claim: Claim) -> None:
        """Plans the cases that a claim needs."""
        for name in self.names(claim):
            sides = replaced(claim, self.judged_cases.combinations, name, self)
            for labels in (one for cases in sides.values() for one in cases):
                at = (name, canonical(dict(labels)))
                if at not in self.planned:
                    what = self._replacements(at[1])[name]
                    seeds = list(self.judged_cases.seeds)
                    self.planned[at] = self.study.cases(what.labels, seeds, self.quick, what.sets)

    def run(self, results: Results, folder: Path | None, workers: int, run: AblationRun) -> None:
        """Runs what neither the study nor an ablation before has run."""
        pending: dict[str, Planned] = {}
        for (name, labels), cases in self.planned.items():
            for case in cases:
                key = case.resolved.key()
                self.keys[name, labels, case.seed] = key
                pending.setdefault(key, case)
        known = results.store.finished()
        store = Store.continued(folder, run.notice)
        store.remove(store.unsound())
        store.keep_only(pending)
        self.places = dict.fromkeys(known, results)
        finished = known | store.finished()
        todo = [(key, case) for key, case in pending.items() if key not in finished]
        done = 0

        def commit(index: int, stored: _native.Stored | None, error: str | None) -> None:
            nonlocal done
            key, case = todo[index]
            store.add(key, self.study.id, case.case_json, case.seed, stored, error)
            done += 1
            run.progress(done, len(todo))

        if todo:
            processes.run_stored([case.resolved for _, case in todo], workers, commit)
        ablated = Results(self.study, store, results.manifest, folder)
        self.places |= dict.fromkeys(store.finished() - known, ablated)
        if folder is not None:
            store.seal()

    def becomes(self, name: str, labels: Labels, other: Labels) -> bool:
        """Whether an ablation turns a combination into another one of the study."""
        what = self._replacements(canonical(dict(labels))).get(name)
        if what is None:
            return False
        seed = self.judged_cases.seeds[0]
        ablated, plain = (
            self.study.cases(at, [seed], self.quick, sets)[0].resolved.key()
            for at, sets in ((what.labels, what.sets), (other, ()))
        )
        return bool(ablated == plain)

    def is_reference(self, name: str) -> bool:
        """Whether an ablation puts the reference controller in the place of others."""
        return name == ablation.REFERENCE

    def metrics(self, name: str, labels: Labels, seed: int) -> CaseMetrics | None:
        """The metrics of a combination under an ablation; None if its case failed."""
        key = self.keys.get((name, canonical(dict(labels)), seed))
        place = None if key is None else self.places.get(key)
        return None if key is None or place is None else CaseMetrics(place, key)


def records(claims: Sequence[Mapping[str, object]], outcome: str) -> list[str]:
    """The ids of the claims whose ablation came out so."""
    found = []
    for claim in claims:
        ablated = claim.get("ablation")
        if isinstance(ablated, Mapping) and ablated["outcome"] == outcome:
            found.append(str(claim["id"]))
    return found
