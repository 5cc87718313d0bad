"""`backwater import`: files of other simulators, written here, and what is wrong with some."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater.errors import Refusal
from backwater.imports import chakra, chakra_messages, goal, hpcc, htsim
from backwater.imports.transfers import scenario, star
from command import call

CM = """Nodes 4
Connections 3
Triggers 1
0->1 id 1 start 0 size 100000 recv_done_trigger 7
2->1 id 2 start 2 size 100000 recv_done_trigger 7   # two microseconds
1->3 id 3 trigger 7 size 50000
trigger id 7 barrier count 2
"""
TOPO = """# two tiers
Nodes 4
Tiers 2
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 250
Tier 1
Downlink_speed_Gbps 200
Radix_Down 2
Downlink_Latency_ns 2000
"""
HPCC_TOPOLOGY = "4 1 3\n3\n0 3 100Gbps 1000ns 0\n1 3 100Gbps 1000ns 0\n2 3 25Gbps 0.001ms 0.01\n"
HPCC_FLOWS = "2\n0 2 3 100 1000000 2\n1 2 3 100 500000 2.000005\n"
# Rank 0 sends 80,000 bytes; rank 1 answers 3 us after it has them.
GOAL = """num_ranks 2
rank 0 {
l1: send 80000b to 1 tag 5
l2: recv 8000b from 1 tag 6
l2 requires l1
}
rank 1 {
l1: recv 80000b from 0 tag 5
l2: calc 3000
l3: send 8000b to 0 tag 6
l2 requires l1
l3 requires l2
}
"""


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def node(
    place: int, kind: int, before: tuple[int, ...] = (), micros: int = 0, **whole: int
) -> bytes:
    """A node; attributes are int64 values, which proto3 writes in field 9."""
    attributes = [text(10, text(1, k.encode()) + number(9, v)) for k, v in whole.items()]
    waits = text(5, b"".join(varint(b) for b in before)) if before else b""
    head = number(1, place) + text(2, f"n{place}".encode()) + number(3, kind)
    return head + waits + number(7, micros) + b"".join(attributes)


def trace(path: Path, *nodes: bytes) -> None:
    messages = [text(1, b"0.0.4"), *nodes]
    path.write_bytes(b"".join(varint(len(m)) + m for m in messages))


def put(folder: Path, name: str, what: str) -> Path:
    path = folder / name
    path.write_text(what)
    return path


def times(written: str) -> dict[str, float]:
    """When the last byte of each flow came, in seconds."""
    flows: list[dict[str, Any]] = backwater.run(written).document["flows"]
    return {flow["id"]: flow["last_delivered_s"] for flow in flows}


def test_a_matrix_and_its_topology_become_a_scenario_that_runs(tmp_path: Path) -> None:
    cm, topo = put(tmp_path, "a.cm", CM), put(tmp_path, "a.topo", TOPO)
    out = tmp_path / "a.toml"
    ended = call("import", "cm", cm, "--topology", topo, "--unit", "us", "-o", out, cwd=tmp_path)
    assert ended.code == 0, ended.err
    written = out.read_text()
    assert 'leaves = 2, spines = 2, hosts = 2, rate = "100 Gbit/s", delay = "1250 ns"' in written
    assert 'up_rate = "200 Gbit/s", up_delay = "2000 ns"' in written
    assert 'start = "2 us"' in written
    assert 'after = ["t0", "t1"]' in written
    last = times(written)
    # 200,000 bytes into one line of 100 Gbit/s take 16 us. The third begins when both are there and
    # takes 4 us more.
    assert max(last["t0"], last["t1"]) > 16e-6
    assert last["t2"] > max(last["t0"], last["t1"]) + 4e-6


def test_the_unit_of_starts_is_asked_for(tmp_path: Path) -> None:
    path = put(tmp_path, "a.cm", CM)
    for unit, expected in (("us", 2_000_000), ("ps", None)):
        if expected is None:
            with pytest.raises(Refusal, match="likely in us"):
                htsim.matrix(path, unit)
        else:
            assert htsim.matrix(path, unit)[1][1].start == expected
    with pytest.raises(Refusal, match="has no unit") as refused:
        htsim.matrix(path, None)
    assert refused.value.line == 5
    assert refused.value.fix == "write --unit us or --unit ps"
    late = put(tmp_path, "b.cm", "Nodes 2\n0->1 start 3000000 size 1\n")
    with pytest.raises(Refusal, match="3 s into the run, so it is likely in ps"):
        htsim.matrix(late, "us")
    # Without any start but 0 there is nothing to ask.
    zero = put(tmp_path, "c.cm", "Nodes 2\n0->1 start 0 size 1\n")
    assert htsim.matrix(zero, None)[0] == 2


BAD_MATRICES = [
    ("0->1 start 0 size 5\n", "Nodes n", None),
    ("Nodes 2\nConnections 2\n0->1 start 0 size 5\n", "`Connections` says 2", None),
    ("Nodes 2\n0->1 start 0\n", "begins no line|no size", 2),
    ("Nodes 2\n0=>1 start 0 size 5\n", "begins no line", 2),
    ("Nodes 2\n0->1 start 0 size five\n", "size is `five`", 2),
    ("Nodes 2\n0->1 start 0 size 0\n", "size is 0", 2),
    ("Nodes 2\n0->1 begin 0 size 5\n", "no word `begin`", 2),
    ("Nodes 2\n0->1 trigger 3 size 5\n", "no trigger 3", 2),
    ("Nodes 2\n0->1 trigger 3 size 5\ntrigger id 3 oneshot\n", "wait for ever", 2),
    ("Nodes 2\nfailure switch_type TOR switch_id 0 link_id 0\n", "failure", 2),
]


@pytest.mark.parametrize(("what", "said", "line"), BAD_MATRICES)
def test_a_bad_matrix_is_refused_with_its_line(
    tmp_path: Path, what: str, said: str, line: int | None
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        htsim.matrix(put(tmp_path, "a.cm", what), "us")
    assert refused.value.line == line
    assert refused.value.fix


def test_three_tiers_are_a_fat_tree_or_refused(tmp_path: Path) -> None:
    tier = (
        "Tier {0}\nDownlink_speed_Gbps 100\nRadix_Down {1}\nRadix_Up 2\nDownlink_Latency_ns 1000\n"
    )
    three = "Nodes 16\nTiers 3\nPodsize 4\n" + "".join(tier.format(n, 2) for n in range(3))
    network = htsim.topology(put(tmp_path, "a.topo", three))
    assert 'kind = "fat-tree", k = 4, hosts = 2' in network.lines[0]
    assert len(network.hosts) == 16
    with pytest.raises(Refusal, match="no fat tree"):
        htsim.topology(put(tmp_path, "b.topo", three.replace("Nodes 16", "Nodes 20")))
    with pytest.raises(Refusal, match="tier 0 has no radix_up"):
        htsim.topology(put(tmp_path, "c.topo", three.replace("Radix_Up 2\n", "", 1)))
    with pytest.raises(Refusal, match="no name and number"):
        htsim.topology(put(tmp_path, "d.topo", "Nodes\n"))


def test_hpcc_files_become_a_scenario_that_runs(tmp_path: Path) -> None:
    flows, links = put(tmp_path, "f.txt", HPCC_FLOWS), put(tmp_path, "t.txt", HPCC_TOPOLOGY)
    ended = call("import", "hpcc-flows", flows, "--topology", links, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert (
        'links.w2a = { from = "n2", to = "n3", rate = "25000 Mbit/s", delay = "0.001 ms"'
        in ended.out
    )
    assert 'boxes = [{ kind = "loss", share = "1 %" }]' in ended.out
    assert 'nodes.n3 = { kind = "switch" }' in ended.out
    assert "class = 3" in ended.out
    # The first flow begins the run, 2 s in the file; the second begins 5 us later.
    assert ended.out.count("start = ") == 1
    assert 'start = "5 us"' in ended.out
    # 1.5 MB over a line of 25 Gbit/s take 480 us, whatever is lost.
    assert max(times(ended.out).values()) > 480e-6


@pytest.mark.parametrize(
    ("read", "what", "said"),
    [
        (hpcc.flows, "2\n0 1 3 100 5 2\n", "1 flows follow, not 2"),
        (hpcc.flows, "1\n0 1 9 100 5 2\n", "priority group 9"),
        (hpcc.flows, "1\n0 1 3 100 0 2\n", "no bytes"),
        (hpcc.flows, "1\n0 1 3 100 5 2000000\n", "is in seconds"),
        (hpcc.flows, "1\n0 1 3 100 5\n", "six words"),
        (hpcc.topology, "3 1\n", "nodes switches links"),
        (hpcc.topology, "3 1 1\n2\n", "0 links follow"),
        (hpcc.topology, "3 1 1\n2\n0 2 100G 1us 0\n", "`100G` is no rate"),
        (hpcc.topology, "3 1 1\n2\n0 2 100Gbps 1 0\n", "`1` is no delay"),
        (hpcc.topology, "3 1 1\n2\n0 5 100Gbps 1us 0\n", "no link 0 to 5"),
        (hpcc.topology, "3 1 1\n2\n0 2 100Gbps 1us 2\n", "error rate is 2"),
    ],
)
def test_bad_files_of_hpcc_are_refused(
    tmp_path: Path, read: Callable[[Path], object], what: str, said: str
) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        read(put(tmp_path, "a.txt", what))
    assert refused.value.fix


def test_a_schedule_of_goal_keeps_its_waits(tmp_path: Path) -> None:
    ranks, work = goal.read(put(tmp_path, "a.goal", GOAL), "ns")
    assert ranks == 2
    assert [(t.source, t.to, t.size) for t in work] == [(0, 1, 80000), (1, 0, 8000)]
    assert work[1].after == {0: 3_000_000}
    last = times(scenario(work, star(2, "100 Gbit/s", "500 ns", 1e11), None, "a test"))
    # The answer leaves 3 us after the bytes came: two wires of 500 ns, 8,000 bytes and 200 of
    # at 100 Gbit/s, and a frame more at the switch.
    took = last["t1"] - last["t0"]
    assert 3e-6 + 1e-6 + 8000 * 8e-11 < took < 3e-6 + 1e-6 + 16000 * 8e-11, took


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("calc 3000", "calc 3000", "has no unit"),
        ("l1: send 80000b to 1 tag 5", "l1: calc 5", "rank 1 waits for ever"),
        ("send 8000b to 0 tag 6", "send 8000b to 0 tag 7", "waits for ever"),
        ("recv 8000b", "recv 9000b", "receives 9000 bytes, and rank 1 sends 8000"),
        ("l2 requires l1\nl3", "l2 requires l3\nl3", "wait for each other"),
        ("l3 requires l2", "l3 requires l9", "has no `l9`"),
        ("to 1 tag 5", "to 4 tag 5", "no other of 2 ranks"),
        ("calc 3000", "think 3000", "is no operation"),
        ("rank 1 {", "rank 2 {", "begins none of 2 ranks"),
    ],
)
def test_a_bad_schedule_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = put(tmp_path, "a.goal", GOAL.replace(old, new))
    with pytest.raises(Refusal, match=said) as refused:
        goal.read(path, None if old == new else "ns")
    assert refused.value.line
    assert refused.value.fix


def test_traces_of_chakra_become_transfers(tmp_path: Path) -> None:
    whole = {"comm_size": 40_000, "comm_tag": 1}
    trace(tmp_path / "a.0.et", node(1, 4, micros=2), node(2, 5, (1,), comm_dst=1, **whole))
    trace(tmp_path / "a.1.et", node(1, 6, (), comm_src=0, **whole))
    ranks, (only,) = chakra.read([tmp_path])
    assert ranks == 2
    assert (only.source, only.to, only.size, only.start) == (0, 1, 40_000, 2_000_000)


def test_a_ring_of_a_trace_takes_the_time_of_the_collective(tmp_path: Path) -> None:
    """Four ranks, 1 MB: six steps of a quarter each; 4,068 bytes of the line bring 4,000."""
    for rank in range(4):
        trace(tmp_path / f"a.{rank}.et", node(1, 7, comm_type=0, comm_size=1_000_000))
    ranks, work = chakra.read([tmp_path])
    assert ranks == 4
    assert len(work) == 4 * 6
    assert {t.size for t in work} == {250_000}
    last = times(scenario(work, star(4, "100 Gbit/s", "500 ns", 1e11), None, "a test"))
    # A step: its bytes, two wires, a frame more at the switch; acknowledgements take 84 bytes each.
    step = 250_000 / 4000 * (4068 + 84) * 8e-11 + 1e-6 + 4068 * 8e-11
    assert max(last.values()) == pytest.approx(6 * step, rel=0.02)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([node(1, 6, comm_src=1, comm_size=5)], "rank 0 waits for ever"),
        ([node(1, 4, (9,))], "waits for node 9, which rank 0 has not"),
        ([node(1, 4, (2,)), node(2, 4, (1,))], "wait for each other"),
        ([node(1, 7, comm_type=0, comm_size=1000)], "does not take part in collective 0"),
        ([node(1, 7, comm_type=9, comm_size=1000)], "does not take part|type 9"),
        ([node(1, 5, comm_dst=1)], "no attribute comm_size"),
        ([node(1, 4), node(1, 4)], "two nodes 1"),
        ([b"\x07"], "no trace"),
    ],
)
def test_a_bad_trace_is_refused(tmp_path: Path, nodes: list[bytes], said: str) -> None:
    trace(tmp_path / "a.0.et", *nodes)
    trace(tmp_path / "a.1.et")
    with pytest.raises(Refusal, match=said) as refused:
        chakra.read([tmp_path])
    assert refused.value.fix
    (tmp_path / "a.1.et").write_bytes(struct.pack("<I", 0xFFFFFFFF))
    with pytest.raises(Refusal, match="no trace"):
        chakra.nodes(tmp_path / "a.1.et")


def test_without_protobuf_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace(tmp_path / "a.0.et", node(1, 4))
    chakra_messages._classes.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    with pytest.raises(Refusal, match="protobuf") as refused:
        chakra.read([tmp_path])
    assert refused.value.fix == "pip install 'backwater[chakra]'"
    monkeypatch.undo()
    assert chakra.read([tmp_path])[0] == 1


@pytest.mark.parametrize(
    ("kind", "name", "what", "fix"),
    [
        ("cm", "a.cm", "Nodes 2\nConnections 0\n", "0->1 start 0 size 1000"),
        ("hpcc-flows", "a.txt", "0\n", "0 1 3 100 1000 2.0"),
        ("goal", "a.goal", "num_ranks 2\nrank 0 {\nl1: calc 0\n}\n", "send 1000b to 1 tag 0"),
    ],
)
def test_work_that_sends_nothing_is_refused(
    tmp_path: Path, kind: str, name: str, what: str, fix: str
) -> None:
    put(tmp_path, name, what)
    ended = call("import", kind, name, cwd=tmp_path)
    assert ended.code == 2
    assert "nothing in it sends bytes" in ended.err
    assert f"--> {name}" in ended.err
    assert fix in ended.err


def test_traces_that_send_nothing_are_refused(tmp_path: Path) -> None:
    trace(tmp_path / "a.0.et", node(1, 4, micros=2))
    trace(tmp_path / "a.1.et", node(1, 4, micros=2))
    ended = call("import", "chakra", "a.0.et", "a.1.et", cwd=tmp_path)
    assert ended.code == 2
    assert "nothing in it sends bytes" in ended.err
    assert "--> a.0.et" in ended.err
    assert "a send and its receive" in ended.err


def test_ranks_need_hosts_and_traces_their_ranks(tmp_path: Path) -> None:
    cm = put(tmp_path, "a.cm", "Nodes 9\n0->8 start 0 size 5\n")
    topo = put(tmp_path, "a.topo", TOPO)
    ended = call("import", "cm", cm, "--topology", topo, cwd=tmp_path)
    assert ended.code == 2
    assert "9 ranks on 4 hosts" in ended.err
    ended = call("import", "cm", cm, "--unit", "us", "--hosts", "8", cwd=tmp_path)
    assert ended.code == 2
    assert "9 ranks on 8 hosts" in ended.err
    assert "write 9" in ended.err
    trace(tmp_path / "b.1.et")
    with pytest.raises(Refusal, match="traces of ranks 1"):
        chakra.read([tmp_path])
    ended = call("import", "ns3", cm, cwd=tmp_path)
    assert ended.code == 2
    assert "there is no format `ns3`" in ended.err


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("cm", "a.cm", "--topology", "a.topo", "--gbps", "10"), "--gbps"),
        (("cm", "a.cm", "--topology", "a.topo", "--hosts", "8"), "--hosts"),
        (("chakra", "a.cm", "--unit", "us"), "--unit"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(
    tmp_path: Path, words: tuple[str, ...], place: str
) -> None:
    put(tmp_path, "a.cm", "Nodes 2\n")
    put(tmp_path, "a.topo", "Nodes 2\n")
    ended = call("import", *words, cwd=tmp_path)
    assert ended.code == 2
    assert place in ended.err
