"""Absurd requests: each is refused, or ended, within seconds, with the limit and what lifts it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater.errors import BackwaterError, Refusal
from backwater.model import arguments
from backwater.study.sweep_study import Sweep
from command import BACKWATER, Ended, call

Command = Callable[..., Ended]

BASE = """\
schema = "backwater/scenario/1"
duration = "10 ms"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
links.l = { ends = ["A", "B"], rate = "10 Mbit/s", delay = "1 ms" }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
"""
# A refusal takes no more CPU than so many checks of a small scenario, the start of Python included.
CHECKS = 20
# Characters of a message.
LONGEST = 10_000
RATE = "flows.*.source.rate"


def spent_s() -> float:
    """CPU seconds of this process and of all that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.fixture(scope="module")
def check_s(tmp_path_factory: pytest.TempPathFactory) -> float:
    """The CPU seconds that `check` of a small scenario takes."""
    folder = tmp_path_factory.mktemp("check")
    (folder / "s.toml").write_text(BASE)
    began = spent_s()
    assert call("check", "s.toml", cwd=folder).code == 0
    return spent_s() - began


@pytest.fixture
def run(tmp_path: Path, check_s: float) -> Command:
    (tmp_path / "s.toml").write_text(BASE)

    def timed(*args: object) -> Ended:
        began = spent_s()
        found = call(*args, cwd=tmp_path)
        assert spent_s() - began < CHECKS * check_s
        assert len(found.err) < LONGEST, found.err[:200]
        assert all(c == "\n" or c.isprintable() for c in found.err), found.err[:200]
        assert "a bug in Backwater" not in found.err, found.err
        return found

    return timed


def refused(found: Ended) -> dict[str, Any]:
    assert found.code == 2, found.err
    error: dict[str, Any] = found.document["error"]
    assert error["fix"], error
    return error


@pytest.mark.parametrize("seeds", ["1000000", "1000000000", str(2**64), str(2**70)])
def test_seeds_without_number(run: Command, seeds: str) -> None:
    error = refused(
        run("sweep", "s.toml", "--axis", f"{RATE}=1 Mbit/s", "--seeds", seeds, "--json")
    )
    assert "cases" in error["what"] or "seeds" in error["what"]
    refused(run("contest", "fixed", "--seeds", seeds, "--json"))


def test_twelve_axes_of_ten_values(run: Command) -> None:
    axes: list[str] = []
    for i in range(12):
        values = ",".join(f"{10 + j} us" for j in range(10))
        axes += ["--axis", f"flows.f.stop{i}={values}"]
    error = refused(run("sweep", "s.toml", *axes, "--json"))
    assert "1000000000000 combinations" in error["what"]
    assert "--max-cases" in error["fix"]


def test_an_axis_of_a_hundred_thousand_values(check_s: float) -> None:
    began = spent_s()
    with pytest.raises(Refusal, match="1000000 cases"):
        Sweep(BASE, {RATE: [f"{i + 1} kbit/s" for i in range(100_000)]}, seeds=10).study()
    assert spent_s() - began < CHECKS * check_s


def test_a_study_with_an_axis_of_a_hundred_thousand_values(run: Command, tmp_path: Path) -> None:
    values = ", ".join(f'"{i + 1} kbit/s"' for i in range(100_001))
    (tmp_path / "long.md").write_text(
        f'# D\n\n```toml study\nstudy = {{ id = "d", title = "D", scenario = "s.toml" }}\n'
        f'axes.a = {{ path = "flows.f.source.rate", values = [{values}] }}\n```\n'
    )
    assert "100001 combinations" in refused(run("study", "run", "long.md", "--json"))["what"]
    (problem,) = run("check", "long.md", "--json").document["problems"]
    assert "100001 combinations" in problem["what"]


@pytest.mark.parametrize("workers", [str(2**70), "0", "-1"])
def test_workers_beyond_a_machine(run: Command, workers: str) -> None:
    options = ("--workers", workers, "--json")
    refused(run("sweep", "s.toml", "--axis", f"{RATE}=1 Mbit/s", *options))


