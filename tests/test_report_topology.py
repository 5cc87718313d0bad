from __future__ import annotations

import itertools
import json
import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

import pytest

from backwater import _native
from backwater.present import topology
from backwater.present.topology import mesh, network
from backwater.present.topology.layout import lay_out

SVG = "{http://www.w3.org/2000/svg}"
MERGING = """\
schema = "backwater/scenario/1"
duration = "1 s"
nodes.S1 = { kind = "host" }
nodes.S2 = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S1", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.b = { ends = ["S2", "W"], rate = "1 Gbit/s", delay = "1 us" }
links.c = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"] }
flows.f1 = { from = "S1", to = "D", source = { kind = "cbr", packet = "1 kB", rate = "1 Mbit/s" } }
flows.f2 = { from = "S2", to = "D", source = { kind = "cbr", packet = "1 kB", rate = "1 Mbit/s" } }
"""
MESH = """\
schema = "backwater/scenario/1"
duration = "1 s"
routing = { kind = "airtime-tree", roots = ["G1", "G2"] }
media.air.phy = { standard = "802.11b", data = "11 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
topology = { kind = "chain", stations = 3, spacing = "100 m", medium = "air" }
nodes.G1 = { kind = "station", medium = "air", at = ["-100 m", "0 m"] }
nodes.G2 = { kind = "station", medium = "air", at = ["200 m", "100 m"] }
mechanisms.bp = { recipe = "aifsn", at = ["s*"] }
[flows.up]
from = "s*"
to = "G*"
pattern = "nearest"
source = { kind = "cbr", packet = "1 kB", rate = "1 Mbit/s" }
"""
GENERATED = """\
schema = "backwater/scenario/1"
duration = "1 ms"
topology = { GENERATOR, rate = "10 Gbit/s", delay = "1 us", max_frame = "1518 B" }
routing = { kind = "ecmp" }
[flows.all]
from = "h*"
to = "h*"
pattern = "random"
source = { kind = "cbr", packet = "1 kB", rate = "1 Mbit/s" }
"""


WLAN = """\
schema = "backwater/scenario/1"
duration = "1 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m" }
ports."AP>air" = { queue = { kind = "fq-codel" } }
flows.up = { from = "s1", to = "d1", source = { kind = "cbr", packet = "1 kB", rate = "1 Mbit/s" } }
[topology]
kind = "wlan"
stations = 3
medium = "air"
wire_rate = "1 Gbit/s"
wire_delay = "1 us"
"""


DUMBBELL = """
schema = "backwater/scenario/1"
duration = "1 s"
ports."L>R" = { buffer = "30 packets" }
flows.f1 = { from = "s1", to = "d1", source = { kind = "bulk" } }
[topology]
kind = "dumbbell"
pairs = 2
rate = "100 Mbit/s"
delay = "1 ms"
bottleneck = "10 Mbit/s"
bottleneck_delay = "1 ms"
"""


def resolve(text: str) -> dict[str, Any]:
    scenario = _native.Scenario.from_toml(text, "test.toml", None)
    found: dict[str, Any] = json.loads(scenario.resolve(1).canonical)
    return found


