"""`backwater hunt`."""

from __future__ import annotations

import hashlib
import json as jsons
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED, Refusal, nearest
from backwater.present.tabular import figures, words
from backwater.tools.rfc9743 import BASELINES

NAME = "hunt"


_Space = Annotated[str, typer.Option(help="link, traffic, steps, path, jitter or parts.")]
_Objective = Annotated[
    str, typer.Option(help="waste, gap, starve, stall, …, deadlock, or metric:FIGURE.")
]

_Search = Annotated[
    str,
    typer.Option(help="ga, map-elites, cma, bo, random or eps; the last two run beside it."),
]
_Most = Annotated[
    int | None, typer.Option(help="Of `jitter`: most ms of delay; of `traffic`: most packets.")
]
_Corpus = Annotated[
    Path | None, typer.Option(help="Folder of an earlier hunt, whose best are tried first.")
]
_Minimise = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write the smallest set with each kind of behaviour that was seen, for --corpus.",
    ),
]
_Save = Annotated[
    Path | None, typer.Option(metavar="FINDING.md", help="Write the finding as a study.")
]


def command(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="A controller, FILE.py:Class, FILE.wasm, a scenario."),
    ],
    space: _Space = "steps",
    objective: _Objective = "waste",
    target: Annotated[
        str | None, typer.Option(metavar="flows.NAME", help="In a scenario: whose flow is judged.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="CONTROLLER", help="The reference; default cubic.")
    ] = None,
    evals: Annotated[int, typer.Option(min=1, help="Runs of each method.")] = 300,
    limit: Annotated[
        float | None,
        typer.Option("--time", min=1, help="Seconds after which no generation begins."),
    ] = None,
    search: _Search = "ga",
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 1,
    slack: Annotated[int, typer.Option(help="Of `link`: ms by which capacity may lag.")] = 100,
    most: _Most = None,
    steps: Annotated[int, typer.Option(min=1, max=20, help="Of `steps`: how many.")] = 2,
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="PATH=V1,V2", help="Of `parts`; may be repeated."),
    ] = None,
    corpus: _Corpus = None,
    minimise: _Minimise = None,
    shrink: Annotated[bool, typer.Option("--shrink", help="Simplify what is found.")] = False,
    save: _Save = None,
    out: Annotated[
        Path, typer.Option(help="Folder of the archive; a hunt that is there goes on.")
    ] = Path("results/hunt"),
    workers: options.Workers = None,
    dask: options.Dask = None,
    json: options.Json = False,
) -> int:
    """Search for an environment in which a controller or a mechanism fails."""
    from backwater.cli.progress_bar import Generations
    from backwater.model.machine import available_cores
    from backwater.search import methods as searches
    from backwater.search.objectives import objective as named
    from backwater.search.request import HuntRequest

    _check(search, save)
    goal = named(objective, "".join(_flow(target)) or "f")
    chosen = _space(space, slack, most, steps, vary or [], what)
    hunted = _Hunted.of(what, chosen, goal, target, against)
    request = HuntRequest(
        space=chosen,
        what=hunted.label,
        target=target,
        against=hunted.reference[0] if goal.against else None,
        objective=objective,
        seed=seed,
        evals=evals,
        search=search,
        shrink=shrink,
        corpus=_corpus(corpus, chosen),
        scene=hashlib.sha256(hunted.text().encode()).hexdigest(),
    )
    smallest = _smallest(minimise, request)
    hunted.run_by(workers or available_cores(), dask)
    try:
        found = searches.hunt(request, hunted.trials(goal.against), out, Generations(NAME), limit)
        return _finish(found, hunted, (save, smallest), context, json)
    finally:
        hunted.close()


def _finish(
    found: Any,
    hunted: _Hunted,
    files: tuple[Path | None, Any],
    context: typer.Context,
    json: bool,
) -> int:
    save, smallest = files
    one = found.shrunk or found.best
    reference = None if one is None else hunted.reference_score(one)
    if save is not None and one is not None:
        _save(save, found, one, hunted, reference, context.obj)
    if smallest is not None:
        smallest.write(found.archive)
    if json:
        corpus = None if smallest is None else smallest.document
        console.emit(_document(found, one, reference, save) | {"corpus": corpus})
    else:
        _show(found, one, hunted, reference, save)
        if smallest is not None:
            console.data(smallest.said)
    return EXIT_DONE if found.best is not None else EXIT_UNEXPECTED


