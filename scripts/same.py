"""Compares two builds of the engine: `python scripts/same.py OLD`, a revision or a folder.

Both serve the same random worlds, which the old one draws, and all benchmark scenarios. What has
to be equal: fingerprint, number of events, document, and the records in their order. Where
valgrind is installed, the instructions of the event loop are compared, too.
`make same OLD=v0.1.0 WORLDS=6000 EVENTS=200000` calls it; `EVENTS` are those of a benchmark.
What the build of a revision gave is kept in `target/same`.
"""

from __future__ import annotations

import argparse
import io
import re
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "same"
EXAMPLE = "crates/scenario/examples/same.rs"
BENCHES = "python/backwater/benches"
NEEDED = ("Cargo.toml", "Cargo.lock", "crates", BENCHES)
# The cost of a change in instructions from which it is named.
DEAR = 1.02
# Events of a benchmark under callgrind, which is fifty times slower; the second half is counted.
COUNTED = 120_000


def copied(old: str) -> Path:
    """The sources of a revision or of a folder, with this tree's example: both answer alike."""
    folder = Path(old)
    name = re.sub(r"\W+", "-", str(folder.resolve()) if folder.is_dir() else commit(old))
    copy = WORK / name
    if folder.is_dir():
        copy.mkdir(parents=True, exist_ok=True)
        for one in NEEDED:
            source, goal = folder / one, copy / one
            if source.is_dir():
                goal.parent.mkdir(parents=True, exist_ok=True)
                shutil.rmtree(goal, ignore_errors=True)
                shutil.copytree(source, goal, ignore=shutil.ignore_patterns("target"))
            else:
                shutil.copy2(source, goal)
    elif not all((copy / one).exists() for one in NEEDED):
        command = ["git", "archive", commit(old), *NEEDED]
        archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(copy, filter="data")
    goal, own = copy / EXAMPLE, (ROOT / EXAMPLE).read_bytes()
    if not goal.is_file() or goal.read_bytes() != own:
        goal.write_bytes(own)
    return copy


def commit(revision: str) -> str:
    """The hash of a revision."""
    command = ["git", "rev-parse", "--verify", f"{revision}^{{commit}}"]
    found = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"OLD={revision} is no folder and no revision: name one that `git log` shows")
    return found.stdout.strip()


def built(tree: Path) -> Path:
    """The program that a tree makes."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "backwater-scenario"]
    subprocess.run([*command, "--example", "same"], cwd=tree, check=True)
    return tree / "target" / "release" / "examples" / "same"


def readable(program: Path, word: str) -> str:
    """A benchmark as the program's own tree writes it: an older one may not read what is new."""
    own = program.parents[3] / BENCHES / Path(word).name
    return str(own) if word.endswith(".toml") and own.is_file() else word


def lines(program: Path, *form: str) -> list[str]:
    """The output of a program."""
    command = [str(program), *(readable(program, word) for word in form)]
    kept = program.parents[3] / ("-".join(form).replace("/", "_") + ".txt")
    keeps = program.parents[3].parent == WORK and form[0] in ("draw", "worlds", "bench")
    if keeps and kept.is_file() and kept.stat().st_mtime > program.stat().st_mtime:
        return kept.read_text(encoding="utf-8").splitlines()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if keeps:
        kept.write_bytes(done.stdout)
    return done.stdout.decode().splitlines()


def instructions(program: Path, bench: Path, events: int) -> int | None:
    """Instructions of the second half of so many events; none where the run ends before."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += ["--collect-atstart=no", "--toggle-collect=*measured*"]
    command += [str(program), "loop", readable(program, str(bench)), str(events // 2)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    served = re.search(r"events=(\d+)", done.stdout)
    if counted is None or served is None or int(served[1]) == 0:
        return None
    return int(counted[1])


def first_difference(programs: tuple[Path, Path], form: list[str]) -> str:
    """The first record or line of the document that two runs do not have in common."""
    old, new = (lines(program, *form) for program in programs)
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return f"    line {number + 1}\n    old: {one[:600]}\n    new: {other[:600]}"
    return f"    the runs have {len(old)} and {len(new)} lines, equal up to the shorter's end"


def differing(old: str, new: str) -> list[str]:
    """Which fields of two lines differ."""
    pair = zip(old.split()[2:], new.split()[2:], strict=False)
    return [f"{one} became {other.partition('=')[2]}" for one, other in pair if one != other]


def compare(what: str, programs: tuple[Path, Path], form: list[str], one: list[str]) -> int:
    """Runs a form in both, and says what differs; `one` lists the records of a line."""
    with ThreadPoolExecutor() as pool:
        old, new = pool.map(lambda program: lines(program, *form), programs)
    wrong = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    events = sum(int(found[1]) for found in re.finditer(r"events=(\d+)", "\n".join(new)))
    refused = sum("refused=" in line for line in new)
    panics = [line for line in new if line.endswith("panic")]
    told = f"{len(new)} runs, {events:,} events, {refused} refused, {len(panics)} panics"
    print(f"{what}: {told}, {len(wrong)} differ")
    for line in panics[:10]:
        print(f"  {line}")
    for number, (a, b) in enumerate(wrong[:10]):
        print(f"  {' '.join(b.split()[:2])}: {', '.join(differing(a, b)) or b}")
        if number == 0:
            place = [str(old.index(a)) if word == "LINE" else word for word in one]
            print(first_difference(programs, place))
    sys.stdout.flush()
    return len(wrong) + len(panics)


def main() -> int:
    """Builds both, compares, and says whether anything differs."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("old", help="a revision, or a folder with the sources")
    reader.add_argument("--worlds", type=int, default=6000)
    reader.add_argument("--first", type=int, default=0, help="the seed of the first world")
    reader.add_argument("--events", type=int, default=200_000, help="of a benchmark")
    reader.add_argument("--benches", default="*", help="which benchmarks, as a pattern of files")
    reader.add_argument("--no-instructions", action="store_true")
    told = reader.parse_args()
    programs = (built(copied(told.old)), built(ROOT))
    wrong = 0
    if told.worlds:
        drawn = WORK / f"worlds-{told.first}-{told.worlds}.jsonl"
        worlds = lines(programs[0], "draw", str(told.first), str(told.worlds))
        drawn.write_text("\n".join(worlds) + "\n", encoding="utf-8")
        form = ["worlds", str(drawn), str(told.first)]
        wrong += compare("random worlds", programs, form, ["world", str(drawn), "LINE"])
    benches = sorted((ROOT / BENCHES).glob(f"{told.benches}.toml"))
    for bench in benches:
        form = [str(bench), str(told.events)]
        wrong += compare(bench.stem, programs, ["bench", *form], ["record", *form])
    if told.no_instructions:
        return int(wrong > 0)
    if shutil.which("valgrind") is None:
        print("instructions are not compared: valgrind is absent")
        return int(wrong > 0)
    for bench in benches:
        count = partial(instructions, bench=bench, events=min(told.events, COUNTED))
        with ThreadPoolExecutor() as pool:
            old, new = pool.map(count, programs)
        if old and new:
            mark = "  more than 2 %" if new > DEAR * old else ""
            print(f"{bench.stem:20} {new / old - 1:+8.2%} instructions of the event loop{mark}")
            sys.stdout.flush()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
