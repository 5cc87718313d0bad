"""Controllers in files of WebAssembly, wherever a controller in a file of Python can be named."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backwater
from backwater import _native, errors
from backwater.cli import main
from backwater.evolve import candidate, leaderboard
from backwater.evolve.evaluate import Evaluator
from backwater.model import workers
from backwater.model.scenario import read
from backwater.study.axes import Value
from backwater.study.definition import Study
from backwater.tools import rfc9743, templates
from command import BACKWATER, HANGS_S, call
from test_emulate import REASON, emulate

ROOT = Path(__file__).parents[1]
#: `backwater new controller-rust`, compiled: New Reno.
NEW_RENO = ROOT / "crates" / "wasm" / "tests" / "newreno.wasm"


def module(*functions: bytes) -> bytes:
    """A controller with a window of 20 kB, and these instructions at each acknowledgement."""
    (on_ack,) = functions
    limits = b"\x20\x00\x42\x00\x37\x03\x00\x20\x00\x42\xa0\x9c\x01\x37\x03\x08"
    bodies = (b"\x41\x01", b"", b"\x41\x80\x08", b"\x42\x00", on_ack, limits)

    def section(number: int, *items: bytes) -> bytes:
        content = bytes([len(items)]) + b"".join(items)
        return bytes([number]) + _length(content) + content

    # () -> i32, (i64 i64), () -> i64, (i32)
    types = (b"\x60\x00\x01\x7f", b"\x60\x02\x7e\x7e\x00", b"\x60\x00\x01\x7e", b"\x60\x01\x7f\x00")
    names = (b"abi", b"new", b"buffer", b"traits", b"on_ack", b"limits")
    exported = [bytes([len(n)]) + n + bytes([0, i]) for i, n in enumerate(names)]
    code = [_length(b"\x00" + body + b"\x0b") + b"\x00" + body + b"\x0b" for body in bodies]
    return b"\0asm\x01\0\0\0" + b"".join(
        (
            section(1, *types),
            section(3, b"\x00", b"\x01", b"\x00", b"\x02", b"\x03", b"\x03"),
            section(5, b"\x00\x01"),
            section(7, b"\x06memory\x02\x00", *exported),
            section(10, *code),
        )
    )


def _length(content: bytes) -> bytes:
    value, out = len(content), bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


#: Traps once 100 kB are delivered (word 7), which is after 80 ms at the earliest.
TRAPS = module(b"\x20\x00\x29\x03\x38\x42\xa0\x8d\x06\x56\x04\x40\x00\x0b")
LOOPS = module(b"\x03\x40\x0c\x00\x0b")


def scenario(controller: object, seconds: int = 5) -> dict[str, Any]:
    """A controller beside CUBIC on 10 Mbit/s."""

    def flow(number: int, controller: object) -> dict[str, Any]:
        return {
            "from": f"s{number}",
            "to": f"d{number}",
            "transport": "tcp",
            "controller": controller,
            "source": {"kind": "bulk"},
        }

    return {
        "schema": "backwater/scenario/1",
        "duration": f"{seconds} s",
        "topology": {
            "kind": "dumbbell",
            "pairs": 2,
            "rate": "100 Mbit/s",
            "delay": "1 ms",
            "bottleneck": "10 Mbit/s",
            "bottleneck_delay": "18 ms",
        },
        "ports": {"L>R": {"buffer": "50 packets"}},
        "flows": {"f": flow(1, controller), "g": flow(2, {"kind": "cubic"})},
    }


def wasm(path: Path) -> dict[str, str]:
    return {"kind": "wasm", "file": str(path)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(NEW_RENO, tmp_path / "reno.wasm")
    (tmp_path / "traps.wasm").write_bytes(TRAPS)
    (tmp_path / "loops.wasm").write_bytes(LOOPS)
    (tmp_path / "none.wasm").write_text("#!/bin/sh\n")
    (tmp_path / "even").write_text("".join(f"{2 * n}\n" for n in range(1, 1000)))
    (tmp_path / "one.json").write_text(json.dumps(scenario(wasm(tmp_path / "reno.wasm"))))
    return tmp_path


def test_a_file_is_named_in_scenarios_and_in_python(folder: Path) -> None:
    native = backwater.run(scenario({"kind": "newreno"}))
    table = backwater.run(scenario(wasm(folder / "reno.wasm")))
    given = backwater.run(
        scenario({"kind": "fixed"}), controllers={"f": folder / "reno.wasm"}, columns=False
    )
    written = backwater.Controller.wasm(file=str(folder / "reno.wasm"))
    built = backwater.run(scenario({"kind": "fixed"}), set={"flows.f.controller": written})
    assert table.fingerprint == given.fingerprint == built.fingerprint == native.fingerprint


def test_a_run_that_fails_says_where_and_why(folder: Path) -> None:
    done = call("run", "one.json", "--set", "flows.f.controller.file=traps.wasm", cwd=folder)
    assert done.code == errors.EXIT_UNFINISHED
    for word in ("flows.f.controller.file", "traps.wasm", "on_ack", "unreachable", "correct"):
        assert word in done.err
    done = call("run", "one.json", "--set", "flows.f.controller.file=none.wasm", cwd=folder)
    assert done.code == errors.EXIT_REFUSED
    assert "is no WebAssembly module" in done.err


def test_other_runs_of_a_batch_go_on(folder: Path) -> None:
    names = ("reno", "traps", "loops", "reno")
    cases = [read(scenario(wasm(folder / f"{name}.wasm")))[0].resolve_once(None) for name in names]
    found: dict[int, tuple[str | None, str | None]] = {}
    workers.run_batch(cases, 2, lambda at, *rest: found.__setitem__(at, rest))
    assert [found[at][0] is not None for at in range(4)] == [True, False, False, True]
    assert "traps.wasm" in (found[1][1] or "")
    assert "more than 50000 instructions" in (found[2][1] or "")


def test_a_world_forks_and_stops_at_a_fault(folder: Path) -> None:
    whole = backwater.run(scenario(wasm(folder / "reno.wasm")))
    world = backwater.World(scenario(wasm(folder / "reno.wasm")))
    world.advance("2 s")
    fork = world.fork()
    for one in (fork, world):
        one.advance("5 s")
        assert one.fingerprint == whole.fingerprint
    failing = backwater.World(scenario(wasm(folder / "traps.wasm")))
    failing.advance("50 ms")
    with pytest.raises(errors.Unfinished, match=r"traps\.wasm"):
        failing.advance("2 s")


def test_worlds_with_an_agent_go_on_beside_one_that_fails(folder: Path) -> None:
    def stage(name: str) -> _native.Resolved:
        made = scenario(wasm(folder / name))
        made["flows"]["g"]["controller"] = {"kind": "agent"}
        return read(made)[0].resolve(None)

    made = _native.Worlds([stage("reno.wasm"), stage("traps.wasm")], 2, 1, [])
    seen = np.zeros(2 * len(made.columns()))
    clock = ("every", 1e12, 0, 0)
    assert not made.reset([0, 1], [0, 1], [[], []], [clock] * 2, [([], 0)] * 2, seen)
    settings, ended = np.array([20_000.0, np.inf] * 2), np.zeros(2, dtype=bool)
    ((at, why),) = made.step(settings, np.ones(2, dtype=bool), seen, ended)
    assert at == 1
    assert "traps.wasm" in why
    assert not made.step(settings, np.array([True, False]), seen, ended)


def test_a_file_enters_contest_scorecard_hunt_and_evolve(folder: Path) -> None:
    words = ("fixed", "reno.wasm", "traps.wasm", "--duration", "5", "--trace", "even", "even")
    done = call("contest", *words, "--json", cwd=folder)
    assert "traps.wasm over even" in done.err
    found = {row["controller"]: row for row in done.document["standings"]["known"]}
    assert found["traps.wasm"]["score_ln"] is None
    native = call("contest", "newreno", *words[3:], "--json", cwd=folder).document
    ours = found["reno.wasm"]["score_ln"]
    assert ours == native["standings"]["known"][0]["score_ln"] is not None
    hunted = [
        call("hunt", name, "--evals", "2", "--out", f"of-{name}", "--json", cwd=folder).document
        for name in ("reno.wasm", "newreno")
    ]
    assert hunted[0]["methods"] == hunted[1]["methods"]
    assert hunted[0]["finding"]["fingerprints"] == hunted[1]["finding"]["fingerprints"]
    assert call("scorecard", "none.wasm", "--quick", cwd=folder).code != errors.EXIT_DONE
    checked = call("evolve", "check", "reno.wasm", "--json", cwd=folder)
    assert checked.code == errors.EXIT_DONE, checked.err


def test_a_file_is_a_row_of_the_board(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same figures and fingerprints as the controller of the tables that it is."""
    monkeypatch.chdir(folder)
    # Fingerprints are of whole runs, so that few and short ones tell two controllers apart.
    monkeypatch.setattr(leaderboard, "HUNT", 20)
    monkeypatch.setattr(leaderboard, "SEEDS", 2)
    monkeypatch.setattr(leaderboard, "SECONDS", 5.0)
    stages = ((3, 2.0), (10, 2.0), (10, 2.0))
    native, ours = (
        leaderboard.row(candidate.read(name), Evaluator(2, stages), None, None)
        for name in ("newreno", "reno.wasm")
    )
    assert set(native.cells) == set(leaderboard.COLUMNS)
    # Commands name the file as it was given, since its folder is nobody else's.
    assert ours.cells["contest"].command.startswith("backwater contest reno.wasm ")
    assert ours.value == native.value
    for name, cell in native.cells.items():
        assert (ours.cells[name].text, ours.cells[name].note) == (cell.text, cell.note), name


