"""A study as users have it: one that runs itself."""

from __future__ import annotations

from html import escape
from pathlib import Path

from backwater.results.results import Results
from backwater.study import definition
from backwater.study.execution import Execution


class Study(definition.Study):
    """A study: what varies, what is claimed, what is drawn, and the scenario it is about."""

    def __repr__(self) -> str:
        return f"<Study {self.id}: {len(self.claims)} claims, {self.size()} combinations>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(one.id)}</td><td>{escape(one.says)}</td></tr>" for one in self.claims
        )
        axes = ", ".join(f"{axis.name} ({len(axis.values)})" for axis in self.axes)
        return (
            f"<p><b>{escape(self.id)}</b>: {escape(self.title)}. Varies {escape(axes)}.</p>"
            f"<table><tr><th>claim</th><th>says</th></tr>{rows}</table>"
        )

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
