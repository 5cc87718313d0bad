"""The quick form of every study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import drawn
from command import call


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


def test_no_claim_of_any_study_is_unexpected(tmp_path: Path) -> None:
    document = call("study", "run", "--all", "--quick", "--json", cwd=tmp_path).document
    assert len(document["studies"]) > 100
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
