"""`backwater trace`, link logs of mahimahi, and series over time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import backwater
from backwater.model import trace_file
from command import call
from test_cli import valid

# A window of ten packets over an opportunity in each millisecond, 20 ms each way.
SCENARIO = """
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = { kind = "host" }
nodes.R = { kind = "host" }

[links.down]
from = "S"
to = "R"
kind = "trace"
delay = "20 ms"
trace = { kind = "constant", rate = "12.032 Mbit/s" }

[links.up]
from = "R"
to = "S"
kind = "trace"
delay = "20 ms"
trace = { kind = "constant", rate = "12.032 Mbit/s" }

[flows.f]
from = "S"
to = "R"
transport = "datagram"
controller = { kind = "fixed", window = "10 packets" }
source = { kind = "bulk" }
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    (tmp_path / "x.toml").write_text(SCENARIO)
    return tmp_path / "x.toml"


def test_a_made_trace_is_fitted_and_made_again(tmp_path: Path) -> None:
    options = ("--set", "peak=4 Mbit/s", "--set", "burst=3", "--duration", "600 s")
    done = call("trace", "make", "cox", *options, "--seed", "7", "-o", "a.trace", cwd=tmp_path)
    assert done.code == 0, done.err
    stamps = [int(line) for line in (tmp_path / "a.trace").read_text().splitlines()]
    assert stamps == sorted(stamps)
    assert stamps[-1] <= 600_000
    assert done.err == f"{len(stamps)} opportunities in a.trace\n"
    again = call("trace", "make", "cox", *options, "--seed", "7", cwd=tmp_path)
    assert again.out == (tmp_path / "a.trace").read_text()
    assert call("trace", "make", "cox", *options, cwd=tmp_path).out != again.out

    done = call("trace", "fit", "a.trace", "-o", "fit.toml", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    found = valid(done, "trace-fit")
    assert (found["warnings"], done.err) == ([], "")
    # In 40 ms, of 6.6 opportunities on average by three: 2·3 − 1, known to a few percent.
    assert found["options"]["burst"] == pytest.approx(3, rel=0.1)
    assert found["recording"]["opportunities"] == len(stamps)
    mean = found["recording"]["mean_bps"]
    assert mean == pytest.approx(len(stamps) * 1504 * 8 / (stamps[-1] / 1e3))
    # The model's twenty runs lie around the recording.
    for name in ("mean_bps", "cv_1s", "autocorrelation_1s", "dispersion_40ms"):
        model = found["fitted"][name]
        assert abs(model["mean"] - found["recording"][name]) < 2 * model["deviation"], name
    done = call("trace", "make", "fit.toml", "--duration", "20 s", "--json", cwd=tmp_path)
    made = valid(done, "trace-make")
    assert len(made["stamps_ms"]) == made["opportunities"] > 1000


def test_a_fit_says_recording_and_model_side_by_side(tmp_path: Path) -> None:
    even = "".join(f"{2 * n}\n" for n in range(1, 20_000))
    (tmp_path / "even").write_text(even)
    done = call("trace", "fit", "even", "--kind", "constant", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith('trace = { kind = "constant", rate = "6.02 Mbit/s" }\n')
    assert "longest gap" in done.out
    assert "An outage is a gap of 200 ms or more." in done.out


def test_a_fit_to_a_recording_that_is_too_short_is_warned_of(tmp_path: Path) -> None:
    """A slow rate shows neither its bounds nor a return in 25 s; it does in the 600 s above."""
    sets = ("peak=2 Mbit/s", "volatility=300 kbit/s", "reversion=0", "sticky=0 %", "burst=1")
    options = [word for one in sets for word in ("--set", one)]
    made = call("trace", "make", "cox", *options, "--duration", "25 s", "-o", "a", cwd=tmp_path)
    assert made.code == 0, made.err
    done = call("trace", "fit", "a", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    (warning,) = valid(done, "trace-fit")["warnings"]
    assert warning.startswith("a: the fit did not settle"), warning
    assert warning.endswith("record for longer, or fit a random-walk"), warning
    assert done.err == f"warning: {warning}\n"


def test_a_link_writes_a_log_that_says_what_the_run_says(scenario: Path) -> None:
    arguments = ("run", "x.toml", "--mahimahi-log", "down=down.log", "--json")
    done = call(*arguments, cwd=scenario.parent)
    assert done.code == 0, done.err
    run = json.loads(done.out)
    lines = (scenario.parent / "down.log").read_text().splitlines()
    assert lines[:4] == [
        "# mahimahi mm-link (down) [constant] > down.log",
        "# queue: infinite",
        "# init timestamp: 0",
        "# base timestamp: 0",
    ]
    # By hand: ten packets come at 20 and leave one each millisecond; each is answered by one that
    # comes to the queue 42 ms later: 20 ms, the opportunity after, and 20 ms.
    assert lines[4:6] == ["1 # 1504", "2 # 1504"]
    at = lines.index("20 + 1504")
    assert lines[at : at + 10] == ["20 + 1504"] * 10
    assert lines[at + 10 : at + 14] == ["21 # 1504", "21 - 1504 1", "22 # 1504", "22 - 1504 2"]
    said = call("trace", "log", "down.log", "--json", cwd=scenario.parent)
    assert said.code == 0, said.err
    log = valid(said, "trace-log")
    departures = [line for line in lines if " - " in line]
    assert log["departed_pkts"] == len(departures)
    assert log["dropped_pkts"] == 0
    # From 1 to 2000 ms.
    assert log["duration_s"] == pytest.approx(1.999)
    assert log["capacity_bps"] == pytest.approx(2000 * 12_032 / 1.999)
    assert log["throughput_bps"] == pytest.approx(len(departures) * 12_032 / 1.999)
    assert log["signal_delay_p95_s"] == run["metrics"]["signal_delay_p95_s"]
    plain = call("trace", "log", "down.log", cwd=scenario.parent)
    assert "average capacity: 12" in plain.out
    assert "signal delay" in plain.out


@pytest.mark.parametrize("queue", ["codel", "fq-codel", "pie", "drop-tail", "drop-head"])
def test_a_log_has_all_drops_of_its_queue(queue: str, tmp_path: Path) -> None:
    """CoDel drops packets that are to leave: mm-link logs none of them, we as comments."""
    text = SCENARIO.replace("10 packets", "200 packets") + (
        f'[ports."S>R"]\nbuffer = "100 packets"\nqueue = {{ kind = "{queue}" }}\n'
    )
    (tmp_path / "x.toml").write_text(text)
    done = call("run", "x.toml", "--mahimahi-log", "down=down.log", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    run = json.loads(done.out)
    log = valid(call("trace", "log", "down.log", "--json", cwd=tmp_path), "trace-log")
    assert log["dropped_pkts"] == sum(drop["pkts"] for drop in run["drops"]) > 0
    # Each packet is somewhere, and once: one that made room for another has not come twice.
    held = log["arrived_pkts"] - log["departed_pkts"] - log["dropped_pkts"]
    assert 0 <= held <= 100
    assert (log["dropped_leaving_pkts"] > 0) == ("codel" in queue)
    # mahimahi's scripts pass over lines that begin with "#".
    shown = [s for s in (tmp_path / "down.log").read_text().splitlines() if not s.startswith("#")]
    kinds = [line.split()[1] for line in shown]
    on_arrival = sum(int(line.split()[2]) for line in shown if line.split()[1] == "d")
    assert on_arrival == log["dropped_pkts"] - log["dropped_leaving_pkts"]
    assert kinds.count("-") == log["departed_pkts"]


def test_a_run_tells_what_it_did_over_time(scenario: Path) -> None:
    done = backwater.run(scenario, series="500 ms", columns=False)
    series = done.document["series"]
    assert series["every_s"] == 0.5
    port = series["ports"]["S>R"]
    assert len(port["capacity_bps"]) == 4
    # An opportunity in each millisecond; the one at 500 ms is the second interval's.
    assert port["capacity_bps"][:2] == [499 * 12_032 / 0.5, 500 * 12_032 / 0.5]
    assert series["flows"]["f"]["window_B"] == [done.flows["f"]["window_mean_B"]] * 4
    assert backwater.run(scenario, columns=False).fingerprint == done.fingerprint
    with pytest.raises(backwater.Refusal, match="intervals"):
        backwater.run(scenario, series="0 s")


def test_the_delay_is_before_the_queue_or_behind_it(tmp_path: Path) -> None:
    """One opportunity every 100 ms, and a packet 10 ms before each of them; 20 ms of delay.

    Before the queue, each packet comes 10 ms too late and waits 90 ms for the next opportunity:
    110 ms. Behind the queue, it waits for 10 ms and travels for 20 ms: 30 ms. cellsim has all delay
    before the queue, mahimahi (mm-delay around mm-link) that of data which leave its shell behind.
    """
    (tmp_path / "slow").write_text("".join(f"{100 * n}\n" for n in range(1, 21)))
    text = """
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = { kind = "host" }
nodes.R = { kind = "host" }
links.data = { from = "S", to = "R", kind = "trace", trace = "slow", delay = "20 ms" }
links.back = { from = "R", to = "S", rate = "1 Gbit/s", delay = "0 s" }
flows.f = { from = "S", to = "R", start = "90 ms", source = { kind = "cbr", packet = "1500 B", rate = "120 kbit/s" } }
"""  # noqa: E501
    (tmp_path / "s.toml").write_text(text)
    delays = {}
    for place in (None, "before-queue", "after-queue"):
        sets = {} if place is None else {"links.data.delay_at": place}
        flow = backwater.run(tmp_path / "s.toml", set=sets, columns=False).flows["f"]
        delays[place] = (flow["delay_mean_s"], flow["delay_propagation_s"])
    assert delays[None] == delays["before-queue"]
    assert delays["before-queue"][0] == pytest.approx(0.110, abs=1e-9)
    assert delays["after-queue"][0] == pytest.approx(0.030, abs=1e-9)
    assert delays["after-queue"][1] == pytest.approx(0.020, abs=1e-9)


def test_what_cannot_be_is_refused(scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "back").write_text("5\n4\n")
    (tmp_path / "long").write_bytes(b"1\n" + b"7" * (1 << 20) + b"\n")
    (tmp_path / "odd.log").write_text("# base timestamp: 0\n1 # 1504\nhello\n")
    for arguments, said, line in (
        (("trace", "fit", "absent"), "there is no file", None),
        (("trace", "fit", "back"), "the times go back", 2),
        (("trace", "fit", "long"), "49 days", 2),
        (("trace", "fit", "back", "--kind", "periodic"), "no estimator", None),
        (("trace", "make", "cocks"), "unknown trace", 1),
        (("trace", "make", "cox", "--set", "peek=1"), "peek", None),
        (("trace", "make", "cox", "--duration", "soon"), "not", None),
        (("trace", "make", "absent.toml"), "cannot read", None),
        (("trace", "log", "odd.log"), "no line of a mahimahi log", 3),
        (("run", "x.toml", "--mahimahi-log", "dwn=x.log"), "no trace link `dwn`", None),
        (("run", "x.toml", "--mahimahi-log", "down"), "is not LINK=FILE", None),
    ):
        done = call(*arguments, "--json", cwd=tmp_path)
        error = valid(done, "error")["error"]
        assert said in error["what"], (arguments, error)
        assert error["fix"], arguments
        assert error["line"] == line, arguments
        assert done.code == 2, arguments
        assert "Traceback" not in done.err


def test_traces_work_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = trace_file.make('kind = "constant"\nrate = "1.2 Mbit/s"\n', duration="30 s")
    Path("even").write_text(made)
    assert trace_file.fit("even", "constant")["options"] == {"rate": "1.2 Mbit/s"}
    with pytest.raises(backwater.Refusal, match="no opportunity"):
        trace_file.make('kind = "constant"\nrate = "1 kbit/s"\n', duration="1 s")


def test_a_trace_may_begin_at_a_millisecond_that_the_seed_chooses(tmp_path: Path) -> None:
    # Opportunities in the first 100 ms of each 400.
    lines = "".join(f"{ms}\n" for ms in [*range(1, 101), 400])
    (tmp_path / "gap.down").write_text(lines)
    constant = 'trace = { kind = "constant", rate = "12.032 Mbit/s" }'

    def delay(phase: str, seed: int) -> float:
        trace = f'phase = "{phase}"\ntrace = "{tmp_path}/gap.down"'
        found = backwater.run(SCENARIO.replace(constant, trace, 1), seed=seed, columns=False)
        return float(found.document["flows"][0]["delay_mean_s"])

    # Nothing else is drawn in this network.
    assert len({delay("recorded", seed) for seed in range(1, 7)}) == 1
    assert len({delay("drawn", seed) for seed in range(1, 7)}) == 6
    assert delay("drawn", 3) == delay("drawn", 3)


@pytest.mark.parametrize("trace", ['{ kind = "constant", rate = "1 Mbit/s" }', "FILE"])
def test_only_a_recording_that_repeats_begins_anywhere(tmp_path: Path, trace: str) -> None:
    (tmp_path / "t.down").write_text("1\n5\n9\n")
    written = trace.replace("FILE", f'"{tmp_path}/t.down"\nrepeat = false')
    text = SCENARIO.replace(
        'trace = { kind = "constant", rate = "12.032 Mbit/s" }',
        f'phase = "drawn"\ntrace = {written}',
        1,
    )
    with pytest.raises(backwater.errors.Refusal, match="begin anywhere"):
        backwater.run(text)
