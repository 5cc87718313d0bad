"""When flows share evenly, end to end."""

from __future__ import annotations

import pytest

import backwater

SCENARIO = """
schema = "backwater/scenario/1"
duration = "20 s"
topology = { kind = "dumbbell", pairs = 2, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }
ports."L>R" = { queue = { kind = "infinite" } }
flows.f1 = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "fixed", window = "60 packets" }, source = { kind = "bulk" } }
flows.f2 = { from = "s2", to = "d2", transport = "tcp", controller = { kind = "fixed", window = "60 packets" }, start = "5500 ms", source = { kind = "bulk" } }
"""  # noqa: E501


@pytest.mark.parametrize(
    ("second", "seconds"),
    [
        # Goodputs are as the windows: 60 and 50 are a tenth off their mean, 60 and 30 a third. The
        # other began within the sixth second, so that the seventh is the first that it has whole.
        ("60 packets", 0),
        ("50 packets", 0),
        ("30 packets", None),
    ],
)
def test_windows_of_a_size_share_evenly_at_once(second: str, seconds: int | None) -> None:
    run = backwater.run(SCENARIO, set={"flows.f2.controller.window": second}, columns=False)
    assert run.metrics["convergence_s"] == seconds


def test_what_ends_has_nothing_to_share() -> None:
    sets = {"flows.f2.source": {"kind": "bulk", "size": "10 kB"}}
    assert backwater.run(SCENARIO, set=sets, columns=False).metrics["convergence_s"] is None
