"""Every study, its quick version, as it is and with its mechanisms ablated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import drawn
from command import call


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("all")
    ended = call("study", "run", "--all", "--quick", "--ablate", "--json", cwd=folder)
    return {**ended.document, "folder": folder}


def test_no_claim_of_any_study_is_unexpected(document: dict[str, Any]) -> None:
    wrong = {
        study["id"]: [
            (claim["id"], claim["verdict"], (claim["ablation"] or {}).get("outcome"))
            for claim in study["claims"]
        ]
        for study in document["studies"]
        if study["status"] != "ok"
    }
    assert wrong == {}


def test_a_claim_that_cannot_fail_is_marked_as_a_sanity_bound(document: dict[str, Any]) -> None:
    claims = [claim for study in document["studies"] for claim in study["claims"]]
    outcomes = [claim["ablation"]["outcome"] for claim in claims]
    assert "stays" not in outcomes
    # Half of the claims speak of no mechanism that can be taken away, or are not in the quick set.
    assert outcomes.count("falls") > 100
    assert all(claim["sanity"] for claim in claims if claim["ablation"]["outcome"] == "sanity")


def test_every_figure_of_every_study_shows_marks(document: dict[str, Any]) -> None:
    folder: Path = document["folder"]
    found = [drawn.empty_figures(folder / study["out"]) for study in document["studies"]]
    assert len(found) > 80
    assert [figure for some in found for figure in some] == []
