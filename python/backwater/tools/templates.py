"""Commented files to begin with: scenario, study, controller (Rust and C too), detector, aqm."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from backwater.errors import Refusal, Unfinished, nearest
from backwater.study.definition import shipped

#: The files of each kind of template.
KINDS = {
    "scenario": ("scenario.toml",),
    "study": ("study.md",),
    "controller": ("controller.toml", "controller.py.txt"),
    "controller-rust": ("controller-wasm.toml", "controller.rs.txt"),
    "controller-c": ("controller-wasm.toml", "controller.c.txt"),
    "detector": ("detector.toml", "detector.py.txt"),
    "aqm": ("aqm.toml", "aqm.py.txt"),
}

#: Kinds whose file is compiled before it runs.
COMPILED = ("controller-rust", "controller-c")


def new(kind: str, name: str, folder: Path) -> list[Path]:
    """Writes the files of a kind under a name; returns them, the one to run first."""
    if kind not in KINDS:
        near = nearest(kind, KINDS) or list(KINDS)
        raise Refusal(f"there is no template `{kind}`", nearest=near, fix="name one of these")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        fix = "write small letters, digits and single hyphens, such as my-queue"
        raise Refusal(f"`{name}` cannot be the name of a {kind}", place="NAME", fix=fix)
    texts = {
        folder / f"{name}{Path(file.removesuffix('.txt')).suffix}": _text(file)
        .replace("CLASS", "".join(map(str.capitalize, name.split("-"))))
        .replace("NAME", name)
        for file in KINDS[kind]
    }
    return _write(texts)


def copy(study: str, folder: Path) -> Path:
    """Copies a shipped study, to be changed; a copy in the folder is not overwritten."""
    known = shipped()
    if study not in known:
        near = nearest(study, known) or sorted(known)[:9]
        raise Refusal(f"there is no study `{study}`", nearest=near, fix="name one of these")
    return _write({folder / f"{study}.md": known[study].read_text(encoding="utf-8")})[0]


def _text(file: str) -> str:
    return (resources.files("backwater") / "templates" / file).read_text(encoding="utf-8")


def _write(texts: dict[Path, str]) -> list[Path]:
    for path in texts:
        if path.exists():
            fix = "choose another name, or remove the file"
            raise Refusal("the file is there already", place=str(path), fix=fix)
    for path, text in texts.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            what = f"cannot write: {error.strerror or error}"
            raise Unfinished(what, place=str(path), fix="name another folder") from error
    return list(texts)