def words(svg: str) -> list[str]:
    """The text of a drawing, which must be well-formed."""
    return [text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def boxes(svg: str) -> dict[str, tuple[float, float]]:
    """The places of the nodes by name."""
    return {
        text.text or "": (float(text.attrib["x"]), float(text.attrib["y"]))
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.find(f"{SVG}rect[@rx]") is not None
        for text in group.iterfind(f"{SVG}text")
    }


def test_draws_every_node_rate_buffer_and_flow() -> None:
    drawn = words(topology.svg(resolve(MERGING)))
    assert {"S1", "S2", "W", "D"} <= set(drawn)
    assert {"100 Mbit/s", "1 Gbit/s", "10 Mbit/s", "50 kB"} <= set(drawn)
    assert "f1: S1 → D, cbr, class 0" in drawn
    assert "1 port watched by bp (watermark, pause, gate)" in drawn


def test_only_ports_where_packets_can_wait_have_their_buffer_drawn() -> None:
    """Behind a line of 10 Mbit/s nothing waits for one of 100."""
    drawn = words(topology.svg(resolve(DUMBBELL)))
    assert "30 packets" in drawn
    assert "500 kB" not in drawn


def test_flows_go_from_left_to_right() -> None:
    places = boxes(topology.svg(resolve(MERGING)))
    assert places["S1"][0] == places["S2"][0] < places["W"][0] < places["D"][0]
    assert places["S1"][1] < places["S2"][1]


def test_a_watched_port_is_marked_at_its_switch() -> None:
    root = ElementTree.fromstring(topology.svg(resolve(MERGING)))
    said = [title.text for title in root.iter(f"{SVG}title")]
    assert "port W>D: 50 kB, watched by bp (watermark, pause, gate)" in said
    without = MERGING.replace('"pause"', '"none"')
    assert not any("watched" in text for text in words(topology.svg(resolve(without))))


def test_a_ring_is_round() -> None:
    text = GENERATED.replace("GENERATOR", 'kind = "ring", switches = 4, hosts = 1')
    places = boxes(topology.svg(resolve(text)))
    switches = [place for name, place in places.items() if name.startswith("s")]
    middle = [sum(axis) / 4 for axis in zip(*switches, strict=True)]
    radii = {round(((x - middle[0]) ** 2 + (y - middle[1]) ** 2) ** 0.5) for x, y in switches}
    assert len(switches) == 4
    assert len(radii) == 1


@pytest.mark.parametrize("k", [4])
def test_a_small_fat_tree_has_tiers(k: int) -> None:
    text = GENERATED.replace("GENERATOR", f'kind = "fat-tree", k = {k}')
    resolved = resolve(text)
    places = boxes(topology.svg(resolved))
    assert set(resolved["nodes"]) == set(places)
    # Hosts, edge, aggregation, core.
    assert len({y for _, y in places.values()}) == 4


def test_a_large_fat_tree_is_counted() -> None:
    text = GENERATED.replace("GENERATOR", 'kind = "fat-tree", k = 16')
    drawn = " | ".join(words(topology.svg(resolve(text))))
    # A fat tree of arity k has (k/2)^2 core, k^2/2 aggregation and edge switches, k^3/4 hosts.
    for said in ("64 core", "128 aggregation", "128 edge", "1024 hosts"):
        assert said in drawn.replace("\u202f", "")
    assert drawn.replace("\u202f", "").count("1024 links of 10 Gbit/s") == 3


def test_one_is_not_called_several() -> None:
    one = MESH.replace('from = "s*"', 'from = "s0"')
    assert one != MESH
    assert "1 flow: " in " ".join(words(topology.svg(resolve(one))))


def test_stations_lie_where_they_lie_north_up() -> None:
    svg = topology.svg(resolve(MESH))
    at = boxes(svg)
    assert sorted(at) == ["G1", "G2", "s0", "s1", "s2"]
    step = at["s1"][0] - at["s0"][0]
    assert step > 60
    assert at["s2"][0] - at["s1"][0] == pytest.approx(step, abs=0.2)
    assert at["s0"][0] - at["G1"][0] == pytest.approx(step, abs=0.2)
    assert at["s2"][1] - at["G2"][1] == pytest.approx(step, abs=0.2)
    # Four pairs are 100 m apart, the others further.
    assert svg.count('<line class="near"') == 4 + 1
    said = words(svg)
    assert "3 flows: cbr, class 1, each to the nearest of several" in said
    assert any(one.startswith("3 stations watched by bp") for one in said)
    # Those three, and the mark beside the words.
    assert svg.count('class="box outlined"') == 3 + 1


def test_hidden_pairs_and_ranges_are_drawn() -> None:
    svg = topology.svg(resolve(MESH))
    # Two hops along the chain are 200 m, more than the 190 m at which a station senses; s1 and G2
    # are 141 m apart.
    assert network.read(resolve(MESH)).hidden == (("G1", "s1"), ("s0", "s2"))
    assert svg.count('<path class="hidden"') == 2 + 1
    said = words(svg)
    assert "understood up to 100 m, sensed up to 190 m" in said
    assert "2 pairs are hidden from each other, with a receiver in common" in said
    all_sense = MESH.replace('sense = "190 m"', 'sense = "201 m"')
    assert 'class="hidden"' not in topology.svg(resolve(all_sense))


def test_many_stations_that_all_understand_each_other_are_named_in_words() -> None:
    few = topology.svg(resolve(WLAN.replace("stations = 3", "stations = 7")))
    assert few.count('<line class="near"') == 8 * 7 // 2 + 1
    assert "understand each other" in words(few)
    many = topology.svg(resolve(WLAN.replace("stations = 3", "stations = 8")))
    assert 'class="near"' not in many
    assert "all 9 stations understand each other" in words(many)


def test_what_manages_a_queue_is_named() -> None:
    managed = MERGING.replace('"50 kB" }', '"50 kB", queue = { kind = "codel" } }')
    assert "50 kB, codel" in words(topology.svg(resolve(managed)))
    assert "50 kB" in words(topology.svg(resolve(MERGING)))


def test_queues_without_a_limit_are_counted_below() -> None:
    free = MERGING.replace('"50 kB"', '"unlimited"')
    said = words(topology.svg(resolve(free.replace("mechanisms.bp", "# mechanisms.bp"))))
    assert "1 queue: unlimited" in said
    assert "unlimited" not in said


def test_wired_nodes_stand_beside_the_map_of_the_stations() -> None:
    net = network.read(resolve(WLAN))
    layout = lay_out(net)
    stations = [layout.places[name][0] for name in ("AP", "s1", "s2", "s3")]
    assert max(stations) < layout.places["R"][0] < layout.places["d1"][0]
    # By radio to the access point, then over wires.
    assert layout.paths["up"] == ("s1", "AP", "R", "d1")
    drawn = topology.svg(resolve(WLAN))
    assert all(f">{name}<" in drawn for name in net.nodes)


def snapshot(*, source: str = '"cbr", rate = "100 kbit/s", packet = "1500 B"') -> dict[str, Any]:
    """Ten stations in a row, 90 m apart, with gateways at both ends."""
    text = f"""
        schema = "backwater/scenario/1"
        duration = "1 s"
        routing = {{ kind = "airtime-tree", roots = ["G1", "G2"] }}
        media.air.phy = {{ standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }}
        media.air.mac = {{ access = "dcf", rts = "on" }}
        media.air.channel = {{ model = "physical", shadowing = "0 dB" }}
        topology = {{ kind = "chain", stations = 10, spacing = "90 m", medium = "air" }}
        nodes.G1 = {{ kind = "station", medium = "air", at = ["-90 m", "0 m"] }}
        nodes.G2 = {{ kind = "station", medium = "air", at = ["900 m", "0 m"] }}
        [flows.up]
        from = "s*"
        to = "G*"
        pattern = "nearest"
        packet = "1500 B"
        source = {{ kind = {source} }}
    """
    return topology.seen(_native.Scenario.from_toml(text, "test.toml", None).resolve(1))


def test_a_map_of_a_mesh_shows_tree_rates_and_gateways() -> None:
    drawn = topology.svg(snapshot())
    root = ElementTree.fromstring(drawn)
    said = [title.text or "" for title in root.iter(f"{SVG}title")]
    # A tree has a link for each station. Gateways are told apart, and so are their links.
    links = [line for line in root.iter(f"{SVG}line") if "x2" in line.attrib]
    hops = [line for line in links if line.attrib["x1"] != "2"]
    assert len(hops) == 10
    assert [hop.attrib["stroke-width"] for hop in hops].count("3.6") == 2
    assert {title.split(",")[0] for title in said if "gateway" in title} == {
        "gateway G1",
        "gateway G2",
    }
    written = words(drawn)
    assert "thick: link to a gateway" in written
    assert any("Mbit/s" in text for text in written)
    # The SNR at 90 m is 15.3 dB: 14.6 are needed for 36 Mbit/s, 19.4 for 48 (catalogue 7.0).
    assert sum("36 Mbit/s" in title for title in said) == 10


def test_names_beside_stations_at_the_edge_of_a_map_are_whole() -> None:
    resolved = snapshot()
    # All in a column: whoever has another above has its name on the right.
    places = {f"station {n}": (2000.0, 25.0 * n) for n in range(4)}
    net = replace(network.read(resolved), nodes=dict.fromkeys(places, "station"))
    tree = mesh.Tree(hops=(), roots=frozenset(), around={})
    root = ElementTree.fromstring(mesh.draw(net, tree, places))
    texts = [t for t in root.iter(f"{SVG}text") if t.attrib.get("class") == "named"]
    beside = [t for t in texts if t.attrib["text-anchor"] == "start"]
    assert len(beside) == len(places) - 1
    width = float(root.attrib["viewBox"].split()[2])
    # A sans-serif letter is half as wide as it is high, or a little more.
    needed = max(float(t.attrib["x"]) + 5.5 * len(t.text or "") for t in beside)
    assert width >= needed
    assert "bw-map" in root.attrib["class"]


def test_the_load_of_a_mesh_is_the_time_that_packets_ask_for() -> None:
    tree = mesh.read(snapshot())
    assert tree is not None
    shares = {hop.ends: hop.share for hop in tree.hops}

    def frame(size: int, mbits: int) -> float:
        """The airtime in us of so many bytes, without the signal extension (17.3.2, 18.3)."""
        return 20 + 4 * math.ceil((22 + 8 * size) / (4 * mbits))

    # RTS, CTS, data, ACK, each with 6 us of signal extension; three SIFS, DIFS and 7.5 slots.
    cycle = frame(20, 6) + 2 * frame(14, 6) + frame(1536, 36) + 4 * 6 + 3 * 10 + 28 + 7.5 * 9
    each = 100e3 / 12e3 * cycle * 1e-6
    # Five stations send over the link to each gateway, four over the next one.
    assert shares["G1", "s0"] == pytest.approx(5 * each, rel=0.002)
    assert shares["s0", "s1"] == pytest.approx(4 * each, rel=0.002)
    # A station senses what is 180 m away, not what is 270 m away (noise and 2.1 dB: 192 m).
    assert tree.around["G1"] == pytest.approx((5 + 4 + 3) * each, rel=0.002)
    assert tree.around["s2"] == pytest.approx((5 + 4 + 3 + 2 + 1) * each, rel=0.002)
    assert tree.busiest is not None
    assert tree.around[tree.busiest] == pytest.approx(15 * each, rel=0.002)


def test_without_known_rates_a_map_has_no_loads() -> None:
    resolved = snapshot(
        source='"exponential-on-off", packet = "1500 B", rate = "1 Mbit/s", on = "1 s", off = "1 s"'
    )
    tree = mesh.read(resolved)
    assert tree is not None
    assert tree.around == {}
    assert not any("of the time" in text for text in words(topology.svg(resolved)))


def test_many_hosts_in_a_row_stand_close_enough_for_a_page() -> None:
    hosts = "".join(f'nodes.h{n} = {{ kind = "host" }}\n' for n in range(1, 25))
    links = "".join(
        f'links.l{n} = {{ ends = ["h{n}", "W"], rate = "1 Gbit/s", delay = "1 us" }}\n'
        for n in range(1, 25)
    )
    flows = "".join(
        f'flows.f{n} = {{ from = "h{n}", to = "h24", source = {{ kind = "saturated" }} }}\n'
        for n in range(1, 24)
    )
    text = 'schema = "backwater/scenario/1"\nduration = "1 s"\n'
    text += hosts + 'nodes.W = { kind = "switch" }\n' + links + flows
    net = network.read(resolve(text))
    heights = sorted(y for _, y in lay_out(net).places.values())
    # A page is 1,000 pixels high; a box is 30.
    assert heights[-1] - heights[0] <= 960
    assert min(b - a for a, b in itertools.pairwise(heights) if b > a) >= 20