def test_toml_nested_without_end(run: Command, tmp_path: Path) -> None:
    nested = "x = " + "[" * 5000 + "]" * 5000
    (tmp_path / "deep.toml").write_text(BASE + nested)
    refused(run("run", "deep.toml", "--json"))
    (tmp_path / "deep.md").write_text(f"# D\n\n```toml study\n{nested}\n```\n")
    refused(run("study", "run", "deep.md", "--json"))
    refused(run("run", "s.toml", "--set", "flows=" + nested[4:], "--json"))
    (tmp_path / "deep.json").write_text('{"a":' * 5000)
    unknown = "".join(f"k{i} = 1\n" for i in range(20_000))
    (tmp_path / "wide.toml").write_text(BASE + unknown)
    assert len(run("check", "wide.toml", "--json").document["problems"]) == 10
    assert "recursion" in str(run("check", "deep.json", "--json").document["problems"])


def test_an_integer_of_five_thousand_digits(run: Command, tmp_path: Path) -> None:
    digits = "1" * 5000
    (tmp_path / "long.toml").write_text(f"seed = {digits}\n{BASE}")
    refused(run("run", "long.toml", "--json"))
    (tmp_path / "long.md").write_text(f"# D\n\n```toml study\nseeds = {digits}\n```\n")
    refused(run("study", "run", "long.md", "--json"))
    refused(run("run", "s.toml", "--set", f"seed={digits}", "--json"))
    refused(run("sweep", "s.toml", "--axis", f"seed={digits}", "--json"))


