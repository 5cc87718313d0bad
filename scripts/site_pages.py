"""Pages of the documentation site that are made when it is built (`make docs`): a hook of MkDocs.

A page for each study with its prose and claims, and its report where `backwater study run` has
left one in the folder that BACKWATER_REPORTS names, by default out/reports; notebooks as pages,
beside the files themselves; and the files of the root that belong to the site.
"""

from __future__ import annotations

import hashlib
import html
import importlib
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from backwater import _native
from backwater.errors import BackwaterError
from backwater.present import chart_file, plot
from backwater.results.results import Results
from backwater.study import definition
from backwater.study.definition import Study
from backwater.study.markdown import PLACEHOLDER

sys.path.insert(0, str(Path(__file__).resolve().parent))
notebook_outputs: Any = importlib.import_module("notebook_outputs")

log = logging.getLogger("mkdocs.hooks.site_pages")

ROOT = Path(__file__).resolve().parent.parent
# The outputs of notebooks when they ran.
SHOWN = ROOT / "out" / "notebooks"
REPORTS = Path(os.environ.get("BACKWATER_REPORTS", ROOT / "out" / "reports"))
NOTEBOOKS = ROOT / "docs" / "notebooks"
# Files of the root and of `validation`, by their page.
COPIED = {
    "explanation/validation.md": "validation/README.md",
    "explanation/architecture.md": "ARCHITECTURE.md",
    "project/contributing.md": "CONTRIBUTING.md",
    "project/changelog.md": "CHANGELOG.md",
    "project/security.md": "SECURITY.md",
}
# The short names of the sources of studies, by the first letters of their ids.
GROUPS = {
    "lan": "Switched LAN",
    "aqm": "Queues",
    "cell": "Cellular links",
    "wlan": "Explicit feedback",
    "mesh40": "802.11s",
    "mesh": "Mesh with AIFSN",
    "wifi": "Modern Wi-Fi",
    "dc": "Data centre",
    "tdma": "Satellite",
}
OTHERS = "Controllers"
# Of more names along x a card shows none.
MOST_NAMES = 40
# Pixels along x of a figure on a card.
THUMB = 300.0


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are made."""
    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


def pages() -> dict[str, str | bytes]:
    """Every page that is made, by its path."""
    made: dict[str, str | bytes] = {}
    for path, source in COPIED.items():
        made[path] = _drawn(_relinked((ROOT / source).read_text(encoding="utf-8"), path))
    studies = [Study.load(name) for name in sorted(definition.shipped())]
    thumbs = _thumbs()
    made.update(thumbs)
    shapes = {Path(path).stem: _is_tall(thumb) for path, thumb in thumbs.items()}
    made["gallery/index.md"] = _gallery(studies, shapes)
    for study in studies:
        report = REPORTS / study.id / "report.html"
        if report.is_file():
            made[f"gallery/reports/{study.id}.html"] = report.read_bytes()
        made[f"gallery/{study.id}.md"] = _study(study, report.is_file())
    made["notebooks/index.md"] = _notebooks()
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        made[f"notebooks/{notebook.stem}.md"] = _notebook(notebook)
    return made


def _drawn(text: str) -> str:
    """A page whose Mermaid drawing is a picture: the site has no network to load Mermaid from."""
    return re.sub(r"```mermaid\n.*?```", "![The house](../assets/house.svg)", text, flags=re.S)


def _relinked(text: str, page: str) -> str:
    """A text of the root as a page: its links into `docs` begin at the page."""
    folder = Path(page).parent

    def link(found: re.Match[str]) -> str:
        return f"]({os.path.relpath(found[1], folder)}"

    return re.sub(r"\]\(docs/([^)\s]+)", link, text)


def _is_tall(svg: str | bytes) -> bool:
    """Whether a picture is a long list: a card shows its beginning, so that it can be read."""
    text = svg if isinstance(svg, str) else svg.decode()
    found = re.search(r'<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    return found is not None and float(found[2]) > 1.6 * float(found[1])


def _gallery(studies: list[Study], shapes: Mapping[str, bool]) -> str:
    """A card for each study: its figure where a run has left one, its title and one sentence."""
    groups: dict[str, list[Study]] = {name: [] for name in (*GROUPS.values(), OTHERS)}
    for study in studies:
        groups[GROUPS.get(study.id.partition("-")[0], OTHERS)].append(study)
    lines = [
        "# Gallery of studies",
        "",
        "Each study is an experiment with claims that a run judges: `backwater study run ID`.",
    ]
    for group, members in groups.items():
        lines += ["", f"## {group}", "", '<div class="cards">']
        lines += [_card(study, shapes.get(study.id)) for study in members]
        lines.append("</div>")
    return "\n".join(lines) + "\n"


def _card(study: Study, tall: bool | None) -> str:
    title = html.escape(study.title)
    shape = ' class="tall"' if tall else ""
    picture = f'<img{shape} src="{study.id}.svg" alt="Figure of {title}" loading="lazy">'
    picture = "" if tall is None else picture
    about = " · ".join(filter(None, (study.source, f"{len(study.claims)} claims")))
    return (
        f'<a class="card" href="{study.id}.html">{picture}<b>{title}</b>'
        f"<span>{html.escape(_together(_sentence(study.lead[0] or study.prose)))}</span>"
        f"<small><code>{study.id}</code> {html.escape(about)}</small></a>"
    )


def _together(text: str) -> str:
    """The text with each number and its unit on one line."""
    unit = r"(\d) (?=%|(?:[kMG]?bit/s|[kM]?B|packets|[mµn]?s)\b)"
    return re.sub(unit, "\\1\u00a0", text)


def _sentence(prose: str) -> str:
    """The first sentence of the prose, without its marks."""
    blocks = (block.strip() for block in prose.split("\n\n"))
    prose_only = (one for one in blocks if one and one[0] not in "#{|-" and one[:3] != "```")
    first = next(prose_only, "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[*_`]", lambda found: found[1] or "", first)
    plain = " ".join(plain.split())
    return re.split(r"(?<=[.?!])\s", plain, maxsplit=1)[0]


def _thumbs() -> dict[str, str | bytes]:
    """The figure of each study's answer, as a small picture, where its results are there."""
    found: dict[str, str | bytes] = {}
    for folder in sorted(REPORTS.iterdir()) if REPORTS.is_dir() else ():
        try:
            results = Results.open(folder)
        except BackwaterError:
            continue
        spec = _first_spec(results)
        if spec is not None:
            card = chart_file.drawn(_without_crowd(_first_panel(spec)), "svg", THUMB)
            found[f"gallery/{folder.name}.svg"] = card
    return found


