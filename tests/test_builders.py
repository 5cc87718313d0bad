"""The builders: every part of the engine can be built, and what is built is what is written."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater import (
    AccessCategories,
    AccessCategory,
    BackwaterError,
    Box,
    Channel,
    Controller,
    Detector,
    Flow,
    Host,
    Link,
    Mechanism,
    Medium,
    Notifier,
    OneWayLink,
    Phy,
    Port,
    Queue,
    Refusal,
    Responder,
    Routing,
    Scenario,
    Source,
    Spreader,
    Stamp,
    Station,
    Switch,
    TdmaMedium,
    TerminalLink,
    Topology,
    Trace,
    TraceLink,
)
from backwater.model.builders.base import Part
from backwater.model.tables import tables

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "builders.py"
PARTS: tuple[type[Part], ...] = (
    *(Box, Controller, Detector, Notifier, Queue),
    *(Responder, Source, Spreader, Stamp, Topology, Trace),
)
ROWS = [(part, row) for part in PARTS for row in tables()[part.TABLE]]


def test_the_builders_in_the_tree_are_those_that_the_tables_give() -> None:
    command = [sys.executable, str(SCRIPT), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), "run `make tables` and commit what it changes"


def test_every_kind_of_part_has_a_class() -> None:
    tables_of_scenarios = {"mechanisms", "media", "standards", "metrics"}
    assert {part.TABLE for part in PARTS} == set(tables()) - tables_of_scenarios


def example(annotation: str) -> Any:
    """A value that an argument may have."""
    if annotation.startswith("Literal["):
        return annotation.split("'")[1]
    kind = annotation.split(" ")[0]
    quantities = {"Time": "1 ms", "Rate": "1 Mbit/s", "Size": "1 B", "Packets": "1 packets"}
    others = {"Share": "1 %", "Length": "1 m", "Level": "1 dB", "int": 1, "float": 1.5}
    return {**quantities, **others}.get(kind, "x")


@pytest.mark.parametrize(("part", "row"), ROWS, ids=[f"{p.__name__}-{r['id']}" for p, r in ROWS])
def test_every_part_has_a_builder_with_all_its_options(
    part: type[Part], row: dict[str, Any]
) -> None:
    build = getattr(part, row["id"].replace("-", "_"))
    parameters = inspect.signature(build).parameters
    names = {option["name"].replace("-", "_"): option for option in row["options"]}
    assert {name.rstrip("_") for name in parameters} == set(names)
    assert {n.rstrip("_") for n, p in parameters.items() if p.default is p.empty} == {
        name for name, option in names.items() if option["required"]
    }
    for name, option in names.items():
        assert f"{option['default_written'] or ''}" in " ".join(build.__doc__.split()), name
    # Whatever they are, the options come out under the names that the scenario has for them.
    values = {name: example(str(one.annotation)) for name, one in parameters.items()}
    made = build(**values)
    given = {name.rstrip("_"): value for name, value in values.items()}
    assert made.table() == {
        "kind": row["id"],
        **{o["name"]: given[o["name"].replace("-", "_")] for o in row["options"]},
    }


def tcp() -> Scenario:
    return Scenario(
        duration="3 s",
        nodes={"A": Host(), "B": Host(), "W": Switch()},
        links={
            "a": Link(("A", "W"), "100 Mbit/s", "1 us"),
            "down": TraceLink(
                "W",
                "B",
                Trace.cox(peak="10 Mbit/s", volatility="3 Mbit/s", reversion=0.1),
                delay="20 ms",
                queue=Queue.codel(target="10 ms"),
                boxes=[Box.loss(share="1 %"), Box.delay(delay="5 ms")],
            ),
            "up": OneWayLink("B", "W", "10 Mbit/s", "20 ms"),
        },
        flows={
            "f": Flow(
                "A",
                "B",
                Source.bulk(),
                transport="tcp",
                controller=Controller.copa(base_window="5 s"),
                recovery="sack",
                initial_window="4 packets",
            )
        },
        seed=3,
    )


WRITTEN_TCP = """
schema = "backwater/scenario/1"
duration = "3 s"
seed = 3
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.W = { kind = "switch" }
links.a = { ends = ["A", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.up = { from = "B", to = "W", rate = "10 Mbit/s", delay = "20 ms" }
[links.down]
kind = "trace"
from = "W"
to = "B"
trace = { kind = "cox", peak = "10 Mbit/s", volatility = "3 Mbit/s", reversion = 0.1 }
delay = "20 ms"
queue = { kind = "codel", target = "10 ms" }
boxes = [{ kind = "loss", share = "1 %" }, { kind = "delay", delay = "5 ms" }]
[flows.f]
from = "A"
to = "B"
source = { kind = "bulk" }
transport = "tcp"
controller = { kind = "copa", base-window = "5 s" }
recovery = "sack"
initial_window = "4 packets"
"""


def mesh() -> Scenario:
    categories = AccessCategories(BE=AccessCategory(aifsn=5, buffer="50 packets"))
    return Scenario(
        duration="2 s",
        media={
            "air": Medium(
                phy=Phy("802.11a", data="12 Mbit/s", control="6 Mbit/s"),
                channel=Channel(model="disc", transmit="110 m", sense="190 m", interfere="190 m"),
            )
        },
        nodes={
            f"s{i}": Station("air", (f"{100 * i} m", "0 m"), ac=categories, queue="round-robin")
            for i in range(3)
        },
        routing=Routing("airtime"),
        mechanisms={"bp": Mechanism(["s1"], "aifsn")},
        flows={"f": Flow("s0", "s2", Source.cbr(packet="1500 B", rate="2 Mbit/s"), ac="BE")},
    )


WRITTEN_MESH = """
schema = "backwater/scenario/1"
duration = "2 s"
routing = { kind = "airtime" }
media.air.phy = { standard = "802.11a", data = "12 Mbit/s", control = "6 Mbit/s" }
media.air.channel = { model = "disc", transmit = "110 m", sense = "190 m", interfere = "190 m" }
[nodes.s0]
kind = "station"
medium = "air"
at = ["0 m", "0 m"]
queue = "round-robin"
ac.BE = { aifsn = 5, buffer = "50 packets" }
[nodes.s1]
kind = "station"
medium = "air"
at = ["100 m", "0 m"]
queue = "round-robin"
ac.BE = { aifsn = 5, buffer = "50 packets" }
[nodes.s2]
kind = "station"
medium = "air"
at = ["200 m", "0 m"]
queue = "round-robin"
ac.BE = { aifsn = 5, buffer = "50 packets" }
[mechanisms.bp]
recipe = "aifsn"
at = ["s1"]
[flows.f]
from = "s0"
to = "s2"
ac = "BE"
source = { kind = "cbr", packet = "1500 B", rate = "2 Mbit/s" }
"""


def lan() -> Scenario:
    source = Source("poisson", packet="1500 B", rate="8 Mbit/s")
    return Scenario(
        duration="1 s",
        topology=Topology.dumbbell(
            pairs=2,
            rate="100 Mbit/s",
            delay="1 us",
            bottleneck="10 Mbit/s",
            bottleneck_delay="1 ms",
        ),
        ports={"L>R": Port(Queue.strict_priority(classes=2), "50 kB")},
        mechanisms={
            "bp": Mechanism(
                ["L>R"],
                detect=Detector.watermark(high="80 %", low="70 %"),
                notify=Notifier.pause(),
                respond=Responder.gate(),
            )
        },
        flows={"f": Flow("s*", "d*", source, pattern="pairs")},
    )


WRITTEN_LAN = """
schema = "backwater/scenario/1"
duration = "1 s"
topology.kind = "dumbbell"
topology.pairs = 2
topology.rate = "100 Mbit/s"
topology.delay = "1 us"
topology.bottleneck = "10 Mbit/s"
topology.bottleneck_delay = "1 ms"
ports."L>R" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "50 kB" }
[mechanisms.bp]
at = ["L>R"]
detect = { kind = "watermark", high = "80 %", low = "70 %" }
notify = { kind = "pause" }
respond = { kind = "gate" }
[flows.f]
from = "s*"
to = "d*"
pattern = "pairs"
source = { kind = "poisson", packet = "1500 B", rate = "8 Mbit/s" }
"""


def satellite() -> Scenario:
    return Scenario(
        duration="2 s",
        media={"sat": TdmaMedium(frame="40 ms", slots=8, slot="500 B", free=True)},
        nodes={"T": Host(), "G": Host()},
        links={
            "up": TerminalLink("T", "G", "sat", constant=1, demand="rate", delay="250 ms"),
            "down": OneWayLink("G", "T", "10 Mbit/s", "250 ms"),
        },
        flows={"f": Flow("T", "G", Source.cbr(packet="500 B", rate="100 kbit/s"))},
    )


WRITTEN_SATELLITE = """
schema = "backwater/scenario/1"
duration = "2 s"
media.sat = { kind = "tdma", frame = "40 ms", slots = 8, slot = "500 B", free = true }
nodes.T = { kind = "host" }
nodes.G = { kind = "host" }
links.down = { from = "G", to = "T", rate = "10 Mbit/s", delay = "250 ms" }
[links.up]
kind = "tdma"
from = "T"
to = "G"
medium = "sat"
constant = 1
demand = "rate"
delay = "250 ms"
[flows.f]
from = "T"
to = "G"
source = { kind = "cbr", packet = "500 B", rate = "100 kbit/s" }
"""


@pytest.mark.parametrize(
    ("build", "written"),
    [
        (tcp, WRITTEN_TCP),
        (mesh, WRITTEN_MESH),
        (lan, WRITTEN_LAN),
        (satellite, WRITTEN_SATELLITE),
    ],
)
def test_what_is_built_is_what_is_written(build: Callable[[], Scenario], written: str) -> None:
    built, read = (backwater.run(what, columns=False).document for what in (build(), written))
    assert built["resolved"] == read["resolved"]
    assert built["fingerprint"] == read["fingerprint"]
    assert sum(flow["delivered_pkts"] for flow in built["flows"]) > 0


@pytest.mark.parametrize(
    ("build", "place", "near"),
    [
        (lambda: Source("cbrr"), None, "cbr"),
        (lambda: Source("cbr", rte="1 Mbit/s"), 'Source "cbr"', "rate"),
        (lambda: Source.cbr(rte="1 Mbit/s"), "Source.cbr", "rate"),  # type: ignore[call-arg]
        (lambda: Detector(hgh="80 %"), "Detector", "high"),
        (
            lambda: Flow("S", "D", Source.bulk(), controler=Controller.cubic()),  # type: ignore[call-arg]
            "Flow",
            "controller",
        ),
        (lambda: Controller.bbr3(up_pacin=1.2), "Controller.bbr3", "up_pacing"),  # type: ignore[call-arg]
    ],
)
def test_a_wrong_name_is_refused_with_the_nearest(
    build: Callable[[], object], place: str | None, near: str
) -> None:
    with pytest.raises(BackwaterError) as caught:
        build()
    assert caught.value.place == place
    assert caught.value.nearest[0] == near
    assert caught.value.fix


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Link(("A", "B"), "1 Gbit/s"), "delay"),  # type: ignore[call-arg]
        (lambda: Box.loss(), "share"),  # type: ignore[call-arg]
        (lambda: Routing("ecmp", "hash", ["a"], 3), "too many"),  # type: ignore[call-arg]
    ],
)
def test_missing_and_surplus_arguments_are_refused(build: Callable[[], object], said: str) -> None:
    with pytest.raises(Refusal, match=said) as caught:
        build()
    assert caught.value.fix


def test_a_class_says_what_it_takes_and_a_wrong_value_is_refused_at_once() -> None:
    taken = inspect.signature(backwater.Flow).parameters
    assert list(taken)[:3] == ["from_", "to", "source"]
    assert "self" not in taken
    # The possible values of each are in the signature, as a notebook shows it.
    assert all(word in str(taken["transport"]) for word in ("udp", "tcp", "datagram"))
    source = backwater.Source.cbr(packet="1500 B", rate="1 Mbit/s")
    for wrong, right in (
        ({"transport": "tpc"}, "tcp"),
        ({"pattern": "permutaton"}, "permutation"),
        ({"marks": "clasic"}, "classic"),
        ({"receiver": "onest"}, "honest"),
    ):
        with pytest.raises(backwater.Refusal) as refused:
            backwater.Flow("A", "B", source, **wrong)  # type: ignore[arg-type]
        assert right in str(refused.value)
        assert "Flow" in str(refused.value)
    assert backwater.Flow("A", "B", source, transport="tcp").transport == "tcp"


def test_the_package_lists_what_is_meant_and_nothing_else() -> None:
    assert dir(backwater) == sorted(backwater.__all__)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Flow("A", "B", Source.bulk(), start="5"), "`5` is no time"),
        (lambda: Flow("A", "B", Source.bulk(), start="5 km"), "`5 km` is no time"),
        (lambda: Flow("A", "B", Source.bulk(), frame="3 ms"), "`3 ms` is no size"),
        (lambda: Flow("A", "B", Source.bulk(), class_="a"), "`a` is no number"),  # type: ignore[arg-type]
        (lambda: Flow("A", "B", "bulk"), "`bulk` is a text and no Source"),  # type: ignore[arg-type]
        (lambda: Flow("A", "B", {"kind": "bluk"}), "no `bluk` among the sources"),
        (lambda: Flow("A", "B", {"kind": "bulk", "rat": 1}), "no argument `rat`"),
        (lambda: Source.cbr(packet="1000 B", rate="10 Mbt/s"), "`10 Mbt/s` is no rate"),
        (lambda: Source("cbr", packet="1000 B", rate="1 s"), "`1 s` is no rate"),
    ],
)
def test_a_value_of_another_kind_is_refused_at_once(build: Callable[[], object], said: str) -> None:
    with pytest.raises(Refusal, match=re.escape(said)) as caught:
        build()
    assert caught.value.fix
