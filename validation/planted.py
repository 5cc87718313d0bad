"""Whether a search finds a defect that was put into a controller.

For each of two published defects of other programs (CC-Fuzz, HotNets 2022) the script compiles the
engine with that defect, runs one hunt with both engines, and prints what each found.

    python validation/planted.py    # needs cargo and some minutes
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater.search import scenes

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "planted"
# Of each of the three methods: 5,000 in all.
EVALS = "1666"
PACKAGE = Path("python/backwater").parent
# The space of cross packets ends after 5 s, and the flow goes on: a stall can outlast its cause.
LASTS = "30 s"


@dataclass(frozen=True)
class Defect:
    """Changes of one source file, and the hunt that should find them."""

    name: str
    file: str
    # What stands there, and what takes its place.
    changes: tuple[tuple[str, str], ...]
    hunt: str

    @property
    def target(self) -> str:
        """The controller."""
        return self.hunt.split()[0]


DEFECTS = (
    Defect(
        "CUBIC: in slow start an acknowledgement adds all that it covers, beyond ssthresh",
        "crates/transport/src/building_blocks/slow_start.rs",
        (("None => (ack.advanced.min(self.mss), false),", "None => (ack.advanced, false),"),),
        "cubic --space steps --objective metric:flows.f.loss",
    ),
    Defect(
        "BBRv1: each acknowledgement of a retransmission ends a round",
        "crates/transport/src/rate.rs",
        (
            (
                "snapshot: newest, ..\n        }) = newest",
                "snapshot: newest, again, ..\n        }) = newest",
            ),
            (
                "prior_delivered: newest.delivered,",
                "prior_delivered: if *again { self.delivered } else { newest.delivered },",
            ),
        ),
        "bbr1 --space traffic --objective stall --target flows.f",
    ),
)


def planted(defect: Defect) -> Path:
    """A copy of the package whose engine has the defect."""
    tree = WORK / "tree"
    for name in ("Cargo.toml", "Cargo.lock", "crates", str(PACKAGE)):
        source, goal = ROOT / name, tree / name
        if source.is_dir():
            shutil.rmtree(goal, ignore_errors=True)
            shutil.copytree(source, goal, ignore=shutil.ignore_patterns("target", "__pycache__"))
        else:
            goal.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, goal)
    path = tree / defect.file
    text = path.read_text(encoding="utf-8")
    for sound, instead in defect.changes:
        if text.count(sound) != 1:
            sys.exit(f"{defect.file}: `{sound}` does not stand there once; correct this script")
        text = text.replace(sound, instead)
    path.write_text(text, encoding="utf-8")
    environment = os.environ | {
        "CARGO_TARGET_DIR": str(WORK / "build"),
        "PYO3_PYTHON": sys.executable,
    }
    command = ["cargo", "build", "--quiet", "--locked", "--profile", "inner", "-p", "backwater-py"]
    subprocess.run(command, cwd=tree, env=environment, check=True)
    built = WORK / "build" / "inner" / "lib_native.so"
    shutil.copy2(built, tree / "python/backwater/_native.abi3.so")
    return tree / PACKAGE


def hunted(defect: Defect, package: Path, which: str) -> dict[str, Any]:
    """What a hunt with the engine of a package found."""
    archive = WORK / f"{defect.target}-{which}"
    shutil.rmtree(archive, ignore_errors=True)
    what, *words = defect.hunt.split()
    if "--target" in defect.hunt:
        scene = scenes.crossed() | {"duration": LASTS}
        scene["flows"]["f"]["controller"] = {"kind": defect.target}
        path = WORK / f"{defect.target}.json"
        path.write_text(json.dumps(scene), encoding="utf-8")
        what = str(path)
    words = ["hunt", what, *words, "--evals", EVALS, "--seed", "1", "--out", str(archive)]
    printed = subprocess.run(
        [sys.executable, "-m", "backwater", *words, "--json"],
        env=os.environ | {"PYTHONPATH": str(package)},
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout
    found: dict[str, Any] = json.loads(printed)
    return found


def main() -> None:
    """Prints a row for each defect."""
    WORK.mkdir(parents=True, exist_ok=True)
    print("| defect | hunt | without it | with it | runs |\n|---|---|---:|---:|---:|")
    for defect in DEFECTS:
        sound = hunted(defect, ROOT / PACKAGE, "sound")
        broken = hunted(defect, planted(defect), "planted")
        scores = [one["finding"]["score"] for one in (sound, broken)]
        runs = broken["cost"]["runs"]
        print(
            f"| {defect.name} | `{defect.hunt}` | {scores[0]:.3f} | {scores[1]:.3f} | {runs} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
