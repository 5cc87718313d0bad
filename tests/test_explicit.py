"""Stamps and senders that do not fit, several stamps on a path, and echoes under delayed ACKs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater import cli, errors

# Two links in a row, 20 and 5 Mbit/s; f1 crosses both, f2 the first.
TWO = """
schema = "backwater/scenario/1"
duration = "40 s"
warmup = "20 s"
nodes.L = { kind = "switch" }
nodes.R = { kind = "switch" }
nodes.s1 = { kind = "host" }
nodes.s2 = { kind = "host" }
nodes.d1 = { kind = "host" }
nodes.d2 = { kind = "host" }
links.a1 = { ends = ["s1", "L"], rate = "1 Gbit/s", delay = "1 ms" }
links.a2 = { ends = ["s2", "L"], rate = "1 Gbit/s", delay = "1 ms" }
links.m = { ends = ["L", "R"], rate = "20 Mbit/s", delay = "10 ms" }
links.b1 = { ends = ["R", "d1"], rate = "5 Mbit/s", delay = "10 ms" }
links.b2 = { ends = ["R", "d2"], rate = "1 Gbit/s", delay = "10 ms" }
ports."L>R" = { buffer = "1000 packets" }
ports."R>d1" = { buffer = "1000 packets" }
[flows.f1]
from = "s1"
to = "d1"
transport = "tcp"
recovery = "sack"
delayed_ack = "0 s"
controller = { kind = "newreno" }
source = { kind = "bulk" }
[flows.f2]
from = "s2"
to = "d2"
transport = "tcp"
recovery = "sack"
delayed_ack = "0 s"
controller = { kind = "newreno" }
source = { kind = "bulk" }
"""

# A trace link and a radio have no line rate.
TRACE = """
schema = "backwater/scenario/1"
duration = "1 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
[links.down]
kind = "trace"
from = "A"
to = "B"
trace = { kind = "constant", rate = "12 Mbit/s" }
[links.up]
kind = "trace"
from = "B"
to = "A"
trace = { kind = "constant", rate = "12 Mbit/s" }
[flows]
f = { from = "A", to = "B", transport = "tcp", source = { kind = "bulk" } }
"""
RADIO = """
schema = "backwater/scenario/1"
duration = "1 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m" }
[topology]
kind = "wlan"
stations = 1
fixed = 1
medium = "air"
wire_rate = "1 Gbit/s"
wire_delay = "2 ms"
delays = ["20 ms"]
[flows]
f = { from = "d1", to = "s1", transport = "tcp", source = { kind = "bulk" } }
"""

SENDERS = ["xcp", "rcp", "acp", "iacp", "abc", "vcp"]


def run(text: str, **fields: object) -> dict[str, Any]:
    return backwater.run(text, set=fields, columns=False).document


def refused(text: str, fields: dict[str, object]) -> str:
    with pytest.raises(errors.Refusal) as refusal:
        backwater.run(text, set=fields, columns=False)
    return str(refusal.value)


def controllers(kind: str) -> dict[str, object]:
    return {f"flows.{flow}.controller.kind": kind for flow in ("f1", "f2")}


def busy(document: dict[str, Any], port: str) -> float:
    return float(next(row["busy"] for row in document["ports"] if row["id"] == port))


@pytest.mark.parametrize(("text", "place"), [(TRACE, "A>B"), (RADIO, "AP>air")])
@pytest.mark.parametrize("law", ["xcp", "rcp", "acp", "vcp"])
def test_a_law_that_needs_a_capacity_is_refused_where_there_is_none(
    text: str, place: str, law: str
) -> None:
    stamp = f"ports.{place}.stamp"
    sender = {"flows.f.controller.kind": law}
    said = refused(text, {stamp: {"kind": law}, **sender})
    assert stamp in said
    assert "the law needs a capacity" in said
    assert "write `capacity` in the stamp" in said
    told = {stamp: {"kind": law, "capacity": "5 Mbit/s"}}
    assert run(text, **told, **sender)["stamps"]


@pytest.mark.parametrize("law", ["iacp", "xcpb-reconstructed", "wwm"])
def test_a_law_that_counts_packets_is_refused_where_the_buffer_counts_bytes(law: str) -> None:
    said = refused(TWO, {"ports.L>R": {"buffer": "1 MB", "stamp": {"kind": law}}})
    assert "the law works with a buffer that counts packets" in said
    assert 'write `buffer = "50 packets"`' in said


@pytest.mark.parametrize("sender", SENDERS)
def test_a_sender_without_its_stamp_is_told_so_with_the_remedy(sender: str) -> None:
    warnings = run(TWO, duration="1 s", warmup="0 s", **controllers(sender))["warnings"]
    for flow in ("f1", "f2"):
        said = next(one for one in warnings if one.startswith(f"flow {flow}: "))
        assert "no port on its path writes its congestion header" in said
        assert "write `stamp` for the bottleneck's port" in said
    # With the stamp where only f1 passes, f2 alone is told.
    stamp = {"ports.R>d1.stamp.kind": sender}
    warnings = run(TWO, duration="1 s", warmup="0 s", **controllers(sender), **stamp)["warnings"]
    assert [one[:8] for one in warnings if "no port on its path" in one] == ["flow f2:"]


@pytest.mark.parametrize("sender", SENDERS)
def test_headers_of_two_schemes_on_one_path_are_refused(sender: str) -> None:
    other = "rcp" if sender != "rcp" else "xcp"
    stamps = {"ports.L>R.stamp.kind": sender, "ports.R>d1.stamp.kind": other}
    said = refused(TWO, controllers(sender) | stamps)
    assert "flows.f1.controller" in said
    assert "another scheme than that which R>d1 writes" in said


NUMBERS = {
    "xcp": ["alpha", "beta", "gamma"],
    "xcpb-reconstructed": ["alpha", "beta", "gamma", "kappa"],
    "rcp": ["alpha", "beta", "gamma", "start"],
    "acp": ["ki", "kq", "learning", "flows"],
    "iacp": ["b", "g", "w", "rtt_weight"],
    "abc": ["eta"],
    "vcp": ["gamma", "kappa"],
}


@pytest.mark.parametrize("law", NUMBERS)
def test_a_negative_gain_is_refused(law: str) -> None:
    for name in NUMBERS[law]:
        said = refused(TWO, {"ports.L>R.stamp": {"kind": law, name: -0.1}})
        assert f"stamp.{name}" in said, said


def test_a_negative_gain_of_a_sender_is_refused() -> None:
    assert "controller.a" in refused(TWO, {"flows.f1.controller": {"kind": "iacp", "a": -0.012}})


STEADY = """
schema = "backwater/scenario/1"
duration = "30 s"
topology = { kind = "dumbbell", pairs = 12, rate = "1 Gbit/s", delay = "10 ms", \
bottleneck = "2.676 Mbit/s", bottleneck_delay = "2 ms" }
ports."L>R" = { buffer = "50 packets", stamp = { kind = "iacp", g = 0.5 } }
[flows.f]
from = "s*"
to = "d*"
pattern = "pairs"
packet = "1300 B"
transport = "tcp"
recovery = "newreno"
delayed_ack = "0 s"
initial_window = "1 packets"
controller = { kind = "iacp", a = 1 }
source = { kind = "bulk" }
"""


def critical(round_trip: float, lags: list[float]) -> float:
    """The gain of a round trip at which an integrator with that delay and these lags swings."""
    # Of K exp(-sT) / (s (1 + s lag)...) the phase is -180 degrees at this frequency.
    low, high = 0.0, math.pi / 2 / round_trip
    for _ in range(50):
        middle = (low + high) / 2
        behind = middle * round_trip + sum(math.atan(middle * lag) for lag in lags)
        low, high = (middle, high) if behind < math.pi / 2 else (low, middle)
    return low * round_trip * math.prod(math.hypot(1, low * lag) for lag in lags)


@pytest.mark.parametrize(
    ("update", "delay", "a", "b", "unstable"),
    [
        # 250 packets/s; R0 = 0.144, 0.244 and 0.344 s with 25 packets in the queue.
        ("sample", "10 ms", 1, 0.026, False),
        ("sample", "10 ms", 1, 0.1, True),
        # The sender's own lag, (1 - a) / a acknowledgements, takes a third of what b may be.
        ("sample", "35 ms", 1, 0.018, False),
        ("sample", "35 ms", 0.012, 0.018, True),
        ("sample", "35 ms", 0.012, 0.012, False),
        ("sample", "60 ms", 1, 0.016, False),
        ("sample", "60 ms", 0.012, 0.016, True),
        # A step is seen one step later: z (z - 1) + b has its poles within the circle for b < 1.
        ("mean-rtt", "10 ms", 1, 0.5, False),
        ("mean-rtt", "10 ms", 1, 1.5, True),
    ],
)
def test_a_gain_that_is_not_stable_is_told_with_both_bounds(
    update: str, delay: str, a: float, b: float, unstable: bool
) -> None:
    sets = {"topology.delay": delay, "flows.f.controller.a": a, "duration": "90 s"}
    stamp = {"ports.L>R.stamp.b": b, "ports.L>R.stamp.update": update}
    document = run(STEADY, **sets, **stamp)
    said = [one for one in document["warnings"] if "unstable" in one]
    assert len(said) == unstable
    (law,) = document["stamps"]
    # The queue swings where that is told, and nowhere else: at rest it deviates by 4.7 at most.
    assert (law["queue_deviation_pkts"] > 6 or update == "mean-rtt") == unstable or not unstable
    for one in said:
        assert f"L>R: b = {b:g} makes the loop unstable" in one
        assert f"senders that go {a} of the way" in one
        assert "the paper's bound, b <= 2 R0 = " in one
        bound = float(one.split("has to be below ")[1].split(" ")[0])
        lags = [(1 - a) / a * 12 / 250, 0.8 / 0.2 / 250]
        expected = 1.0 if update == "mean-rtt" else critical(law["mean_rtt_s"], lags)
        assert bound == pytest.approx(expected, abs=0.04)


def test_a_stamp_that_no_sender_reads_is_told() -> None:
    stamp = {"ports.L>R.stamp": {"kind": "xcp"}}
    (said,) = run(TWO, **stamp)["warnings"]
    assert "L>R: no sender that crosses it reads what its stamp writes" in said
    assert not run(TWO, **stamp, **controllers("xcp"))["warnings"]


@pytest.mark.parametrize("law", ["iacp", "xcpb-reconstructed", "wwm"])
def test_a_buffer_of_the_law_above_that_of_its_port_is_told(law: str) -> None:
    sender = {"xcpb-reconstructed": "xcp", "wwm": "newreno"}.get(law, law)
    for packets, told in ((500, True), (50, False), (20, False)):
        stamp = {"kind": law, "buffer": f"{packets} packets"}
        port = {"ports.L>R": {"buffer": "50 packets", "stamp": stamp}}
        warnings = run(TWO, **controllers(sender), **port)["warnings"]
        said = [one for one in warnings if "larger than its port's of 50" in one]
        assert len(said) == told
        assert all("L>R: the law's buffer of 500 packets is" in one for one in said)


def test_what_needs_no_run_is_said_by_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = '"L>R" = { buffer = "50 packets", stamp = { kind = "iacp", buffer = "500 packets" } }'
    senders = TWO.replace('"newreno"', '"iacp"').replace('from = "s2"', 'from = "s1"')
    texts = {
        "unread": TWO.replace('"L>R" = {', '"L>R" = { stamp = { kind = "xcp" },'),
        "unstamped": TWO.replace('"newreno"', '"xcp"'),
        "large": senders.replace('"L>R" = { buffer = "1000 packets" }', small),
        "pairs": senders.replace('to = "d2"', 'to = "d1"').replace(
            '"L>R" = {', '"L>R" = { stamp = { kind = "iacp" },'
        ),
        "none": TWO,
    }
    said = {}
    for name, text in texts.items():
        (tmp_path / "s.toml").write_text(text)
        assert cli.main(["check", str(tmp_path / "s.toml"), "--json"]) == 0
        said[name] = json.loads(capsys.readouterr().out)["warnings"]
    assert "no sender that crosses it reads what its stamp writes" in " ".join(said["unread"])
    assert "flow f1: no port on its path writes" in " ".join(said["unstamped"])
    assert "the law's buffer of 500 packets is larger than its port's" in " ".join(said["large"])
    assert "it takes 2 flows for 1" in " ".join(said["pairs"])
    assert said["none"] == []


@pytest.mark.parametrize("law", ["iacp", "wwm"])
def test_flows_that_share_a_pair_of_nodes_are_told_to_count_as_one(law: str) -> None:
    sender = "iacp" if law == "iacp" else "newreno"
    sets = {"ports.L>R": {"buffer": "50 packets", "stamp": {"kind": law}}, **controllers(sender)}
    if law == "wwm":
        sets["ports.R>L"] = {"buffer": "50 packets", "stamp": {"kind": law}}
        del sets["ports.L>R"]
    place = next(name for name in sets if name.startswith("ports.")).removeprefix("ports.")
    assert "counts pairs" not in str(run(TWO, **sets)["warnings"])
    sets |= {"flows.f2.from": "s1", "flows.f2.to": "d1"}
    document = run(TWO, **sets)
    assert f"{place}: the law counts pairs of nodes" in str(document["warnings"])
    assert "it takes 2 flows for 1" in str(document["warnings"])
    assert document["stamps"][0]["flows"] == 1


def goodputs(document: dict[str, Any]) -> list[float]:
    """Mbit/s of payload; with RCP's header a frame carries 1432 bytes, and takes 1538 of a wire."""
    return [row["goodput_bps"] / 1e6 for row in document["flows"]]