def _check(search: str, save: Path | None) -> None:
    from backwater.search.operators import METHODS
    from backwater.search.optimisers import OPTIMISERS, library

    known = [*METHODS, *OPTIMISERS]
    if search not in known:
        near = nearest(search, known) or known
        raise Refusal(
            f"there is no search `{search}`", place="--search", nearest=near, fix="name one"
        )
    if search in OPTIMISERS:
        library(search)
    if save is not None and (not save.parent.is_dir() or save.suffix != ".md"):
        raise Refusal("this is no file of a study", place=str(save), fix="name a .md in a folder")


class _Hunted:
    """The scene with its controllers."""

    def __init__(self, scene: Any, space: Any, goal: Any, flows: tuple[str, ...]) -> None:
        from backwater.model import scenario

        self.scene, self.space, self.goal, self.flows = scene, space, goal, flows
        self.read, self.name = scenario.read(scene)
        self.label = self.name
        self.target: Mapping[str, Any] | None = None
        self.reference: tuple[str, Mapping[str, Any]] = (BASELINES[0], {"kind": BASELINES[0]})

    @staticmethod
    def of(what: str, space: Any, goal: Any, target: str | None, against: str | None) -> _Hunted:
        """A controller on the scene of its space, or a scenario of a person's."""
        from backwater.cli.scorecard import subject
        from backwater.model import controller_file
        from backwater.tools import contest_runs

        known = contest_runs.controllers()
        if what in known or controller_file.is_file(what):
            if target is not None:
                fix = "name a scenario, or leave --target out"
                raise Refusal("a controller has no flows", place="--target", fix=fix)
            scene = space.scene()
            flows = tuple(name for name, flow in scene["flows"].items() if "transport" in flow)
            hunted = _Hunted(scene, space, goal, goal.flows or flows)
            missing = [flow for flow in hunted.flows if flow not in hunted.scene["flows"]]
            if missing:
                what = f"`{goal.name}` needs a flow `{missing[0]}`, and `{space.name}` has none"
                raise Refusal(what, place="--objective", fix="choose another space or objective")
            hunted.target, hunted.label = subject(what, [])
        else:
            if not Path(what).exists():
                near = nearest(what, known)
                fix = "name a controller of `backwater list controllers`, or a scenario's file"
                raise Refusal(f"there is no `{what}`", place="WHAT", nearest=near, fix=fix)
            from backwater.search import scenes

            hunted = _Hunted(scenes.of_file(Path(what)), space, goal, _flow(target))
        reference = against or BASELINES[hunted.label == BASELINES[0]]
        table, label = subject(reference, [])
        hunted.reference = (label, table)
        return hunted

    def text(self) -> str:
        """What is searched, for the archive: files of controllers by their content."""
        found = [self.scene, self.target, self.flows]
        files = [
            table["file"] for table in (self.target or {}, self.reference[1]) if "file" in table
        ]
        hashes = [hashlib.sha256(Path(one).read_bytes()).hexdigest() for one in files]
        return jsons.dumps(found + hashes, sort_keys=True)

    def run_by(self, workers: int, scheduler: str | None) -> None:
        """Who runs the trials: threads here, or the workers of a scheduler."""
        from backwater.model import cluster

        self.workers = workers
        self.cluster = None if scheduler is None else cluster.Trials(scheduler)

    def close(self) -> None:
        """Ends the connection to a scheduler."""
        if self.cluster is not None:
            self.cluster.close()

    def trials(self, against: bool) -> Any:
        """Runs of the target, and of the reference where scores compare them."""
        return self._trials([self.target, self.reference[1]] if against else [self.target])

    def _trials(self, sides: list[Any]) -> Any:
        from backwater.search.trials import Trials

        arguments = (self.read, self.space, self.goal, sides, self.flows)
        return Trials(*arguments, self.workers, self.cluster)

    def reference_score(self, one: Any) -> float | None:
        """The score of the reference on an environment; None where the objective compares both."""
        from backwater.search.methods import FRESH

        if self.goal.against or not self.flows:
            return None
        trials = self._trials([self.reference[1]])
        score: float | None = trials.judge([one.genome], FRESH)[0].score
        return score

    def why(self, one: Any) -> list[str]:
        """The causes of the target's loss beside the reference, or the reason why none is named."""
        from backwater.search.explanation import explanation

        if self.target is None or not self.flows:
            return []
        settings = self.space.settings(one.genome)
        return explanation(self.scene, settings, self.flows, self.target, self.reference)


def _flow(target: str | None) -> tuple[str, ...]:
    if target is None:
        return ()
    kind, _, name = target.partition(".")
    if kind != "flows" or not name:
        raise Refusal(f"`{target}` names no flow", place="--target", fix="write flows.NAME")
    return (name,)


