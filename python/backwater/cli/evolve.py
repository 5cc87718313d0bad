"""`backwater evolve`."""

from __future__ import annotations

import json as jsons
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, options
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED, BackwaterError, Refusal, nearest
from backwater.present.tabular import figures, words

NAME = "evolve"
app = typer.Typer(
    help="Score controllers that a program wrote, in stages that a bad one leaves early.",
    name=NAME,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_Candidate = Annotated[
    str,
    typer.Argument(
        metavar="CANDIDATE", help="FILE.py:Class, FILE.wasm, FILE.toml or a part's name."
    ),
]
_Suite = Annotated[str, typer.Option(help="internet-1.")]
_Incumbent = Annotated[
    float, typer.Option(help="The score to beat: who can't reach it leaves early.")
]
_Last = Annotated[
    int | None, typer.Option("--stage", min=1, max=4, help="The last stage: 4 is a hunt.")
]


@app.command()
def check(candidate: _Candidate, json: options.Json = False) -> int:
    """Refuse what reaches beyond itself or does not run for five seconds."""
    found = _evaluator(None, "internet-1").evaluate(_read(candidate), last=1)
    return _finish(found, json)


@app.command()
def score(
    candidate: _Candidate,
    suite: _Suite = "internet-1",
    part: Annotated[str, typer.Option(help="train or validation.")] = "train",
    incumbent: _Incumbent = -8.0,
    stage: _Last = None,
    evals: Annotated[int, typer.Option(min=1, help="Runs of stage 4, the hunt.")] = 2_000,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also against cubic, bbr3-linux and copa.")
    ] = False,
    sealed: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Ask the sealed paths of a campaign.")
    ] = None,
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Score a candidate on the paths of a suite."""
    if part not in ("train", "validation"):
        fix = "write train or validation"
        raise Refusal(f"a suite has no part `{part}`", place="--part", fix=fix)
    evaluator, read = _evaluator(workers, suite, evals), _read(candidate)
    found = evaluator.evaluate(read, incumbent, part, stage)
    if compare and found.passed:
        evaluator.compare(read, found, part)
    released = _ask(evaluator, read, sealed) if sealed is not None and found.passed else None
    return _finish(found, json, released)


@app.command()
def seal(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="An empty folder.")],
    queries: Annotated[int, typer.Option(min=1, max=1000, help="How often it may be asked.")] = 20,
    json: options.Json = False,
) -> int:
    """Begin a campaign with paths that nobody has seen; publish the SHA-256 that is printed."""
    from backwater.evolve import sealed

    said = sealed.seal(folder, queries)
    if json:
        console.emit({"schema": "backwater/sealed/1", "sha256": said, "queries": queries})
    else:
        console.data(said)
    return EXIT_DONE


@app.command()
def serve(suite: _Suite = "internet-1", workers: options.Workers = None) -> int:
    r"""Score candidates that come as lines of JSON: {"candidate": …, "incumbent": …}."""
    evaluator = _evaluator(workers, suite)
    for line in sys.stdin:
        if line.strip():
            console.data(jsons.dumps(_answer(evaluator, line)))
            sys.stdout.flush()
    return EXIT_DONE


@app.command()
def tune(
    part: Annotated[str, typer.Argument(metavar="PART", help="A controller of the tables.")],
    vary: Annotated[
        list[str], typer.Option(metavar="OPTION=V1,V2", help="Values to try; may be repeated.")
    ],
    evals: Annotated[int, typer.Option(min=2, max=100_000, help="Variants to try.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 1,
    sealed: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Ask the sealed paths of a campaign.")
    ] = None,
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Search options of a controller that score better than its defaults."""
    from backwater.evolve import tune as tuning
    from backwater.evolve.evaluate import STAGES
    from backwater.evolve.sealed import Campaign

    known = list(_controllers())
    if part not in known:
        near = nearest(part, known) or known
        raise Refusal(
            f"there is no controller `{part}`", place="PART", nearest=near, fix="name one"
        )
    campaign = None if sealed is None else Campaign(sealed)
    evaluator = _evaluator(workers, "internet-1")
    log = tuning.tune(part, vary, evaluator, evals, seed, _told)
    found = tuning.best(log)
    compared = None
    if campaign is not None and found.options:
        count, seconds = STAGES[-1]
        paths = campaign.environments(count)
        compared = tuning.compare(part, found, evaluator, paths, seconds)
    if json:
        console.emit(_tuned(part, log, found, compared, tuning))
        return EXIT_DONE
    shown = ", ".join(f"{name} = {value}" for name, value in found.options.items())
    console.data(
        f"{part} as it is: {log[0].score:.3f}" + (f" ({log[0].why})" if log[0].why else "")
    )
    console.data(f"best of {len(log)}: {found.score:.3f}; {shown or 'no variant is better'}")
    if compared is not None:
        console.data(
            f"on {compared.paths} sealed paths: {compared.variant:.3f} beside {compared.part:.3f}; "
            f"{compared.difference:+.3f} [{_shown(compared.low)}, {_shown(compared.high)}]"
        )
    return EXIT_DONE


