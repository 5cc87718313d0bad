"""A process for scenarios with classes from files of the user: it runs each case in a child.

It executes no class itself, and says how each child ended. Requests and answers are lines of JSON.
What a class prints on stdout goes to stderr.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import BackwaterError, Unfinished, refusing
from backwater.model.outcome import document_of, run_resolved, tried

# Seconds between looks whether the child has ended.
LOOK_S = 0.05
CHUNK = 1 << 16


def serve() -> None:
    """Answers requests until the other end of the pipe is closed."""
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    # The command that started this process decides what a signal ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(requests, "rb") as lines, os.fdopen(replies, "wb") as answers:
        for line in lines:
            answers.write(_answer(line, lines.fileno(), answers.fileno()) + b"\n")
            answers.flush()


def _answer(request: bytes, requests: int, replies: int) -> bytes:
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            for descriptor in (receive, requests, replies):
                os.close(descriptor)
            _work(json.loads(request), send)
        finally:
            os._exit(1)
    os.close(send)
    # In the child and here, whichever comes first.
    with suppress(OSError):
        os.setpgid(child, child)
    try:
        said, status = _wait(child, receive, requests)
    finally:
        os.close(receive)
        # Its own children, if it has any.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
    return _outcome(said, status)


def _wait(child: int, receive: int, requests: int) -> tuple[bytes, int]:
    """The bytes that the child wrote, and how it ended; ends this process if nobody waits."""
    os.set_blocking(receive, False)
    said = b""
    watched = [receive, requests]
    while True:
        ready, _, _ = select.select(watched, [], [], LOOK_S if receive in watched else LOOK_S / 50)
        if requests in ready:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os._exit(0)
        # Before reading: what the child wrote is there when it has ended.
        ended, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        closed = False
        with suppress(BlockingIOError):
            while not closed:
                chunk = os.read(receive, CHUNK)
                said += chunk
                closed = not chunk
        if ended:
            if os.WIFSTOPPED(status):
                # The thread that limits calls has stopped, too.
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            return said, status
        if closed:
            watched = [requests]


def _outcome(said: bytes, status: int) -> bytes:
    line, whole, _ = said.partition(b"\n")
    if whole and (status == 0 or b'"slow"' in line):
        return line
    if os.WIFSTOPPED(status):
        name = signal.Signals(os.WSTOPSIG(status)).name
        return json.dumps({"died": f"was stopped by the signal {name}"}).encode()
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        died = f"ended with exit code {code} before its run did"
    else:
        died = f"was ended by the signal {signal.Signals(-code).name}"
    return json.dumps({"died": died}).encode()


def _work(request: dict[str, Any], send: int) -> None:
    """The child: runs the case, answers and ends."""
    with suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    own = os.getpid()
    lift = _limit_memory(request["memory_B"])
    _native.limit_calls(request["call_s"], send)
    try:
        answer = _run(request)
    except BackwaterError as error:
        answer = {"error": error.fields()}
    # A panic of the engine is a BaseException.
    except BaseException as error:
        answer = {"error": Unfinished(f"{type(error).__name__}: {error}").fields()}
    if os.getpid() == own:
        lift()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        with os.fdopen(send, "wb") as pipe:
            pipe.write(json.dumps(answer).encode() + b"\n")
    # Where a class has forked, only the first process answers.
    os._exit(0)


def _limit_memory(most_B: int) -> Callable[[], None]:  # noqa: N803
    """Limits what this process may take beyond what it has; returns what lifts the limit."""
    # A fault in C leaves no file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _address_space_B() + most_B
    with suppress(ValueError, OSError):
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space_B() -> int:  # noqa: N802
    """The address space of this process, where the system tells."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def made_again(recipe: Mapping[str, Any]) -> _native.Resolved:
    """The resolved scenario that another process has made; raises Refusal, Unfinished."""
    reader = _native.Scenario.from_json if recipe["json"] else _native.Scenario.from_toml
    with refusing():
        scenario = reader(recipe["text"], recipe["name"], recipe["folder"])
        for path, value, origin in recipe["sets"]:
            scenario.set(path, value, origin)
        resolved = scenario.resolve(recipe["seed"])
    if resolved.key() != recipe["key"]:
        raise Unfinished("a file of the scenario has changed since it was read", fix="run again")
    return resolved


def _run(request: dict[str, Any]) -> dict[str, Any]:
    resolved = made_again(request["recipe"])
    if request["check"]:
        with refusing():
            resolved.check()
        return {"document": None}
    if (trial := request["trial"]) is not None:
        looks = None if trial["looks"] is None else tuple(trial["looks"])
        return {"document": json.dumps(tried(resolved, trial["figures"], looks))}
    outcome = run_resolved(
        resolved,
        request["record"],
        request["pcap"],
        name=request["name"] or "",
        mahimahi_log=request["mahimahi_log"],
        series=request["series"],
        max_wall_s=request["max_wall_s"],
        max_memory=request["max_memory"],
        perfetto=request["perfetto"],
        qlog=request["qlog"],
    )
    return {"document": json.dumps(document_of(outcome, request["name"]))}