def _space(name: str, slack: int, most: int | None, steps: int, vary: list[str], what: str) -> Any:
    from backwater.search import spaces

    if name not in spaces.SPACES:
        near = nearest(name, spaces.SPACES) or list(spaces.SPACES)
        raise Refusal(f"there is no space `{name}`", place="--space", nearest=near, fix="name one")
    if vary and name != "parts":
        raise Refusal(f"`{name}` varies no fields", place="--vary", fix="write --space parts")
    match name:
        case "link":
            return spaces.Link(slack)
        case "steps":
            return spaces.Steps(steps)
        case "jitter":
            return spaces.Jitter(60 if most is None else most)
        case "traffic":
            return spaces.Traffic(2500 if most is None else most)
        case "parts":
            from backwater.errors import refusing
            from backwater.model import scenario

            with refusing():
                canonical = scenario.read(what)[0].resolve(None).canonical
            return spaces.Parts(vary, float(jsons.loads(canonical)["duration_s"]))
    return spaces.SPACES[name]()


def _corpus(folder: Path | None, space: Any) -> list[Any]:
    """The best of each cell of an earlier hunt."""
    if folder is None:
        return []
    from backwater.search.corpus import best_of_cells, other_engine

    genomes, other = best_of_cells(folder, space), other_engine(folder)
    if other is not None:
        again = f"its {len(genomes)} environments run again, its scores are not taken"
        console.message(f"warning: the corpus is of another engine, {other}: {again}")
    return genomes


def _smallest(folder: Path | None, request: Any) -> Any:
    """The corpus that is to be written, where its folder is free for it."""
    from backwater.search.corpus import Smallest

    return None if folder is None else Smallest(folder, request.space, request.written())


def _save(
    path: Path, found: Any, one: Any, hunted: _Hunted, reference: float | None, line: list[str]
) -> None:
    from backwater.search import found_study

    sides = None
    if hunted.target is not None:
        target = (hunted.label, hunted.target)
        sides = found_study.Sides(target, hunted.reference, hunted.flows, reference)
    said = shlex.join(["backwater", *line[1:]])
    blamed = hunted.why(one)
    text = found_study.study(path.stem, found, one, hunted.scene, hunted.goal, sides, said, blamed)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        from backwater.errors import Unfinished

        why = error.strerror or str(error)
        fix = "give the same command again with another file: the archive is kept"
        raise Unfinished(
            f"the finding cannot be written: {why}", place=str(path), fix=fix
        ) from error


def _document(found: Any, one: Any, reference: float | None, save: Path | None) -> dict[str, Any]:
    held = found.shrunk_held if found.shrunk is not None else found.held
    return {
        "schema": "backwater/hunted/1",
        "version": _native.version(),
        "asked": found.request.written(),
        "archive": str(found.archive),
        "deterministic": found.deterministic,
        "methods": [
            {"method": name, "best": best, "generations": count}
            for name, (best, count) in found.methods.items()
        ],
        "finding": None
        if one is None
        else {
            "method": found.best_method,
            "genome": list(one.genome),
            "says": found.request.space.describe(one.genome),
            "score": one.score,
            "rescored": held,
            "reference_score": reference,
            "figures": one.figures,
            "fingerprints": list(one.fingerprints),
        },
        "not_held": found.dropped,
        "failures": found.failures,
        "study": None if save is None or one is None else str(save),
        "cost": {"runs": found.runs, "fresh_runs": found.fresh_runs, "wall_s": found.wall_s},
    }


def _show(
    found: Any, one: Any, hunted: _Hunted, reference: float | None, save: Path | None
) -> None:
    for failure in found.failures[:3]:
        console.message(f"warning: {failure}")
    rows = [
        (name, "–" if best is None else f"{best:.3f}", str(count))
        for name, (best, count) in found.methods.items()
    ]
    columns = (words("method"), figures("best score"), figures("generations"))
    console.table(f"{hunted.label}: {hunted.goal.says}", columns, rows)
    if one is None:
        none = all(best is None or best <= 0 for best, _ in found.methods.values())
        what = f"no score above 0 in {found.runs} runs"
        console.data(what if none else "nothing that was found holds on 16 fresh seeds")
        return
    held = (found.shrunk_held if found.shrunk is not None else found.held) or {}
    console.data(f"found by {found.best_method}: {found.request.space.describe(one.genome)}")
    least = "" if held.get("deterministic") else f", likely at least {held['least']:.3f}"
    console.data(f"score {one.score:.3f}; on 16 fresh seeds {held['mean']:.3f}{least}")
    if reference is not None:
        console.data(f"reference {hunted.reference[0]}: {reference:.3f}")
    console.data(f"{found.runs} runs, {found.wall_s:.1f} s; archive {found.archive}")
    if save is not None:
        console.data(f"finding {save}: `backwater study run {save} --ablate` runs it again")