def _tuned(part: str, log: Any, found: Any, compared: Any, tuning: Any) -> dict[str, Any]:
    return {
        "schema": "backwater/tuned/1",
        "version": _native.version(),
        "engine": _native.engine_id(),
        "part": part,
        "best": tuning.written([found])[0],
        "sealed": None if compared is None else asdict(compared),
        "log": tuning.written(log),
    }


def _controllers() -> Any:
    from backwater.tools import contest_runs

    return contest_runs.controllers()


def _told(done: int, total: int, best: float) -> None:
    if done % 10 == 0 or done == total:
        console.message(f"{NAME}: {done} of {total} variants, best {best:.3f}")


def _answer(evaluator: Any, line: str) -> dict[str, Any]:
    try:
        asked = jsons.loads(line)
        if not isinstance(asked, dict) or not isinstance(asked.get("candidate"), str):
            raise Refusal(
                "a line has no candidate",
                place="stdin",
                fix='write {"candidate": "FILE.py:Class", "incumbent": -2.0}',
            )
        incumbent = float(asked.get("incumbent", -8.0))
        found = evaluator.evaluate(_read(asked["candidate"]), incumbent, last=asked.get("stage"))
    except ValueError as error:
        refused = Refusal(f"this is not JSON: {error}", place="stdin", fix="write a line of JSON")
        return refused.document()
    except BackwaterError as error:
        return error.document()
    return _document(found, None)


def _read(candidate: str) -> Any:
    from backwater.evolve import candidate as candidates

    return candidates.read(candidate)


def _evaluator(workers: int | None, suite: str, evals: int = 2_000) -> Any:
    from backwater.evolve.environments import SUITES
    from backwater.evolve.evaluate import Evaluator
    from backwater.model.machine import available_cores

    if suite not in SUITES:
        near = nearest(suite, SUITES) or list(SUITES)
        raise Refusal(f"there is no suite `{suite}`", place="--suite", nearest=near, fix="name one")
    return Evaluator(workers or available_cores(), evals=evals)


def _ask(evaluator: Any, read: Any, folder: Path) -> Any:
    from backwater.evolve.evaluate import ALPHA, STAGES
    from backwater.evolve.scoring import score as scored
    from backwater.evolve.sealed import Campaign

    count, seconds = STAGES[-1]
    campaign = Campaign(folder)
    environments = campaign.environments(count)
    found = scored(environments, evaluator.utilities(read, environments, seconds), ALPHA)
    low, high = found.low, found.high
    half = 0.0 if low is None or high is None else (high - low) / 2
    return campaign.release(found.value, half)


def _document(found: Any, released: Any) -> dict[str, Any]:
    sealed = None
    if released is not None:
        sealed = {
            "value": released.value,
            "better": released.better,
            "queries_left": released.queries_left,
        }
    return {
        "schema": "backwater/scored/1",
        "version": _native.version(),
        "engine": _native.engine_id(),
        **found.document(),
        "sealed": sealed,
    }


def _finish(found: Any, json: bool, released: Any = None) -> int:
    if json:
        console.emit(_document(found, released))
        return EXIT_DONE if found.passed else EXIT_UNEXPECTED
    for number, one in enumerate(found.scores, 2):
        console.data(
            f"stage {number}: {one.value:.3f} on {one.count} paths; mean {one.mean:.3f} "
            f"[{_shown(one.low)}, {_shown(one.high)}], worst tenth {one.tail:.3f}"
        )
    if found.gates:
        rows = [
            (one.name, one.says, "–" if one.found is None else f"{one.found:.3f}", f"{one.bound:g}")
            for one in found.gates
        ]
        columns = (words("condition"), words("says"), figures("found"), figures("bound"))
        console.table("gates", columns, rows)
    for name, one in found.against.items():
        console.data(
            f"against {name}: {_shown(one['difference'])} "
            f"[{_shown(one['low'])}, {_shown(one['high'])}]"
        )
    if found.hunt is not None:
        one = found.hunt
        console.data(
            f"worst of {one.evals} paths: {one.candidate_bps / 1e6:.3f} Mbit/s beside "
            f"{one.reference_bps / 1e6:.3f} of the reference; {one.says}"
        )
    if found.rescaled is not None:
        console.data(f"on other rates and round trips: {found.rescaled:+.3f}")
    if released is not None:
        told = "better" if released.better else "not better than the best released"
        console.data(f"sealed: {released.value:.2f}, {told}; {released.queries_left} queries left")
    console.data(f"score {found.value:.3f}" if found.passed else f"sent away: {found.why}")
    return EXIT_DONE if found.passed else EXIT_UNEXPECTED


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
