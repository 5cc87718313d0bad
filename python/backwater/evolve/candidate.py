"""A candidate: a class in a file, a file of WebAssembly, or a part of the tables with options.

A class is code of strangers. It may compute and nothing else: what imports, reaches for the insides
of objects or names a function that opens a way out is refused before it runs. It then runs in a
process of its own under limits of time and memory, as every class does. The engine bounds a file of
WebAssembly itself.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.model import controller_file
from backwater.model.scenario import read_text

# Bytes of a file; a policy in numbers needs no more.
MOST_BYTES = 64_000
MODULES = ("math", "collections", "dataclasses", "itertools", "statistics", "typing")
# Functions that open a way out of a class.
REFUSED = frozenset(
    (
        *("open", "exec", "eval", "compile", "input", "print", "getattr", "setattr", "delattr"),
        *("globals", "locals", "vars", "dir", "type", "memoryview", "breakpoint", "help", "id"),
        *("callable", "format", "repr", "bytes", "bytearray"),
    )
)


@dataclass(frozen=True)
class Candidate:
    """A controller as a scenario names it, and what it is called."""

    name: str
    controller: dict[str, Any]

    @property
    def hosted(self) -> bool:
        """Whether it is a class."""
        return "class" in self.controller


def read(what: str) -> Candidate:
    """A candidate: NAME of a table, FILE.toml with its table, FILE.wasm, or FILE.py:Class."""
    if controller_file.is_native(what):
        return Candidate(what, controller_file.table(what))
    if ".py" in what:
        path, _, name = what.rpartition(":") if ".py:" in what else (what, "", "")
        source = Path(path)
        found = inspect(read_text(source), path)
        name = name or found
        return Candidate(what, controller_file.table(f"{source}:{name}"))
    if what.endswith(".toml"):
        from backwater.study.toml_text import Toml

        data = Toml.parse(read_text(Path(what)), what).data
        if "kind" not in data:
            raise Refusal(
                "the file has no `kind`", place=what, fix='write kind = "bbr1" and its options'
            )
        return Candidate(what, data)
    return Candidate(what, {"kind": what})


def inspect(text: str, place: str) -> str:
    """Refuses code that reaches beyond itself; the name of its last class."""
    if len(text.encode()) > MOST_BYTES:
        raise Refusal(
            f"the file has more than {MOST_BYTES} B", place=place, fix="write a shorter controller"
        )
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        what = f"this cannot be read: {error}"
        raise Refusal(what, place=place, line=line, fix="correct it") from error
    for node in ast.walk(tree):
        why = _bad(node)
        if why is not None:
            raise Refusal(
                f"a candidate may not {why}",
                place=place,
                line=getattr(node, "lineno", None),
                fix="compute with what the methods are told, and with `math`",
            )
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    if not classes:
        raise Refusal("the file has no class", place=place, fix="see `backwater new controller`")
    return classes[-1]


def _bad(node: ast.AST) -> str | None:
    match node:
        case ast.Import(names=names):
            bad = [one.name for one in names if one.name not in MODULES]
            return f"import `{bad[0]}`" if bad else None
        case ast.ImportFrom(module=module):
            allowed = module == "__future__" or module in MODULES
            return None if allowed else f"import `{module}`"
        case ast.Attribute(attr=attr) if _inside(attr):
            return f"reach for `{attr}`"
        case ast.Name(id=name) if name in REFUSED or (_inside(name) and name != "__name__"):
            return f"use `{name}`"
        case ast.Constant(value=str() as value) if "__" in value:
            return "name the insides of objects in a text"
        case ast.Global() | ast.Nonlocal():
            return "keep state outside of its object"
        case ast.AsyncFunctionDef() | ast.Await() | ast.With() | ast.AsyncWith():
            return "use `async` or `with`"
        case ast.FunctionDef(name=name) if _inside(name) and name not in ("__init__",):
            return f"define `{name}`"
    return None


def _inside(name: str) -> bool:
    return name.startswith("__") or name in ("gi_frame", "f_back", "f_globals", "tb_frame", "mro")
