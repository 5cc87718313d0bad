"""Files that a person names for what comes out.

A file is written whole or not at all, where its links lead; what is no regular file, such as a
device or a pipe, is written to and stays what it is. Nothing that is read is overwritten, and no
two outputs are one file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from backwater import _native
from backwater.errors import Refusal

# The links in these folders lead to an open file of some process, not to a name.
_OPEN_FILES = ("/dev/", "/proc/")


def save(path: Path, content: str | bytes) -> Path:
    """Writes a file whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    if not _is_regular(path):
        with path.open("wb") as device:
            device.write(data)
        return path
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    draft = _draft(target)
    try:
        with draft.open("wb") as file:
            file.write(data)
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode))
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    return path


def _draft(target: Path) -> Path:
    """A new file beside another, whose name nobody can guess."""
    draft = target.with_name(f".{target.name}.{os.urandom(8).hex()}.draft")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    return draft


def _is_regular(path: Path) -> bool:
    """Whether a path is a regular file, or is none yet."""
    if os.path.abspath(path).startswith(_OPEN_FILES):  # noqa: PTH100 -- resolve follows links
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode) or path.is_dir()
    except FileNotFoundError:
        return True


def distinct(outputs: Mapping[str, str | Path | None], inputs: Iterable[str | Path]) -> None:
    """Refuses an output that is an input or another output, before any of them is opened."""
    taken = {one: f"`{path}`, which is read" for path in inputs if (one := _identity(path))}
    for option, path in outputs.items():
        if path is None or (own := _identity(path)) is None:
            continue
        if own in taken:
            raise Refusal(
                f"`{path}` is the same file as {taken[own]}",
                place=option,
                fix="name another file",
            )
        taken[own] = f"that of {option}"


def of_run(
    scenario: object, resolved: _native.Resolved, outputs: Mapping[str, str | Path | None]
) -> None:
    """The same for the scenario of a run, a path or anything else, and the files that it names."""
    inputs: list[Path] = []
    folders = [Path(), *map(Path, filter(None, [os.environ.get("BACKWATER_TRACES")]))]
    if isinstance(scenario, Path) or (isinstance(scenario, str) and "\n" not in scenario):
        inputs.append(Path(scenario))
        folders.append(Path(scenario).parent)
    inputs += [folder / name for name, _ in resolved.inputs for folder in folders]
    distinct(outputs, inputs)


def _identity(path: str | Path) -> tuple[object, ...] | None:
    """The identity that two names of one file share; None for a file that several may write to."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return (os.path.realpath(path),)
    except (OSError, ValueError):
        # Whoever opens it says what is wrong.
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return (found.st_dev, found.st_ino)
