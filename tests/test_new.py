"""Templates run as they are; `check` names every problem; `draw` and `copy` write files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from backwater.tools import catalogue
from backwater.tools.problems import problems
from backwater.tools.templates import COMPILED, KINDS
from command import call

# Four problems, one in each of four lines, and nothing that follows from them.
WRONG = """\
schema = "backwater/scenario/1"
duration = "10 second"
nodes.S = { kind = "hst" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "5 ms" }
links.b = { ends = ["W", "E"], rate = "10 Mbit/s", delay = "5 ms" }
flows.f = { from = "S", to = "D", transport = "tcp", controller = { kind = "cubik" }, source = { kind = "bulk" } }
"""  # noqa: E501


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in COMPILED])
def test_a_template_runs_as_it_is(tmp_path: Path, kind: str) -> None:
    made = call("new", kind, "my-part", "--json", cwd=tmp_path).document
    assert all((tmp_path / file).is_file() for file in made["files"])
    assert call("check", made["files"][0], cwd=tmp_path).code == 0
    words = made["run"].split()[1:]
    found = call(*words, *(["--quick"] if kind == "study" else []), "--json", cwd=tmp_path)
    assert found.code == 0, found.err
    if kind == "study":
        assert found.document["studies"][0]["summary"]["reproduced"] == 1
    else:
        assert all(flow["goodput_bps"] > 1e6 for flow in found.document["flows"])


def test_the_detector_of_the_template_stops_losses(tmp_path: Path) -> None:
    call("new", "detector", "mine", cwd=tmp_path)
    with_it = call("run", "mine.toml", "--json", cwd=tmp_path).document
    off = call(
        *("run", "mine.toml", "--json", "--set", "mechanisms.bp.detect.options.high=1000"),
        cwd=tmp_path,
    ).document
    assert with_it["metrics"]["dropped_pkts"] < off["metrics"]["dropped_pkts"]


def test_documents_match_their_schemas(tmp_path: Path) -> None:
    known = catalogue.schemas()
    for words in (
        ("new", "scenario", "a"),
        ("copy", "lan-merging"),
        ("check", "a.toml"),
        ("draw", "a.toml"),
    ):
        found = call(*words, "--json", cwd=tmp_path).document
        jsonschema.validate(found, known[words[0]])


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    assert call("new", "scenario", "a", cwd=tmp_path).code == 0
    assert call("new", "scenario", "a", cwd=tmp_path).code == 2
    assert call("copy", "lan-merging", cwd=tmp_path).code == 0
    assert call("copy", "lan-merging", cwd=tmp_path).code == 2
    assert call("check", "lan-merging.md", cwd=tmp_path).code == 0


def test_every_problem_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "w.toml").write_text(WRONG)
    found = problems(tmp_path / "w.toml")
    assert [one.line for one in found] == [2, 3, 7, 8]
    for one, word in zip(found, ("second", "hst", "`E`", "cubik"), strict=True):
        assert word in one.what
    ended = call("check", "w.toml", "--json", cwd=tmp_path)
    assert ended.code == 2
    assert len(ended.document["problems"]) == 4


@pytest.mark.parametrize("number", range(8))
def test_each_problem_alone_is_one_problem(tmp_path: Path, number: int) -> None:
    """Mending makes no problems of its own: seven lines are right, one may be wrong."""
    right = WRONG.replace("second", "s").replace("hst", "host").replace('"E"', '"D"')
    right = right.replace("cubik", "cubic")
    lines = right.splitlines()
    lines[number] = WRONG.splitlines()[number]
    (tmp_path / "w.toml").write_text("\n".join(lines))
    assert len(problems(tmp_path / "w.toml")) == (number in (1, 2, 6, 7))


@pytest.mark.parametrize(
    "line",
    [
        'mechanisms.bp = { recipe = "pause", at = ["W"] }',
        'mechanisms.bp = { recipe = "pause", at = ["W>D", "W"] }',
        'ports.W = { buffer = "50 kB" }',
    ],
)
def test_a_node_that_is_named_as_a_port_is_one_problem(tmp_path: Path, line: str) -> None:
    right = WRONG.replace("second", "s").replace("hst", "host").replace('"E"', '"D"')
    (tmp_path / "w.toml").write_text(right.replace("cubik", "cubic") + line)
    assert [one.what for one in problems(tmp_path / "w.toml")] == ["no port matches `W`"]


def test_a_network_is_drawn_in_letters_and_as_files(tmp_path: Path) -> None:
    call("new", "scenario", "mine", cwd=tmp_path)
    letters = call("draw", "mine.toml", cwd=tmp_path).out
    for word in ("W (switch)", "100 Mbit/s ── S1", "[W>D: 100 kB]", "one: S1 → D"):
        assert word in letters
    assert call("draw", "mine.toml", "-o", "d.svg", cwd=tmp_path).code == 0
    assert "var(" not in (tmp_path / "d.svg").read_text()
    assert call("draw", "mine.toml", "-o", "d.png", cwd=tmp_path).code == 0
    assert (tmp_path / "d.png").read_bytes()[:4] == b"\x89PNG"
    assert call("draw", "mine.toml", "-o", "d.bmp", cwd=tmp_path).code == 2


# Two hosts send as fast as they can to a third; PFC counts what comes in.
INTO_ONE = """
schema = "backwater/scenario/1"
duration = "1 s"
nodes.S1 = {{ kind = "host" }}
nodes.S2 = {{ kind = "host" }}
nodes.W = {{ kind = "switch" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S1", "W"], rate = "10 Mbit/s", delay = "1 us" }}
links.b = {{ ends = ["S2", "W"], rate = "10 Mbit/s", delay = "1 us" }}
links.d = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }}
ports."W>*" = {{ buffer = "50 kB" }}
mechanisms.bp = {{ recipe = "{recipe}", at = {at} }}
flows.f = {{ from = "S*", to = "D", source = {{ kind = "saturated" }} }}
"""


def test_check_prints_the_headroom_of_links_and_warns_of_places_that_see_nothing(
    tmp_path: Path,
) -> None:
    """802.3 at 10 Mbit/s: one more frame begins while a 64-byte notice is on its way.

    At an ingress the frame that crosses the mark is counted too.
    """

    def checked(recipe: str, at: str, buffer: str = "50 kB") -> dict[str, Any]:
        text = INTO_ONE.format(recipe=recipe, at=at).replace('"50 kB"', f'"{buffer}"')
        (tmp_path / "one.toml").write_text(text)
        ended = call("check", "one.toml", "--json", cwd=tmp_path)
        assert ended.code == 0, ended.out
        return ended.document

    pfc = checked("pfc", '["W>S1", "W>S2"]')
    first = pfc["headroom"][0]
    assert (first["port"], first["watches"], first["feeders"]) == ("W>S1", "ingress", ["S1>W"])
    assert (first["frames"], first["frame_B"], len(pfc["headroom"])) == (2, 1518, 2)
    # Each input stops its sender above 100 kB, and then holds two frames of 1,518 B more at most.
    (warning,) = pfc["warnings"]
    assert warning.startswith("W>D: 2 inputs of its switch may hold 206072 B")
    assert 'write buffer = "206072 B"' in warning
    assert checked("pfc", '["W>S1", "W>S2"]', "206072 B")["warnings"] == []
    assert len(checked("pfc", '["W>S1", "W>S2"]', "206071 B")["warnings"]) == 1
    wrong = checked("pfc", '["W>D"]')
    assert len(wrong["warnings"]) == 1
    assert '"W>S1", "W>S2"' in wrong["warnings"][0]
    pause = checked("pause", '["W>D"]')
    # 32 frames fit, and the 27th crosses 40 kB: five have room.
    assert (pause["headroom"][0]["room_frames"], pause["warnings"]) == (5, [])
    wrong = checked("pause", '["W>S1", "W>S2"]')
    assert len(wrong["warnings"]) == 1
    assert '"W>D"' in wrong["warnings"][0]
    assert "stops nobody" in call("check", "one.toml", cwd=tmp_path).err


def test_explain_says_what_at_names(tmp_path: Path) -> None:
    """A recipe says it of its detector."""
    for name, place in [
        ("pause", "by which frames leave"),
        ("watermark", "by which frames leave"),
        ("pfc", "through which frames come in"),
        ("dynamic-threshold", "through which frames come in"),
        ("ez-flow", 'stations: at = ["G"]'),
    ]:
        assert place in " ".join(call("explain", name, cwd=tmp_path).out.split()), name
