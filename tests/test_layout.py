"""The listing of the package: every file is explained and has a name of its own."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "backwater"
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
