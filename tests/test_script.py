"""Controllers in files of Python: in runs, sweeps, studies and the contest."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import backwater
from backwater import errors
from backwater.study.runnable import Study
from command import call

SCENARIO = """\
schema = "backwater/scenario/1"
duration = "3 s"
topology = { kind = "dumbbell", pairs = 2, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }
ports."L>R" = { buffer = "50 packets" }
flows.f1 = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "python", file = "gentle.py", class = "Gentle" }, source = { kind = "bulk" } }
flows.f2 = { from = "s2", to = "d2", source = { kind = "poisson", packet = "500 B", rate = "1 Mbit/s" } }
"""  # noqa: E501

GENTLE = """\
from __future__ import annotations

import dataclasses

RUNS = []


@dataclasses.dataclass
class Gentle:
    setup: object
    tolerated: float = 0.010

    def __post_init__(self):
        # A file that were executed once for all runs would see the runs before.
        RUNS.append(self)
        self.mss, self.window = self.setup.mss_B, self.setup.initial_B * len(RUNS)
        self.least = float("inf")

    def on_round(self, round):
        self.least = min(self.least, round.rtt_min_s or self.least)
        queueing = (round.rtt_mean_s or self.least) - self.least
        if round.lost_B > 0 or queueing > self.tolerated:
            self.window = max(2 * self.mss, self.window * 7 / 8)
        else:
            self.window += self.mss


class Constant:
    def __init__(self, setup, packets=20):
        self.window = packets * setup.mss_B

    def on_ack(self, ack):
        pass


class Raises(Constant):
    def on_ack(self, ack):
        if ack.now_s > 1:
            raise ZeroDivisionError("division by nought")


class NotANumber(Constant):
    def on_ack(self, ack):
        self.window = float("nan")


class Negative(Constant):
    def on_ack(self, ack):
        self.window = -1.0


class Drawn(Constant):
    def __init__(self, setup):
        super().__init__(setup, packets=1 + setup.seed % 40)


class Mute:
    def __init__(self, setup):
        self.window = 14480


class Stillborn:
    def __init__(self, setup):
        raise OSError("no state")
"""

STUDY = """\
# One

```toml study
study = { id = "one", seeds = 2 }
axes.who = { path = "flows.f1.controller.class", values = ["Constant", "Raises", "Gentle"] }
claims.c101 = { says = "It sends.", metric = "goodput_bps", scope = "flow:f1", where = { who = "Constant" }, at_least = 1e6 }
```

```toml scenario
"""  # noqa: E501


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A scenario, a study and their classes."""
    (tmp_path / "gentle.py").write_text(GENTLE)
    (tmp_path / "one.toml").write_text(SCENARIO)
    (tmp_path / "one.md").write_text(STUDY + SCENARIO + "```\n")
    return tmp_path


def test_the_same_window_gives_the_same_run_as_the_table(folder: Path) -> None:
    table = {"kind": "fixed", "window": "20 packets"}
    runs = [
        backwater.run(folder / "one.toml", set=sets, columns=False)
        for sets in (
            {"flows.f1.controller": table},
            {"flows.f1.controller.class": "Constant"},
            {"flows.f1.controller.class": "Constant", "flows.f1.controller.options.packets": 21},
        )
    ]
    assert runs[0].fingerprint == runs[1].fingerprint != runs[2].fingerprint
    assert runs[1].document["labels"]["flows.f1.controller"] == "python"


def test_a_round_decides_and_runs_share_nothing(folder: Path) -> None:
    """The second run would begin with twice the window if it saw the list of the first."""
    first, second = (backwater.run(folder / "one.toml", columns=False) for _ in range(2))
    assert first.fingerprint == second.fingerprint
    flow = first.flows["f1"]
    # 40 ms and the 10 ms that it tolerates.
    assert flow["rtt_p95_s"] < 0.065
    assert flow["retransmitted_pkts"] == 0


def test_the_seed_of_a_run_decides_its_random_numbers(folder: Path) -> None:
    def windows(seed: int) -> float:
        sets = {"flows.f1.controller.class": "Drawn"}
        run = backwater.run(folder / "one.toml", seed=seed, set=sets, columns=False)
        return float(run.flows["f1"]["window_mean_B"])

    drawn = {windows(seed) for seed in (1, 2, 3, 4)}
    assert len(drawn) > 1
    assert windows(1) == windows(1)


def test_a_study_keeps_what_did_not_fail_and_goes_on_where_it_stopped(folder: Path) -> None:
    done = call("study", "run", "one.md", "--out", "out", "--json", cwd=folder)
    assert done.code == errors.EXIT_UNFINISHED, done.err
    study = done.document["studies"][0]
    assert study["status"] == "incomplete"
    with sqlite3.connect(folder / "out" / "one" / "results.sqlite") as store:
        rows = store.execute("SELECT case_json, status, error FROM cases").fetchall()
    status = {(json.loads(case)["who"], state) for case, state, _ in rows}
    assert status == {("Constant", "done"), ("Raises", "failed"), ("Gentle", "done")}
    said = {error for case, _, error in rows if "Raises" in case}
    (one,) = said
    assert (
        "the controller of flow f1 failed: ZeroDivisionError: division by nought (gentle.py:" in one
    )
    # The hash of the file is part of every key: mended, everything runs again.
    inputs = json.loads((folder / "out" / "one" / "manifest.json").read_text())["inputs"]
    assert list(inputs) == ["gentle.py"]
    (folder / "gentle.py").write_text(GENTLE.replace("raise ZeroDivisionError", "print"))
    again = call("study", "run", "one.md", "--out", "out", "--resume", "--json", cwd=folder)
    assert again.code == errors.EXIT_DONE, again.err
    assert "6 cases in the folder belong to another version" in again.err
    assert again.document["studies"][0]["claims"][0]["verdict"] == "reproduced"


