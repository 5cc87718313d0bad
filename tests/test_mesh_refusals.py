"""Refused meshes: each mistake gets one error with its line and a way out; nothing runs."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

from backwater import cli

MESH = """\
schema = "backwater/scenario/1"
duration = "1 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }
media.air.mac = { access = "edca" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["100 m", "0 m"] }
nodes.C = { kind = "station", medium = "air", at = ["200 m", "0 m"], buffer = "unlimited" }
mechanisms.bp = { recipe = "aifsn", at = ["B"] }
flows.f = { from = "A", to = "C", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
routes.f = ["A", "B", "C"]
"""
TOPOLOGY = (
    'topology = { kind = "random-grid", medium = "air", spacing = "50 m", '
    "stations = 4, rows = 2, columns = 2 }\nduration"
)
GRID = (
    'topology = { kind = "grid", medium = "air", spacing = "500 m", rows = 2, columns = 2 }\n'
    "duration"
)
PHY = 'data = "11 Mbit/s"'
EDCA = 'access = "edca"'
PLACE = 'at = ["100 m", "0 m"]'

MISTAKES = [
    # Unreachable stations.
    ('["200 m", "0 m"]', '["500 m", "0 m"]', "out of reach"),
    ('["A", "B", "C"]', '["A", "C"]', "out of reach"),
    ('routes.f = ["A", "B", "C"]\n', "", "no route leads"),
    # Zero and overlapping places.
    ("duration", TOPOLOGY.replace('"50 m"', '"0 m"'), "too small"),
    (PLACE, 'at = ["0 m", "0 m"]', "lies where"),
    (PLACE, 'at = ["-0 m", "0 m"]', "lies where"),
    (PLACE, 'at = ["100 m"]', "1 coordinates"),
    (PLACE, 'at = ["inf m", "0 m"]', "not a sensible number"),
    ('transmit = "100 m"', 'transmit = "0 m"', "too small"),
    ("duration", TOPOLOGY.replace("stations = 4", "stations = 5"), "5 stations do not fit"),
    # A way from each to each is 2^31 ways and more.
    ("duration", "limits = { nodes = 50000 }\n" + GRID.replace("= 2", "= 216"), "2^31"),
    # AIFSN outside 1 to 255, wherever it may be written.
    (EDCA, EDCA + ", ac.BE.aifsn = 0", "too small"),
    (EDCA, EDCA + ", ac.BE.aifsn = 256", "too large"),
    (PLACE, PLACE + ", ac.BE = { aifsn = 0 }", "too small"),
    (PLACE, PLACE + ", ac.BE = { aifsn = 256 }", "too large"),
    ('at = ["B"]', 'at = ["B"], respond = { min = 0 }', "too small"),
    ('at = ["B"]', 'at = ["B"], respond = { max = 256 }', "too large"),
    ('at = ["B"]', 'at = ["B"], respond = { max_VO = 300 }', "too large"),
    ('at = ["B"]', 'at = ["B"], respond = { min = 9, max = 8 }', "lies below the least"),
    # CWmin above CWmax.
    (EDCA, EDCA + ", ac.VI = { cw_min = 63, cw_max = 31 }", "exceeds the largest"),
    (PLACE, PLACE + ", ac.BE.cw_min = 2047", "exceeds the largest"),
    (PLACE, PLACE + ", ac.BE.cw_max = 15", "exceeds the largest"),
    (EDCA, EDCA + ", ac.BE.cw_max = 32768", "too large"),
    # Rates that the radio does not have.
    (PHY, 'data = "12 Mbit/s"', "is a rate of OFDM"),
    (PHY, 'data = "0 bit/s"', "no rate of this radio"),
    ('control = "1 Mbit/s"', 'control = "6 Mbit/s"', "is a rate of OFDM"),
    (PLACE, PLACE + ', rate = "54 Mbit/s"', "is a rate of OFDM"),
    # Routes with loops, and routes that are none.
    ('["A", "B", "C"]', '["A", "B", "A", "B", "C"]', "passes A twice"),
    ('["A", "B", "C"]', '["A", "A", "B", "C"]', "passes A twice"),
    ('["A", "B", "C"]', '["B", "C"]', "leads from the flow's `from`"),
    ('["A", "B", "C"]', "[]", "leads from the flow's `from`"),
    # Options that go with other flows, queues and detectors.
    ('to = "C"', 'to = "C", budget = "0 s"', "too small"),
    ('to = "C"', 'to = "C", budget = "1 s", transport = "tcp"', "budget"),
    (PLACE, PLACE + ', queue = "lifo"', "not one of the words"),
    # Groups of stations.
    ('to = "C"', 'to = "*"', "how a receiver is chosen"),
    ('to = "C"', 'to = "C", pattern = "group"', "is one host"),
    ('to = "C"', 'to = "*", pattern = "group"', "several senders or receivers"),
    ('to = "C"', 'to = "X*", pattern = "group"', "no host matches"),
    (
        'to = "C", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }\nroutes',
        'to = "C*", pattern = "group", source = { kind = "cbr", packet = "1500 B", '
        'rate = "1 Mbit/s" } }\n# routes',
        "no station of the group hears A",
    ),
    (
        'to = "C", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }\nroutes',
        'to = "*", pattern = "group", transport = "tcp", controller = { kind = "cubic" }, '
        'source = { kind = "bulk" } }\n# routes',
        "talks to one host",
    ),
    (
        "flows.f",
        'nodes.H = { kind = "host" }\nnodes.W = { kind = "switch" }\nlinks.l = { ends = '
        '["H", "W"], rate = "1 Gbit/s", delay = "0 s" }\nflows.g = { from = "H", to = "*", '
        'pattern = "group", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }'
        "\nflows.f",
        "is no 802.11 station",
    ),
    (
        'recipe = "aifsn", at',
        'recipe = "queue-aifsn", detect = { queue_low = "50 %", queue_high = "50 %" }, at',
        "no longer than a low one",
    ),
    ('recipe = "aifsn", at = ["B"]', 'recipe = "queue-aifsn", at = ["C"]', "has no bound"),
]


def run(path: Path, *options: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(["run", str(path), *options])
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize(("old", "new", "what"), MISTAKES)
def test_a_mistake_is_refused_once_with_its_line(
    tmp_path: Path, old: str, new: str, what: str
) -> None:
    assert old in MESH
    path = tmp_path / "mesh.toml"
    path.write_text(MESH.replace(old, new, 1), encoding="utf-8")
    code, out, _ = run(path, "--json")
    error = json.loads(out)["error"]
    assert code == 2
    assert what in error["what"]
    assert error["fix"]
    assert error["line"] is not None
    code, out, err = run(path)
    assert (code, out) == (2, "")
    assert err.count(error["what"]) == 1


def test_the_mesh_itself_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "mesh.toml"
    path.write_text(MESH, encoding="utf-8")
    assert run(path, "--json")[0] == 0
