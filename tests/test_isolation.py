"""Parts in files of Python: whatever one does to its process, it costs its own case only."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

import backwater
from backwater.errors import Refusal
from command import call, ended, start

SCENARIO = """\
schema = "backwater/scenario/1"
duration = "2 s"
topology = { kind = "dumbbell", pairs = 1, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }
flows.f1 = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "python", file = "parts.py", class = "Constant" }, source = { kind = "bulk" } }
"""  # noqa: E501

PARTS = """\
import ctypes
import os
import signal
import sys
import time


class Constant:
    def __init__(self, setup):
        self.window = 10 * setup.mss_B
        self.done = False

    def on_ack(self, ack):
        if ack.now_s > 1 and not self.done:
            self.done = True
            self.act()

    def act(self):
        pass


class Prints(Constant):
    def act(self):
        print("text of print")
        sys.stdout.write("text of sys.stdout\\n")
        os.write(1, b"text of os.write\\n")
        os.system("echo text of a shell")


class Exits(Constant):
    def act(self):
        os._exit(0)


class Leaves(Constant):
    def act(self):
        sys.exit(7)


class Aborts(Constant):
    def act(self):
        os.abort()


class Forks(Constant):
    def act(self):
        # Both go on with the run; the second has no end.
        if os.fork() == 0:
            time.sleep(1000)


class Faults(Constant):
    def act(self):
        ctypes.string_at(1)


class Endless(Constant):
    def act(self):
        while True:
            pass


class Sleeps(Constant):
    def act(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)


class Stops(Constant):
    def act(self):
        os.kill(os.getpid(), signal.SIGSTOP)


class HangsInC(Constant):
    def act(self):
        sum(range(10**12))


class Greedy(Constant):
    def act(self):
        self.kept = [bytearray(1 << 30) for _ in range(64)]


class DiesAtOnce(Constant):
    def __init__(self, setup):
        os._exit(3)
"""

# The failed case's message, by class; the others finish.
SAID = {
    "Prints": None,
    "Exits": "ended with exit code 0 before its run did",
    "Leaves": "SystemExit: 7 (parts.py:",
    "Aborts": "SIGABRT",
    "Forks": None,
    "Faults": "SIGSEGV",
    "Endless": "a call took longer than 2 s",
    "Sleeps": "a call took longer than 2 s",
    "Stops": "was stopped by the signal SIGSTOP",
    "HangsInC": "a call took longer than 2 s",
    "Greedy": "MemoryError",
    "DiesAtOnce": "ended with exit code 3 before its run did",
}
LIMITS = {"BACKWATER_CALL_SECONDS": "2", "BACKWATER_MEMORY_MB": "1000"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A scenario and its classes."""
    (tmp_path / "parts.py").write_text(PARTS)
    (tmp_path / "one.toml").write_text(SCENARIO)
    return tmp_path


def test_whatever_a_class_does_costs_its_own_case_only(folder: Path) -> None:
    """Exit, abort, fork, a fault in C, loops, sleeps and gigabytes; stdout stays one document."""
    axis = f"flows.f1.controller.class=Constant,{','.join(SAID)}"
    sweep = ("sweep", "one.toml", "--axis", axis, "--seeds", "1", "--out", "out", "--json")
    done = ended(start(*sweep, cwd=folder, environment=LIMITS))
    assert done.code == 3, done.err
    failed = {row["case"]["class"]: row["error"] for row in done.document["failures"]}
    assert set(failed) == {name for name, said in SAID.items() if said is not None}
    for name, said in SAID.items():
        if said is not None:
            assert said in failed[name], failed
            assert "flow f1" in failed[name] or "flows.f1.controller" in failed[name]
    assert "text of os.write" in done.err
    assert "text of a shell" in done.err
    # A class that writes, and one that forks, send what the constant window sends.
    rows = {row["case"][next(iter(row["case"]))]: row["metrics"] for row in done.document["rows"]}
    for name in ("Prints", "Forks"):
        assert rows[name]["goodput_bps"]["mean"] == rows["Constant"]["goodput_bps"]["mean"]


