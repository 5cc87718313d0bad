"""The quick form of every study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import drawn
from command import call

# The quick form of these takes 1.9 s of CPU or more: nine tenths of the time of all studies.
# `wlan-beside` takes 2.4 s, and is the shortest of its family.
LONG = """
    bbr-draft ccac cell-explicit cell-peers dc-dcqcn dc-deadlock dc-irn dc-jobs
    dc-links-slow dc-permutation dc-rest dc-tobagi dc-units dc-websearch hunt-advnet
    hunt-lscc jitter-rtt-loss lan-backbone lan-cos lan-deadlock lan-explicit lan-fillrate
    lan-gigabit lan-grid lan-headroom lan-hundreds lan-independent lan-merging lan-overload
    lan-rate lan-rate-mismatch lan-source-control lan-switch-models lan-targets lan-tcp
    lan-throughput lan-uniform-fixed mesh-aggregated mesh-parking-lot mesh-sensitivity
    mesh-voice-sensitivity mesh40-ac mesh40-bcast mesh40-bursts mesh40-dest mesh40-downlink
    mesh40-fair mesh40-fair-cell mesh40-nocc mesh40-outside mesh40-params mesh40-partition
    mesh40-rate mesh40-readings mesh40-stop mesh40-tcp-flows mesh40-tcp-only mesh40-tcp-udp
    mesh40-udp mesh40-udp-flows random-loss rtt-fairness scorecard stall starvation
    tdma-satellite wifi-anomaly wifi-small-queues wlan-aggregated wlan-capacity wlan-compare
    wlan-gain wlan-hetero-rtt wlan-rtt wlan-stability wlan-updown
"""


def unexpected(document: dict[str, Any]) -> dict[str, list[tuple[str, str, str | None]]]:
    """The claims of the studies that did not come out as they should."""
    return {
        study["id"]: [
            (claim["id"], claim["verdict"], (claim["ablation"] or {}).get("outcome"))
            for claim in study["claims"]
        ]
        for study in document["studies"]
        if study["status"] != "ok"
    }


def test_no_claim_of_a_short_study_is_unexpected(tmp_path: Path) -> None:
    """Some of each family. `make long` judges all: as they are, and ablated."""
    known = call("list", "studies", "--json", cwd=tmp_path).document["kinds"]["studies"]
    names = [study["id"] for study in known]
    long = set(LONG.split())
    assert long < set(names)
    short = [name for name in names if name not in long]
    assert len(short) > 40
    document = call("study", "run", *short, "--quick", "--json", cwd=tmp_path).document
    assert len(document["studies"]) == len(short)
    assert unexpected(document) == {}


@pytest.fixture(scope="module")
def ablated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The documents of the studies as they are and with their mechanisms ablated."""
    folder = tmp_path_factory.mktemp("all")
    ended = call("study", "run", "--all", "--quick", "--ablate", "--json", cwd=folder)
    return {**ended.document, "folder": folder}


@pytest.mark.long
def test_each_claim_that_speaks_of_a_mechanism_falls_without_it(ablated: dict[str, Any]) -> None:
    assert unexpected(ablated) == {}
    claims = [claim for study in ablated["studies"] for claim in study["claims"]]
    outcomes = [claim["ablation"]["outcome"] for claim in claims]
    assert "stays" not in outcomes
    # Half of the claims speak of no mechanism that can be taken away, or are not in the quick set.
    assert outcomes.count("falls") > 100
    # A claim that can't fail is marked as a sanity bound.
    assert all(claim["sanity"] for claim in claims if claim["ablation"]["outcome"] == "sanity")


@pytest.mark.long
def test_every_figure_of_every_study_shows_marks(ablated: dict[str, Any]) -> None:
    folder: Path = ablated["folder"]
    found = [drawn.empty_figures(folder / study["out"]) for study in ablated["studies"]]
    assert len(found) > 80
    assert [figure for some in found for figure in some] == []