def _without_crowd(spec: dict[str, Any]) -> dict[str, Any]:
    """A figure without the names along x where there are too many to read on a card."""
    names = {row.get("x") for row in spec["data"]["values"]}
    if len(names) <= MOST_NAMES or not all(isinstance(name, str) for name in names - {None}):
        return spec
    along = spec["encoding"]["x"]
    quiet = {**along, "axis": {**(along.get("axis") or {}), "labels": False, "ticks": False}}
    return {**spec, "encoding": {**spec["encoding"], "x": quiet}}


def _first_panel(spec: dict[str, Any]) -> dict[str, Any]:
    """A figure of one panel: a card has no room for those below it."""
    if "facet" not in spec:
        return spec
    first = spec["facet"]["sort"][0]
    rows = [row for row in spec["data"]["values"] if row.get("panel", first) == first]
    several = ("facet", "columns", "spec", "resolve")
    whole = {key: it for key, it in spec.items() if key not in several}
    return {**whole, "data": {"values": rows}, **spec["spec"]}


def _first_spec(results: Results) -> dict[str, Any] | None:
    """The figure of the answer, or the first one of which a quick run has cases."""
    figures = sorted(results.study.figures, key=lambda one: one.id != results.study.lead[1])
    for figure in figures:
        try:
            return plot.spec(results, figure, plot.Claims.NONE)
        except (BackwaterError, plot.FigureError):
            continue
    return None


