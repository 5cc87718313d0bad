"""Search: what a space keeps, what a score means, and what an archive depends on."""

from __future__ import annotations

import itertools
import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backwater as package
from backwater.errors import Refusal, Unfinished
from backwater.model import scenario
from backwater.search import found_study, methods, objectives, scenes
from backwater.search.archive import NAME
from backwater.search.corpus import best_of_cells, cell
from backwater.search.draws import Draws
from backwater.search.objectives import Seen
from backwater.search.request import HuntRequest
from backwater.search.shrink import shrink
from backwater.search.spaces import Jitter, Link, Parts, Space, Steps, Traffic
from backwater.search.spaces import Path as Paths
from backwater.search.trials import Begun, Judged, Trials
from backwater.study.definition import Study
from command import call, start
from test_wasm import LOOPS, TRAPS

SPACES: list[Space] = [Link(100), Traffic(), Steps(), Paths(), Jitter()]
CUBIC = {"kind": "cubic"}


def trials(
    space: Space, name: str = "waste", workers: int = 1, controller: str = "cubic"
) -> Trials:
    goal = objectives.objective(name, "f")
    read = scenario.read(space.scene())[0]
    return Trials(read, space, goal, [{"kind": controller}], goal.flows, workers)


def request(space: Space, **changed: object) -> HuntRequest:
    fields: dict[str, object] = {
        "target": None,
        "against": None,
        "objective": "waste",
        "seed": 1,
        "evals": 12,
    }
    fields |= {"search": "ga", "shrink": False, "what": "cubic", **changed}
    return HuntRequest(space=space, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_draws_mutants_and_children_keep_the_constraints(space: Space) -> None:
    draws = Draws(1, "test", space.name)
    one, other = space.draw(draws), space.draw(draws)
    found = [one, other]
    for _ in range(20):
        found.append(space.mutate(found[-1], draws))
    found += [space.cross(one, mutant, draws) for mutant in found[2:]]
    for genome in found:
        assert len(genome) == len(space.bounds())
        for gene, value in zip(space.bounds(), genome, strict=True):
            assert gene.low <= value <= gene.high
        if isinstance(space, Link):
            sums, ends = np.cumsum(genome), np.arange(1, 5001)
            assert sums[-1] == 5000
            assert (sums <= ends).all()
            assert (sums >= ends - space.slack).all()
        if isinstance(space, Traffic):
            assert sum(genome) <= space.most
    assert len(set(found)) > 8


def test_draws_depend_on_their_key_alone() -> None:
    first = [Draws(1, "ga", 3, 5).unit(), Draws(1, "ga", 3, 6).unit()]
    assert first == [Draws(1, "ga", 3, 5).unit(), Draws(1, "ga", 3, 6).unit()]
    assert first[0] != first[1] != Draws(2, "ga", 3, 6).unit()


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_a_genome_runs_as_its_scenario_does(space: Space) -> None:
    """The changes without text, against the same written out and run alone."""
    goal = "starve" if space.name == "jitter" else "waste"
    trial = trials(space, goal)
    genome = space.draw(Draws(7, "test"))
    judged = trial.judge([genome], [3])[0]
    written = found_study.applied(space.scene(), space.settings(genome))
    for flow in trial.objective.flows:
        written["flows"][flow]["controller"] = CUBIC
    run = package.run(written, seed=3, columns=False)
    assert judged.why is None
    assert judged.fingerprints == (run.fingerprint,)


def test_rates_of_a_step_are_counted_by_hand() -> None:
    """1 Mbit/s for 0.5 s and 6 Mbit/s for 0.5 s are 41.67 and 250 packets of 1500 B."""
    at_ms = Steps().chances_ms((2, 12, 1, 1, 10, 10, 1)).array()
    assert [int(np.sum((at_ms > low) & (at_ms <= low + 500))) for low in (0, 500)] == [41, 250]


def seen(delivered: list[float], chances: list[int] | None = None, **figures: float) -> Seen:
    names = {
        name.replace("__", ".").replace("_R", f"ports.{scenes.DOWN}"): x
        for name, x in figures.items()
    }
    return Seen(names, [delivered], [[1.0] * len(delivered)], len(delivered) / 10, chances, "")


def test_scores_are_those_of_their_definitions() -> None:
    score = {name: one.score for name, one in objectives.OBJECTIVES.items()}
    fast = seen([], flows__f__goodput_bps=8e6)
    slow = seen([], flows__f__goodput_bps=2e6)
    assert score["gap"](slow, fast) == 0.75
    assert score["gap"](fast, slow) == -0.75
    two = seen([], flows__a__goodput_bps=1e6, flows__b__goodput_bps=9e6)
    assert score["starve"](two, None) == pytest.approx(0.8)
    assert score["waste"](seen([], _R__utilisation=0.25), None) == 0.75
    # Ten intervals of 100 ms. Nothing comes in 3 to 7; the link could send in all but the fourth.
    bytes_ = [1.0, 2, 3, 3, 3, 3, 3, 3, 4, 5]
    could = [100 * slot + 50 for slot in range(10) if slot != 3]
    assert score["stall"](seen(bytes_, None), None) == 0.5
    assert score["stall"](seen(bytes_, could), None) == 0.4
    # A run of one second, of which the space changes the first half.
    assert score["stall"](replace(seen(bytes_, None), seconds=0.5), None) == 0.5
    assert score["waste"](seen([]), None) is None
    # Flow b has 12 Mbit/s alone and 3 beside a.
    alone, beside = seen([], flows__b__goodput_bps=12e6), seen([], flows__b__goodput_bps=3e6)
    assert score["harm"](beside, alone) == 0.75
    assert score["harm"](alone, beside) == 0
    assert score["harm"](beside, seen([], flows__b__goodput_bps=0)) is None
    laws: dict[str, Any] = {"conservation__ok": 1.0, "sanity__ok": 1.0}
    assert score["violation"](seen([], **laws), None) == 0
    assert score["violation"](seen([], **laws | {"sanity__ok": 0.0}), None) == 1
    assert score["violation"](seen([], sanity__ok=1.0), None) is None


def test_harm_is_what_a_flow_lacks_beside_another_of_what_it_has_alone() -> None:
    """Alone it has the link: 1448 bytes of the application in 1538 on the wire."""
    space = Jitter()
    trial = trials(space, "harm")
    genome = (0,) * len(space.bounds())
    (judged,) = trial.judge([genome], [1])
    beside = judged.figures["flows.b.goodput_bps"]
    assert judged.score is not None
    assert beside is not None
    assert 0.2 < judged.score < 0.8
    assert judged.score == pytest.approx(1 - beside / (12e6 * 1448 / 1538), abs=0.02)


def two_flows() -> dict[str, Any]:
    """Flow `a` sends at once on a path of its own, `g` from 3 s on over the link `down`."""
    scene = scenes.one()
    flow = scene["flows"].pop("f")
    scene["nodes"] |= {"A": {"kind": "host"}, "B": {"kind": "host"}}
    scene["links"]["ab"] = {"ends": ["A", "B"], "rate": "10 Mbit/s", "delay": "1 ms"}
    scene["flows"] |= {"a": flow | {"from": "A", "to": "B"}, "g": flow | {"start": "3 s"}}
    return scene


@pytest.mark.parametrize(("flow", "silent_s"), [("a", 0.0), ("g", 3.0)])
def test_the_flow_that_is_named_is_judged(flow: str, silent_s: float) -> None:
    goal = objectives.objective("stall", flow)
    read = scenario.read(two_flows())[0]
    trial = Trials(read, Link(), goal, [None], (flow,), 1)
    # An opportunity each millisecond.
    (judged,) = trial.judge([(1,) * 5000], [1])
    assert judged.score == pytest.approx(silent_s / 5, abs=0.05)


def test_a_hunt_in_a_scenario_judges_the_flow_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(two_flows()))
    args = ("hunt", "two.json", "--space", "link", "--evals", "1", "--objective")
    for goal in ("waste", "gap"):
        line = (*args, goal, "--target", "flows.g", "--out", goal, "--save", f"{goal}.md")
        said = call(*line, "--json", cwd=tmp_path)
        assert said.code == 0, said.err
        assert "flows.g.goodput_bps" in said.document["finding"]["figures"]
        Study.load(tmp_path / f"{goal}.md")


