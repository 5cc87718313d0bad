"""report.html: a study's prose with its figures, claims, drawing and everything to repeat it."""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup, escape

from backwater.model.outputs import save
from backwater.present import plot, topology
from backwater.present.numbers import RULES
from backwater.present.report import answer, claim_html, prose, table
from backwater.present.report.bundle import bundle
from backwater.present.report.figure_files import drawn_example
from backwater.results.store import BROKEN, FAILED
from backwater.study.source_names import introduced
from backwater.verdict import readings

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

HERE = Path(__file__).parent
_TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader([HERE, HERE.parent / "viewer"]),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def write(
    results: Results, path: Path, progress: Callable[[int, int], None] = lambda done, total: None
) -> Path:
    """Writes the report of a study or sweep as one file that needs no network.

    `progress` is told how many figures are drawn, and of how many.
    """
    return save(path, _Report(results, path, progress).html())


def fill(template: str, **values: Any) -> str:
    """A page from a template, with the style that all pages share."""
    style = Markup((HERE / "style.css").read_text(encoding="utf-8"))
    scripts = [str(values[name]) for name in ("bundle", "page", "script") if values.get(name)]
    hashes = Markup(" ".join(map(_hash, scripts)) or "'none'")
    return _TEMPLATES.get_template(template).render(style=style, hashes=hashes, **values)


def _hash(script: str) -> str:
    """A script as the page's policy names it: no other one runs."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def data(value: Any) -> Markup:
    """JSON that cannot end the script element around it."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


@dataclass(frozen=True)
class Drawn:
    """A figure as the template needs it."""

    id: str
    number: int
    title: str
    file: str
    spec: Markup
    csv: Markup
    scales: list[str]
    scale: str
    words: str
    absent: str