def test_devices_and_pipes_are_no_scenarios(run: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    for file in ("/dev/zero", "pipe.toml", "."):
        for verb in (("run", file), ("sweep", file, "--axis", f"{RATE}=1 Mbit/s")):
            assert "regular file" in refused(run(*verb, "--json"))["what"]
    refused(run("study", "run", "/dev/zero", "--json"))
    refused(run("trace", "log", "/dev/zero", "--json"))
    refused(run("trace", "fit", "pipe.toml", "--json"))


def test_devices_and_pipes_are_no_recordings(run: Command, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "zeros").open("wb") as file:
        file.truncate(1 << 30)
    for name in ("/dev/zero", "pipe"):
        assert "regular file" in refused(run("diff", name, name, "--json"))["what"]
    assert "record" in refused(run("diff", "zeros", "zeros", "--json"))["what"]


CBR = 'source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" }'
OPEN = 'source = { kind = "request-response", requests = "open", gap = "GAP", size = "SIZE" }'


def responses(gap: str, size: str) -> str:
    return OPEN.replace("GAP", gap).replace("SIZE", size)


# 10 Mbit/s carry 12 responses of 1000 B in 10 ms; 10^7 are made, of 128 B each while they wait.
@pytest.mark.parametrize(
    ("source", "megabytes"),
    [
        (
            'transport = "tcp", controller = { kind = "reno" }, ' + responses("1 ns", "1000 B"),
            "1280 MB",
        ),
        # 10,000 responses of 667 packets of 1500 B.
        (responses("1 us", "1 MB"), "854 MB"),
    ],
)
def test_requests_that_wait_count_as_packets_do(source: str, megabytes: str) -> None:
    with pytest.raises(Refusal, match=f"about {megabytes} of memory") as caught:
        backwater.run(BASE.replace(CBR, source), set={"limits.memory": "100 MB"})
    assert megabytes in str(caught.value.fix)


def test_packets_that_wait_at_a_radio_are_counted() -> None:
    scenario = """\
schema = "backwater/scenario/1"
duration = "1 s"
limits = { memory = "100 MB" }
media.m.phy = { standard = "802.11a", data = "12 Mbit/s", control = "6 Mbit/s" }
media.m.channel = { model = "disc", transmit = "100 m" }
nodes.A = { kind = "station", medium = "m", at = ["0 m", "0 m"], buffer = "unlimited" }
nodes.B = { kind = "station", medium = "m", at = ["10 m", "0 m"] }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1500 B", rate = "800 Gbit/s" } }
"""  # noqa: E501
    with pytest.raises(Refusal, match="would wait"):
        backwater.run(scenario)


def test_a_run_leaves_memory_to_the_machine() -> None:
    most = arguments.memory(None)
    told = next(line for line in Path("/proc/meminfo").read_text().splitlines() if "Total" in line)
    assert most is not None
    assert 0 < most < int(told.split()[1]) * 1024


def test_a_file_of_a_gigabyte(run: Command, tmp_path: Path) -> None:
    with (tmp_path / "zeros.toml").open("wb") as file:
        file.truncate(1 << 30)
    assert "more than" in refused(run("run", "zeros.toml", "--json"))["what"]
    assert "more than" in refused(run("trace", "log", "zeros.toml", "--json"))["what"]


def test_traces_without_end(run: Command) -> None:
    for more in (("--duration", "100000 s"), ("--duration", "10 s", "--opportunity", "1 B")):
        found = run("trace", "make", "constant", "--set", "rate=100 Gbit/s", *more, "--json")
        assert "20,000,000 opportunities" in refused(found)["what"]


def test_names_and_labels_reach_the_terminal_short_and_without_escapes(
    run: Command, tmp_path: Path
) -> None:
    name = "\x1b[31mred\x07.toml"
    (tmp_path / name).write_text("schema = 1")
    error = refused(run("run", name, "--json"))
    assert "\x1b" not in str(error)
    refused(run("run", "x" * 400 + ".toml", "--json"))
    label = "x" * 1_000_000
    (tmp_path / "label.md").write_text(
        f'# D\n\n```toml study\nstudy = {{ id = "d", title = "D", scenario = "s.toml" }}\n'
        f'axes.a = {{ path = "{RATE}", values = ["{label}"] }}\n```\n'
    )
    assert "1000000 characters" in refused(run("study", "run", "label.md", "--json"))["what"]
    (tmp_path / "title.md").write_text(
        f'# D\n\n```toml study\nstudy = {{ id = "d", title = "{label}", '
        'scenario = "s.toml" }\n```\n'
    )
    assert "1000000 characters" in refused(run("study", "run", "title.md", "--json"))["what"]


def test_a_run_ends_at_its_wall_time(run: Command) -> None:
    endless = ("run", "s.toml", "--set", "duration=4000000 s", "--max-wall", "0.2", "--json")
    found = run(*endless)
    assert found.code == 3, found.err
    assert "--max-wall" in found.document["error"]["what"]


def test_a_run_ends_at_its_memory(run: Command) -> None:
    # Nothing drains 10 Gbit/s into 1 bit/s.
    grows = (
        "--set",
        "links.l.rate=1 bit/s",
        "--set",
        f"{RATE}=10 Gbit/s",
        "--set",
        "duration=60 s",
        "--set",
        "limits.memory=8000 MB",
    )
    found = run("run", "s.toml", *grows, "--max-memory", "200 MB", "--json")
    assert found.code == 3, found.err
    assert "--max-memory" in found.document["error"]["what"]


def test_a_case_that_costs_too_much_leaves_the_others(run: Command, tmp_path: Path) -> None:
    axis = ("--axis", "duration=10 ms,4000000 s", "--seeds", "1", "--max-wall", "1")
    found = run("sweep", "s.toml", *axis, "--out", "o", "--json")
    assert found.code == 3, found.err
    document = found.document
    assert document["cases_done"] == 1
    (failure,) = document["failures"]
    assert "--max-wall" in failure["error"]
    assert (tmp_path / "o" / "results.sqlite").is_file()


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 1.5},
        {"seed": "1"},
        {"set": [("a", 1)]},
        {"set": {1: 2}},
        {"controllers": 5},
        {"mahimahi_log": "down"},
        {"max_wall_s": -1.0},
        {"max_memory": "lots"},
    ],
)
def test_python_arguments_are_refused_with_a_remedy(arguments: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as caught:
        backwater.run(BASE, **arguments)
    assert caught.value.fix


@pytest.mark.parametrize("what", [None, 5, 1.5, b"x", ["a"]])
def test_what_is_no_scenario_is_refused(what: Any) -> None:
    with pytest.raises(BackwaterError) as caught:
        backwater.run(what)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("axes", "seeds", "workers"),
    [
        ({RATE: 5}, 1, None),
        ({RATE: "1 Mbit/s"}, 1, None),
        ({"a": {"x": 5}}, 1, None),
        ([RATE], 1, None),
        ({RATE: ["1 Mbit/s"]}, 0, None),
        ({RATE: ["1 Mbit/s"]}, 1.5, None),
        ({RATE: ["1 Mbit/s"]}, 1, 2**70),
        ({RATE: ["1 Mbit/s"]}, 1, -1),
    ],
)
def test_arguments_of_a_sweep_are_refused(axes: Any, seeds: Any, workers: Any) -> None:
    with pytest.raises(Refusal) as caught:
        Sweep(BASE, axes, seeds=seeds).run(workers=workers)
    assert caught.value.fix


