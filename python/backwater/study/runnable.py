"""A study as users have it: one that runs itself."""

from __future__ import annotations

from pathlib import Path

from backwater.results.results import Results
from backwater.study import definition
from backwater.study.execution import Execution


class Study(definition.Study):
    """A study: what varies, what is claimed, what is drawn, and the scenario it is about."""

    def run(
        self,
        out: str | Path | None = None,
        *,
        quick: bool = False,
        seeds: int | None = None,
        workers: int | None = None,
        resume: bool = False,
    ) -> Results:
        """Runs every case and judges the claims; without `out` the results stay in memory."""
        folder = None if out is None else Path(out)
        return Execution(self, folder, quick, seeds, workers, resume).run()
