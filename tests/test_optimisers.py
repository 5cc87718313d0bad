"""Searches of libraries, and searches on a cluster: the archive depends on the request alone."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backwater.errors import Refusal
from backwater.model import cluster, scenario
from backwater.search import methods, objectives
from backwater.search.archive import NAME
from backwater.search.draws import Draws
from backwater.search.known import Known
from backwater.search.optimisers import MOST_KNOBS, OPTIMISERS, Optimiser
from backwater.search.spaces import Genome, Jitter, Link, Parts, Space, Steps, Traffic
from backwater.search.spaces import Path as Paths
from backwater.search.spaces.link import divided
from backwater.search.trials import Judged, Trials
from command import BACKWATER
from test_hunt import CUBIC, near, request, trials

PACKAGES = {"cma": "cmaes", "bo": "optuna"}
SPACES: list[Space] = [Link(100), Traffic(), Steps(), Paths(), Jitter()]


def needs(method: str) -> None:
    """Skips a test whose library is absent."""
    if importlib.util.find_spec(PACKAGES[method]) is None:
        pytest.skip(f"{PACKAGES[method]} is not installed")


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.name)
def test_each_point_of_the_cube_is_a_genome_that_keeps_the_constraints(space: Space) -> None:
    draws, found = Draws(1, "cube", space.name), []
    corners = [[0.0] * space.knobs(), [1.0] * space.knobs()]
    inside = [[draws.unit() for _ in range(space.knobs())] for _ in range(20)]
    for point in corners + inside:
        genome = space.decoded(point)
        found.append(genome)
        assert len(genome) == len(space.bounds())
        for gene, value in zip(space.bounds(), genome, strict=True):
            assert gene.low <= value <= gene.high
        if isinstance(space, Link):
            sums, ends = np.cumsum(genome), np.arange(1, 5001)
            assert sums[-1] == 5000
            assert ((sums <= ends) & (sums >= ends - space.slack)).all()
        if isinstance(space, Traffic):
            assert sum(genome) == round(point[0] * space.most)
    assert len(set(found[2:])) == 20


def test_shares_divide_halves_of_halves() -> None:
    """Of 80: a quarter left, then half and half, and all right: 10 10 0 60, each over 2 of 8 ms."""
    assert list(divided(80, 8, [0.25, 0.5, 0.0])) == [5, 5, 5, 5, 0, 0, 30, 30]


@pytest.mark.parametrize("method", ["map-elites", *OPTIMISERS])
def test_a_search_finds_what_chance_does_not(method: str, tmp_path: Path) -> None:
    if method in PACKAGES:
        needs(method)
    better = []
    for seed in range(1, 6):
        asked = request(Steps(), seed=seed, evals=120, search=method)
        found = methods.hunt(asked, near(), tmp_path / str(seed))
        scores = {name: score for name, (score, _) in found.methods.items()}
        assert list(scores) == [method, "random", "eps"]
        better.append((scores[method] or 0) - (scores["random"] or 0))
    assert sorted(better)[2] > 0


@pytest.mark.parametrize("method", OPTIMISERS)
def test_an_archive_does_not_depend_on_threads_or_interruptions(
    method: str, tmp_path: Path
) -> None:
    needs(method)
    asked = request(Steps(), search=method, evals=40)
    for workers in (1, 2):
        methods.hunt(asked, trials(Steps(), workers=workers), tmp_path / str(workers))
    whole = (tmp_path / "1" / NAME).read_bytes()
    assert whole == (tmp_path / "2" / NAME).read_bytes()
    assert json.loads(whole.splitlines()[0])["asked"]["library"].startswith(PACKAGES[method])
    for part in (len(whole) // 4, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut").mkdir(exist_ok=True)
        (tmp_path / "cut" / NAME).write_bytes(whole[:part])
        methods.hunt(asked, trials(Steps()), tmp_path / "cut")
        assert (tmp_path / "cut" / NAME).read_bytes() == whole


@pytest.mark.parametrize("method", ["ga", *OPTIMISERS])
def test_a_hunt_that_was_killed_ends_with_the_bytes_of_one_that_was_not(
    method: str, tmp_path: Path
) -> None:
    """The signal that no program can catch, in the middle of the search."""
    if method in PACKAGES:
        needs(method)
    args = [*BACKWATER, "hunt", "cubic", "--evals", "100", "--search", method, "--workers", "1"]
    whole = tmp_path / "whole"
    subprocess.run([*args, "--out", str(whole)], check=True, capture_output=True)
    lines = (whole / NAME).read_bytes().count(b"\n")
    cut = tmp_path / "cut"
    process = subprocess.Popen([*args, "--out", str(cut)], stdout=-3, stderr=-3)
    until = time.monotonic() + 60
    while not ((cut / NAME).exists() and (cut / NAME).read_bytes().count(b"\n") >= 4):
        assert time.monotonic() < until, "the archive does not grow"
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert (cut / NAME).read_bytes().count(b"\n") < lines
    subprocess.run([*args, "--out", str(cut)], check=True, capture_output=True)
    assert (cut / NAME).read_bytes() == (whole / NAME).read_bytes()


def test_an_optimiser_that_goes_on_proposes_what_it_would_have_proposed() -> None:
    needs("cma")
    space = Steps()

    def judged(genome: Genome) -> Judged:
        score = sum(genome) / 300 if genome[0] % 5 else None
        return Judged(genome, score, (score,), {}, ())

    known = Known()
    steady = Optimiser("cma", space, 3, 8)
    for generation in range(12):
        genomes = steady(generation, known)
        assert Optimiser("cma", space, 3, 8)(generation, known) == genomes
        known.add(judged(one) for one in genomes)
    tops = [max(one.score or 0 for one in known.members[at : at + 8]) for at in (0, 88)]
    assert tops[1] > tops[0]


def test_cma_es_begins_anew_where_it_has_come_to_rest() -> None:
    """Equal scores end a CMA-ES; a search whose budget is not spent begins elsewhere."""
    needs("cma")
    optimiser = Optimiser("cma", Steps(), 1, 8)
    known = Known()
    for generation in range(60):
        genomes = optimiser(generation, known)
        known.add(Judged(genome, 0.5, (0.5,), {}, ()) for genome in genomes)
    last = [one.genome[-1] for one in known]
    spreads = [float(np.std(last[at : at + 8])) for at in range(0, 480, 8)]
    assert any(after > 2 * before for before, after in itertools.pairwise(spreads))


@pytest.mark.parametrize("method", OPTIMISERS)
def test_a_library_that_is_absent_is_named_with_its_remedy(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[method], None)
    with pytest.raises(Refusal, match=f"`{PACKAGES[method]}`, which is not installed") as caught:
        methods.hunt(request(Steps(), search=method), trials(Steps()), tmp_path)
    assert caught.value.place == "--search"
    assert "backwater[search]" in str(caught.value.fix)
    assert not (tmp_path / NAME).exists()


def test_what_an_optimiser_cannot_do_is_refused(tmp_path: Path) -> None:
    needs("cma")
    corpus = [Steps().draw(Draws(1, "corpus"))]
    with pytest.raises(Refusal, match="not with a corpus"):
        methods.hunt(request(Steps(), search="cma", corpus=corpus), trials(Steps()), tmp_path)
    many = Parts([f"flows.f{number}.start=0 s,1 s" for number in range(MOST_KNOBS + 1)], 5.0)
    with pytest.raises(Refusal, match=f"at most {MOST_KNOBS} fields, and these are"):
        Optimiser("cma", many, 1, 8)


def test_a_field_alone_and_three_runs_are_enough(tmp_path: Path) -> None:
    """CMA-ES has no fewer than two fields and four points."""
    needs("cma")
    space = Parts(["flows.f.controller.kind=cubic,newreno,vegas"], 5.0)
    goal = objectives.objective("waste", "f")
    trial = Trials(scenario.read(Steps().scene())[0], space, goal, [None], (), 1)
    asked = request(space, search="cma", evals=3)
    assert methods.hunt(asked, trial, tmp_path).methods["cma"][1] == 1


def test_a_hunt_on_a_cluster_gives_the_bytes_of_one_here(tmp_path: Path) -> None:
    """A worker is killed in the middle; the other one, and its heir, run what it had."""
    distributed: Any = pytest.importorskip("distributed", reason="distributed is not installed")
    asked = request(Link(100), objective="low-window", evals=24)
    here = methods.hunt(asked, trials(Link(100), "low-window"), tmp_path / "here")
    goal = objectives.objective("low-window", "f")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as local:
        crew = cluster.Trials(local.scheduler_address)
        killed: list[int] = []

        def kill(*_: object) -> None:
            if not killed:
                killed.append(next(iter(local.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        read = scenario.read(Link(100).scene())[0]
        there = Trials(read, Link(100), goal, [CUBIC], goal.flows, 1, crew)
        found = methods.hunt(asked, there, tmp_path / "there", progress=kill)
        crew.close()
        # Not `call`, which runs Python between fork and exec: the cluster has threads here.
        said = subprocess.run(
            [
                *(*BACKWATER, "hunt", "cubic", "--space", "link", "--objective", "low-window"),
                *("--evals", "24", "--dask", local.scheduler_address, "--json"),
                *("--out", str(tmp_path / "command")),
            ],
            capture_output=True,
            text=True,
        )
    assert killed
    assert said.returncode == 0, said.stderr
    assert found.best == here.best
    assert (tmp_path / "there" / NAME).read_bytes() == (tmp_path / "here" / NAME).read_bytes()
    assert here.best is not None
    assert json.loads(said.stdout)["finding"]["score"] == here.best.score


def test_a_scheduler_that_does_not_answer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", "200 ms")
    with pytest.raises(Refusal, match="no scheduler answers"):
        cluster.Trials("tcp://127.0.0.1:9")
