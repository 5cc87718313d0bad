"""Cases of a batch, in threads of this process or in worker processes.

Cases with classes from files of the user run in worker processes: whatever a class does to its
process costs its own case. There one call may take so much time, and the case so much memory.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from backwater import _native
from backwater.errors import BackwaterError, Refusal, Unfinished, from_fields, refusing
from backwater.model import arguments
from backwater.model.outcome import document_of, run_resolved

CALL_SECONDS = "BACKWATER_CALL_SECONDS"
MEMORY_MB = "BACKWATER_MEMORY_MB"
DEFAULTS = {CALL_SECONDS: 30.0, MEMORY_MB: 4000.0}
# Seconds that a worker has to end its child and itself.
PATIENCE_S = 2.0
# The folders of modules are those of this process; the working directory is not among them.
PROGRAM = """\
import sys
sys.path[:] = sys.argv[1:]
from backwater.model import worker
worker.serve()
"""
# A worker computes on one core.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

Done = Callable[[int, str | None, str | None], None]
Keep = Callable[[int, _native.Stored | None, str | None], None]


@dataclass(frozen=True)
class Limits:
    """The limits of a class: seconds for one call, bytes beside those of the process."""

    call_s: float
    memory_B: int  # noqa: N815

    @staticmethod
    def of_environment() -> Limits:
        """The defaults, or what environment variables say."""
        found = {}
        for name, default in DEFAULTS.items():
            written = os.environ.get(name, str(default))
            try:
                found[name] = float(written)
            except ValueError:
                found[name] = 0
            if not 0 < found[name] < 1e9:
                raise Refusal(
                    f"{name} is `{written}`",
                    place=name,
                    fix=f"set it to a positive number, such as {default:g}",
                )
        return Limits(found[CALL_SECONDS], int(found[MEMORY_MB] * 1e6))


class Worker:
    """A worker process, which runs one case at a time."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.resolved: _native.Resolved | None = None
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Signals of the terminal go to the command alone.
            start_new_session=True,
            env={**ONE_THREAD, **os.environ},
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def send(self, resolved: _native.Resolved, **wanted: Any) -> None:
        """Starts a case, or the check of one."""
        assert self.process.stdin is not None, "a pipe"
        self.resolved = resolved
        request = {
            "recipe": json.loads(resolved.recipe),
            "call_s": self.limits.call_s,
            "memory_B": self.limits.memory_B,
            **dict.fromkeys(("name", "record", "pcap", "mahimahi_log", "series")),
            **dict.fromkeys(("max_wall_s", "max_memory", "perfetto", "qlog", "trial")),
            "check": False,
            **wanted,
        }
        # A worker that has ended is noticed where its answer is missing.
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()

    def answer(self) -> str | None:
        """The document of the case, waiting for it; none of a check."""
        assert self.process.stdout is not None, "a pipe"
        line = self.process.stdout.readline()
        try:
            said: Any = json.loads(line)
        except ValueError:
            said = {"died": "was ended together with its worker"}
        if "error" in said:
            raise from_fields(said["error"])
        if "document" in said:
            document: str | None = said["document"]
            return document
        raise self._died(said)

    def _died(self, said: Mapping[str, str]) -> Died:
        assert self.resolved is not None, "a case was sent"
        places = ", ".join(self.resolved.hosted)
        if "slow" in said:
            what = f"{said['slow']} failed: a call took longer than {self.limits.call_s:g} s"
            return Died(what, place=said["place"], fix=f"correct the class, or set {CALL_SECONDS}")
        return Died(
            f"the process of {places} {said['died']}",
            place=places,
            fix=f"correct the class; if it needs more memory, set {MEMORY_MB}",
        )

    @property
    def alive(self) -> bool:
        """Whether it takes another case."""
        return self.process.poll() is None

    def hang_up(self) -> None:
        """Tells it to end its child and itself."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def close(self) -> None:
        """Waits for its end."""
        self.hang_up()
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Died(Unfinished):
    """The process of a class ended before its run did."""


def run_batch(
    cases: Sequence[_native.Resolved],
    workers: int,
    done: Done,
    *,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> None:
    """Runs `cases` and calls `done(index, document, error)` as each finishes.

    The budget is that of each case: seconds of wall time, and memory such as "4 GB".
    """
    _run(cases, workers, (done, done), False, max_wall_s, max_memory)


def run_trials(
    cases: Sequence[_native.Resolved],
    workers: int,
    done: Done,
    figures: list[str],
    looks: tuple[int, list[str]] | None,
) -> None:
    """Runs `cases`, each in a process of its own, and calls `done` as each finishes.

    In the document's place `done` receives figures, looks and fingerprint as JSON.
    """
    wanted = {"trial": {"figures": figures, "looks": looks}}
    _run_hosted(cases, range(len(cases)), workers, done, wanted)


def run_stored(
    cases: Sequence[_native.Resolved],
    workers: int,
    keep: Keep,
    *,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
) -> None:
    """Runs `cases` and calls `keep(index, stored, error)`, with what a store keeps of each.

    Threads make that of a document, so that the caller's thread has only to write it.
    """
    _run(cases, workers, (keep, storing(keep)), True, max_wall_s, max_memory)


def _run(
    cases: Sequence[_native.Resolved],
    workers: int,
    told: tuple[Callable[[int, Any, str | None], None], Done],
    store: bool,
    max_wall_s: float | None,
    max_memory: str | None,
) -> None:
    """Runs cases; `told` is for those of this process, and for those with classes of a user."""
    ours, hosted = told
    here, there = _by_host(cases)
    if here:
        native: Any = _native.run_batch
        native(
            [cases[index] for index in here],
            workers,
            lambda at, found, error: ours(here[at], found, error),
            store=store,
            budget=_numbers(max_wall_s, max_memory),
        )
    if there:
        budget = {"max_wall_s": max_wall_s, "max_memory": max_memory}
        _run_hosted(cases, there, workers, hosted, budget)


def storing(keep: Keep) -> Done:
    """What takes documents, and gives `keep` what a store keeps of them."""

    def done(index: int, document: str | None, error: str | None) -> None:
        keep(index, None if document is None else _native.stored(document), error)

    return done


def _by_host(cases: Sequence[_native.Resolved]) -> tuple[list[int], list[int]]:
    """Numbers of the cases that run in this process, and of those with classes of a user."""
    numbers: tuple[list[int], list[int]] = ([], [])
    for index, case in enumerate(cases):
        numbers[bool(case.hosted)].append(index)
    return numbers


def _numbers(max_wall_s: float | None, max_memory: str | None) -> tuple[float | None, int | None]:
    """A budget in seconds and bytes."""
    return arguments.seconds(max_wall_s), arguments.memory(max_memory)


def _run_hosted(
    cases: Sequence[_native.Resolved],
    order: Sequence[int],
    workers: int,
    done: Done,
    wanted: Mapping[str, Any],
) -> None:
    limits = Limits.of_environment()
    waiting = iter(order)
    pool: dict[Worker, int] = {}
    with selectors.DefaultSelector() as ready, ExitStack() as stack:
        stack.callback(_close, pool)

        def give(worker: Worker | None) -> None:
            index = next(waiting, None)
            if index is None:
                return
            if worker is None or not worker.alive:
                worker = Worker(limits)
            pool[worker] = index
            worker.send(cases[index], **wanted)
            assert worker.process.stdout is not None, "a pipe"
            ready.register(worker.process.stdout, selectors.EVENT_READ, worker)

        for _ in range(min(workers, len(order))):
            give(None)
        while ready.get_map():
            for event, _ in ready.select():
                worker: Worker = event.data
                ready.unregister(event.fileobj)
                try:
                    document, error = worker.answer(), None
                except BackwaterError as failure:
                    document, error = None, failure.rendered or failure.what
                done(pool[worker], document, error)
                give(worker)


def _close(pool: Iterable[Worker]) -> None:
    # All end at once; then each is waited for.
    for worker in pool:
        worker.hang_up()
    for worker in pool:
        worker.close()


# The worker that checks and runs single scenarios, while there is one.
_single: list[Worker] = []


@contextmanager
def _worker() -> Iterator[Worker]:
    """The worker of this process; a new one where the last was interrupted or has ended."""
    if not _single or not _single[0].alive or _single[0].limits != Limits.of_environment():
        _close_single()
        _single.append(Worker(Limits.of_environment()))
    try:
        yield _single[0]
    except BackwaterError:
        raise
    except BaseException:
        # Its further output answers a question that nobody asks.
        _close_single()
        raise


@atexit.register
def _close_single() -> None:
    while _single:
        _single.pop().close()


def check(resolved: _native.Resolved) -> None:
    """Refuses what cannot be built, without running it.

    A class that ends its process is left to the run, which names it.
    """
    if not resolved.hosted:
        with refusing():
            resolved.check()
        return
    with _worker() as worker, suppress(Died):
        worker.send(resolved, check=True)
        worker.answer()


def run_one(
    resolved: _native.Resolved,
    name: str,
    record: Path | None = None,
    pcap: Path | None = None,
    mahimahi_log: Mapping[str, str] | None = None,
    series: str | None = None,
    max_wall_s: float | None = None,
    max_memory: str | None = None,
    perfetto: Path | None = None,
    qlog: Path | None = None,
) -> dict[str, Any]:
    """The document of one run."""
    if not resolved.hosted:
        outcome = run_resolved(
            resolved,
            record,
            pcap,
            name=name,
            mahimahi_log=mahimahi_log,
            series=series,
            max_wall_s=max_wall_s,
            max_memory=max_memory,
            perfetto=perfetto,
            qlog=qlog,
        )
        return document_of(outcome, name)
    with _worker() as worker:
        worker.send(
            resolved,
            name=name,
            record=None if record is None else str(record),
            pcap=None if pcap is None else str(pcap),
            mahimahi_log=dict(mahimahi_log or {}),
            series=series,
            max_wall_s=max_wall_s,
            max_memory=max_memory,
            perfetto=None if perfetto is None else str(perfetto),
            qlog=None if qlog is None else str(qlog),
        )
        document: dict[str, Any] = json.loads(worker.answer() or "{}")
    return document