def shortened(study: Study) -> Study:
    """The scorecard with 2 s in each case after those that do not count."""

    def of(case: Value) -> Value:
        ends = "22 s" if "warmup" in dict(case.sets) else "12 s"
        return replace(case, sets=(*case.sets, ("duration", ends)))

    axes = (
        replace(axis, values=tuple(map(of, axis.values))) if axis.name == "case" else axis
        for axis in study.axes
    )
    return replace(study, axes=tuple(axes))


def test_a_file_has_a_scorecard(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same figures as the controller of the tables that it is, all criteria, one seed."""
    whole = rfc9743.study
    monkeypatch.setattr(rfc9743, "study", lambda *words: shortened(whole(*words)))
    monkeypatch.chdir(folder)
    found = []
    for name in ("newreno", "reno.wasm"):
        main(["scorecard", name, "--seeds", "1", "--out", f"of-{name}", "--json"])
        document = json.loads(capsys.readouterr().out)
        rows = [row for row in document["rows"] if row["controller"] == name]
        found.append([(row["title"], row["claim"], row["measured"]) for row in rows])
    assert found[0] == found[1]
    assert sum(measured is not None for _, _, measured in found[0]) > 10


# Sends a flow from inside an emulator to a listener outside.
LISTEN = [*BACKWATER, "flow", "listen", "--port", "9191", "--bind", "0.0.0.0", "--once"]


@pytest.mark.skipif(REASON is not None, reason=REASON or "")
def test_a_file_sends_behind_an_emulator(folder: Path) -> None:
    send = [*BACKWATER, "flow", "send", "$MAHIMAHI_BASE", "--port", "9191"]
    send += ["--controller", "reno.wasm", "--bytes", "600000"]
    ended = emulate(
        folder,
        "--late 9 --json delay 20 rate 10Mbit/s 10Mbit/s",
        beside=" ".join(LISTEN),
        program=f"sh -c '{' '.join(send)}'",
    )
    assert ended.code == 0, ended.err
    line = next(line for line in ended.err.splitlines() if '"acked_B"' in line)
    summary = json.loads(line)
    assert summary["acked_B"] == 600_000
    # 600 kB take half a second at 10 Mbit/s, and a round trip is 40 ms at least.
    assert summary["rtt_min_s"] >= 0.040


@pytest.mark.skipif(REASON is not None, reason=REASON or "")
def test_a_file_is_a_simulated_flow_of_an_emulator(folder: Path) -> None:
    """A flow of the model beside real programs; a file that traps ends the emulation by name."""
    made = scenario(wasm(folder / "reno.wasm"))
    made["flows"]["real"] = {"from": "s2", "to": "d2", "source": {"kind": "outside"}}
    (folder / "beside.json").write_text(json.dumps(made))
    ended = emulate(folder, "--late 9 --json scenario beside.json --attach 's2=sleep 1'")
    assert ended.code == 0, ended.err


@pytest.mark.skipif(not hasattr(_native, "flow_send"), reason="real flows need Linux")
@pytest.mark.parametrize("name", ["reno", "traps"])
def test_a_file_sends_a_live_flow(folder: Path, name: str) -> None:
    listen = [*BACKWATER, "flow", "listen", "--port", "0", "--bind", "127.0.0.1", "--once"]
    with subprocess.Popen(listen, stdout=subprocess.PIPE, text=True) as listening:
        assert listening.stdout is not None
        port = json.loads(listening.stdout.readline())["port"]
        words = ("--port", port, "--controller", f"{name}.wasm", "--bytes", 400_000)
        sent = call("flow", "send", "127.0.0.1", *words, cwd=folder)
        listening.communicate(timeout=HANGS_S)
    if name == "traps":
        assert sent.code == errors.EXIT_UNFINISHED
        assert "traps.wasm`" in sent.err
        assert "on_ack" in sent.err
        return
    assert sent.code == 0, sent.err
    summary = json.loads(sent.out.splitlines()[-1])
    assert summary["acked_B"] == 400_000


def commanded(path: Path) -> list[str]:
    """The command in the head of a template, which compiles it."""
    lines = [line.strip(" */!\\") for line in path.read_text().splitlines()]
    first = next(i for i, line in enumerate(lines) if line.startswith(("rustc --", "clang --")))
    return f"{lines[first]} {lines[first + 1]}".split()


def test_the_template_in_rust_runs_once_compiled(tmp_path: Path) -> None:
    made = templates.new("controller-rust", "my-own", tmp_path)
    built = subprocess.run(commanded(made[1]), cwd=tmp_path, capture_output=True, text=True)
    if "target may not be installed" in built.stderr:
        pytest.skip("rustc has no target wasm32-unknown-unknown here")
    assert built.returncode == 0, built.stderr
    ours = backwater.run(made[0])
    native = backwater.run(made[0], set={"flows.mine.controller": {"kind": "newreno"}})
    assert ours.fingerprint == native.fingerprint


def c_compiler() -> list[str] | None:
    """A compiler of C for wasm32: clang, or that of the package `ziglang`."""
    if shutil.which("clang") and shutil.which("wasm-ld"):
        return ["clang", "--target=wasm32"]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc", "--target=wasm32-freestanding"]
    return None


@pytest.mark.skipif(c_compiler() is None, reason="neither clang with wasm-ld nor ziglang is here")
def test_the_template_in_c_runs_once_compiled(tmp_path: Path) -> None:
    made = templates.new("controller-c", "my-own", tmp_path)
    line = [*(c_compiler() or ()), *commanded(made[1])[2:]]
    built = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ours = backwater.run(made[0])
    native = backwater.run(made[0], set={"flows.mine.controller": {"kind": "newreno"}})
    assert ours.fingerprint == native.fingerprint


@pytest.mark.skipif(sys.platform == "win32", reason="a compiler named cc")
def test_the_template_in_c_is_new_reno(tmp_path: Path) -> None:
    """The compiler of this machine makes a library of it; RFC 5681 and 6582 give the windows."""
    made = templates.new("controller-c", "my-own", tmp_path)
    assert commanded(made[1])[:2] == ["clang", "--target=wasm32"]
    library = tmp_path / "own.so"
    words = ["cc", "-std=c11", "-Wall", "-Werror", "-Wno-attributes", "-shared", "-fPIC"]
    subprocess.run([*words, str(made[1]), "-o", str(library)], check=True)
    own = ctypes.CDLL(str(library))
    buffer = (ctypes.c_uint64 * 32)()

    def told(function: str, **words: int) -> int:
        buffer[:] = [0] * 32
        for word, value in words.items():
            buffer[int(word[1:])] = value
        getattr(own, function)(buffer)
        own.limits(buffer)
        return buffer[1]

    mss = 1000
    own.begin(ctypes.c_uint64(mss), ctypes.c_uint64(10 * mss))
    assert own.abi() == 1
    # Slow start: one for each, none in recovery or where the window is not used.
    assert told("on_ack", w3=mss, w15=2) == 11 * mss
    assert told("on_ack", w3=mss, w15=2 | 4) == told("on_ack", w3=mss) == 11 * mss
    # Half of the flight at a loss; at its end no more than the flight and a segment.
    assert told("on_congestion", w1=0, w2=8 * mss) == 4 * mss
    assert told("on_congestion", w1=4, w2=2 * mss) == 3 * mss
    # Slow start to 4 segments, then a segment for each window.
    windows = [told("on_ack", w3=mss, w15=2) // mss for _ in range(6)]
    assert windows == [4, 4, 4, 4, 5, 5]
    assert told("on_congestion", w1=2, w2=5 * mss) == mss
    assert told("on_congestion", w1=3, w2=mss) == 5 * mss
    assert told("on_idle", w1=2 * mss, w2=0) == 2 * mss
