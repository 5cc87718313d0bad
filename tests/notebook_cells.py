"""Executes the cells of a notebook as a notebook does: `python notebook_cells.py CELLS.json`.

The last expression of a cell is shown, by `_repr_mimebundle_` or `_repr_html_` if it has one.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any


def show(value: Any) -> None:
    """Asks a value for what a notebook would show."""
    for method in ("_repr_mimebundle_", "_repr_html_"):
        if hasattr(value, method):
            assert getattr(value, method)(), f"{type(value).__name__} shows nothing"
            return
    print(repr(value))


def main(cells: list[str]) -> None:
    """Runs all cells in one space of names."""
    space: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<cell>", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
            if value is not None:
                show(value)


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
