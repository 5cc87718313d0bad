"""Output in a notebook: charts, frames over time, drawings, short texts, helpful errors."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import backwater as bw
from backwater.present.report import notebook
from studies import SCENARIO, markdown


@pytest.fixture(scope="module")
def run() -> bw.RunResult:
    return bw.run(SCENARIO, series="100 ms")


def test_a_run_is_short_as_text(run: bw.RunResult) -> None:
    assert len(repr(run)) < 200
    assert run.fingerprint in repr(run)


def test_bars_of_goodput_share_one_scale_and_the_warm_up_is_said() -> None:
    """A flow of 66 kbit/s beside one of 9 Mbit/s had a bar as long."""
    document = dict(bw.run(SCENARIO).document)
    one = document["flows"][0]
    document["flows"] = [{**one, "goodput_bps": bps, "offered_bps": bps} for bps in (9e6, 3e6)]
    document |= {"warmup_s": 5.0, "drops": []}
    shown = notebook.run_html(document)
    widths = re.findall(r"[93] Mbit/s<svg.*?<rect.*?<rect width=\"([\d.]+)\"", shown, flags=re.S)
    # The cells of what was offered have no bar.
    long, short = map(float, widths)
    assert short / long == pytest.approx(1 / 3, rel=0.05)
    assert "packets entered, warm-up included" in shown
    assert "No packet was dropped after the warm-up." in shown


def test_a_run_is_plotted(run: bw.RunResult) -> None:
    chart = run.plot("goodput", "queue")
    assert len(chart.to_dict()["vconcat"]) == 2
    with pytest.raises(bw.Refusal) as wrong:
        run.plot("godput")
    assert wrong.value.nearest[0] == "goodput"
    with pytest.raises(bw.Refusal, match="nothing over time"):
        bw.run(SCENARIO).plot()


def test_series_are_frames_of_three_libraries(run: bw.RunResult) -> None:
    flows = run.over_time.to_pandas()
    # Two seconds in intervals of 100 ms.
    assert len(flows) == 20
    # The intervals hold all that was delivered: their mean is the goodput of the run.
    assert flows["goodput_bps"].mean() == pytest.approx(run.flows["f1"]["goodput_bps"], rel=0.02)
    assert run.over_time.to_polars("ports").height == 20 * len(run.ports)
    cube = run.over_time.to_xarray()
    assert dict(cube.sizes) == {"flow": 1, "time_s": 20}
    with pytest.raises(bw.Refusal):
        run.over_time.table("floes")


def test_a_network_is_drawn(tmp_path: Path) -> None:
    drawing = bw.draw(SCENARIO)
    assert drawing._repr_svg_().startswith("<svg")
    assert "W (switch)" in repr(drawing)
    assert drawing.save(tmp_path / "n.svg").is_file()


def test_figures_of_results_are_charts(tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text(markdown())
    study = bw.Study.load(tmp_path / "s.md")
    assert "c1" in study._repr_html_()
    results = study.run(quick=True)
    assert results.figure("loss").to_dict()["data"]
    assert len(repr(results)) < 100
    with pytest.raises(bw.Refusal) as wrong:
        results.figure("los")
    assert wrong.value.nearest == ["loss"]


def test_a_wrong_part_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(bw.BackwaterError) as wrong:
        bw.Queue.kodel()
    assert wrong.value.nearest[0] == "codel"
    # A caller that asks whether an attribute is there must hear no.
    assert not hasattr(bw.Queue, "kodel")