def test_any_number_of_threads_gives_the_same_results(folder: Path) -> None:
    text = (folder / "one.md").read_text().replace('"Raises", ', "")
    study = Study.parse(text, "one.md", folder)
    prints = {study.run(workers=workers, seeds=4).fingerprint for workers in (1, 4)}
    assert len(prints) == 1


@pytest.mark.parametrize(
    ("sets", "said", "place"),
    [
        ({"class": "Gentel"}, "has no class `Gentel`", "class"),
        ({"file": "gentel.py"}, "there is no file `gentel.py`", "file"),
        ({"file": "broken.py"}, "SyntaxError", "file"),
        ({"file": "raises.py"}, "ModuleNotFoundError: No module named 'absent'", "file"),
        ({"class": "Mute"}, "a controller has a method on_round", "class"),
        ({"class": "Stillborn"}, "OSError: no state (gentle.py:", "class"),
        ({"options": {"tolerate": 1}}, "unexpected keyword argument 'tolerate'", "options"),
        ({"options": 3}, "is a number, not a table", "options"),
        ({"class": ""}, "an empty name", "class"),
        ({"windows": 3}, "unknown field `windows`", "windows"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "sweep"])
def test_what_cannot_be_a_controller_is_refused_before_anything_runs(
    folder: Path, sets: dict[str, object], said: str, place: str, verb: str
) -> None:
    (folder / "broken.py").write_text("class Gentle:\n    def __init__(self, setup)\n")
    (folder / "raises.py").write_text("import absent\n")
    text = SCENARIO
    for name, value in sets.items():
        old = {"file": 'file = "gentle.py"', "class": 'class = "Gentle"'}.get(name)
        new = f"{name} = {json.dumps(value)}".replace('{"tolerate": 1}', "{ tolerate = 1 }")
        text = (
            text.replace(old, new)
            if old
            else text.replace(
                ' }, source = { kind = "bulk"', f', {new} }}, source = {{ kind = "bulk"', 1
            )
        )
    (folder / "one.toml").write_text(text)
    axis = () if verb == "run" else ("--axis", "flows.f2.source.rate=1 Mbit/s", "--out", "out")
    done = call(verb, "one.toml", *axis, "--json", cwd=folder)
    error = done.document["error"]
    assert done.code == errors.EXIT_REFUSED, done.err
    assert said in error["what"], error
    assert error["line"] == 5, error
    assert place in error["what"] or error["column"], error
    assert not (folder / "out").exists()


@pytest.mark.parametrize("name", ["Raises", "NotANumber", "Negative"])
def test_a_class_that_fails_in_a_run_ends_it(folder: Path, name: str) -> None:
    done = call("run", "one.toml", "--set", f"flows.f1.controller.class={name}", cwd=folder)
    assert done.code == errors.EXIT_UNFINISHED
    assert "flows.f1.controller" in done.err
    swept = call(
        *("sweep", "one.toml", "--axis", f"flows.f1.controller.class=Constant,{name}"),
        *("--seeds", "3", "--out", "out", "--json"),
        cwd=folder,
    )
    assert swept.code == errors.EXIT_UNFINISHED
    with sqlite3.connect(folder / "out" / "results.sqlite") as store:
        states = store.execute("SELECT status, count(*) FROM cases GROUP BY status").fetchall()
    assert dict(states) == {"done": 3, "failed": 3}


def test_a_python_class_enters_the_contest(folder: Path) -> None:
    (folder / "even").write_text("".join(f"{2 * n}\n" for n in range(1, 1000)))
    arguments = ("fixed", "gentle.py:Constant", "gentle.py:Raises", "--duration", "5")
    done = call("contest", *arguments, "--trace", "even", "even", "--json", cwd=folder)
    assert done.code == errors.EXIT_UNFINISHED, done.err
    assert "gentle.py:Raises over even" in done.err
    found = {row["controller"]: row for row in done.document["standings"]["known"]}
    # 20 packets instead of 50 over a link of 6 Mbit/s: 41 ms of round trip instead of 101.
    ours, table = found["gentle.py:Constant"], found["fixed"]
    assert ours["cell_throughput_bps"] == pytest.approx(6e6, rel=0.05)
    assert ours["age_p95_s"] == pytest.approx(table["age_p95_s"] - 0.06, abs=0.005)
    assert found["gentle.py:Raises"]["score_ln"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gentle.py:Gentel", "--trace", "even", "even"), "has no class `Gentel`"),
        (("absent.py:Gentle", "--trace", "even", "even"), "there is no file"),
        (("gentle.py:",), "is not FILE.py:Class"),
        (("fixed", "--trace", "even"), "is not a pair of traces"),
    ],
)
def test_what_cannot_enter_is_refused(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    (folder / "even").write_text("2\n4\n")
    done = call("contest", *arguments, cwd=folder)
    assert done.code == errors.EXIT_REFUSED
    assert said in done.err