@dataclass
class _Report:
    results: Results
    path: Path
    progress: Callable[[int, int], None]
    numbers: dict[str, int] = field(default_factory=dict)
    placed: set[str] = field(default_factory=set)
    drawn: set[str] = field(default_factory=set)
    # The figure at the top.
    leads: str = ""

    def html(self) -> str:
        results = self.results
        study = results.study
        self.claims = {record["id"].rpartition("/")[2]: record for record in results.claims}
        self.figures = {figure.id: figure for figure in study.figures}
        parts = plot.delay_figure(results)
        self.drawings = len(self.figures) + (parts is not None)
        first = answer.lead(study, [self._shown(name) for name in self.claims], self.claims)
        top = "" if first.figure is None else self._figure(first.figure)
        self.leads = "" if first.figure is None else first.figure.id
        self.placed.add(f"figure {self.leads}")
        text = prose.render(study.prose, self._block, self._inline)
        left = [figure for figure in study.figures if f"figure {figure.id}" not in self.placed]
        closing = [
            *self._rest("claims", "Claims", self._claims() if self.claims else ""),
            *self._rest("figures", "Figures", "".join(map(self._figure, left))),
            *self._rest("delay", "Delay, taken apart", self._figure(parts) if parts else ""),
            *self._rest("topology", "Topology", self._topology()),
            *self._rest("results", "All results", self._results()),
            *self._rest("repeat", "How to repeat it", self._repeat()),
        ]
        contents = [*text.headings, *((f"r-{name}", title) for name, title, _ in closing)]
        return fill(
            "report.html.j2",
            title=text.title or study.title or study.id,
            study=study,
            sources=introduced(study.source),
            facts=self._facts(),
            notices=self._notices(),
            tally=self._tally(),
            lead=first,
            top=Markup(top),
            contents=contents,
            prose=Markup(text.html),
            closing=closing,
            version=results.manifest["version"],
            bundle=bundle() if self.numbers else "",
            page=Markup((HERE / "page.js").read_text(encoding="utf-8")),
        )

    def _rest(self, name: str, title: str, html: str) -> list[tuple[str, str, Markup]]:
        """A section for figures and claims that the author has not placed."""
        return [(name, title, Markup(html))] if html and name not in self.placed else []

    def _block(self, kind: str, name: str) -> str:
        self.placed.add(f"{kind} {name}".rstrip())
        if kind == "figure":
            return self._here(name)
        if kind == "claim":
            return self._part("claim", claim=self._shown(name)) if name in self.claims else ""
        if kind == "figures":
            for figure in self.figures:
                self.placed.add(f"figure {figure}")
            return "".join(map(self._here, self.figures))
        sections = {
            "claims": self._claims,
            "topology": self._topology,
            "repeat": self._repeat,
        }
        return f'<div id="r-{kind}">{sections[kind]()}</div>'

    def _here(self, name: str) -> str:
        """A figure at its place in the text; the one at the top is not drawn twice."""
        if name != self.leads:
            return self._figure(self.figures[name])
        return f'<p class="small">{self._inline("figure", name)} stands at the top.</p>'

    def _inline(self, kind: str, name: str) -> str:
        if kind == "claim" and name in self.claims:
            record = self.claims[name]
            return str(claim_html.link(record["verdict"], name, f"#{name}"))
        if kind == "figure":
            return f'<a href="#figure-{escape(name)}">Figure {self._number(name)}</a>'
        return f'<a href="#r-{escape(kind)}">{escape(kind)}</a>'

    def _part(self, name: str, **values: Any) -> str:
        module = _TEMPLATES.get_template("parts.html.j2").module
        return str(getattr(module, name)(**values))

    def _number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers) + 1)

    def _figure(self, figure: Figure) -> str:
        html = self._part("figure", drawn=self._drawn(figure))
        # Figures over time run their cases again.
        self.drawn.add(figure.id)
        self.progress(len(self.drawn), self.drawings)
        return html

    def _drawn(self, figure: Figure) -> Drawn:
        number = self._number(figure.id)
        file = f"{self.results.study.id}-{figure.id}"
        empty = Markup("")
        title = figure.title or figure.id
        try:
            spec = plot.spec(self.results, figure)
        except plot.FigureError as error:
            words = "not in the quick set" if self.results.quick else str(error)
            return Drawn(figure.id, number, title, file, empty, empty, [], "", "", words)
        meta = spec["usermeta"]["backwater"]
        if plot.ZERO in meta["said"]:
            return Drawn(figure.id, number, title, file, empty, empty, [], "", plot.ZERO, "zero")
        # The line through the best points of a plane is drawn from them.
        # Bounds of claims stand in the claims.
        drawn = spec["data"]["values"]
        only = ("tangent", "edge", "ends")
        rows = [row for row in drawn if not any(key in row for key in only)]
        seeds = {row["n"] for row in rows}
        return Drawn(
            figure.id,
            number,
            title,
            file,
            data(spec),
            data(table.behind(rows, *meta["titles"])),
            list(meta.get("scales", {})),
            meta.get("scale", ""),
            " ".join(
                [
                    *meta.get("said", []),
                    _caption(
                        figure.kind,
                        seeds,
                        any(row["mean"] is None for row in rows),
                        figure.over is not None,
                    ),
                ]
            ),
            "",
        )

    def _shown(self, name: str) -> claim_html.Shown:
        claim = next((one for one in self.results.study.claims if one.id == name), None)
        return claim_html.shown(self.claims[name], claim, self.results.quick)

    def _claims(self) -> str:
        in_order = readings.ordered(list(self.claims.values()))
        shown = [self._shown(record["id"].rpartition("/")[2]) for record in in_order]
        links = {claim.evidence: self._evidence(claim.evidence) for claim in shown}
        return self._part("claims", claims=shown, links=links, rules=RULES)

    def _evidence(self, written: str) -> str:
        """A link to the study that is the evidence, if its report is beside this one."""
        study, _, claim = written.partition("/")
        if study == self.results.study.id:
            return f"#{claim}"
        beside = self.path.parent.parent / study / self.path.name
        if not study.replace("-", "").isalnum() or not beside.is_file():
            return ""
        return f"../{study}/{self.path.name}" + (f"#{claim}" if claim else "")

    def _topology(self) -> str:
        drawing = topology.svg(drawn_example(self.results))
        if not drawing:
            return ""
        example = self.results.example
        axes = self.results.study.axes
        said = ", ".join(f"{axis.name} = {example[axis.name]}" for axis in axes)
        return self._part("topology", drawing=Markup(drawing), example=said)

    def _results(self) -> str:
        shown = table.overview(self.results)
        if not shown.rows:
            return ""
        text = data(table.csv_of(self.results))
        curve = next((f.curve for f in self.results.study.figures if f.curve), None)
        keys = {} if curve is None else plot.colours_of(self.results, (curve,))
        colours = {} if curve is None else {plot.axis_title(self.results, curve): keys}
        return self._part(
            "results", table=shown, csv=text, file=f"{self.results.study.id}.csv", colours=colours
        )

    def _repeat(self) -> str:
        manifest = self.results.manifest
        return self._part(
            "repeat",
            command=command(manifest),
            manifest=manifest,
            seeds=_seeds(manifest["seeds"]),
            fingerprint=self.results.fingerprint,
            cost=self.results.cost,
        )

    def _facts(self) -> list[tuple[str, str]]:
        results = self.results
        seeds = len(results.manifest["seeds"])
        return [
            ("Mode", "quick: fewer cases and seeds" if results.quick else "full"),
            ("Cases", f"{results.finished} of {results.manifest['cases_total']}"),
            ("Seeds", str(seeds) + _fresh(results.manifest["seeds"])),
            ("Fingerprint", results.fingerprint),
            ("Version", str(results.manifest["version"])),
        ]

    def _tally(self) -> list[tuple[str, Markup]]:
        counts = readings.counts(list(self.claims.values()))
        return [
            (name, claim_html.badge(name, f"{count} {claim_html.WORDS[name]}"))
            for name, count in counts.items()
            if count
        ]

    def _notices(self) -> list[str]:
        results = self.results
        failed = [case for case in results.cases if case.status == FAILED]
        broken = [case for case in results.cases if case.status == BROKEN]
        missing = results.manifest["cases_total"] - results.finished - len(failed)
        said = []
        odd = [name for name in self.claims if self._shown(name).unexpected]
        if odd:
            said.append(f"Unexpected: {', '.join(odd)}.")
        if missing:
            said.append(f"{missing} cases have not run; what follows rests on the others.")
        if failed:
            said.append(f"{len(failed)} cases failed; the first: {failed[0].error}")
        if broken:
            said.append(f"{len(broken)} cases lose count of packets; the first: {broken[0].error}")
        return said


def command(manifest: Mapping[str, Any]) -> str:
    """The command that made these results."""
    return shlex.join(manifest["command"])


def _fresh(seeds: list[int]) -> str:
    """Whether these are other seeds than those with which a study is written."""
    return "" if seeds[:1] == [1] else f", {_seeds(seeds)}: a confirming run with fresh seeds"


def _caption(kind: str, seeds: set[int], gaps: bool, over_time: bool) -> str:
    if kind in ("time", "pauses"):
        return "One seed of each combination."
    if kind == "ecdf" and over_time:
        return "Every interval of one seed of each combination is a step."
    if kind == "ecdf":
        return "Every flow or run of every seed is a step."
    most = max(seeds)
    if most < 2:
        said = "One seed, so no interval."
    else:
        mark = {"line": "Bands are", "bars": "Lines on bars are", "rank": "Lines are"}.get(kind)
        said = f"Means over {most} seeds" if len(seeds) == 1 else f"Means over up to {most} seeds"
        said += f". {mark} 95 % confidence intervals." if mark else "."
    return said + (" Gaps are points without a value." if gaps else "")


def _seeds(seeds: list[int]) -> str:
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))
