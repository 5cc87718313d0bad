"""Mutation testing with one build: all mutants are in it, and each test process chooses one.

    python scripts/mutants.py [--only TEXT] [--seconds 20] [--hours 2] [--again survived]
        [--crates transport]

Copies the workspace to `target/mutate/tree` and lets `scripts/mutate` write the mutants into it,
without those that do not compile. Runs each test once to learn which mutants it reaches. Then runs,
for each mutant in shuffled order, the tests that reach it: those beside the code first, then the
fast ones. Each result is a line of `target/mutate/results.jsonl`; started again, it goes on where
it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants_build import CRATES, LIST, OUT, Key, Mutant, binaries, build, key, mutants

TESTS = OUT / "tests.json"
REACHED = OUT / "reached"
RESULTS = OUT / "results.jsonl"
SEED = 13
# The state of a mutant that waits for slower tests: a word of `--again`.
FAST = "survived-fast"
# A test is ended after this many times its usual time, and these seconds more.
TIMES, MORE_SECONDS = 10, 2
# The memory of one test process in KiB.
MEMORY = 4_000_000
# How long the tests of the first process of a mutant take; each further one takes twice as long.
FIRST_SECONDS = 0.05
# A test that ends so was ended from outside.
STOPPED = {signal.SIGINT, signal.SIGTERM}


@dataclass(frozen=True)
class Test:
    """One test of one program, and what it needs without a mutant."""

    binary: str
    folder: str
    name: str
    seconds: float
    reaches: tuple[int, ...]


def command(binary: str, tests: list[str]) -> list[str]:
    """Runs tests in one process with bounded memory."""
    limit = f'ulimit -v {MEMORY}; exec "$0" "$@"'
    return ["sh", "-c", limit, binary, "--exact", "--test-threads", "1", "--quiet", *tests]


def names(binary: str, folder: str) -> list[str]:
    """The tests of a program."""
    ran = subprocess.run(
        [binary, "--list"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    )
    lines = ran.stdout.splitlines()
    return [line.removesuffix(": test") for line in lines if line.endswith(": test")]


def measured(binary: str, folder: str, name: str, longest: float) -> Test | None:
    """Runs one test without a mutant; nothing if it takes longer than so many seconds."""
    key = hashlib.sha256(f"{binary} {name}".encode()).hexdigest()
    file = REACHED / key
    file.unlink(missing_ok=True)
    begun = time.monotonic()
    try:
        ran = subprocess.run(
            command(binary, [name]),
            cwd=folder,
            env=os.environ | {"BACKWATER_MUTANT_REACHED": str(file)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=longest,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"takes too long, left out: {Path(binary).name} {name}", flush=True)
        return None
    seconds = time.monotonic() - begun
    if ran.returncode:
        print(f"fails without a mutant, left out: {Path(binary).name} {name}", flush=True)
        return None
    data = file.read_bytes() if file.exists() else b""
    found = (int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4))
    return Test(binary, folder, name, seconds, tuple(found))


def program(binary: str) -> str:
    """The name of a test program without the hash of its build."""
    return Path(binary).name.rpartition("-")[0]


def reach(workers: int, longest: float, crates: Collection[str]) -> None:
    """Which mutants each test reaches; tests known by name are not run again."""
    REACHED.mkdir(parents=True, exist_ok=True)
    listed = hashlib.sha256(LIST.read_bytes()).hexdigest()
    known = json.loads(TESTS.read_text(encoding="utf-8")) if TESTS.exists() else {}
    old = known["tests"] if known.get("list") == listed else []
    before = {(program(one["binary"]), one["folder"], one["name"]): one for one in old}
    every = [
        (binary, folder, name)
        for binary, folder in binaries(crates)
        for name in names(binary, folder)
    ]
    print(f"{len(every)} tests", flush=True)
    begun = time.monotonic()

    def told(one: tuple[str, str, str]) -> Test | None:
        at = before.get((program(one[0]), *one[1:]))
        return Test(**at | {"binary": one[0]}) if at else measured(*one, longest)

    tests = []
    with ThreadPoolExecutor(workers) as pool:
        for done, test in enumerate(pool.map(told, every), 1):
            if test:
                tests.append(vars(test))
            if done % 200 == 0:
                print(f"{done} of {len(every)}, {time.monotonic() - begun:.0f} s", flush=True)
    TESTS.write_text(json.dumps({"list": listed, "tests": tests}), encoding="utf-8")


def beside(file: str) -> str:
    """How the names of tests begin that lie in a file of a crate, such as `record::delays::`."""
    words = Path(file).with_suffix("").parts[3:]
    return "".join(f"{word}::" for word in words if word not in {"lib", "mod"})


def batches(tests: list[Test], file: str, seconds: float) -> Iterator[list[Test]]:
    """Tests beside the code first, then the fast ones, in processes that take longer and longer."""
    spent, bound = 0.0, FIRST_SECONDS
    batch: list[Test] = []
    own = beside(file)
    for one in sorted(tests, key=lambda test: (not test.name.startswith(own), test.seconds)):
        if spent and spent + one.seconds > seconds:
            break
        spent += one.seconds
        batch.append(one)
        if sum(test.seconds for test in batch) > bound:
            yield from by_binary(batch)
            batch, bound = [], bound * 2
    yield from by_binary(batch)


def by_binary(batch: list[Test]) -> Iterator[list[Test]]:
    """The tests of each program."""
    groups: dict[str, list[Test]] = defaultdict(list)
    for one in batch:
        groups[one.binary].append(one)
    yield from groups.values()


def fails(mutant: int, batch: list[Test]) -> str | None:
    """The reason why tests fail with a mutant; nothing if they pass."""
    usual = sum(one.seconds for one in batch)
    try:
        ran = subprocess.run(
            command(batch[0].binary, [one.name for one in batch]),
            cwd=batch[0].folder,
            env=os.environ | {"BACKWATER_MUTANT": str(mutant)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMES * usual + MORE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    if -ran.returncode in STOPPED:
        raise InterruptedError(f"somebody ended a test of mutant {mutant}")
    return "killed" if ran.returncode else None


def outcome(mutant: Mutant, tests: list[Test], seconds: float) -> dict[str, Any]:
    """The fate of a mutant, and the tests that showed it."""
    begun = time.monotonic()
    told = {key: mutant[key] for key in ("id", "file", "line", "column", "what", "function")}
    told |= {"outcome": "survived" if tests else "not reached", "reaching": len(tests), "run": 0}
    for batch in batches(tests, mutant["file"], seconds):
        told["run"] += len(batch)
        status = fails(mutant["id"], batch)
        if status:
            told |= {"outcome": status, "by": [one.name for one in batch][:5]}
            break
    return told | {"seconds": round(time.monotonic() - begun, 2)}


def tried() -> dict[Key, Mutant]:
    """The last outcome of each mutant."""
    if not RESULTS.exists():
        return {}
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    return {key(one): one for one in map(json.loads, lines)}


def listed(path: Path) -> set[Key]:
    """The mutants of a file, each a line of JSON."""
    return {key(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()}


def due_again(told: Mutant, again: Collection[str]) -> bool:
    """Whether a mutant is tried again: by its outcome, or because slower tests have not run."""
    waits = told["outcome"] == "survived" and told["run"] < told["reaching"]
    return told["outcome"] in again or (waits and FAST in again)


def run(given: argparse.Namespace) -> None:
    """Tries what has not been tried, and what is to be tried again."""
    reaching: dict[int, list[Test]] = defaultdict(list)
    for one in json.loads(TESTS.read_text(encoding="utf-8"))["tests"]:
        test = Test(**one)
        for mutant in test.reaches:
            reaching[mutant].append(test)
    every = mutants()
    random.Random(SEED).shuffle(every)
    done = {at for at, one in tried().items() if not due_again(one, given.again)}
    todo = [one for one in every if key(one) not in done and given.only in one["file"]]
    begun = time.monotonic()

    def result(mutant: Mutant) -> dict[str, Any] | None:
        if time.monotonic() - begun > given.hours * 3600:
            return None
        return outcome(mutant, reaching[mutant["id"]], given.seconds)

    with RESULTS.open("a", encoding="utf-8") as file, ThreadPoolExecutor(given.workers) as pool:
        waiting = [pool.submit(result, mutant) for mutant in todo]
        for count, future in enumerate(as_completed(waiting), 1):
            told = future.result()
            if told is None:
                continue
            file.write(json.dumps(told) + "\n")
            file.flush()
            if count % 100 == 0:
                spent = time.monotonic() - begun
                left = spent / count * (len(todo) - count)
                print(f"{count} of {len(todo)}, {spent:.0f} s, {left:.0f} s to go", flush=True)


def main() -> None:
    """Builds, measures and runs, or one of these."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="only files whose path has this text")
    parser.add_argument("--seconds", type=float, default=20, help="of tests for one mutant")
    parser.add_argument("--longest", type=float, default=1e6, help="seconds of a test that counts")
    parser.add_argument("--hours", type=float, default=1e6, help="begin no mutant after this time")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--step", choices=("build", "reach", "run"), help="only this")
    words = "try these outcomes again: survived; survived-fast, where slower tests have not run"
    parser.add_argument("--again", nargs="*", default=(), help=words)
    words = "mutate and test these crates alone, such as `transport`, whose tests build fast"
    parser.add_argument("--crates", nargs="*", choices=CRATES, default=CRATES, help=words)
    words = "build only the mutants of this file, such as the survivors among results.jsonl"
    parser.add_argument("--these", type=Path, help=words)
    given = parser.parse_args()
    if given.step in (None, "build"):
        build(given.crates, listed(given.these) if given.these else None)
    if given.step in (None, "reach"):
        reach(given.workers, given.longest, given.crates)
    if given.step in (None, "run"):
        run(given)


if __name__ == "__main__":
    main()
