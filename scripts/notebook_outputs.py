"""Runs a notebook and prints what each cell of code shows, as HTML in a JSON list.

`python scripts/notebook_outputs.py NOTEBOOK.ipynb`, in a folder where its cells may write.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import sys
from pathlib import Path
from typing import Any


def cells(notebook: Path) -> list[tuple[str, str]]:
    """Kind and text of each cell."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]


def shown(value: Any) -> str:
    """A value as a notebook shows it: charts as pictures, else HTML, else text."""
    if type(value).__module__.startswith("altair."):
        import vl_convert

        return str(vl_convert.vegalite_to_svg(value.to_dict()))
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
    for kind in ("image/svg+xml", "text/html"):
        if found := bundle.get(kind):
            return str(found)
    if hasattr(value, "_repr_svg_") or hasattr(value, "_repr_html_"):
        asked = getattr(value, "_repr_svg_", None) or value._repr_html_
        return str(asked())
    return f"<pre>{html.escape(repr(value))}</pre>"


def outputs(notebook: Path) -> list[str]:
    """The outputs of the cells of code, in their order; all share one space of names."""
    space: dict[str, Any] = {"__name__": "__main__"}
    found = []
    for text in (text for kind, text in cells(notebook) if kind == "code"):
        tree = ast.parse(text)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        value = None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, "<cell>", "exec"), space)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space)
        said = printed.getvalue()
        parts = [f"<pre>{html.escape(said)}</pre>"] if said else []
        found.append("".join([*parts, *([] if value is None else [shown(value)])]))
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(outputs(Path(sys.argv[1]).resolve())))
