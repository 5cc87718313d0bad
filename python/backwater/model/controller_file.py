"""Controllers in files of the user, as commands name them: FILE.py:Class and FILE.wasm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backwater.errors import Refusal
from backwater.model import python_class

#: How a message names both.
FORMS = "FILE.py:Class or FILE.wasm"
KIND = "wasm"
SUFFIX = ".wasm"
# Separates file and class on the command line.
SEPARATOR = ".py:"


def is_file(written: str) -> bool:
    """Whether a text names a file; otherwise it is the name of a part."""
    return SEPARATOR in written or is_native(written)


def is_native(written: str) -> bool:
    """Whether it is a file that the engine runs itself."""
    return written.endswith(SUFFIX)


def table(written: str) -> dict[str, Any]:
    """The controller of a scenario that a text stands for."""
    # Absolute: the scenario is in another folder.
    if is_native(written):
        return {"kind": KIND, "file": str(Path(written).resolve())}
    path, _, name = written.rpartition(":")
    if not path.endswith(".py") or not name.isidentifier():
        raise Refusal(f"`{written}` is not {FORMS}", fix="write gentle.py:Gentle or gentle.wasm")
    return {"kind": python_class.KIND, "file": str(Path(path).resolve()), "class": name}
