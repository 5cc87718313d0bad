"""The listing of the package: every file is explained and has a name of its own."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "backwater"
PACKAGES = ("model", "study", "verdict", "results", "present", "tools")


@pytest.mark.parametrize("package", PACKAGES)
def test_the_first_lines_of_a_package_explain_its_files(package: str) -> None:
    folder = PACKAGE / package
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    inside = [path.stem for path in folder.iterdir() if not path.name.startswith("__")]
    assert [name for name in sorted(inside) if f"`{name}`" not in said] == []


def test_no_two_files_have_one_name() -> None:
    names = Counter(path.stem for path in PACKAGE.rglob("*.py") if path.stem != "__init__")
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("crate", ["transport", "sim", "scenario"])
def test_each_test_program_of_a_crate_is_in_the_list_of_its_package(crate: str) -> None:
    """A file that the list lacks would not be built, and nobody would notice."""
    folder = ROOT / "crates" / crate / "tests"
    listed = re.findall(r'^path = "(.*)"$', (folder / "Cargo.toml").read_text(), re.MULTILINE)
    programs = [*folder.glob("*.rs"), *folder.glob("*/main.rs")]
    assert sorted(listed) == sorted(str(path.relative_to(folder)) for path in programs)
