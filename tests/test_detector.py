"""Detectors of congestion in files of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import backwater
from backwater import errors
from command import call

SCENARIO = """\
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S1 = { kind = "host" }
nodes.S2 = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S1", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.b = { ends = ["S2", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
flows.f1 = { from = "S1", to = "D", source = { kind = "uniform-uniform", burst = "24 kB", rate = "4 Mbit/s" } }
flows.f2 = { from = "S2", to = "D", source = { kind = "uniform-uniform", burst = "24 kB", rate = "4 Mbit/s" } }

[mechanisms.bp]
at = ["W>D"]
detect = { kind = "python", file = "marks.py", class = "Marks" }
notify.kind = "pause"
respond.kind = "gate"
"""  # noqa: E501

MARKS = """\
class Marks:
    def __init__(self, setup, high=0.8, low=0.7):
        self.high, self.low = high, low
        self.asked = []

    def alarm(self, level):
        return level.held_B > self.high * level.room_B

    def relief(self, level):
        return level.held_B < self.low * level.room_B


class Bytes:
    def __init__(self, setup):
        pass

    def alarm(self, level):
        return level.held_B > 25_000

    def relief(self, level):
        return level.held_B <= 15_000


class Never(Marks):
    def alarm(self, level):
        return False


class Draws(Marks):
    \"\"\"Congested by chance: a run that shared a generator with another would differ.\"\"\"

    def __init__(self, setup):
        import random

        super().__init__(setup)
        self.random = random.Random(setup.seed)

    def alarm(self, level):
        return self.random.random() < 0.05


class Raises(Marks):
    def alarm(self, level):
        if level.now_s > 0.5:
            raise ZeroDivisionError("division by nought")
        return False


class Vague(Marks):
    def alarm(self, level):
        return level.held_B


class Deaf:
    def __init__(self, setup):
        pass

    def alarm(self, level):
        return True


class Forwarded(Marks):
    def alarm(self, level):
        assert level.own_B + level.forwarded_B == level.held_B
        assert sum(level.by_previous_hop_B.values()) == level.forwarded_B
        assert sum(level.by_next_hop_B.values()) == level.held_B
        return level.forwarded_B > 90_000

    def sent(self, level, frame):
        assert frame.next_hop is not None and frame.airtime_s > 0
        return False if level.forwarded_B < 70_000 else None


class Lock(Marks):
    def __init__(self, setup):
        import threading

        super().__init__(setup)
        self.lock = threading.Lock()
