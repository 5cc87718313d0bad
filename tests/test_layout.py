"""The listing of the package: every file is explained, has a name of its own and one idea."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "backwater"
PACKAGES = ("model", "study", "verdict", "results", "present", "tools")
# Written from the engine's tables, so as long as these are.
GENERATED = "Written by `make tables`"
FILES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if GENERATED not in path.read_text(encoding="utf-8").split("from __future__")[0]
]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_first_lines_of_a_package_explain_its_files(package: str) -> None:
    folder = PACKAGE / package
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    inside = [path.stem for path in folder.iterdir() if not path.name.startswith("__")]
    assert [name for name in sorted(inside) if f"`{name}`" not in said] == []


def test_no_two_files_have_one_name() -> None:
    names = Counter(path.stem for path in PACKAGE.rglob("*.py") if path.stem != "__init__")
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    functions = (one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef))
    lengths = {one.name: (one.end_lineno or one.lineno) - one.lineno + 1 for one in functions}
    assert {name: length for name, length in lengths.items() if length > 70} == {}
