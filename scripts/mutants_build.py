"""The copy of the workspace with every mutant in it, and its test programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "target" / "mutate"
TREE = OUT / "tree"
TOOL = ROOT / "scripts" / "mutate"
LIST = OUT / "mutants.jsonl"
DROPPED = OUT / "dropped.txt"
# The crates that are copied: those with mutants, and those that need them or are needed.
CRATES = ("transport", "wire", "wasm", "sim", "scenario")
# The crates with mutants, each before the crates that need it.
MUTATED = ("transport", "sim")
# The crates whose tests from outside are a package of their own.
TESTED_OUTSIDE = ("transport", "sim", "scenario")

Mutant = dict[str, Any]
# What tells mutants apart in trees with the same sources: file, line, column, what is changed.
Key = tuple[str, int, int, str]


def folders() -> list[str]:
    """The folders that `.cargo/mutants.toml` names."""
    lines = (ROOT / ".cargo" / "mutants.toml").read_text(encoding="utf-8").splitlines()
    return [line.strip().strip('",').removesuffix("/**/*.rs") for line in lines if "/**/" in line]


def mutants() -> list[Mutant]:
    """The mutants that are in the copy."""
    return [json.loads(line) for line in LIST.read_text(encoding="utf-8").splitlines()]


def key(mutant: Mutant) -> Key:
    """The key of a mutant."""
    return mutant["file"], mutant["line"], mutant["column"], mutant["what"]


def build(crates: Collection[str], these: Collection[Key] | None = None) -> None:
    """Drops mutants of these crates until the copy compiles; of a list, all that are not in it."""
    chosen = [one for one in folders() if Path(one).parts[1] in crates]
    copy_tree(chosen)
    dropped: set[int] = set()
    if these is not None:
        write_mutants(chosen, dropped)
        dropped = {one["id"] for one in mutants() if key(one) not in these}
    for crate in (one for one in MUTATED if one in crates):
        while True:
            write_mutants(chosen, dropped)
            status, said = cargo("check", "-p", f"backwater-{crate}", "--lib")
            if status == 0:
                break
            wrong = blamed(said)
            print(f"{crate}: {len(wrong)} mutants do not compile", flush=True)
            if not wrong - dropped:
                sys.exit("errors outside all mutants:\n" + rendered(said))
            dropped |= wrong
    print(f"{len(mutants())} mutants compile, {len(dropped)} do not", flush=True)


def copy_tree(chosen: list[str]) -> None:
    """Copies the crates with tests of these folders, and links all else."""
    TREE.mkdir(parents=True, exist_ok=True)
    for path in ROOT.iterdir():
        here = TREE / path.name
        own = path.name in {"crates", "target", "Cargo.toml", "Cargo.lock"} or path.name[0] == "."
        if not own and not here.is_symlink():
            here.symlink_to(path)
    mutated = [ROOT / one for one in chosen]
    wanted = {TREE / "crates" / "mutant" / "Cargo.toml"}
    for path in files(ROOT / "crates" / crate for crate in CRATES):
        here = TREE / path.relative_to(ROOT)
        wanted.add(here)
        # The tool writes what it mutates, and leaves files that only tests have.
        if path.suffix != ".rs" or not any(one in path.parents for one in mutated):
            put(here, adapted(path))
        elif of_tests(path) or not here.exists():
            put(here, path.read_bytes())
    for path in files([TOOL / "mutant"]):
        wanted.add(TREE / "crates" / path.relative_to(TOOL))
        put(TREE / "crates" / path.relative_to(TOOL), path.read_bytes())
    for path in files([TREE / "crates"]):
        if path not in wanted:
            path.unlink()
    put(TREE / "Cargo.lock", (ROOT / "Cargo.lock").read_bytes())
    put(TREE / "Cargo.toml", manifest())


def of_tests(path: Path) -> bool:
    """Whether a file of the workspace lies in a module of tests."""
    return any(part.startswith("test") for part in path.relative_to(ROOT).parts)


def files(roots: Iterable[Path]) -> list[Path]:
    """Every file below these folders."""
    return [path for root in roots for path in sorted(root.rglob("*")) if path.is_file()]


def put(path: Path, content: bytes) -> None:
    """Writes a file; one that has not changed keeps its time, and is not built again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def adapted(path: Path) -> bytes:
    """A file of the workspace, with the crate `mutant` where it is needed."""
    text = path.read_bytes()
    if path.name == "Cargo.toml":
        own = b'[dependencies]\nmutant = { path = "../mutant" }\n'
        return text.replace(b"[dependencies]\n", own)
    if path == ROOT / "crates" / "transport" / "src" / "units.rs":
        return text + b"\n::mutant::scale!(Time Span Rate Bytes);\n"
    return text


