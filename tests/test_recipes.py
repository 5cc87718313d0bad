"""The recipes of CONTRIBUTING.md, followed in a copy of the tree: a throw-away part of each kind is
generated, linted, compiled and tested there, and the copy is as tidy as the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from backwater.study.definition import Study

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import part  # noqa: E402

RECIPES = part.recipes((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
KINDS = ("controller", "aqm", "source", "detector", "notifier", "study")
# The copied part of the tree: no results, nothing that was built, and no test but the tidy one.
FOLDERS = ("crates", "python", "scripts", "docs", "validation", "benches", "fuzz", "tests")
UNUSED = shutil.ignore_patterns("target", "corpus", "*.so", "__pycache__", "node_modules")


def name_of(kind: str) -> str:
    return f"throw-away-{kind}"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with a part of each kind more."""
    root = tmp_path_factory.mktemp("recipes")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder, ignore=UNUSED)
    for file in ROOT.glob("*.*"):
        if file.is_file():
            shutil.copy(file, root)
    for kind, steps in RECIPES.items():
        part.take(steps, name_of(kind), root)
    return root


def cargo(copy: Path, *words: str) -> str:
    """Runs cargo in the copy, whose crates are built beside those of other runs."""
    target = {"CARGO_TARGET_DIR": str(ROOT / "target" / "recipes"), "CARGO_INCREMENTAL": "0"}
    names = ("backwater-transport", "backwater-sim")
    crates = [word for name in names for word in ("-p", name)]
    quick = [f"--config=profile.dev.package.{name}.opt-level=0" for name in names]
    ended = subprocess.run(
        ["cargo", *words[:1], "--quiet", "--locked", *quick, *crates, "--lib", *words[1:]],
        cwd=copy,
        env=os.environ | target,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_there_is_a_recipe_for_each_kind() -> None:
    assert tuple(RECIPES) == KINDS
    assert all(steps[0].after is None for steps in RECIPES.values())


@pytest.mark.long
def test_the_parts_compile_without_a_warning(copy: Path) -> None:
    cargo(copy, "clippy", "--", "-D", "warnings")


@pytest.mark.long
def test_the_parts_act(copy: Path) -> None:
    """The test in each new file runs: of the controller one, of the parts of the simulator four."""
    said = cargo(copy, "test", "throw_away")
    results = [line.split(";")[0] for line in said.splitlines() if "test result" in line]
    assert sorted(results) == ["test result: ok. 1 passed", "test result: ok. 4 passed"]


def test_the_copy_is_formatted(copy: Path) -> None:
    files = [path for path in (copy / "crates").rglob("*.rs") if "throw_away" in path.name]
    files += [copy / step.file for steps in RECIPES.values() for step in steps if step.after]
    assert len(files) > 2 * (len(KINDS) - 1)
    subprocess.run(["rustfmt", "--edition", "2024", "--check", *map(str, files)], check=True)


@pytest.mark.long
def test_the_copy_is_tidy(copy: Path) -> None:
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "tests/test_tidy.py"]
    ended = subprocess.run(
        [sys.executable, *words], cwd=copy, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout


def test_the_study_is_read(copy: Path) -> None:
    study = Study.load(str(copy / "python/backwater/studies" / f"{name_of('study')}.md"))
    assert [claim.id for claim in study.claims] == ["c101"]


def test_a_step_that_finds_no_line_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "scripts/parts", tmp_path / "scripts/parts")
    (tmp_path / "crates/sim/src/source").mkdir(parents=True)
    (tmp_path / "crates/sim/src/source/mod.rs").write_text("mod law;\n")
    with pytest.raises(part.Wrong, match="no line"):
        part.take(RECIPES["source"], "mine", tmp_path)
    assert not (tmp_path / "crates/sim/src/source/mine.rs").exists()