def test_a_sweep_blames_what_the_person_wrote(run: Command) -> None:
    for values in ("1 furlong", "1 Mbit/s,1 Mbit/s", "50 MB/s"):
        error = refused(run("sweep", "s.toml", "--axis", f"{RATE}={values}", "--json"))
        assert error["line"] is None, error
        assert "sweep of" not in (error["place"] or ""), error
    assert "400 Mbit/s" in error["fix"]


def test_a_contest_blames_what_the_person_wrote(run: Command) -> None:
    error = refused(run("contest", "fixed", "--duration", "1e30", "--json"))
    assert "contest of fixed" in error["place"], error
    assert error["line"] is None


def test_a_fresh_contest_has_no_cases_yet(run: Command) -> None:
    found = run("contest", "fixed", "--duration", "1")
    assert "are there already" not in found.err


def test_a_contest_and_a_scorecard_end_runs_that_cost_more(tmp_path: Path) -> None:
    for command in (
        ("contest", "cubic", "--duration", "100000"),
        ("scorecard", "cubic", "--seeds", "1", "--out", "out"),
    ):
        found = call(*command, "--max-wall", "0.01", "--json", cwd=tmp_path)
        assert found.code == 3
        assert "--max-wall" in json.dumps(found.document["failures"])


def test_a_study_of_twelve_axes_is_refused_before_its_combinations_are_listed(
    run: Command, tmp_path: Path
) -> None:
    values = ", ".join(f'"{i + 1} kbit/s"' for i in range(10))
    axes = "\n".join(
        f'axes.a{number} = {{ path = "flows.f.source.rate", values = [{values}] }}'
        for number in range(12)
    )
    (tmp_path / "d.md").write_text(
        "# D\n\n```toml study\nstudy = "
        f'{{ id = "d", title = "D", scenario = "s.toml" }}\n{axes}\n```\n'
    )
    for words in (("check", "d.md"), ("study", "run", "d.md", "--quick")):
        ended = run(*words)
        assert ended.code == 2, ended.err
        assert "1000000000000 combinations" in ended.err


@pytest.mark.parametrize("what", ["fifo", "/dev/zero"])
def test_the_scenario_of_a_study_is_a_regular_file(run: Command, tmp_path: Path, what: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "d.md").write_text(
        f'# D\n\n```toml study\nstudy = {{ id = "d", title = "D", scenario = "{what}" }}\n```\n'
    )
    ended = run("check", "d.md")
    assert ended.code == 2, ended.err
    assert "it is not a regular file" in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("emulate", "scenario", "s.toml", "--attach"), "--attach has no value"),
        (("emulate", "scenario", "s.toml", "--attach", "A"), "NODE=COMMAND"),
        (("emulate", "scenario", "s.toml", "--attach", "A='open"), "no closing quotation"),
        (("emulate", "scenario", "s.toml", "--seed", "\u00b2"), "is no seed"),
        (("emulate", "scenario", "s.toml", "--seed", str(2**64)), "is no seed"),
        (("flow", "send", "127.0.0.1", "--bytes", str(2**70)), "--bytes"),
        (("run", "s.toml", "--pcap", os.fsdecode(b"\xff.pcap")), "is not UTF-8"),
        (("sweep", "s.toml", "--axis", f"{RATE}=1", "--out", os.fsdecode(b"\xff")), "is not UTF-8"),
    ],
)
def test_a_typing_error_is_no_bug_of_backwater(
    run: Command, words: tuple[str, ...], says: str
) -> None:
    ended = run(*words)
    assert ended.code == 2, ended.err
    assert says in ended.err


def test_a_refusal_that_nobody_reads_leaves_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "no.toml").write_text("x")
    read, write = os.pipe()
    os.close(read)
    command = [*BACKWATER, "run", "no.toml", "--json"]
    done = subprocess.run(
        command, cwd=tmp_path, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (2, "")


def test_numbers_beyond_those_of_a_world_are_refused() -> None:
    world = backwater.World(BASE)
    for wrong in ("1e30 s", "300 days"):
        with pytest.raises(backwater.Refusal, match="to"):
            world.advance(wrong)
    packet: dict[str, Any] = {"to": "B", "length_B": 100}
    for numbers in ({"tag": 2**70}, {"length_B": -1}, {"traffic_class": 256}, {"flow_hash": -1}):
        with pytest.raises(backwater.Refusal, match="lies outside"):
            world.inject(0, "A", **{**packet, **numbers})