def _study(study: Study, reported: bool) -> str:
    title, _, prose = study.prose.strip().partition("\n")
    lines = [title, "", f"**Answer.** {study.lead[0]}" if study.lead[0] else "", prose]
    lines = [_told(study, line) for line in "\n".join(lines).split("\n")]
    lines += ["", "## Claims", "", "| | kind | expected | says |", "|---|---|---|---|"]
    for claim in study.claims:
        said = claim.says.replace("|", "\\|").replace("\n", " ")
        name = f'<span id="{claim.id}">{claim.id}</span>'
        lines.append(f"| {name} | {claim.kind} | {claim.expected} | {said} |")
    run = f"`backwater study run {study.id} --out out/{study.id}`"
    lines += ["", "## Report", ""]
    if reported:
        # The page belongs to a run: it has no part of the site around it.
        lines.append(
            f'<a href="reports/{study.id}.html">The report of a run</a>; {run} makes your own.'
        )
    else:
        lines.append(f"{run} makes it.")
    return "\n".join(lines) + "\n"


def _told(study: Study, line: str) -> str:
    """A line of the prose: claims alone as a list, within a sentence as links; figures by title."""
    named = PLACEHOLDER.findall(line)
    if not named:
        return line
    if not PLACEHOLDER.sub("", line).strip():
        return "\n".join(_alone(study, kind, name) for kind, name in named)
    return PLACEHOLDER.sub(lambda one: f"([{one[2]}](#{one[2]}))", line)


def _alone(study: Study, kind: str, name: str) -> str:
    if kind == "claim":
        said = next(claim.says for claim in study.claims if claim.id == name)
        return f"\n* {' '.join(said.split())} ([{name}](#{name}))"
    if kind == "figure":
        title = next(figure.title for figure in study.figures if figure.id == name)
        return f"*Figure of the report: {title}.*"
    # The table below has all claims; the network and the command stand in the report.
    return ""


def _notebooks() -> str:
    lines = [
        "# Notebooks",
        "",
        "Each runs in seconds. They need `pip install 'backwater[altair,pandas]' notebook`.",
        "",
    ]
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        title = notebook_outputs.cells(notebook)[0][1].partition("\n")[0].removeprefix("# ")
        lines.append(f"* [{title}]({notebook.stem}.md)")
    return "\n".join(lines) + "\n"


def _notebook(notebook: Path) -> str:
    parts = []
    shown = iter(_outputs(notebook))
    for kind, text in notebook_outputs.cells(notebook):
        parts.append(text if kind == "markdown" else f"```python\n{text}\n```")
        if kind == "code" and (output := next(shown, "")):
            named = '<svg role="img" aria-label="Chart of the cell above"'
            output = re.sub(r'<svg(?= xmlns="[^"]*" xmlns:xlink)', named, output)
            parts.append(f'<div class="shown">{output}</div>')
    parts.insert(1, f"[Download the notebook]({notebook.name})")
    return "\n\n".join(parts) + "\n"


def _outputs(notebook: Path) -> list[str]:
    """The outputs of its cells. A notebook runs once for each engine, where its libraries are."""
    learns = b"backwater.learn" in notebook.read_bytes()
    needed = ("altair", "pandas", *(("gymnasium",) if learns else ()))
    if any(find_spec(library) is None for library in needed):
        log.info("%s is shown without outputs: install %s", notebook.name, ", ".join(needed))
        return []
    told = notebook.read_bytes() + Path(notebook_outputs.__file__).read_bytes()
    key = hashlib.sha256(told + _native.engine_id().encode()).hexdigest()[:16]
    kept = SHOWN / f"{notebook.stem}-{key}.json"
    if not kept.is_file():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, notebook_outputs.__file__, str(notebook)]
            done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
        SHOWN.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(done.stdout)
    found: list[str] = json.loads(kept.read_text(encoding="utf-8"))
    return found
