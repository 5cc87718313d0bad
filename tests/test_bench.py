"""Benchmarks: what they measure and how they say it. Nothing depends on how fast a machine is."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from backwater import _native
from backwater.errors import Refusal, Unfinished
from backwater.tools import benchmark, benchmark_pair, peers
from backwater.tools.benchmark_cases import BENCHMARKS, Benchmark

LINE_BPS = 10e6
# A 1500-byte packet takes 1538 byte times (IEEE 802.3): preamble 8, header 14, FCS 4, gap 12.
PEAK_BPS = LINE_BPS * 1500 / 1538
MEAN_LOAD_BPS = 3 * PEAK_BPS * 100 / (100 + 300)


def outcome(name: str, changes: dict[str, Any] | None = None) -> dict[str, Any]:
    (case,) = benchmark.select([name])
    changed = Benchmark(case.id, "", case.scenario, changes={**case.changes, **(changes or {})})
    document: dict[str, Any] = json.loads(
        benchmark.resolved(changed).run(None, None, False).document
    )
    return document


def test_every_name_of_the_contract_is_a_case() -> None:
    lan = {"lan-merge", "lan-merge-pause", "pfc-fat-tree-128", "fat-tree-1024"}
    dumbbells = {f"tcp-{d}-{c}" for d in ("10-100M", "100-1G") for c in ("newreno", "cubic")}
    wanted = lan | dumbbells | {"tcp-1000-10G-cubic", "contest-140s", "wifi-12-rts"}
    assert wanted <= {case.id for case in BENCHMARKS}


def test_a_run_has_a_process_that_imports_the_engine_alone() -> None:
    (case,) = benchmark.select(["contest-140s"])
    document = benchmark._in_fresh_process(case)
    assert document["fingerprint"] == outcome("contest-140s")["fingerprint"]
    peak = document["cost"]["rss_peak_B"]
    if peak is None:
        return
    # `getrusage` would give the peak of this process, which a child inherits.
    words = "import numpy, backwater._native; print(open('/proc/self/status').read())"
    ran = subprocess.run([sys.executable, "-c", words], capture_output=True, check=True, text=True)
    package = int(re.findall(r"VmHWM:\s+(\d+) kB", ran.stdout)[0])
    assert peak < 1024 * package, "numpy and the package are not imported there"


@pytest.mark.parametrize("case", BENCHMARKS, ids=lambda case: case.id)
def test_the_scenario_of_every_case_is_accepted(case: Benchmark) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", benchmark.resolved(case).key())


def test_no_scenario_file_is_without_a_case() -> None:
    files = {file.stem for file in benchmark.FOLDER.glob("*.toml")}
    assert files == {case.scenario for case in BENCHMARKS}


def test_the_merging_workload_offers_the_load_that_its_periods_and_framing_give() -> None:
    document = outcome("lan-merge")
    offered = sum(flow["offered_bps"] for flow in document["flows"])
    # 4,500 cycles of on and off: a standard deviation of 1.6 %, so that 5 % is three of them.
    assert offered == pytest.approx(MEAN_LOAD_BPS, rel=0.05)
    conserved = document["conservation"]
    crossed_first = conserved["entered_pkts"]
    assert document["cost"]["packet_hops"] == pytest.approx(
        crossed_first + conserved["delivered_pkts"], abs=100
    )


def test_pause_takes_the_losses_from_the_merging_port() -> None:
    dropped = {
        name: outcome(name, {"duration": "60 s"})["conservation"]["dropped_pkts"]
        for name in ("lan-merge", "lan-merge-pause")
    }
    assert dropped["lan-merge"] > 1000
    assert dropped["lan-merge-pause"] == 0


def test_the_fabrics_lose_nothing_and_their_priority_flow_control_works() -> None:
    document = outcome("pfc-fat-tree-128", {"duration": "100 us"})
    assert document["conservation"]["dropped_pkts"] == 0
    assert document["metrics"]["control_pkts"] > 0


def test_work_grows_linearly_with_simulated_time() -> None:
    short, long = outcome("lan-merge", {"duration": "300 s"}), outcome("lan-merge-x10")
    times = long["duration_s"] / short["duration_s"]
    assert times == 20
    for quantity in ("events", "packet_hops"):
        # The load of the short run has a standard deviation of 2.3 %.
        assert long["cost"][quantity] / short["cost"][quantity] == pytest.approx(times, rel=0.08)


def test_memory_does_not_grow_with_simulated_time() -> None:
    document = benchmark.run(["lan-merge", "lan-merge-x10"], repeats=1, peers=False)
    short, long = (result["rss_peak_B"] for result in document["results"])
    # A byte kept per packet would be 3.4 MB more.
    assert long - short < 1_500_000


def test_the_document_has_the_keys_of_the_contract() -> None:
    said: list[str] = []
    document = benchmark.run(["lan-merge"], repeats=2, peers=False, progress=said.append)
    assert list(document)[:2] == ["schema", "version"]
    assert document["schema"] == "backwater/bench/1"
    assert set(document["machine"]) == {"cpu", "cores", "os", "rustc"}
    (result,) = document["results"]
    assert result["id"] == "lan-merge"
    assert result["unit"] == "ns/packet-hop"
    assert 0 < result["min"] <= result["value"] <= result["max"]
    assert result["repeats"] == 2
    assert result["simulated_s"] == 600
    assert result["packet_hops"] > 600_000
    assert re.fullmatch(r"[0-9a-f]{16}", result["fingerprint"])
    assert result["peer"] is None
    assert result["ratio"] is None
    assert result["peer_missing"] == "not asked for"
    assert said[-1] == "lan-merge: run 2 of 2"
    json.dumps(document, allow_nan=False)


def test_the_compiler_named_is_the_one_that_left_its_name_in_the_module() -> None:
    assert re.match(r"\d+\.\d+\.\d+", benchmark.machine()["rustc"] or "")


def test_an_unknown_case_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refusal) as refused:
        benchmark.run(["lan-mrege"])
    assert "lan-merge" in refused.value.nearest


def test_no_repeat_is_refused() -> None:
    with pytest.raises(Refusal, match="0 repeats"):
        benchmark.run(["lan-merge"], repeats=0)


def ended(cpu_s: float, fingerprint: str = "0" * 16) -> dict[str, Any]:
    cost = {"cpu_s": cpu_s, "packet_hops": 1000, "events": 2000, "rss_peak_B": 1}
    return {"cost": cost, "duration_s": 1, "flows": [], "fingerprint": fingerprint}


class Beside:
    """A peer that only notes when it ran."""

    name, version, program = "ns-3", "0", Path("ns-3")

    def __init__(self, order: list[str]) -> None:
        self.order = order

    def run(self) -> dict[str, Any]:
        self.order.append("theirs")
        return {"cpu_s": 3e-3, "packet_hops": 1000, "goodput_bps": 7.0, "rss_peak_B": 1}


def test_our_runs_and_the_peers_alternate_and_the_median_is_the_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []
    costs = iter((50e-6, 70e-6, 30e-6))

    def ours(_: Benchmark) -> dict[str, Any]:
        order.append("ours")
        return ended(next(costs))

    monkeypatch.setattr(benchmark, "_in_fresh_process", ours)
    monkeypatch.setitem(peers.PEERS, "ns-3", lambda _program, _arguments, _reads: Beside(order))
    (result,) = benchmark.run(["lan-merge"], repeats=3)["results"]
    assert order == ["ours", "theirs"] * 3
    assert (result["min"], result["value"], result["max"]) == pytest.approx((30, 50, 70))
    assert result["peer"]["value"] == pytest.approx(3000)
    assert result["ratio"] == pytest.approx(60)
    assert [aim["met"] for aim in result["aims"]] == [True, True]


def test_the_cell_is_saturated_and_its_cost_is_that_of_a_delivered_packet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = outcome("wifi-12-rts")
    # Slot by slot, with every answer at 1 Mbit/s: 4.362 Mbit/s of payload, 1300 of the 1328 bytes.
    # The 14 bytes of each ACK go at 11 Mbit/s here, the mandatory rate that the data frame has.
    each = 1300 * 8 / 4.362e6 - 14 * 8 * (1 / 1e6 - 1 / 11e6)
    goodput = sum(flow["goodput_bps"] for flow in document["flows"])
    assert goodput == pytest.approx(1328 * 8 / each, rel=0.005)
    assert benchmark._failed_share(document) == pytest.approx(0.315, abs=0.01)
    document["cost"]["cpu_s"] = 0.05
    monkeypatch.setattr(benchmark, "_in_fresh_process", lambda _: document)
    (result,) = benchmark.run(["wifi-12-rts"], repeats=1, peers=False)["results"]
    delivered = document["conservation"]["delivered_pkts"]
    assert (result["unit"], result["value"]) == (
        "us/delivered-packet",
        pytest.approx(50_000 / delivered),
    )


@pytest.mark.parametrize(
    ("name", "goodput", "tolerance"),
    # Closed form of one station; fixed points of 12 and 50 by the rules of 802.11-2020, EIFS, which
    # have no requests for block acknowledgements.
    [("wifi-ac-1", 630.3e6, 0.005), ("wifi-ac-12", 497.6e6, 0.02), ("wifi-ax-50", 337.7e6, 0.02)],
)
def test_cells_of_aggregates_are_saturated(name: str, goodput: float, tolerance: float) -> None:
    document = outcome(name, {"media.air.mac.missed_ba": "data"})
    found = sum(flow["goodput_bps"] for flow in document["flows"])
    assert found == pytest.approx(goodput, rel=tolerance)


def test_an_aim_that_is_missed_says_so_and_one_without_its_other_case_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(benchmark, "_in_fresh_process", lambda _: ended(90e-6))
    (result,) = benchmark.run(["lan-merge-pause"], repeats=1)["results"]
    assert [(aim["measured"], aim["met"]) for aim in result["aims"]] == [(pytest.approx(90), False)]
    (result,) = benchmark.run(["lan-merge-x10"], repeats=1)["results"]
    assert [(aim["measured"], aim["met"]) for aim in result["aims"]] == [(None, None)] * 2


def test_runs_that_disagree_are_reported_and_not_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter((ended(1e-6, "a" * 16), ended(1e-6, "b" * 16)))
    monkeypatch.setattr(benchmark, "_in_fresh_process", lambda _: next(runs))
    with pytest.raises(Unfinished, match="fingerprints"):
        benchmark.run(["lan-merge-pause"], repeats=2)


def test_without_a_compiler_the_peer_is_missing_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    absent = peers.ns3("lan-merge")
    assert isinstance(absent, peers.Absent)
    assert absent.reason.startswith("pkg-config is absent")


def test_without_ns3_the_peer_is_missing_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for tool in ("pkg-config", "g++"):
        program = tmp_path / tool
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + "/bin")
    absent = peers.ns3("lan-merge")
    assert isinstance(absent, peers.Absent)
    assert absent.reason.startswith("ns-3 is absent")


def test_a_program_is_compiled_once_and_again_when_its_text_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiler = tmp_path / "bin" / "g++"
    compiler.parent.mkdir()
    log = tmp_path / "log"
    compiler.write_text(
        f'#!/bin/sh\necho once >> {log}\nwhile [ "$1" != -o ]; do shift; done\necho > "$2"\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(compiler.parent) + os.pathsep + os.environ["PATH"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    source = tmp_path / "peer.cc"
    source.write_text("int main() {}\n")
    first = peers._compiled("peer", source, [])
    assert peers._compiled("peer", source, []) == first
    assert log.read_text() == "once\n"
    source.write_text("int main() { return 0; }\n")
    second = peers._compiled("peer", source, [])
    assert second != first
    assert log.read_text() == "once\nonce\n"
    (tmp_path / "shared.h").write_text("\n")
    assert peers._compiled("peer", source, []) not in (first, second)


@pytest.mark.skipif(isinstance(peers.ns3_version(), peers.Absent), reason="ns-3 is absent")
def test_ns3_runs_the_same_workload() -> None:
    peer = peers.ns3("lan-merge")
    assert isinstance(peer, peers.Peer)
    theirs, ours = peer.run(), outcome("lan-merge")
    assert theirs["simulated_s"] == ours["duration_s"]
    # Two independent draws of a load with 1.6 % standard deviation: 7 % is three of the difference.
    assert theirs["packet_hops"] == pytest.approx(ours["cost"]["packet_hops"], rel=0.07)
    goodput = sum(flow["goodput_bps"] for flow in ours["flows"])
    assert theirs["goodput_bps"] == pytest.approx(goodput, rel=0.07)


def test_each_case_is_written_as_it_ends_and_kept_by_a_later_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = tmp_path / "bench.json"
    ran: list[str] = []

    def ours(case: Benchmark) -> dict[str, Any]:
        ran.append(case.id)
        if ran.count("lan-merge-pause") == 1 and case.id == "fat-tree-1024":
            raise KeyboardInterrupt
        return ended(50e-6)

    monkeypatch.setattr(benchmark, "_in_fresh_process", ours)
    ids = ["lan-merge-pause", "fat-tree-1024"]
    with pytest.raises(KeyboardInterrupt):
        benchmark.run(ids, repeats=1, out=out)
    assert [row["id"] for row in json.loads(out.read_text())["results"]] == ids[:1]
    ran.append("lan-merge-pause")
    document = benchmark.run(ids, repeats=1, out=out, resume=True)
    assert ran == ["lan-merge-pause", "fat-tree-1024", "lan-merge-pause", "fat-tree-1024"]
    assert document == json.loads(out.read_text())
    # Another number of repeats is another measurement.
    benchmark.run(ids[:1], repeats=2, out=out, resume=True)
    assert ran[-2:] == ["lan-merge-pause"] * 2
    out.write_text('{"schema": 1}')
    with pytest.raises(Refusal, match="no file of"):
        benchmark.run(ids, repeats=1, out=out, resume=True)


def test_two_builds_run_in_turn_and_their_ratio_has_an_interval(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = tmp_path / "_native.abi3.so"
    old.touch()
    order: list[str] = []
    # Pairs of 2, 2.2 and 1.8: a geometric mean of (2 * 2.2 * 1.8) ** (1 / 3).
    costs = {"old": iter((1.0, 1.0, 1.0)), "new": iter((2.0, 2.2, 1.8))}

    def process(_: Benchmark, engine: Path) -> dict[str, Any]:
        side = "old" if engine == old else "new"
        order.append(side)
        return ended(next(costs[side]))

    monkeypatch.setattr(benchmark_pair, "fresh_process", process)
    document = benchmark_pair.run(str(old), ["lan-merge"], repeats=3, instructions=False)
    (row,) = document["results"]
    assert order == ["old", "new", "new", "old", "old", "new"]
    assert row["ratio"] == pytest.approx(7.92 ** (1 / 3))
    # Student's t for two degrees of freedom is 4.303; the logarithms deviate by 0.1004.
    assert row["high"] / row["ratio"] == pytest.approx(math.exp(4.303 * 0.1004 / 3**0.5), rel=1e-3)
    assert row["same_fingerprint"]


def test_instructions_of_loading_and_building_do_not_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each event takes 100 instructions of the old build and 110 of the new."""
    old = tmp_path / "_native.abi3.so"
    old.touch()

    def counted(_: Benchmark, engine: Path, seconds: float) -> tuple[int, int]:
        # As many as `ended` has in a second.
        events = round(seconds * 2000)
        return (5_000_000 + 100 * events if engine == old else 9_000_000 + 110 * events), events

    monkeypatch.setattr(benchmark_pair, "fresh_process", lambda *_: ended(1e-3))
    monkeypatch.setattr(benchmark_pair, "_collected", counted)
    monkeypatch.setattr(shutil, "which", lambda _: "valgrind")
    (row,) = benchmark_pair.run(str(old), ["lan-merge"], repeats=2)["results"]
    assert (row["old_instructions"], row["new_instructions"]) == (100, 110)
    assert row["instructions_ratio"] == pytest.approx(1.1)


needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")


@needs_valgrind
def test_valgrind_counts_the_instructions_of_a_run() -> None:
    (case,) = benchmark.select(["contest-140s"])
    instructions, events = benchmark_pair._collected(case, Path(str(_native.__file__)), 1.0)
    assert events == outcome("contest-140s", {"duration": "1 s"})["cost"]["events"] > 100
    # Python alone takes ten million until it runs a file.
    assert instructions > 10_000_000


@pytest.mark.long
@needs_valgrind
def test_a_build_beside_itself_has_its_own_instructions() -> None:
    engine = str(_native.__file__)
    (row,) = benchmark_pair.run(engine, ["contest-140s"], repeats=2)["results"]
    assert row["instructions_ratio"] == pytest.approx(1, abs=0.002)
    assert row["new_instructions"] > 100


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_text("no archive")
    for old in (tmp_path, tmp_path / "absent.whl", tmp_path / "x.whl"):
        with pytest.raises(Refusal) as refused:
            benchmark_pair.run(str(old), ["lan-merge"])
        assert refused.value.place == "--against"
        assert refused.value.fix
