"""Laws of explicit feedback in files of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import backwater
from backwater import errors
from command import call

LAWS = """\
class Half:
    # A share of 10 Mbit/s for each of two flows.
    def __init__(self, setup, share=0.9):
        self.rate = share * 10e6
        self.place = setup.place

    def depart(self, packet):
        return self.rate if packet.granted is None or packet.granted > self.rate else None


class Counts(Half):
    def __init__(self, setup):
        super().__init__(setup)
        self.arrived = 0

    def arrive(self, packet):
        self.arrived += 1
        assert not packet.lost and packet.size_B > 0 and packet.waiting_pkts >= 0

    def depart(self, packet):
        assert self.arrived > 0
        return super().depart(packet)


class Silent(Half):
    def depart(self, packet):
        return None


class Raises(Half):
    def depart(self, packet):
        raise ZeroDivisionError("no reason")


class Word(Half):
    def depart(self, packet):
        return "much"


class Negative(Half):
    def depart(self, packet):
        return -1.0


class Deaf:
    def __init__(self, setup):
        pass
"""

SCENARIO = """
schema = "backwater/scenario/1"
seed = 1
duration = "10 s"
warmup = "2 s"
nodes.L = { kind = "switch" }
nodes.R = { kind = "switch" }
nodes.s1 = { kind = "host" }
nodes.s2 = { kind = "host" }
nodes.d = { kind = "host" }
links.a1 = { ends = ["s1", "L"], rate = "1 Gbit/s", delay = "1 ms" }
links.a2 = { ends = ["s2", "L"], rate = "1 Gbit/s", delay = "41 ms" }
links.m = { ends = ["L", "R"], rate = "20 Mbit/s", delay = "9 ms" }
links.b = { ends = ["R", "d"], rate = "1 Gbit/s", delay = "1 ms" }
ports."L>R" = { stamp = { kind = "python", file = "laws.py", class = "Half", writes = "rate" } }
[flows.f1]
from = "s1"
to = "d"
transport = "tcp"
controller = { kind = "rcp" }
source = { kind = "bulk" }
[flows.f2]
from = "s2"
to = "d"
transport = "tcp"
controller = { kind = "rcp" }
source = { kind = "bulk" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A scenario and its classes."""
    (tmp_path / "laws.py").write_text(LAWS)
    (tmp_path / "wire.toml").write_text(SCENARIO)
    return tmp_path


def run(folder: Path, **stamp: object) -> backwater.RunResult:
    fields = {f"ports.L>R.stamp.{key}": value for key, value in stamp.items()}
    return backwater.run(folder / "wire.toml", set=fields, columns=False)


def busy(result: backwater.RunResult) -> float:
    return float(next(row["busy"] for row in result.document["ports"] if row["id"] == "L>R"))


def test_senders_obey_a_law_of_python(folder: Path) -> None:
    """A rate counts frames of 1518 bytes, which occupy the wire for 1538.

    Two packets, one of each flow, may lie on either side of the ends of the eight seconds.
    """
    edges = 2 * 2 * 1538 * 8 / (20e6 * 8)
    result = run(folder)
    assert busy(result) == pytest.approx(0.9 * 1538 / 1518, abs=edges)
    assert result.document["metrics"]["jain"] > 0.999
    less = run(folder, options={"share": 0.5})
    assert busy(less) == pytest.approx(0.5 * 1538 / 1518, abs=edges)


def test_a_law_that_writes_nothing_leaves_senders_where_they_begin(folder: Path) -> None:
    assert busy(run(folder, **{"class": "Silent"})) < 0.5


def test_it_hears_of_arrivals_where_it_wants_to(folder: Path) -> None:
    assert run(folder, **{"class": "Counts"}).fingerprint == run(folder).fingerprint


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "ZeroDivisionError: no reason"),
        ("Word", "depart returned 'much', not a number or None"),
        ("Negative", "depart returned -1, which is no grant"),
    ],
)
def test_a_class_that_fails_ends_its_own_run(folder: Path, name: str, said: str) -> None:
    done = call("run", "wire.toml", "--set", f"ports.L>R.stamp.class={name}", cwd=folder)
    assert done.code == 3
    assert "the stamp of L>R failed" in done.err
    assert said in done.err


def test_what_has_no_depart_is_refused(folder: Path) -> None:
    with pytest.raises(errors.Refusal) as refused:
        run(folder, **{"class": "Deaf"})
    assert "a stamp has a method depart(self, packet)" in str(refused.value)


def test_a_law_for_another_header_is_refused(folder: Path) -> None:
    with pytest.raises(errors.Refusal) as refused:
        run(folder, writes="window")
    assert "another scheme" in str(refused.value)
