"""Classes of Python that never return: a signal ends the command, what had finished is kept."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from backwater.results.store import FILE
from command import call, ended, start

SCENARIO = """
schema = "backwater/scenario/1"
duration = "2 s"
topology = { kind = "dumbbell", pairs = 1, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }
flows.f1 = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "python", file = "loops.py", class = "Constant" }, source = { kind = "bulk" } }
"""  # noqa: E501

LOOPS = """\
import time


class Constant:
    def __init__(self, setup):
        self.window = 10 * setup.mss_B

    def on_ack(self, ack):
        pass


class Endless(Constant):
    def on_ack(self, ack):
        while ack.now_s > 1:
            pass


class Stubborn(Constant):
    def on_ack(self, ack):
        while ack.now_s > 1:
            time.sleep(1000)
"""


def loop(folder: Path, name: str) -> subprocess.Popen[str]:
    """A sweep of which one case has finished and the other never will."""
    (folder / "one.toml").write_text(SCENARIO)
    (folder / "loops.py").write_text(LOOPS)
    axis = f"flows.f1.controller.class=Constant,{name}"
    sweep = ("sweep", "one.toml", "--axis", axis, "--out", "out", "--workers", "2")
    process = start(*sweep, cwd=folder)
    while not finished(folder):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    # The other is in its loop, or will be.
    time.sleep(1)
    assert process.poll() is None
    return process


def finished(folder: Path) -> list[tuple[str, str]]:
    """The store's entry of each case."""
    try:
        with sqlite3.connect(f"file:{folder / 'out' / FILE}?mode=ro", uri=True) as store:
            return store.execute("SELECT case_json, status FROM cases").fetchall()
    except sqlite3.OperationalError:
        return []


def assert_kept(folder: Path) -> None:
    """The case that finished is there for all its seeds, the other neither done nor failed."""
    kept = finished(folder)
    assert kept
    assert all("Constant" in case and status == "done" for case, status in kept)


@pytest.mark.parametrize(
    ("name", "number", "code"),
    [("Endless", signal.SIGINT, 130), ("Stubborn", signal.SIGTERM, 143)],
)
def test_a_class_that_never_returns_is_interrupted(
    tmp_path: Path, name: str, number: signal.Signals, code: int
) -> None:
    process = loop(tmp_path, name)
    process.send_signal(number)
    cut = ended(process)
    assert cut.code == code
    assert "interrupted; finished cases are kept, --resume continues" in cut.err
    # It is not among the failed: it goes on where the command is continued.
    assert_kept(tmp_path)
    (tmp_path / "loops.py").write_text(LOOPS.replace("while", "if").replace("1000", "0"))
    again = ("sweep", "one.toml", "--axis", "flows.f1.controller.class=Constant," + name)
    done = call(*again, "--out", "out", "--resume", cwd=tmp_path)
    assert done.code == 0, done.err
