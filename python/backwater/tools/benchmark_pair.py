"""Two builds of the engine, run alternately: what a change costs, as a ratio.

A machine is faster in one minute than in the next, so times of two sessions say little. Here a run
of the old build and a run of this one alternate, and which comes first alternates, too; what is
judged is the mean of the ratios of the pairs, with its 95 % interval over the pairs. Where valgrind
is installed, instructions for each event stand beside it: the difference of a longer and a
shorter run, so that loading and building count for neither.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, Unfinished
from backwater.tools import benchmark_child
from backwater.tools.benchmark import Progress, fresh_process, machine, scenario_file, select
from backwater.tools.benchmark_cases import Benchmark
from backwater.verdict.interval import interval

#: Events of the shorter and the longer run whose instructions are counted; valgrind is fifty
#: times slower than the processor.
COUNTED = (40_000, 120_000)


def engine_of(old: str, folder: Path) -> Path:
    """The engine of a wheel (unpacked into the folder), of a checkout, or the file itself."""
    path = Path(old)
    if path.suffix == ".whl" and path.is_file():
        try:
            with zipfile.ZipFile(path) as wheel:
                names = [name for name in wheel.namelist() if _is_engine(Path(name))]
                if names:
                    return Path(wheel.extract(names[0], folder))
        except zipfile.BadZipFile as error:
            raise Refusal(
                f"`{old}` is a damaged wheel: {error}", place="--against", fix="build it again"
            ) from error
    elif path.is_dir():
        found = [one for one in sorted(path.glob("**/backwater/_native*")) if _is_engine(one)]
        if found:
            return found[0]
    elif path.is_file() and _is_engine(path):
        return path
    raise Refusal(
        f"`{old}` has no engine of Backwater",
        place="--against",
        fix="name a wheel, the folder of a checkout that was built, or a file `_native….so`",
    )


def _is_engine(path: Path) -> bool:
    return path.stem.startswith("_native") and path.suffix in (".so", ".pyd", ".dylib")


def run(
    old: str,
    ids: Sequence[str] | None = None,
    repeats: int = 5,
    instructions: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Runs each case with both builds alternately and returns the document of `bench --against`."""
    if repeats < 2:
        raise Refusal("one pair has no interval", place="repeats", fix="write 2 or more")
    say = progress or (lambda _: None)
    cases = select(ids)
    counted = instructions and shutil.which("valgrind") is not None
    with tempfile.TemporaryDirectory() as folder:
        engines = (engine_of(old, Path(folder)), Path(_native.__file__))
        results = [_beside(case, engines, repeats, counted, say) for case in cases]
    return {
        "schema": "backwater/bench-against/1",
        "version": _native.version(),
        "against": old,
        "machine": machine(),
        "results": results,
    }


def _beside(
    case: Benchmark, engines: tuple[Path, Path], repeats: int, counted: bool, say: Progress
) -> dict[str, Any]:
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for number in range(repeats):
        say(f"{case.id}: pair {number + 1} of {repeats}")
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            try:
                sides[side].append(fresh_process(case, engines[side]))
            except Unfinished as error:
                if side == 1:
                    raise
                return {"id": case.id, "refused": error.what}
    old, new = sides
    logs = [
        math.log(b["cost"]["cpu_s"] / a["cost"]["cpu_s"]) for a, b in zip(old, new, strict=True)
    ]
    found = interval(logs)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    counts = None
    if counted:
        say(f"{case.id}: counting instructions")
        counts = [_instructions(case, engine, new[0]) for engine in engines]
    return {
        "id": case.id,
        "refused": None,
        "pairs": repeats,
        "ratio": math.exp(found.mean),
        "low": math.exp(found.low),
        "high": math.exp(found.high),
        "old_cpu_s": min(row["cost"]["cpu_s"] for row in old),
        "new_cpu_s": min(row["cost"]["cpu_s"] for row in new),
        "same_fingerprint": old[0]["fingerprint"] == new[0]["fingerprint"],
        "old_instructions": counts[0] if counts else None,
        "new_instructions": counts[1] if counts else None,
        "instructions_ratio": counts[1] / counts[0] if counts else None,
    }


def _instructions(case: Benchmark, engine: Path, known: dict[str, Any]) -> float:
    """Instructions for each event of the loop, between two durations."""
    per_event = known["duration_s"] / known["cost"]["events"]
    ends = [_collected(case, engine, per_event * events) for events in COUNTED]
    (first, early), (second, late) = ends
    return (second - first) / (late - early)


def _collected(case: Benchmark, engine: Path, seconds: float) -> tuple[int, int]:
    changes = {**case.changes, "duration": f"{seconds:.12f} s"}
    ended = subprocess.run(
        [
            *("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
            *(sys.executable, "-I", str(benchmark_child.__file__)),
            *(str(engine), str(scenario_file(case)), json.dumps(changes)),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"Collected : (\d+)", ended.stderr)
    if ended.returncode != 0 or found is None:
        raise Unfinished(
            f"valgrind ended with status {ended.returncode}: {ended.stderr.strip()[-400:]}",
            place=case.id,
            fix="add `--no-instructions`",
        )
    return int(found[1]), int(json.loads(ended.stdout)["cost"]["events"])
