"""Parts that are classes in files of Python: names, loading and error texts."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

from backwater.errors import nearest

KIND = "python"


class Unfit(Exception):
    """A class that cannot be a part: the wrong option, the problem, the remedy."""

    def __init__(self, option: str, what: str, fix: str) -> None:
        super().__init__(what)
        self.option = option
        self.what = what
        self.fix = fix


def load(source: bytes, path: str, name: str, options: str | None) -> Callable[[Any], Any]:
    """The class `name` of a file with this content; `options` is a JSON table of arguments.

    The file is executed for each run, so that runs share nothing. It cannot import modules of its
    own folder.
    """
    # The name is unique to the content. Dataclasses look up their module by name.
    module = types.ModuleType("_backwater_" + hashlib.sha256(source).hexdigest()[:16])
    module.__file__ = path
    # stdout is for data: a class prints to stderr.
    module.__dict__["print"] = functools.partial(print, file=sys.stderr)
    sys.modules[module.__name__] = module
    try:
        exec(_compiled(source, path), module.__dict__)
    except Exception as error:
        raise Unfit(
            "file", f"the file cannot be executed: {raised(error)}", "correct the file"
        ) from error
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [k for k, v in vars(module).items() if _defined(v, module)]
        near = nearest(name, classes) or classes
        raise Unfit(
            "class",
            f"`{path}` has no class `{name}`",
            f"write {' or '.join(near)}" if near else "name a class of the file",
        )
    further = json.loads(options) if options else {}
    try:
        inspect.signature(found).bind(None, **further)
    except TypeError as error:
        called = "".join(f", {key}=…" for key in further)
        raise Unfit(
            "options" if further else "class",
            f"`{name}` cannot be called with (setup{called}): {error}",
            "name arguments that its __init__ takes, after setup",
        ) from error
    except ValueError:
        # A class without a signature checks its arguments when it is called.
        pass
    return functools.partial(found, **further)


@functools.lru_cache(maxsize=64)
def _compiled(source: bytes, path: str) -> types.CodeType:
    return compile(source, path, "exec")


def _defined(value: Any, module: types.ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


def raised(error: BaseException | None) -> str:
    """An exception in one line, with the place that raised it."""
    if error is None:
        return "unknown"
    if isinstance(error, SyntaxError):
        where = f" ({Path(error.filename).name}:{error.lineno})" if error.filename else ""
        return f"{type(error).__name__}: {error.msg}{where}"
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
