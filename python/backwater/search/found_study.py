"""A finding as a study: its scenario, a claim, the reference beside it, and an ablation."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater.search.methods import Found
from backwater.search.objectives import Objective
from backwater.search.settings import Setting
from backwater.search.spaces import Space
from backwater.search.trials import Judged

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Curves in a figure.
_MOST = 8
# Genes that are printed one by one.
_SHORT = 60
# By how much a figure may be better than in the finding, where the score itself is no metric.
_ROOM = 0.05


@dataclass(frozen=True)
class Sides:
    """Labels and tables of the controllers: the target's, and the reference's."""

    target: tuple[str, Mapping[str, Any]]
    reference: tuple[str, Mapping[str, Any]]
    # Flows that have them.
    flows: tuple[str, ...]
    # Mean score of the reference on the same environment and seeds.
    reference_score: float | None


def study(
    name: str,
    found: Found,
    one: Judged,
    scene: Mapping[str, Any],
    objective: Objective,
    sides: Sides | None,
    command: str,
    why: Sequence[str] = (),
) -> str:
    """The text of the study; `why` says what causes were found."""
    request = found.request
    space = request.space
    base = applied(scene, space.settings(one.genome))
    if sides is not None:
        for flow in sides.flows:
            base["flows"][flow]["controller"] = dict(sides.target[1])
    figures = _figures(base, space, space.seconds(one.genome))
    held = (found.shrunk_held if found.shrunk is not None else found.held) or {}
    target = sides.target[0] if sides else request.what
    title = f"Found: {objective.name} of {target}"
    seeds = 1 if held.get("deterministic") else 16
    lines = [
        f"# {title}",
        "",
        f"`{command}` found an environment in which {objective.says} is "
        f"{_shown(one.score)} for {target}.",
        "",
        "## Environment",
        "",
        f"{space.describe(one.genome)[:1].upper()}{space.describe(one.genome)[1:]}.",
        "",
        *(f"* {said}" for said in space.constraints()),
        "",
        _held(held, one),
        _reference(sides, objective),
        "",
        *(line for figure, _ in figures for line in (f"{{{{figure {figure}}}}}", "")),
        "{{claim c101}}",
        "",
        *(["## Causes", "", *(f"* {line}" for line in why), ""] if why else []),
        "## Claims",
        "",
        "{{claims}}",
        "",
        "## Search",
        "",
        _genome(one),
        "",
        *_log(found),
        "",
        "{{repeat}}",
        "",
        "```toml study",
        f'study = {{ id = "{name}", title = {json.dumps(title)}, source = "a search of '
        f"Backwater's\", seeds = {seeds} }}",
        "quick = { seeds = " + ("1" if seeds == 1 else "3") + " }",
        *_axis(sides),
        *(line for _, lines in figures for line in lines),
        "",
        *_claim(one, held, objective, sides),
        *_ablations(space.parts(one.genome), space, space.settings(one.genome)),
        "```",
        "",
        "```toml scenario",
        *_scenario(base),
        "```",
        "",
    ]
    return "\n".join(line for line in lines if line is not None)


def applied(scene: Mapping[str, Any], settings: Sequence[Setting]) -> dict[str, Any]:
    """A scene with the settings of a genome, as a person would write it."""
    made: dict[str, Any] = copy.deepcopy(dict(scene))
    for setting in settings:
        for path, value in setting.fields.items():
            at: Any = made
            *way, last = path.split(".")
            for key in way:
                at = at[int(key)] if isinstance(at, list) else at.setdefault(key, {})
            at[int(last) if isinstance(at, list) else last] = value
    return made


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _held(held: Mapping[str, Any], one: Judged) -> str:
    if held.get("deterministic"):
        return f"Seeds make no difference: the score is {_shown(one.score)}."
    return (
        f"Over 16 fresh seeds the score is {_shown(held.get('mean'))} on average, and likely at "
        f"least {_shown(held.get('least'))}."
    )


def _reference(sides: Sides | None, objective: Objective) -> str:
    if sides is None:
        return ""
    if objective.against:
        return f"The reference is {sides.reference[0]}."
    return f"The reference, {sides.reference[0]}, scores {_shown(sides.reference_score)} there."


def _genome(one: Judged) -> str:
    if len(one.genome) <= _SHORT:
        return f"Genome: `{list(one.genome)}`."
    return f"The genome has {len(one.genome)} numbers; the scenario below has what it means."


def _log(found: Found) -> list[str]:
    request = found.request
    rows = [
        f"| {name} | {_shown(score)} | {generations} |"
        for name, (score, generations) in found.methods.items()
    ]
    return [
        f"Space `{request.space.name}`, objective `{request.objective}`, search seed "
        f"{request.seed}, {request.evals} runs for each method. "
        f"The finding is that of `{found.best_method}`.",
        "",
        "| method | best score | generations |",
        "|---|---|---|",
        *rows,
    ]


def _axis(sides: Sides | None) -> list[str]:
    if sides is None:
        return []
    values = [
        {"label": label, "set": {f"flows.{flow}.controller": table for flow in sides.flows}}
        for label, table in (sides.target, sides.reference)
    ]
    return ["", "[axes.controller]", "values = [", *(f"  {inline(v)}," for v in values), "]"]


def _figures(base: Mapping[str, Any], space: Space, seconds: float) -> list[tuple[str, list[str]]]:
    """Figures over time with their ids: of a trace link and its queue, or of the flows."""
    if base.get("links", {}).get("down", {}).get("kind") == "trace":
        port = f"scope = {inline(f'port:{space.port}')}"
        return [
            _figure(
                "rates",
                "What the link could carry, and what it carried",
                *(port, ["capacity_bps", "throughput_bps"], seconds),
            ),
            _figure("queue", "Queue", port, ["queue_max_B"], seconds),
        ]
    # Where the sender is a pattern, flows have names of their own.
    flows = base.get("flows", {}).items()
    single = {name: flow for name, flow in flows if "*" not in f"{flow.get('from')}"}
    sent = [f"flow:{name}" for name, flow in single.items() if "transport" in flow][:_MOST]
    every = [f"flow:{name}" for name in single][:_MOST]
    found = []
    if every:
        scopes = f"scopes = {inline(every)}"
        found.append(_figure("rates", "What the flows carried", scopes, ["goodput_bps"], seconds))
    if sent:
        scopes = f"scopes = {inline(sent)}"
        found.append(_figure("trips", "Their round trips", scopes, ["srtt_s"], seconds))
    if space.port in base.get("ports", {}):
        scope = f"scope = {inline(f'port:{space.port}')}"
        found.append(_figure("queue", "Queue", scope, ["queue_max_B"], seconds))
    return found


def _figure(
    name: str, title: str, scope: str, metrics: Sequence[str], seconds: float
) -> tuple[str, list[str]]:
    """A figure over time with a hundred intervals."""
    return name, [
        "",
        f"[figures.{name}]",
        f"title = {json.dumps(title)}",
        'kind = "time"',
        scope,
        f"y = {inline(metrics)}",
        f'every = "{max(1, round(10 * seconds))} ms"',
    ]


def _claim(
    one: Judged, held: Mapping[str, Any], objective: Objective, sides: Sides | None
) -> list[str]:
    score = held.get("least")
    score = one.score if score is None else score
    least = math.floor((score or 0.0) * 100) / 100
    who = sides.target[0] if sides else "It"
    where = [f"where = {inline({'controller': sides.target[0]})}"] if sides else []
    shape = objective.claim
    head = ["[claims.c101]"]
    tail = ['kind = "own"', 'expected = "reproduced"', ""]
    if "most" in shape:
        bound = round(shape["most"](least), 4)
        says = f"{who} leaves at least {100 * least:g} % of the link unused."
        body = [
            f'metric = "{shape["metric"]}"',
            f'scope = "{shape["scope"]}"',
            f"at_most = {bound}",
        ]
    elif "ratio" in shape and sides is not None:
        bound = round(shape["ratio"](least), 4)
        says = f"{who} gets at most {100 * bound:g} % of the goodput of {sides.reference[0]}."
        against = inline({"controller": sides.reference[0]})
        body = [
            f'metric = "{shape["metric"]}"',
            f'scope = "{shape["scope"]}"',
            f"against = {against}",
            'by = "ratio"',
            f"at_most = {bound}",
        ]
    elif "function" in shape:
        few, many = sorted(shape["flows"], key=lambda flow: _goodput(one, flow))
        ratio = round((1 - least) / (1 + least), 4)
        says = f"Flow {few} gets at most {ratio:g} of the goodput of flow {many}."
        args = inline({"metric": "goodput_bps", "of": f"flow:{few}", "to": f"flow:{many}"})
        body = ['function = "scope_ratio"', f"args = {args}", f"at_most = {ratio}"]
    else:
        says, body = _figure_claim(one, objective)
    return [*head, f"says = {json.dumps(says)}", *body, *where, *tail]


def _goodput(one: Judged, flow: str) -> float:
    return one.figures.get(f"flows.{flow}.goodput_bps") or 0.0


def _figure_claim(one: Judged, objective: Objective) -> tuple[str, list[str]]:
    if objective.name.startswith("metric:"):
        scope, _, metric = objective.name.partition(":")[2].rpartition(".")
        value = (one.score or 0.0) * (1 - _ROOM)
        where = {"metrics": "run"}.get(scope, scope.replace("flows.", "flow:", 1))
        where = where.replace("ports.", "port:", 1)
        said = f"{metric} is at least {value:.4g}."
        return said, [f'metric = "{metric}"', f'scope = "{where}"', f"at_least = {value:.6g}"]
    if objective.name == "deadlock":
        return "A cycle of pauses forms.", ['metric = "deadlocks"', "at_least = 1"]
    if objective.name == "violation":
        said = "Packets enter the network; the run then breaks what every run must keep."
        return said, ['metric = "entered_pkts"', "at_least = 1"]
    flow = objective.victim or objective.flows[0]
    value = _goodput(one, flow) * (1 + _ROOM)
    said = f"Flow {flow} has at most {value / 1e6:.4g} Mbit/s."
    return said, ['metric = "goodput_bps"', f'scope = "flow:{flow}"', f"at_most = {value:.6g}"]


def _ablations(
    parts: Iterable[tuple[str, Any]], space: Any, settings: Sequence[Setting]
) -> list[str]:
    lines = []
    before = {path: value for one in settings for path, value in one.fields.items()}
    for name, genome in parts:
        after = {p: v for one in space.settings(genome) for p, v in one.fields.items()}
        moved = {path: value for path, value in after.items() if before.get(path) != value}
        moved |= {p: _undone(p) for p in before if p not in after and _undone(p) is not None}
        if not moved:
            continue
        lines += [
            f"[ablate.{name}]",
            f'says = "Without {name}: {space.describe(genome)}."'.replace("\n", " "),
            f"set = {inline(moved)}",
            'claims = ["c101"]',
            "",
        ]
    return lines


def _undone(path: str) -> Any:
    """The value of a field that a simpler genome does not write."""
    return "1 us" if path.endswith(".period") else None


def _scenario(base: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in base.items():
        if (
            isinstance(value, Mapping)
            and value
            and all(isinstance(v, Mapping) for v in value.values())
        ):
            lines += [f"{key}.{_key(name)} = {inline(one)}" for name, one in value.items()]
        else:
            lines.append(f"{key} = {inline(value)}")
    return lines


def inline(value: Any) -> str:
    """A value as TOML on one line."""
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        return "{ " + ", ".join(f"{_key(k)} = {inline(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(inline(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)
