"""Backwater from Python: what is built in code is what would have been written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backwater
from backwater import (
    Detector,
    Flow,
    Host,
    Link,
    Mechanism,
    Port,
    Queue,
    Refusal,
    Scenario,
    Source,
    Study,
    Sweep,
    Switch,
    Topology,
)
from studies import SCENARIO, markdown


def built() -> Scenario:
    return Scenario(
        duration="2 s",
        nodes={"S": Host(), "W": Switch(), "D": Host(obeys=False)},
        links={
            "a": Link(("S", "W"), "100 Mbit/s", "1 us"),
            "b": Link(("W", "D"), "10 Mbit/s", "1 us"),
        },
        ports={
            "W>D": Port(Queue("strict-priority", classes=2), "50 kB"),
            "W>S": Port(buffer="500 kB"),
        },
        mechanisms={"bp": Mechanism(["W>D"], "pause", detect=Detector(high="80 %", low="70 %"))},
        flows={"f1": Flow("S", "D", Source("uniform-uniform", burst="48 kB", rate="8 Mbit/s"))},
    )


def test_a_built_scenario_is_the_written_one(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    runs = [backwater.run(what) for what in (built(), SCENARIO, tmp_path / "s.toml")]
    assert len({run.fingerprint for run in runs}) == 1
    assert len({run.document["resolved"] for run in runs}) == 1


def test_a_table_and_a_json_file_work_too(tmp_path: Path) -> None:
    import json

    (tmp_path / "s.json").write_text(json.dumps(built().table()))
    runs = [backwater.run(what) for what in (built().table(), str(tmp_path / "s.json"))]
    assert runs[0].fingerprint == runs[1].fingerprint == backwater.run(built()).fingerprint


def test_what_is_none_is_left_out_and_names_are_plain() -> None:
    flow = Flow("S", "D", Source("cbr", rate="1 Mbit/s"), class_=3)
    assert flow.table() == {
        "from": "S",
        "to": "D",
        "source": {"kind": "cbr", "rate": "1 Mbit/s"},
        "class": 3,
    }
    assert Topology("fat-tree", k=4).table() == {"kind": "fat-tree", "k": 4}
    assert Source("cbr", rate="1 Mbit/s") == Source("cbr", rate="1 Mbit/s")
    assert Source("cbr", rate="1 Mbit/s") != Source("poisson", rate="1 Mbit/s")
    assert Detector("watermark") != Queue("fifo")
    shown = "Source('cbr', rate='1 Mbit/s')"
    assert repr(Source("cbr", rate="1 Mbit/s")) == shown
    assert repr(flow) == f"Flow(from_='S', to='D', source={shown}, class_=3)"


def test_seed_and_overrides_apply() -> None:
    plain = backwater.run(built(), seed=7)
    assert plain.document["seed"] == 7
    slow = backwater.run(built(), seed=7, set={"flows.*.source.rate": "2 Mbit/s"})
    assert slow.fingerprint != plain.fingerprint
    steady = Source("cbr", packet="1500 B", rate="2 Mbit/s")
    swapped = backwater.run(built(), set={"flows.f1.source": steady})
    offered = swapped.flows["f1"]["offered_bps"]
    assert offered == pytest.approx(2e6, rel=0.01)


def test_columns_hold_every_event() -> None:
    run = backwater.run(built())
    columns = run.columns
    assert set(columns) == {"time_s", "what", "place", "flow", "seq", "size_B", "value"}
    assert all(isinstance(column, np.ndarray) for column in columns.values())
    assert (np.diff(columns["time_s"]) >= 0).all()
    delivered = columns["what"] == run.whats.index("deliver")
    assert delivered.sum() == run.flows["f1"]["delivered_pkts"]
    named = run.named()
    assert set(named["flow"]) <= {"f1", ""}
    assert set(named["place"]) <= {*run.places, ""}
    assert run.to_pandas().shape == (len(columns["time_s"]), 7)
    assert run.to_polars().shape == (len(columns["time_s"]), 7)


def test_without_columns_the_numbers_are_the_same() -> None:
    run = backwater.run(built(), columns=False)
    assert run.columns == {}
    assert run.fingerprint == backwater.run(built()).fingerprint


def test_a_run_shows_itself_in_a_notebook() -> None:
    run = backwater.run(built())
    assert run.fingerprint in run._repr_html_()
    assert run.ports["W>D"]["sent_pkts"] > 0
    assert run.metrics["loss"] is not None


@pytest.mark.parametrize(
    "wrong",
    [
        "absent.toml",
        "two\nlines",
        {},
        {"duration": float("nan")},
        {"duration": object()},
        # "2 s" lacks a network.
        Scenario(duration="2 s", flows={}),
    ],
)
def test_what_cannot_run_is_a_refusal(wrong: Any) -> None:
    with pytest.raises(Refusal) as caught:
        backwater.run(wrong)
    assert caught.value.fix
    assert isinstance(caught.value, ValueError)


def test_a_study_runs_in_memory() -> None:
    results = Study.parse(markdown(), "small.md").run(quick=True)
    assert results.status == "ok"
    assert results.folder is None
    frame = results.to_pandas()
    assert list(frame.columns[:2]) == ["scheme", "rate"]
    assert len(frame) == 8
    assert results.to_polars().height == 8
    assert results.to_polars("port:W>D").height == 8
    shown = results._repr_html_()
    assert "<td>c1</td>" in shown
    # What was measured has an interval, and stands beside its bound.
    assert re.search(r"<td>c1</td><td>[^<]+</td><td>[\d.]+[^<]*\[[^<]+\]</td><td>[≤≥] ", shown)


def test_a_sweep_runs_in_memory() -> None:
    sweep = Sweep(
        built(),
        {
            "flows.*.source.rate": ["2 Mbit/s", "8 Mbit/s"],
            "ports.W>D.queue": [{"kind": "fifo"}, {"kind": "strict-priority", "classes": 2}],
            "control": {
                "off": {"mechanisms.bp.recipe": "none"},
                "on": {"mechanisms.bp.recipe": "pause"},
            },
        },
        seeds=2,
    )
    results = sweep.run()
    assert results.finished == 2 * 2 * 2 * 2
    assert [axis.name for axis in results.study.axes] == ["rate", "queue", "control"]
    assert results.study.axis("rate").numbers == [2e6, 8e6]


@pytest.mark.parametrize(
    "axes", [{}, {"duration": []}, {"duration": [float("inf")]}, {"duration": [object()]}]
)
def test_a_sweep_without_sense_is_a_refusal(axes: Any) -> None:
    with pytest.raises(Refusal):
        Sweep(built(), axes).run()


def test_axes_of_one_ending_get_longer_names() -> None:
    sweep = Sweep(built(), {"links.a.rate": ["1 Gbit/s"], "links.b.rate": ["10 Mbit/s"]}, seeds=1)
    assert [axis.name for axis in sweep.study().axes] == ["a-rate", "b-rate"]


def test_the_whole_interface_is_annotated() -> None:
    assert Path(backwater.__file__).with_name("py.typed").exists()
    assert all(hasattr(backwater, name) for name in backwater.__all__)


def test_importing_is_quiet_and_needs_no_extra() -> None:
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['polars'] = None\n"
        "import backwater\nfrom backwater import cli\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("", "")


def test_real_packets_need_no_results_and_no_pictures() -> None:
    code = (
        "import sys\nfrom backwater.cli import application\napplication.made('emulate')\n"
        "heavy = {'numpy', 'altair', 'vl_convert', 'backwater.results.results',"
        " 'backwater.present.report', 'backwater.study.definition'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_every_name_of_the_package_is_there_and_no_other() -> None:
    for name in backwater.__all__:
        assert getattr(backwater, name) is not None
    assert set(backwater.__all__) <= set(dir(backwater))
    with pytest.raises(AttributeError, match="has no attribute 'Scenarios'"):
        _ = backwater.Scenarios


def test_a_missing_extra_is_a_refusal_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    results = Study.parse(markdown(), "small.md").run(quick=True)
    for name, convert in (("pandas", results.to_pandas), ("polars", results.to_polars)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(Refusal, match=name) as caught:
            convert()
        assert "pip install" in (caught.value.fix or "")


MESH = Path(__file__).parent.parent / "docs" / "examples" / "mesh-44.toml"


def test_the_example_of_44_stations_carries_traffic_on_links_of_several_rates() -> None:
    document = backwater.run(MESH, set={"duration": "2 s"}).document
    assert document["conservation"]["ok"]
    assert document["labels"]["channel.model"] == "physical"
    assert len(document["stations"]) == 44
    entered = sum(flow["entered_pkts"] for flow in document["flows"])
    delivered = sum(flow["delivered_pkts"] for flow in document["flows"])
    # 16 Mbit/s are offered; of them 6.4 to 15.6 can be carried.
    assert 0.4 < delivered / entered < 0.98
    assert any(len(flow["hops"]) > 1 for flow in document["flows"])


def test_a_station_out_of_reach_is_a_refusal_with_its_line() -> None:
    text = MESH.read_text().replace('"physical"', '"physical", tx_power = "-20 dBm"')
    with pytest.raises(Refusal, match="out of reach") as refused:
        backwater.run(text)
    assert refused.value.line is not None