"""

FORK = """\
schema = "backwater/scenario/1"
duration = "5 s"
routing = { kind = "shortest-path" }
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }
media.air.mac = { access = "edca", ac.BE.aifsn = 2 }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
nodes.A = { kind = "station", medium = "air", at = ["-71 m", "71 m"] }
nodes.B = { kind = "station", medium = "air", at = ["-71 m", "-71 m"] }
nodes.C = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "150 kB" }
nodes.D = { kind = "station", medium = "air", at = ["100 m", "0 m"] }
flows.f1 = { from = "A", to = "D", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s" } }
flows.f2 = { from = "B", to = "D", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s" } }

[mechanisms.bp]
at = ["C"]
detect = { kind = "python", file = "marks.py", class = "Marks" }
notify = { kind = "request", expiry = "200 ms", period = "50 ms" }
respond.kind = "aifsn"
"""  # noqa: E501

STUDY = """\
# One

```toml study
study = { id = "one", seeds = 2 }
axes.who = { path = "mechanisms.bp.detect.class", values = ["Marks", "Draws", "Raises"] }
[claims.c101]
says = "Less than half is lost."
metric = "loss"
where = { who = "Marks" }
at_most = 0.5
```

```toml scenario
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A scenario, a study and their classes."""
    (tmp_path / "marks.py").write_text(MARKS)
    (tmp_path / "one.toml").write_text(SCENARIO)
    (tmp_path / "fork.toml").write_text(FORK)
    (tmp_path / "one.md").write_text(STUDY + SCENARIO + "```\n")
    return tmp_path


def run(folder: Path, **sets: object) -> backwater.RunResult:
    fields = {f"mechanisms.bp.{path.replace('__', '.')}": value for path, value in sets.items()}
    return backwater.run(folder / "one.toml", set=fields, columns=False)


def test_the_same_marks_give_the_same_run_as_the_table(folder: Path) -> None:
    ours = run(folder, detect__options={"high": 0.5, "low": 0.3})
    table = run(folder, detect={"kind": "watermark", "high": "50 %", "low": "30 %"})
    assert ours.fingerprint == table.fingerprint != run(folder).fingerprint


def test_it_can_look_at_what_came_in_over_an_interface(folder: Path) -> None:
    ours = {"class": "Bytes", "file": "marks.py", "kind": "python", "watch": "ingress"}
    rows = {"kind": "ingress-watermark", "xoff": "25 kB", "xon": "15 kB"}
    at = ["W>S1", "W>S2"]
    prints = {
        run(folder, at=at, notify__kind="pfc", detect=detect).fingerprint for detect in (ours, rows)
    }
    assert len(prints) == 1
    assert prints != {run(folder, recipe="none").fingerprint}


def test_it_is_for_stopping_the_senders_before_the_buffer_is_full(folder: Path) -> None:
    assert run(folder).document["metrics"]["loss"] == 0
    assert run(folder, detect__class="Never").document["metrics"]["loss"] > 0


def test_at_a_station_it_does_what_the_row_of_the_table_does(folder: Path) -> None:
    def of(**detect: object) -> backwater.RunResult:
        fields = {"mechanisms.bp.detect": detect} if detect else {}
        return backwater.run(folder / "fork.toml", set=fields, columns=False)

    ours, table = of(), of(kind="watermark", high="80 %", low="70 %")
    never = of(kind="python", file="marks.py", **{"class": "Never"})
    assert ours.fingerprint == table.fingerprint != never.fingerprint
    lost = [run.document["metrics"]["loss"] for run in (ours, never)]
    assert lost[0] < lost[1]


def test_at_a_station_it_sees_what_is_forwarded_and_each_transmission(folder: Path) -> None:
    ours = backwater.run(
        folder / "fork.toml", set={"mechanisms.bp.detect.class": "Forwarded"}, columns=False
    )
    assert ours.document["metrics"]["loss"] < 1
    stations = {row["id"]: row for row in ours.document["stations"]}
    assert stations["C"]["management_pkts"] > 10


def test_a_study_keeps_what_did_not_fail_and_runs_share_nothing(folder: Path) -> None:
    def rows(out: str, workers: str) -> dict[str, object]:
        done = call(
            "study", "run", "one.md", "--out", out, "--workers", workers, "--json", cwd=folder
        )
        assert done.code == 3, done.err
        (study,) = done.document["studies"]
        assert study["cases_done"] == 4
        assert study["claims"][0]["verdict"] == "reproduced"
        assert (
            "the detector of mechanism bp failed: ZeroDivisionError: division by nought (marks.py:"
            in done.err
        )
        return {key: study[key] for key in ("fingerprint", "claims")}

    assert rows("one", "1") == rows("two", "2")


@pytest.mark.parametrize(
    ("sets", "said", "blamed"),
    [
        ({"class": "Deaf"}, "a detector has methods alarm(self, level) and relief", "class"),
        ({"class": "Mark"}, "has no class `Mark`", "class"),
        ({"class": "Lock"}, "cannot pickle", "class"),
        ({"options": {"hgih": 0.5}}, "cannot be called with (setup, hgih=…)", "options"),
        ({"file": "absent.py"}, "there is no file", "file"),
        ({"watch": "node"}, "not one of the words", "watch"),
    ],
)
def test_what_cannot_be_a_detector_is_refused(
    folder: Path, sets: dict[str, object], said: str, blamed: str
) -> None:
    fields = {f"mechanisms.bp.detect.{key}": value for key, value in sets.items()}
    with pytest.raises(errors.Refusal) as refused:
        backwater.run(folder / "one.toml", set=fields, columns=False)
    assert said in str(refused.value)
    assert blamed in str(refused.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "ZeroDivisionError: division by nought"),
        ("Vague", "alarm returned 1518, not True or False"),
    ],
)
def test_a_class_that_fails_ends_its_own_run(folder: Path, name: str, said: str) -> None:
    done = call("run", "one.toml", "--set", f"mechanisms.bp.detect.class={name}", cwd=folder)
    assert done.code == 3
    assert "the detector of mechanism bp failed" in done.err
    assert "mechanisms.bp.detect" in done.err
    assert said.partition("1518")[0] in done.err


def test_the_class_of_the_tutorial_loses_nothing(tmp_path: Path) -> None:
    tutorial = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
    python = re.findall(r"```python\n(.*?)```", tutorial, re.DOTALL)
    toml = re.findall(r"```toml\n(.*?)```", tutorial, re.DOTALL)
    (detector,) = (block for block in python if block.startswith("class Slope"))
    (first,) = (block for block in toml if "nodes.W" in block and 'burst = "48 kB"' in block)
    (mechanism,) = (block for block in toml if block.startswith("[mechanisms.bp]"))
    (tmp_path / "slope.py").write_text(detector)
    without = "".join(line for line in first.splitlines(True) if "mechanisms" not in line)
    (tmp_path / "first.toml").write_text(without + mechanism)
    lossy = backwater.run(without, columns=False)
    assert lossy.document["metrics"]["loss"] > 0
    done = backwater.run(tmp_path / "first.toml", columns=False)
    assert done.document["metrics"]["loss"] == 0
    assert sum(port["control_pkts"] for port in done.document["ports"]) > 0
