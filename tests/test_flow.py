"""Flows over real UDP, on the loopback interface and behind an emulated link."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from backwater import _native, cli
from backwater.tools import catalogue
from command import HANGS_S

pytestmark = pytest.mark.skipif(not hasattr(_native, "flow_send"), reason="real flows need Linux")
BACKWATER = [sys.executable, "-m", "backwater"]
Line = dict[str, Any]
MAGIC = b"bwflow3"


@dataclass
class Listening:
    """A listener and its port."""

    process: subprocess.Popen[str]
    port: int

    def lines(self) -> list[Line]:
        """Its output until it ends."""
        out, err = self.process.communicate(timeout=HANGS_S)
        assert self.process.returncode == 0, err
        return checked(out)


@pytest.fixture
def listener() -> Iterator[Listening]:
    process = subprocess.Popen(
        [*BACKWATER, "flow", "listen", "--port", "0", "--bind", "127.0.0.1", "--once"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = json.loads(process.stdout.readline())
    assert line["kind"] == "listening"
    yield Listening(process, line["port"])
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def serving() -> Iterator[int]:
    """The port of a listener of many flows."""
    words = ["flow", "listen", "--port", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen([*BACKWATER, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["port"]
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=HANGS_S)
        assert checked(told)


def checked(out: str) -> list[Line]:
    """Lines that fit the schema."""
    schema = jsonschema.Draft202012Validator(catalogue.schemas()["flow"])
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        schema.validate(line)
    return lines


def send(port: int, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BACKWATER, "flow", "send", "127.0.0.1", "--port", str(port), *words],
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
        cwd=cwd,
    )


@pytest.mark.parametrize("transport", ["tcp", "datagram"])
def test_all_bytes_of_a_flow_arrive_and_both_ends_say_so(
    listener: Listening, transport: str
) -> None:
    done = send(listener.port, "--bytes", "1000000", "--transport", transport)
    assert done.returncode == 0, done.stderr
    summary = checked(done.stdout)[-1]
    assert (summary["kind"], summary["ended"]) == ("summary", "done")
    assert summary["acked_B"] == summary["received"]["delivered_B"] == 1_000_000
    assert summary["received"]["one_clock"] is True
    assert 0 < summary["rtt_min_s"] <= summary["rtt_p50_s"] <= summary["rtt_p95_s"]
    # The last line of the listener has what the sender was told.
    received = listener.lines()[-1]
    assert received["kind"] == "received"
    assert summary["received"].items() <= received.items()


def test_a_fixed_window_is_the_window_of_the_flow(serving: int) -> None:
    words = ("--controller", "fixed", "--set", "controller.window=7 packets", "--interval", "50ms")
    done = send(serving, *words, "--duration", "400ms", "--transport", "datagram")
    samples = [line for line in checked(done.stdout) if line["kind"] == "sample"]
    assert len(samples) >= 2
    # Seven packets of 1500 B with 76 B of headers each.
    assert {line["cwnd_B"] for line in samples} == {7 * 1424}
    assert all(line["in_flight_B"] <= 7 * 1424 for line in samples)


def test_controllers_of_the_table_run_over_real_sockets(serving: int) -> None:
    flows = {
        controller: subprocess.Popen(
            [
                *(*BACKWATER, "flow", "send", "127.0.0.1", "--port", str(serving)),
                *("--duration", "600ms", "--controller", controller, "--transport", transport),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        for controller, transport in [
            ("bbr3", "tcp"),
            ("sprout", "datagram"),
            ("abc", "tcp"),
            ("ledbat", "tcp"),
        ]
    }
    for controller, process in flows.items():
        out, _ = process.communicate(timeout=HANGS_S)
        assert process.returncode == 0, controller
        summary = checked(out)[-1]
        assert summary["acked_B"] > 0, controller
        assert summary["wrong_acks_pkts"] == 0, controller


CLASS = """
class Six:
    def __init__(self, setup):
        self.window = 6 * setup.mss_B

    def on_ack(self, ack):
        if self.window > 6 * {mss}:
            raise ValueError("the seventh")
        {more}