def manifest() -> bytes:
    """The workspace's manifest with fewer members, optimised as little as short tests allow."""
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    head, _, rest = text.partition("members = [")
    tests = (f"{one}/tests" for one in TESTED_OUTSIDE)
    members = ", ".join(f'"crates/{one}"' for one in (*CRATES, "mutant", *tests))
    text = f"{head}members = [{members}]{rest.partition(']')[2]}".partition("[profile.dev]")[0]
    text += "[profile.dev]\nopt-level = 1\ndebug = false\n"
    for one in TESTED_OUTSIDE:
        text += f"[profile.dev.package.backwater-{one}-tests]\nopt-level = 0\n"
    return text.encode()


def write_mutants(chosen: list[str], dropped: set[int]) -> None:
    """Lets the tool write all mutants of these folders but the dropped ones into the copy."""
    DROPPED.write_text("".join(f"{one}\n" for one in sorted(dropped)), encoding="utf-8")
    tool = ["cargo", "run", "--quiet", "--manifest-path", str(TOOL / "Cargo.toml"), "--"]
    subprocess.run(
        [*tool, *map(str, (ROOT, TREE, DROPPED, LIST)), *chosen],
        env=os.environ | {"CARGO_TARGET_DIR": str(OUT / "tool")},
        check=True,
    )


def cargo(*words: str) -> tuple[int, list[dict[str, Any]]]:
    """Runs cargo in the copy: its status, and what it says as JSON."""
    own = {"CARGO_TARGET_DIR": str(OUT / "build"), "RUSTFLAGS": "--cap-lints=allow"}
    ran = subprocess.run(
        ["cargo", *words, "--message-format=json"],
        cwd=TREE,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines() if line[:1] == "{"]


def errors(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The compiler's errors among what cargo says."""
    messages = [one["message"] for one in said if one["reason"] == "compiler-message"]
    return [one for one in messages if one["level"] == "error"]


def rendered(said: list[dict[str, Any]]) -> str:
    """The compiler's errors as a person reads them."""
    return "\n".join(one["rendered"] for one in errors(said))


def blamed(said: list[dict[str, Any]]) -> set[int]:
    """The mutants that the compiler's errors lie in."""
    by_file: dict[str, list[Mutant]] = defaultdict(list)
    for one in mutants():
        by_file[one["file"]].append(one)
    wrong: set[int] = set()
    for message in errors(said):
        spans = sorted(message["spans"], key=lambda span: not span["is_primary"])
        found = (inside(by_file[span["file_name"]], span) for span in spans)
        first = next(filter(None, found), None)
        if first is None and spans:
            first = near(by_file[spans[0]["file_name"]], spans[0])
        wrong |= first or set()
    return wrong


def inside(found: list[Mutant], span: dict[str, Any]) -> set[int]:
    """The mutant in whose own text an error lies, or all of the smallest site around it."""
    start, end = span["byte_start"], span["byte_end"]
    own = {one["id"] for one in found if one["own"] and within(one["own"], start, end)}
    if own:
        return own
    around = [one for one in found if within(one["site"], start, end)]
    least = min((one["site"][1] - one["site"][0] for one in around), default=0)
    return {one["id"] for one in around if one["site"][1] - one["site"][0] == least}


def within(place: list[int], start: int, end: int) -> bool:
    """Whether a place in a file covers another."""
    return place[0] <= start and end <= place[1]


def near(found: list[Mutant], span: dict[str, Any]) -> set[int]:
    """An error outside all sites, as of a lost type: the sites of its line, or before."""
    lines = range(span["line_start"], span["line_end"] + 1)
    on_line = {one["id"] for one in found if one["line"] in lines}
    last = max((one["line"] for one in found if one["line"] < lines.start), default=0)
    return on_line or {one["id"] for one in found if one["line"] == last}


def binaries(crates: Collection[str]) -> list[tuple[str, str]]:
    """Builds the test programs of these crates; each with the folder it runs in."""
    named = [*crates, *(f"{one}-tests" for one in crates if one in TESTED_OUTSIDE)]
    packages = [word for one in named for word in ("-p", f"backwater-{one}")]
    status, said = cargo("test", "--no-run", *packages)
    if status:
        sys.exit("the mutated copy does not build:\n" + rendered(said))
    tests = (one for one in said if one.get("executable") and one["profile"]["test"])
    places = ((one["executable"], Path(one["manifest_path"]).parent) for one in tests)
    return [(binary, str(folder)) for binary, folder in places if folder.name != "mutant"]
