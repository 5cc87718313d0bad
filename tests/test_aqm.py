"""Queue management in files of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import backwater
from backwater import errors
from command import call

CLASSES = """\
class Step:
    # Marks or drops what finds more than so many bytes before it, as a switch of DCTCP does.
    def __init__(self, setup, most=30000):
        self.most = most

    def push(self, frame):
        return "mark" if frame.waiting_B > self.most else None


class Passes(Step):
    def push(self, frame):
        return None


class Late(Passes):
    # A bound on what has waited, judged as it leaves.
    def pop(self, frame):
        return "drop" if frame.sojourn_s > 0.02 and frame.waiting_pkts > 0 else None


class Counts(Passes):
    # Drops a frame for each that found no room before.
    refusals = 0

    def line_rate(self, rate_bps):
        assert rate_bps == 10e6, rate_bps

    def refused(self, frame):
        assert frame.waiting_pkts >= 198 and frame.size_B > 0
        self.refusals += 1

    def idle(self, now_s):
        assert now_s >= 0
        self.refusals = 0

    def push(self, frame):
        if self.refusals > 0:
            self.refusals -= 1
            return "drop"
        return None


class Raises(Step):
    def push(self, frame):
        raise ZeroDivisionError("no reason")


class Word(Step):
    def push(self, frame):
        return "perhaps"


class Deaf:
    def __init__(self, setup):
        pass
"""

SCENARIO = """
schema = "backwater/scenario/1"
seed = 1
duration = "10 s"
nodes.S = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "5 ms" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "5 ms" }
ports."W>D" = { queue = { kind = "python", file = "queues.py", class = "Step" }, buffer = "200 packets" }
[flows.f]
from = "S"
to = "D"
transport = "tcp"
controller = { kind = "newreno" }
source = { kind = "bulk" }
"""  # noqa: E501

CELL = """
schema = "backwater/scenario/1"
seed = 1
duration = "3 s"
topology = { kind = "wlan", stations = 2, medium = "air", fixed = 2, wire_rate = "100 Mbit/s", wire_delay = "1 ms", delays = ["5 ms", "5 ms"] }
media.air.phy = { standard = "802.11b", data = "11 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m" }
ports."AP>air" = { queue = { kind = "python", file = "queues.py", class = "Step" }, buffer = "200 packets" }
flows.f = { from = "d1", to = "s1", transport = "tcp", controller = { kind = "newreno" }, source = { kind = "bulk" } }
"""  # noqa: E501


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Scenarios and their classes."""
    (tmp_path / "queues.py").write_text(CLASSES)
    (tmp_path / "wire.toml").write_text(SCENARIO)
    (tmp_path / "air.toml").write_text(CELL)
    return tmp_path


def run(folder: Path, name: str = "wire.toml", **queue: object) -> backwater.RunResult:
    port = "W>D" if name == "wire.toml" else "AP>air"
    fields = {f"ports.{port}.queue.{key}": value for key, value in queue.items()}
    return backwater.run(folder / name, set=fields, columns=False)


@pytest.mark.parametrize("marks", ["off", "classic"])
def test_a_step_of_python_is_the_step_of_the_tables(folder: Path, marks: str) -> None:
    """With equal thresholds `wred` marks or drops on arrival what finds more than these bytes."""
    transport = {"flows.f.marks": marks}
    step = {"kind": "wred", "min": "30 kB", "max": "30 kB"}
    known = backwater.run(
        folder / "wire.toml", set={"ports.W>D.queue": step, **transport}, columns=False
    )
    mine = backwater.run(folder / "wire.toml", set=transport, columns=False)
    assert mine.fingerprint == known.fingerprint
    other = run(folder, **{"class": "Passes"})
    assert other.fingerprint != known.fingerprint


def test_a_frame_is_judged_as_it_leaves(folder: Path) -> None:
    """Without queue management 200 packets of 1538 bytes wait for 246 ms at 10 Mbit/s."""
    waits = [
        run(folder, **{"class": name}).flows["f"]["delay_p95_s"] for name in ("Passes", "Late")
    ]
    assert waits[0] > 0.1 > 0.05 > waits[1]


def test_it_hears_of_overflow(folder: Path) -> None:
    """Each frame that found no room is followed by one that the class drops, but for the last."""
    drops: dict[str, int] = {}
    for row in run(folder, **{"class": "Counts"}).document["drops"]:
        drops[row["cause"]] = drops.get(row["cause"], 0) + row["pkts"]
    assert drops["aqm"] > 0
    assert 0 <= drops["buffer-full"] - drops["aqm"] <= 1


def test_the_queue_of_a_radio_may_be_one(folder: Path) -> None:
    short = run(folder, "air.toml").flows["f"]["delay_p95_s"]
    long = run(folder, "air.toml", **{"class": "Passes"}).flows["f"]["delay_p95_s"]
    assert short < long / 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "ZeroDivisionError: no reason"),
        ("Word", 'push returned \'perhaps\', not None, "mark" or "drop"'),
    ],
)
def test_a_class_that_fails_ends_its_own_run(folder: Path, name: str, said: str) -> None:
    done = call("run", "wire.toml", "--set", f"ports.W>D.queue.class={name}", cwd=folder)
    assert done.code == 3
    assert said in done.err
    assert "the queue management of W>D failed" in done.err


def test_a_class_without_its_methods_is_refused(folder: Path) -> None:
    with pytest.raises(errors.Refusal, match="push"):
        run(folder, **{"class": "Deaf"})


def test_a_worker_gives_what_this_process_gives(folder: Path) -> None:
    done = call("run", "wire.toml", "--json", cwd=folder).document
    assert done["fingerprint"] == run(folder).fingerprint