def test_a_single_run_is_one_document_too(folder: Path) -> None:
    def run(name: str) -> tuple[str, ...]:
        return ("run", "one.toml", "--set", f"flows.f1.controller.class={name}", "--json")

    quiet, loud = (call(*run(name), cwd=folder) for name in ("Constant", "Prints"))
    assert loud.code == 0, loud.err
    assert loud.document["fingerprint"] == quiet.document["fingerprint"]
    assert "text of os.write" in loud.err
    for name in ("Exits", "Faults", "HangsInC"):
        done = ended(start(*run(name), cwd=folder, environment=LIMITS))
        assert done.code == 3, done.err
        error = done.document["error"]
        assert str(SAID[name]) in error["what"]
        assert error["place"] == "flows.f1.controller"


def test_a_process_gives_what_the_caller_gets(folder: Path) -> None:
    here = backwater.run(folder / "one.toml", columns=False)
    there = call("run", "one.toml", "--record", "r", "--json", cwd=folder)
    assert there.document["fingerprint"] == here.fingerprint
    assert (folder / "r").stat().st_size > 0


def test_contest_goes_on_without_the_run_that_died(folder: Path) -> None:
    (folder / "even").write_text("".join(f"{2 * n}\n" for n in range(1, 1000)))
    contest = ("contest", "fixed", "parts.py:Constant", "parts.py:Exits", "--duration", "3")
    done = call(*contest, "--trace", "even", "even", "--json", cwd=folder)
    assert done.code == 3, done.err
    assert len(done.document["runs"]) == 6
    # Beside each run is one where all leaves half a millisecond later.
    assert len(done.document["failures"]) == 4
    assert all("parts.py:Exits over even" in text for text in done.document["failures"])


def processes(folder: Path) -> list[int]:
    """The processes that still run for the scenario of this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def hanging(folder: Path, name: str) -> subprocess.Popen[str]:
    """A sweep of which one case has finished and the other hangs."""
    axis = f"flows.f1.controller.class=Constant,{name}"
    sweep = ("sweep", "one.toml", "--axis", axis, "--seeds", "1", "--out", "out", "--workers", "1")
    process = start(*sweep, "--json", cwd=folder)
    time.sleep(4)
    assert process.poll() is None, process.communicate()
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_class_that_hangs_in_c_does_not_keep_a_sweep_alive(
    folder: Path, number: signal.Signals, code: int
) -> None:
    process = hanging(folder, "HangsInC")
    process.send_signal(number)
    cut = ended(process)
    assert cut.code == code
    assert cut.document["status"] == "incomplete"
    assert cut.document["failures"] == []
    time.sleep(0.5)
    assert processes(folder) == []


def test_a_command_that_is_killed_leaves_no_process(folder: Path) -> None:
    process = hanging(folder, "Sleeps")
    process.kill()
    process.communicate()
    time.sleep(1)
    assert processes(folder) == []


def test_a_signal_while_a_class_is_loaded_is_no_refusal(folder: Path) -> None:
    (folder / "parts.py").write_text("import time\ntime.sleep(1000)\n")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = start("run", "one.toml", "--json", cwd=folder)
        time.sleep(3)
        process.send_signal(number)
        assert ended(process).code == code


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_that_is_no_number_is_refused(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "much")
    sweep = backwater.Sweep(folder / "one.toml", {"flows.f1.controller.class": ["Constant"]})
    with pytest.raises(Refusal, match=name):
        sweep.run()


def test_a_file_that_changes_while_a_batch_runs_fails_its_cases(folder: Path) -> None:
    (folder / "parts.py").write_text(
        PARTS.replace(
            "        pass\n\n\nclass Prints",
            "        open(__file__, 'a').write('# changed')\n\n\nclass Prints",
        )
    )
    sweep = ("sweep", "one.toml", "--axis", "flows.f1.controller.class=Constant")
    done = call(*sweep, "--seeds", "2", "--workers", "1", "--json", "--out", "o", cwd=folder)
    assert done.code == 3
    (failure,) = done.document["failures"]
    assert "changed" in failure["error"]
    assert json.loads((folder / "o" / "manifest.json").read_text())["cases_done"] == 1