"""


def test_a_class_of_python_controls_a_real_flow(serving: int, tmp_path: Path) -> None:
    (tmp_path / "six.py").write_text(CLASS.format(mss=1448, more="pass"))
    words = ("--set", 'controller={ kind = "python", file = "six.py", class = "Six" }')
    done = send(serving, *words, "--bytes", "200000", "--interval", "1ms", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = checked(done.stdout)
    assert lines[-1]["acked_B"] == 200_000
    assert {line["cwnd_B"] for line in lines if line["kind"] == "sample"} <= {6 * 1448}


def test_a_class_that_raises_ends_the_flow_and_is_named(serving: int, tmp_path: Path) -> None:
    (tmp_path / "six.py").write_text(CLASS.format(mss=1448, more="self.window += 1448"))
    words = ("--set", 'controller={ kind = "python", file = "six.py", class = "Six" }')
    done = send(serving, *words, cwd=tmp_path)
    assert done.returncode == 3
    assert "the seventh" in done.stderr
    assert checked(done.stdout)[-1]["ended"] == "class"


@contextmanager
def acknowledging_at_once(port: int) -> Iterator[int]:
    """The port of a relay to a listener: what comes back leaves all at once each 20 ms."""
    ended = threading.Event()
    with (
        socket.socket(type=socket.SOCK_DGRAM) as front,
        socket.socket(type=socket.SOCK_DGRAM) as back,
    ):
        front.bind(("127.0.0.1", 0))
        back.connect(("127.0.0.1", port))

        def relay() -> None:
            sender, held, due = None, [], 0.0
            while not ended.is_set():
                ready, _, _ = select.select([front, back], [], [], 0.005)
                if front in ready:
                    data, sender = front.recvfrom(2048)
                    back.send(data)
                if back in ready:
                    held.append(back.recv(2048))
                if sender and time.monotonic() >= due:
                    for data in held:
                        front.sendto(data, sender)
                    held, due = [], time.monotonic() + 0.02

        thread = threading.Thread(target=relay)
        thread.start()
        try:
            yield front.getsockname()[1]
        finally:
            ended.set()
            thread.join()


FOUR = """
class Four:
    def __init__(self, setup):
        self.window = 4 * setup.mss_B

    def on_ack(self, ack):
        if ack.in_flight_B < 3 * {mss}:
            raise ValueError(f"{{ack.in_flight_B}} B in flight")