def test_no_run_breaks_what_every_run_keeps() -> None:
    trial = trials(Steps(), "violation")
    (judged,) = trial.judge([Steps().draw(Draws(1, "laws"))], [1])
    assert judged.score == 0
    assert [judged.figures[law] for law in ("conservation.ok", "sanity.ok")] == [1, 1]


def archived(folder: Path) -> bytes:
    return (folder / NAME).read_bytes()


@pytest.mark.parametrize("space", [Steps(), Link(), Traffic()], ids=lambda space: space.name)
def test_an_archive_does_not_depend_on_threads_or_interruptions(
    tmp_path: Path, space: Space
) -> None:
    for workers in (1, 2):
        methods.hunt(request(space), trials(space, workers=workers), tmp_path / str(workers))
    whole = archived(tmp_path / "1")
    assert whole == archived(tmp_path / "2")
    # As a kill leaves it: in the middle of a line.
    for workers, part in ((1, len(whole) // 3), (2, len(whole) // 2), (2, len(whole) - 1)):
        (tmp_path / "cut").mkdir(exist_ok=True)
        (tmp_path / "cut" / NAME).write_bytes(whole[:part])
        methods.hunt(request(space), trials(space, workers=workers), tmp_path / "cut")
        assert archived(tmp_path / "cut") == whole
    again = trials(space)
    methods.hunt(request(space), again, tmp_path / "cut")
    assert again.runs == 0


def test_a_killed_hunt_loses_at_most_the_generations_that_ran(tmp_path: Path) -> None:
    args = ("hunt", "cubic", "--space", "link", "--evals", "60", "--out")
    assert call(*args, "whole", "--workers", "1", cwd=tmp_path).code == 0
    whole = archived(tmp_path / "whole")
    killed = start(*args, "killed", "--workers", "2", cwd=tmp_path)
    file = tmp_path / "killed" / NAME
    while killed.poll() is None and (not file.exists() or file.read_bytes().count(b"\n") < 5):
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    kept = file.read_bytes()
    # Whole lines, and at most a part of one more.
    assert whole.startswith(kept[: kept.rfind(b"\n") + 1])
    assert kept.count(b"\n") >= 5
    for workers in (1, 2):
        file.write_bytes(kept)
        assert call(*args, "killed", "--workers", workers, cwd=tmp_path).code == 0
        assert archived(tmp_path / "killed") == whole


def test_methods_have_a_generation_each_and_then_the_next(tmp_path: Path) -> None:
    """Also where an archive has all of the first method, as those of before had."""
    methods.hunt(request(Steps(), evals=60), near(), tmp_path)
    lines = [json.loads(line) for line in archived(tmp_path).splitlines()]
    order = [(line["number"], line["method"]) for line in lines if "number" in line]
    count = order[-1][0] + 1
    assert count > 5
    assert order == [(n, method) for n in range(count) for method in ("ga", "random", "eps")]
    kinds = {(line.get("what"), line.get("method")): line for line in lines}
    kept = [line for line in lines if line.get("method") in (None, "ga") and "rows" not in line]
    (tmp_path / NAME).write_text("".join(json.dumps(line) + "\n" for line in kept))
    methods.hunt(request(Steps(), evals=60), near(), tmp_path)
    again = [json.loads(line) for line in archived(tmp_path).splitlines()]
    assert {(line.get("what"), line.get("method")): line for line in again} == kinds


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    lines = archived(tmp_path).splitlines(keepends=True)
    with pytest.raises(Refusal, match="another search: seed differ"):
        methods.hunt(request(Steps(), seed=2), trials(Steps()), tmp_path)
    first = json.loads(lines[0])
    (tmp_path / NAME).write_text(json.dumps(first | {"engine": "other"}) + "\n")
    with pytest.raises(Refusal, match="another engine"):
        methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    (tmp_path / NAME).write_bytes(lines[0] + b"{broken\n" + lines[1])
    with pytest.raises(Refusal, match="damaged") as caught:
        methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    assert caught.value.line == 2
    assert (tmp_path / NAME).read_bytes() == lines[0] + b"{broken\n" + lines[1]


def test_a_full_disk_is_named_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    methods.hunt(request(Steps()), trials(Steps()), tmp_path / "whole")
    calls = 0

    def full(_: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(Unfinished, match="No space left"):
            methods.hunt(request(Steps()), trials(Steps()), tmp_path / "full")
    methods.hunt(request(Steps()), trials(Steps()), tmp_path / "full")
    assert archived(tmp_path / "full") == archived(tmp_path / "whole")


def test_shrinking_leaves_only_what_the_score_needs() -> None:
    """A long queue and steps of delay do nothing here: the step of rate is the cause."""
    trial = trials(Steps())
    found = trial.judge([(1, 20, 3, 27, 17, 13, 71)], [1])[0]
    simple, _ = shrink(trial, found, [1])
    assert simple.score is not None
    assert found.score is not None
    assert simple.score >= 0.9 * found.score
    assert trial.space.order(simple.genome) < trial.space.order(found.genome)
    # Another round finds nothing simpler.
    assert shrink(trial, simple, [1])[0].genome == simple.genome


class Near(Trials):
    """The objective is how near a genome is to one point of 20⁴·30²·100 or so, without a run."""

    def begin(self, genomes, seeds):  # type: ignore[no-untyped-def]
        aim = (3, 17, 5, 25, 35, 12, 60)
        spans = [gene.high - gene.low for gene in self.space.bounds()]
        found = []
        for one in genomes:
            off = sum(abs(a - b) / s for a, b, s in zip(one, aim, spans, strict=True))
            score = 1 - off / len(aim)
            found.append(Judged(one, score, (score,) * len(seeds), {}, ("0",) * len(seeds)))
        runs = len(genomes) * len(seeds)
        self.runs += runs
        return Begun(runs, None, lambda: found)


def near() -> Near:
    """It on the steps of AdvNet."""
    space, goal = Steps(), objectives.objective("waste", "f")
    return Near(scenario.read(space.scene())[0], space, goal, [CUBIC], ("f",), 1)


def test_a_search_finds_what_chance_does_not(tmp_path: Path) -> None:
    better = []
    for seed in range(1, 11):
        asked = request(Steps(), seed=seed, evals=300)
        found = methods.hunt(asked, near(), tmp_path / str(seed))
        scores = {name: score for name, (score, _) in found.methods.items()}
        better.append((scores["ga"] or 0) - (scores["random"] or 0))
    assert sum(one > 0 for one in better) >= 9


def test_each_method_has_its_part_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that goes on by a second a look: each method has about ten generations of thirty."""
    looks = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: float(next(looks)))
    found = methods.hunt(request(Steps(), evals=10**6), near(), tmp_path, until_s=30)
    assert set(found.methods) == {"ga", "random", "eps"}
    assert all(8 <= generations <= 12 for _, generations in found.methods.values())


@pytest.mark.parametrize(("low", "holds"), [(0.9, True), (0.5, False)])
def test_what_scatters_over_fresh_seeds_does_not_hold(low: float, holds: bool) -> None:
    """The mean less 2 sd / 4 of 16 scores is 0.924 of those from 0.9 to 1, and 0.621 from 0.5."""
    scores = (1.0, low) * 8
    again = Judged((1,), None, scores, {}, tuple(map(str, range(16))))
    assert methods.interval(again, 1.0)["holds"] is holds


def test_cross_packets_stay_as_few_as_was_asked() -> None:
    space, draws = Traffic(10), Draws(3, "test")
    genome = space.draw(draws)
    for _ in range(200):
        genome = space.mutate(genome, draws)
        assert sum(genome) <= 10


def test_a_finding_is_a_study_that_runs_again(tmp_path: Path) -> None:
    out, study = tmp_path / "hunt", tmp_path / "found-cubic.md"
    args = ("hunt", "cubic", "--evals", "8", "--out", str(out), "--save", str(study))
    said = call(*args, "--workers", "1", "--json", cwd=tmp_path)
    assert said.code == 0, said.err
    document = said.document
    assert document["finding"]["score"] == max(m["best"] for m in document["methods"])
    assert Study.load(study).id == "found-cubic"
    assert "\n## Causes\n" in study.read_text(encoding="utf-8")
    ran = call("study", "run", study, "--out", tmp_path / "out", "--json", cwd=tmp_path)
    claims = ran.document["studies"][0]["claims"]
    assert [claim["verdict"] for claim in claims] == ["reproduced"], ran.err
    again = call(*args, "--workers", "2", "--json", cwd=tmp_path).document
    assert again["finding"] == document["finding"]


def test_any_scenario_is_searched_by_its_fields(tmp_path: Path) -> None:
    """Of these buffers the smallest loses most: the closed answer of an overloaded port."""
    file = tmp_path / "scenario.toml"
    file.write_text(burst())
    args = ("--space", "parts", "--vary", "links.down.buffer=5..9 packets", "--evals", "5")
    said = call(
        *("hunt", file, *args, "--objective", "metric:flows.f.dropped_pkts"),
        *("--search", "random", "--out", str(tmp_path / "out"), "--json"),
        cwd=tmp_path,
    )
    assert said.code == 0, said.err
    found = said.document["finding"]
    assert found["says"] == "links.down.buffer = 5 packets"


def burst() -> str:
    scene = scenes.one()
    source = {"kind": "packet-list", "at_us": [0] * 40, "bytes": [1500]}
    scene["flows"] = {"f": {"from": "S", "to": "R", "source": source}}
    return "\n".join(found_study._scenario(scene)) + "\n"


@pytest.mark.parametrize(
    ("args", "what"),
    [
        (("nothing",), "there is no `nothing`"),
        (("cubic", "--space", "lnk"), "there is no space `lnk`"),
        (("cubic", "--objective", "wast"), "there is no objective `wast`"),
        (("cubic", "--objective", "starve"), "needs a flow `a`"),
        (("cubic", "--search", "gaa"), "there is no search `gaa`"),
        (("cubic", "--target", "flows.f"), "a controller has no flows"),
        (("cubic", "--space", "link", "--slack", "0"), "nothing to search"),
        (("cubic", "--vary", "a=1"), "varies no fields"),
        (("cubic", "--corpus", "."), "the corpus cannot be read"),
        (("cubic", "--save", "x.txt"), "no file of a study"),
        (("cubic", "--objective", "metric:flows.f.speed"), "has no figure"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    tmp_path: Path, args: tuple[str, ...], what: str
) -> None:
    said = call("hunt", *args, "--out", tmp_path / "out", "--evals", "4", cwd=tmp_path)
    assert said.code in (2, 3)
    assert what in said.err


def test_a_space_of_one_point_is_refused() -> None:
    assert Parts(["duration=5 s"], 5.0).unmet() is not None
    assert Parts(["duration=5 s,6 s"], 5.0).unmet() is None
    for wrong in ("duration", "=5", "x=9..1", "x=0..9999999"):
        with pytest.raises(Refusal):
            Parts([wrong], 5.0)


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_no_number_is_named_and_the_archive_stays_whole(
    tmp_path: Path, score: float
) -> None:
    goal = objectives.Objective("mine", "nothing", lambda *_: score, ("flows.f.goodput_bps",))
    read = scenario.read(Steps().scene())[0]
    trial = Trials(read, Steps(), goal, [CUBIC], goal.flows, 1)
    with pytest.raises(Unfinished, match="the objective `mine` has no value"):
        methods.hunt(request(Steps(), objective="mine"), trial, tmp_path)
    # Every line can be read, and what ran is kept.
    lines = [json.loads(line) for line in archived(tmp_path).splitlines()]
    assert sum(len(line.get("members", [])) for line in lines) > 0


def test_a_corpus_that_is_damaged_is_refused_with_the_line(tmp_path: Path) -> None:
    methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    lines = [json.loads(line) for line in archived(tmp_path).splitlines()]
    at = next(number for number, line in enumerate(lines) if "members" in line)
    genome = lines[at]["members"][0]["genome"]
    for wrong in (genome[:-1], [10**6, *genome[1:]], "no list", None):
        lines[at]["members"][0]["genome"] = wrong
        (tmp_path / NAME).write_text("".join(json.dumps(line) + "\n" for line in lines))
        with pytest.raises(Refusal, match="the corpus is damaged") as caught:
            best_of_cells(tmp_path, Steps())
        assert caught.value.line == at + 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it has no line"),
        (b'{"schema": "backwater/hunt/1"', "it has no line"),
        (b"\xcc\xff\n", "line 1 is no JSON document"),
        (b"[]\n", "line 1 is no JSON document"),
        (b"{}\n", "no archive of a hunt"),
        (b'{"schema":"backwater/hunt/1"}\n', "first line is no request"),
    ],
)
def test_a_file_that_is_no_corpus_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(Refusal, match=why) as caught:
        best_of_cells(tmp_path, Steps())
    assert caught.value.fix


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("figures", None, "the corpus is damaged"),
        ("score", "x", "the corpus is damaged"),
        ("score", math.nan, "line 3 is no JSON document"),
        ("figures", {"utilisation": math.inf}, "line 3 is no JSON document"),
        ("figures", {"utilisation": "MUCH"}, "the corpus is damaged"),
    ],
)
def test_a_corpus_with_a_figure_that_is_none_is_refused(
    tmp_path: Path, field: str, value: object, why: str
) -> None:
    methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    lines = [json.loads(line) for line in archived(tmp_path).splitlines()]
    lines[2]["members"][0][field] = value
    text = "".join(json.dumps(line) + "\n" for line in lines)
    # As JSON it is a number, and as a float none.
    (tmp_path / NAME).write_text(text.replace('"MUCH"', "1e999"))
    with pytest.raises(Refusal, match=why):
        best_of_cells(tmp_path, Steps())


def test_a_corpus_of_a_hunt_that_was_killed_has_its_whole_lines(tmp_path: Path) -> None:
    methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    whole = archived(tmp_path)
    lines = whole.splitlines(keepends=True)
    (tmp_path / NAME).write_bytes(b"".join(lines[:4]))
    found = best_of_cells(tmp_path, Steps())
    (tmp_path / NAME).write_bytes(b"".join(lines[:4]) + lines[4][:-9])
    assert best_of_cells(tmp_path, Steps()) == found


def test_a_corpus_of_another_space_is_named(tmp_path: Path) -> None:
    methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    with pytest.raises(Refusal, match="of the space `steps`, and this hunt of `link`"):
        best_of_cells(tmp_path, Link())
    with pytest.raises(Refusal, match="with other options"):
        best_of_cells(tmp_path, Steps(3))


def test_a_corpus_of_another_engine_is_run_again(tmp_path: Path) -> None:
    """Its genomes are inputs; its scores are never taken over."""
    methods.hunt(request(Steps()), trials(Steps()), tmp_path)
    lines = archived(tmp_path).splitlines(keepends=True)
    first = json.dumps(json.loads(lines[0]) | {"engine": "other"}).encode()
    (tmp_path / NAME).write_bytes(b"\n".join([first, b"".join(lines[1:])]))
    corpus = best_of_cells(tmp_path, Steps())
    again = trials(Steps())
    methods.hunt(request(Steps(), corpus=corpus), again, tmp_path / "second")
    tried = [
        tuple(one["genome"])
        for line in map(json.loads, archived(tmp_path / "second").splitlines())
        for one in line.get("members", [])
    ]
    assert again.runs > 0
    assert corpus[0] in tried


def members(folder: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in archived(folder).splitlines()]
    return [one for line in lines for one in line.get("members", [])]


def test_the_smallest_corpus_has_each_behaviour_once_and_the_worst_of_it(tmp_path: Path) -> None:
    args = ("hunt", "cubic", "--evals", "30", "--out", "whole", "--minimise", "smallest")
    said = call(*args, "--json", cwd=tmp_path)
    assert said.code == 0, said.err
    every, few = members(tmp_path / "whole"), members(tmp_path / "smallest")
    seen: dict[tuple[int, ...], list[float]] = {}
    for one in every:
        seen.setdefault(cell(one["figures"]), []).append(one["score"])
    # Several environments behave alike, so something is left out.
    assert len(few) == len(seen) < len({tuple(one["genome"]) for one in every})
    assert {cell(one["figures"]): one["score"] for one in few} == {
        where: max(scores) for where, scores in seen.items()
    }
    assert said.document["corpus"]["environments"] == len(few)
    # A hunt that begins with it begins with what one that has the whole archive begins with.
    assert best_of_cells(tmp_path / "smallest", Steps()) == best_of_cells(
        tmp_path / "whole", Steps()
    )
    again = call(*("hunt", "copa", "--evals", "9", "--corpus", "smallest"), cwd=tmp_path)
    assert again.code == 0, again.err
    # The same command writes the same file; another one does not lose it.
    before = archived(tmp_path / "smallest")
    assert f"{len(few)} of" in call(*args, cwd=tmp_path).out
    other = call("hunt", "copa", "--minimise", "smallest", "--out", "other", cwd=tmp_path)
    assert other.code == 2
    assert "another hunt" in other.err
    assert not (tmp_path / "other").exists()
    assert archived(tmp_path / "smallest") == before


def test_a_corpus_that_cannot_be_written_leaves_the_hunt_whole(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    args = ("hunt", "cubic", "--evals", "6", "--out", "out")
    said = call(*args, "--minimise", "file/corpus", cwd=tmp_path)
    assert said.code == 3
    assert "the corpus cannot be written" in said.err
    assert call(*args, "--minimise", "corpus", cwd=tmp_path).code == 0
    assert members(tmp_path / "corpus")


@pytest.mark.parametrize("engine", ["other", None])
def test_a_corpus_of_another_engine_is_named(tmp_path: Path, engine: str | None) -> None:
    def hunt(out: str, *more: str) -> str:
        args = ("hunt", "cubic", "--space", "steps", "--evals", "1", "--out", out)
        return call(*args, *more, cwd=tmp_path).err

    hunt("first")
    assert "another engine" not in hunt("second", "--corpus", "first")
    lines = archived(tmp_path / "first").splitlines(keepends=True)
    head = json.loads(lines[0]) | {"engine": engine}
    (tmp_path / "first" / NAME).write_bytes(json.dumps(head).encode() + b"\n" + b"".join(lines[1:]))
    said = hunt("third", "--corpus", "first")
    assert f"the corpus is of another engine, {engine}" in said
    assert "its scores are not taken" in said


def python_class(folder: Path, line: str = "") -> None:
    """The template of `new controller`, with a line at the beginning of `on_ack`."""
    call("new", "controller", "mine", cwd=folder)
    file = folder / "mine.py"
    text = file.read_text().replace(
        "        if ack.recovering:", f"{line}        if ack.recovering:"
    )
    file.write_text(text)


def test_a_class_of_python_is_searched_as_native_controllers_are(tmp_path: Path) -> None:
    """A window that never moves leaves what its closed form says, in each environment."""
    python_class(tmp_path, "        self.window = 10 * self.mss_B\n        return\n")
    args = ("hunt", "mine.py:Mine", "--evals", "2", "--json")
    said = call(*args, "--workers", "1", "--out", "one", cwd=tmp_path)
    assert said.code == 0, said.err
    found = said.document["finding"]
    call(*args, "--workers", "2", "--out", "two", cwd=tmp_path)
    assert archived(tmp_path / "one") == archived(tmp_path / "two")
    space = Steps()
    trial = Trials(
        *(scenario.read(space.scene())[0], space, objectives.objective("waste", "f")),
        *([{"kind": "fixed", "window": "10 packets"}], ("f",), 1),
    )
    native = trial.judge([tuple(found["genome"])], [1])[0]
    assert found["score"] == pytest.approx(native.score, abs=0.02)


@pytest.mark.parametrize(
    ("line", "seconds", "why"),
    [
        ("        raise ValueError('boom')\n", "0.5", "ValueError: boom"),
        # Each of the eighteen runs takes all of its time.
        ("        while True: pass\n", "0.1", "a call took longer than 0.1 s"),
        ("        import os; os._exit(3)\n", "0.5", "ended with exit code 3"),
    ],
)
def test_a_class_that_raises_hangs_or_ends_is_named_and_the_runs_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, seconds: str, why: str
) -> None:
    monkeypatch.setenv("BACKWATER_CALL_SECONDS", seconds)
    python_class(tmp_path, line)
    said = call("hunt", "mine.py:Mine", "--evals", "60", "--out", "out", cwd=tmp_path)
    assert said.code == 3
    assert why in said.err
    assert "correct the target" in said.err
    lines = [json.loads(line) for line in archived(tmp_path / "out").splitlines()]
    generations = [line for line in lines if line.get("what") == "generation"]
    # One generation says enough.
    assert len(generations) == 1
    assert all(why in one["why"] for one in generations[0]["members"])


@pytest.mark.parametrize(("goal", "score"), [("stall", 0.6), ("low-window", 1), ("unstable", 0)])
def test_a_class_of_python_is_looked_at_while_its_run_lasts(
    tmp_path: Path, goal: str, score: float
) -> None:
    """Silent for 3 of 5 s, then with a window of ten packets, as the controller `fixed`."""
    python_class(tmp_path, "        self.window = 10 * self.mss_B\n        return\n")
    ours = {"kind": "python", "file": str(tmp_path / "mine.py"), "class": "Mine"}
    for table in (ours, {"kind": "fixed", "window": "10 packets"}):
        read = scenario.read(two_flows())[0]
        trial = Trials(read, Link(), objectives.objective(goal, "g"), [table], ("g",), 2)
        (judged,) = trial.judge([(1,) * 5000], [1])
        assert judged.why is None
        assert judged.score == pytest.approx(score, abs=0.05)


def test_another_class_of_python_is_another_search(tmp_path: Path) -> None:
    python_class(tmp_path)
    args = ("hunt", "mine.py:Mine", "--evals", "1")
    call(*args, "--out", "out", cwd=tmp_path)
    file = tmp_path / "mine.py"
    file.write_text(file.read_text().replace("beta=0.5", "beta=0.6"))
    assert "another search: scene differ" in call(*args, "--out", "out", cwd=tmp_path).err


def buffers(tmp_path: Path, values: str) -> Any:
    (tmp_path / "scenario.toml").write_text(burst())
    args = ("--space", "parts", "--vary", f"links.down.buffer={values}", "--evals", "6")
    return call(
        *("hunt", "scenario.toml", *args, "--objective", "metric:flows.f.dropped_pkts"),
        *("--search", "random", "--out", str(tmp_path / "out"), "--json"),
        cwd=tmp_path,
    )


def test_a_genome_that_is_no_scenario_is_named_and_the_others_run(tmp_path: Path) -> None:
    said = buffers(tmp_path, "9 packets,many,5 packets")
    assert said.code == 0, said.err
    assert said.document["finding"]["says"] == "links.down.buffer = 5 packets"
    assert any("`many`" in why for why in said.document["failures"])


def test_a_space_without_any_scenario_is_refused_with_its_place(tmp_path: Path) -> None:
    said = buffers(tmp_path, "many,few")
    assert said.code == 2
    assert "links.down.buffer" in said.err


def test_lists_are_values_too() -> None:
    space = Parts(['links.a.ends=["A", "B"], ["A", "C"]'], 5.0)
    assert [one.fields for one in space.settings((1,))] == [{"links.a.ends": ["A", "C"]}]
    with pytest.raises(Refusal, match="no row of lists"):
        Parts(['links.a.ends=["A", "B'], 5.0)


def test_a_score_of_zero_is_no_finding(tmp_path: Path) -> None:
    """No buffer of 40 packets or more loses one of 40: none is certified, with the runs."""
    (tmp_path / "scenario.toml").write_text(burst())
    vary = ("--space", "parts", "--vary", "links.down.buffer=40..45 packets", "--evals", "6")
    args = ("scenario.toml", *vary, "--objective", "metric:flows.f.dropped_pkts")
    said = call("hunt", *args, "--out", str(tmp_path / "out"), cwd=tmp_path)
    assert said.code == 1
    assert "no score above 0 in" in said.out


def cabling() -> dict[str, Any]:
    """Five switches with a host each, whose traffic goes to the host of the second next switch."""
    count = range(5)
    source = {"kind": "uniform-uniform", "burst": "48 kB", "rate": "600 Mbit/s"}
    wire = {"rate": "1 Gbit/s", "delay": "1 us"}
    hosts = {f"h{i}": wire | {"ends": [f"h{i}", f"s{i}"]} for i in count}
    cables = {f"c{i}": wire | {"ends": [f"s{i}", f"s{(i + 1) % 5}"]} for i in count}
    kinds = {f"s{i}": {"kind": "switch"} for i in count} | {h: {"kind": "host"} for h in hosts}
    return {
        "schema": "backwater/scenario/1",
        "duration": "0.1 s",
        "routing": {"kind": "shortest-path"},
        "nodes": kinds,
        "links": hosts | cables,
        "ports": {"s*>*": {"buffer": "500 kB"}},
        "mechanisms": {"bp": {"recipe": "pfc", "at": ["s*>s*", "s*>h*"]}},
        "flows": {
            f"f{i}": {"from": f"h{i}", "to": f"h{(i + 2) % 5}", "source": source} for i in count
        },
    }


def test_a_cycle_of_pauses_is_found_from_random_cabling(tmp_path: Path) -> None:
    """Of 16 cablings of two cables one closes the ring, in which each pause waits for the next."""
    vary = [
        f"links.c{i}.ends=" + ", ".join(f'["s{i}", "s{(i + k) % 5}"]' for k in (3, 2, 4, 1))
        for i in (3, 4)
    ]
    space, goal = Parts(vary, 0.1), objectives.objective("deadlock", "")
    trial = Trials(scenario.read(cabling())[0], space, goal, [None], [], 1)
    asked = request(space, objective="deadlock", evals=45, search="random", what="cabling")
    found = methods.hunt(asked, trial, tmp_path)
    assert found.best is not None
    assert (found.best.genome, found.best.score) == ((3, 3), 1.0)
    assert found.held is not None
    assert found.held["least"] == 1.0


@pytest.mark.parametrize(
    ("content", "why"), [(TRAPS, "`on_ack` trapped"), (LOOPS, "more than 50000 instructions")]
)
def test_a_target_that_traps_or_never_returns_is_named_and_the_runs_are_kept(
    tmp_path: Path, content: bytes, why: str
) -> None:
    (tmp_path / "mine.wasm").write_bytes(content)
    said = call("hunt", "mine.wasm", "--evals", "4", "--out", "out", cwd=tmp_path)
    assert said.code == 3
    assert why in said.err
    lines = [json.loads(line) for line in archived(tmp_path / "out").splitlines()]
    members = [one for line in lines for one in line.get("members", [])]
    assert members
    assert all(why in one["why"] for one in members)


def test_constraints_that_nothing_meets_are_refused_before_a_run(tmp_path: Path) -> None:
    class Never(Steps):
        def unmet(self) -> str | None:
            return "no rate is above 9 and below 8"

    trial = trials(Never())
    with pytest.raises(Refusal, match="no rate is above 9") as caught:
        methods.hunt(request(Never()), trial, tmp_path)
    assert caught.value.fix == "widen the space or its constraints"
    assert trial.runs == 0
    assert not (tmp_path / NAME).exists()
