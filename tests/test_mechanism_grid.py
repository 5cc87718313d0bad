"""The study `mechanism-grid` runs every combination that works on each of its networks."""

from __future__ import annotations

import json

from backwater import _native
from backwater.study.definition import Study
from backwater.tools import access_point

# The frames that carry notices where a mechanism names no other carrier.
CARRIERS = {"wire": "control frame", "802.11": "management frame"}
NETWORKS = {
    "802.11": ["relay", "parking lot", "mesh"],
    "wire": ["LAN merge", "LAN merge, shared memory", "fat tree", "fat tree, shared memory"],
}


def legal(medium: str) -> set[str]:
    """The combinations that work on a medium, without classes of Python."""
    rows = [
        (row["detect"], row["notify"], row["respond"])
        for row in json.loads(_native.legal())
        if row["works"] and row["medium"] == medium and row["carrier"] == CARRIERS[medium]
    ]
    return {" · ".join(parts) for parts in rows if "python" not in parts}


def test_every_combination_that_works_is_in_the_grid() -> None:
    run: dict[str, set[str]] = {}
    for labels in Study.load("mechanism-grid").combinations():
        run.setdefault(labels["network"], set()).add(labels["mechanism"])
    assert set(run) == {name for names in NETWORKS.values() for name in names} | {"access point"}
    for network in NETWORKS["802.11"]:
        assert run[network] - {"none"} == legal("802.11")
    # The access point's buffer is filled over a wire, and a port of its switch is watched as well.
    at_an_access_point = [
        parts
        for parts in access_point.over_the_air()
        if access_point.refused(parts, access_point.EVERYWHERE) is None
    ]
    assert run["access point"] - {"none"} == {" · ".join(parts) for parts in at_an_access_point}
    # Bytes by neighbour have fixed marks in an output-queued switch, dynamic ones in a shared
    # memory.
    for network in NETWORKS["wire"]:
        other = "ingress-watermark" if "shared" in network else "dynamic-threshold"
        expected = {one for one in legal("wire") if not one.startswith(other)}
        assert run[network] - {"none"} == expected