def test_of_several_stamps_on_a_path_the_lowest_counts() -> None:
    """RCP fills 95 % of each link: f1 gets 4.75 Mbit/s, f2 what is left of 19.

    With equal gains a packet that the timer finds waiting takes off a packet for each round trip.
    """
    packet = 8e-6 * 1518 / 0.042
    both = {"ports.L>R.stamp.kind": "rcp", "ports.R>d1.stamp.kind": "rcp"}
    document = run(TWO, **controllers("rcp"), **both)
    first, second = (rate * 1538 / 1432 for rate in goodputs(document))
    assert first == pytest.approx(4.75, abs=packet)
    assert second == pytest.approx(14.25, abs=packet)
    assert document["drops"] == []
    # The link behind the only stamp is flooded.
    alone = run(TWO, **controllers("rcp"), **{"ports.L>R.stamp.kind": "rcp"})
    assert busy(alone, "R>d1") == pytest.approx(1, abs=1e-3)
    assert sum(row["pkts"] for row in alone["drops"]) > 100


def test_an_egress_has_a_law_of_its_own_and_one_of_another_queue() -> None:
    """Both flows pass the first port. There the second link's law holds for f2, too."""
    stamps = {"ports.L>R.stamp.kind": "rcp", "ports.R>d1.stamp.kind": "rcp"}
    document = run(TWO, **controllers("rcp"), **stamps, **{"ports.L>R.stamped_by": ["R>d1"]})
    first, second = goodputs(document)
    assert first == pytest.approx(second, rel=0.01)


ALTERNATE = """
class Alternate:
    def __init__(self, setup):
        self.high = False

    def depart(self, packet):
        self.high = not self.high
        return 8e6 if self.high else 4e6
"""


def test_an_acknowledgement_for_two_segments_echoes_the_lower_rate(tmp_path: Path) -> None:
    """A law grants 8 Mbit/s, then 4, and so on. One ACK for two segments always says 4."""
    (tmp_path / "alternate.py").write_text(ALTERNATE)
    (tmp_path / "two.toml").write_text(TWO)
    stamp = {"kind": "python", "file": "alternate.py", "class": "Alternate", "writes": "rate"}
    fields = controllers("rcp") | {"ports.R>d2.stamp": stamp, "ports.R>d1.stamp.kind": "rcp"}
    rates = {}
    for delay in ("0 s", "40 ms"):
        fields["flows.f2.delayed_ack"] = delay
        result = backwater.run(tmp_path / "two.toml", set=fields, columns=False)
        rates[delay] = goodputs(result.document)[1] * 1518 / 1432
    assert rates["40 ms"] == pytest.approx(4, rel=0.01)
    assert rates["0 s"] > 5