"""


def test_what_an_acknowledgement_lets_go_leaves_before_the_next_one_counts(
    serving: int, tmp_path: Path
) -> None:
    """As in the model. LEDBAT's window stays at its least where it does not (RFC 6817 2.4.2)."""
    (tmp_path / "four.py").write_text(FOUR.format(mss=1424))
    words = ("--set", 'controller={ kind = "python", file = "four.py", class = "Four" }')
    with acknowledging_at_once(serving) as port:
        done = send(port, *words, "--duration", "400ms", "--transport", "datagram", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # The window leaves once every 20 ms.
    assert checked(done.stdout)[-1]["acked_B"] > 10 * 4 * 1424


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_both_ends_with_their_summaries(number: signal.Signals) -> None:
    there = subprocess.Popen(
        [*BACKWATER, "flow", "listen", "--port", "0", "--bind", "127.0.0.1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert there.stdout is not None
    port = json.loads(there.stdout.readline())["port"]
    here = subprocess.Popen(
        [*BACKWATER, "flow", "send", "127.0.0.1", "--port", str(port), "--controller", "fixed"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert here.stdout is not None
    first = here.stdout.readline()
    here.send_signal(number)
    rest, _ = here.communicate(timeout=HANGS_S)
    lines = checked(first + rest)
    assert here.returncode == 128 + number
    assert lines[-1]["ended"] == "signal"
    assert lines[-1]["received"]["ended"] == "done"
    there.send_signal(number)
    told, _ = there.communicate(timeout=HANGS_S)
    # Ctrl-C is how a person ends a listener.
    assert there.returncode == (0 if number == signal.SIGINT else 143)
    assert checked(told)[-1]["kind"] == "received"


def test_a_port_in_use_an_unknown_host_and_nobody_there_are_told_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = str(taken.getsockname()[1])
        assert cli.main(["flow", "listen", "--bind", "127.0.0.1", "--port", port]) == 3
    busy = capsys.readouterr().err
    assert f"port {port}" in busy
    assert "--port" in busy
    assert cli.main(["flow", "send", "127.0.0.1", "--port", port, "--bytes", "1"]) == 3
    assert "nobody listens there" in capsys.readouterr().err
    # No name has an empty part, so nobody is asked for it.
    assert cli.main(["flow", "send", "no..host", "--bytes", "1"]) == 3
    assert "the host `no..host`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--controller", "cubik"), "cubic"),
        (("--controller", "xcp"), "routers"),
        (("--transport", "udp"), "transport"),
        (("--set", "controller.windw=3"), "windw"),
        (("--set", "packet=20 B"), "no room"),
        (("--duration", "3"), "length of time"),
    ],
)
def test_a_wrong_flow_is_refused_before_anything_is_sent(
    words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["flow", "send", "127.0.0.1", "--port", "9", *words]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert said.out == ""


def test_a_stranger_cannot_stop_a_listener(serving: int) -> None:
    draw = random.Random(1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.connect(("127.0.0.1", serving))
        for length in range(200):
            stranger.send(bytes([length % 7]) + draw.randbytes(length))
            stranger.send(bytes([length % 7]) + MAGIC + draw.randbytes(length))
    done = send(serving, "--bytes", "100000")
    assert done.returncode == 0, done.stderr
    assert checked(done.stdout)[-1]["received"]["delivered_B"] == 100_000


def hello(token: int) -> bytes:
    """A greeting without a cookie: boot of another machine, a legal flow."""
    fields = json.dumps({"transport": "tcp", "controller": {"kind": "cubic"}}).encode()
    return b"\x02" + MAGIC + token.to_bytes(8, "big") + bytes(4 * 8) + bytes(16) + fields


def test_greetings_whose_senders_hear_no_answer_fill_nothing(serving: int) -> None:
    # The port that each cookie was for.
    answers: dict[bytes, set[int]] = {}
    # A listener has a thousand flows at once.
    for number in range(1100):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as forged:
            forged.connect(("127.0.0.1", serving))
            forged.settimeout(20)
            forged.send(hello(number))
            answer = forged.recv(2048)
            assert answer[0] == 7
            assert len(answer) < len(hello(number))
            answers.setdefault(answer[16:], set()).add(forged.getsockname()[1])
    # Another cookie for each address, and none of another address is taken.
    assert len(answers) > 1000
    assert all(len(ports) == 1 for ports in answers.values())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.connect(("127.0.0.1", serving))
        stranger.settimeout(20)
        question = hello(1)
        stranger.send(question[:40] + min(answers) + question[48:])
        own = stranger.recv(2048)
        assert own[0] == 7
        stranger.send(question[:40] + own[16:] + question[48:])
        assert stranger.recv(2048)[0] == 3
        # It ends, so that the listener can.
        stranger.send(b"\x05" + MAGIC + (1).to_bytes(8, "big"))
        assert stranger.recv(2048)[0] == 6
    done = send(serving, "--bytes", "100000")
    assert done.returncode == 0, done.stderr


def test_a_listener_is_reached_from_this_machine_alone_unless_it_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [*BACKWATER, "flow", "listen", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["address"] == "127.0.0.1"
        process.send_signal(signal.SIGINT)
        process.wait()


def test_flows_go_on_where_nobody_reads_the_lines_of_the_listener() -> None:
    words = [*BACKWATER, "flow", "listen", "--port", "0", "--once", "--interval", "1ms"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["port"]
        # Lines of 150 B each millisecond fill a pipe of 64 kB after half a second.
        done = send(port, "--duration", "1500ms", "--controller", "fixed", "--interval", "1s")
        assert done.returncode == 0, done.stderr
        summary = checked(done.stdout)[-1]
        assert summary["received"]["ended"] == "done"
        told, _ = process.communicate(timeout=HANGS_S)
    assert process.returncode == 0
    assert checked(told)[-1]["kind"] == "received"


def test_a_reader_that_goes_away_ends_the_flow(serving: int) -> None:
    words = f"--port {serving} --interval 10ms --duration 10000s"
    command = f"{' '.join(BACKWATER)} flow send 127.0.0.1 {words} | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=HANGS_S, check=True)
    assert json.loads(done.stdout)["kind"] == "sample"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said(serving: int) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*BACKWATER, "flow", "send", "127.0.0.1", "--port", str(serving)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANGS_S,
            check=False,
        )
    assert done.returncode == 3
    assert os.strerror(28) in done.stderr
