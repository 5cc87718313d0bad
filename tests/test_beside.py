"""`scripts/beside.sh`, by which lints and tests in Rust run at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "beside.sh"


def beside(*commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *commands], cwd=folder, capture_output=True, text=True, check=False
    )


def test_both_run_at_the_same_time_and_are_printed_one_after_the_other(tmp_path: Path) -> None:
    """Each waits for a word of the other: one after the other they would never end."""
    os.mkfifo(tmp_path / "to-first")
    os.mkfifo(tmp_path / "to-other")
    first = "echo one; echo a > to-other; cat to-first"
    other = "echo two; cat to-other; echo b > to-first; echo oops >&2"
    done = beside(first, other, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "one\nb\ntwo\na\noops\n", "")


@pytest.mark.parametrize(("first", "other", "status"), [(0, 0, 0), (0, 3, 3), (4, 0, 4), (4, 3, 4)])
def test_it_fails_where_one_fails_and_both_run_to_their_end(
    tmp_path: Path, first: int, other: int, status: int
) -> None:
    done = beside(f"echo x; exit {first}", f"echo y; exit {other}", folder=tmp_path)
    assert (done.returncode, done.stdout) == (status, "x\ny\n")


def test_anything_but_two_commands_is_refused(tmp_path: Path) -> None:
    for commands in ((), ("true",), ("make", "lint", "test")):
        done = beside(*commands, folder=tmp_path)
        assert done.returncode == 2
        assert f"two commands are needed, each in quotes; {len(commands)} given" in done.stderr


def test_a_signal_ends_both(tmp_path: Path) -> None:
    """A program that has ended lets go of its end of the pipe."""
    os.mkfifo(tmp_path / "held")
    first = "exec > held; echo one; exec sleep 600"
    other = "echo two; exec > held; echo three; exec sleep 600"
    with subprocess.Popen(
        [SCRIPT, first, other],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        with (tmp_path / "held").open() as held:
            assert {held.readline(), held.readline()} == {"one\n", "three\n"}
            process.send_signal(signal.SIGTERM)
            assert held.read() == ""
        assert process.stdout is not None
        assert process.stdout.read() == "two\n"
    assert process.returncode == 130
