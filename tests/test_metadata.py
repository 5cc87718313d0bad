"""Metadata for registries: systems, authors, versions."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

tomllib: Any = pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli")
ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = {"ubuntu": "POSIX :: Linux", "macos": "MacOS", "windows": "Microsoft :: Windows"}


def table(name: str) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / name).read_text(encoding="utf-8"))
    return found


def test_classifiers_name_the_systems_for_which_wheels_are_built() -> None:
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    # Linux has a job of its own, with two libraries of C.
    built = {SYSTEMS[name] for name in re.findall(r"(?:os|runs-on): \[?(\w+)-latest", release)}
    said = [line.partition(" :: ") for line in table("pyproject.toml")["project"]["classifiers"]]
    assert {rest for kind, _, rest in said if kind == "Operating System"} == built


def test_wheel_crates_and_citation_name_the_same_authors() -> None:
    [author] = table("pyproject.toml")["project"]["authors"]
    assert table("Cargo.toml")["workspace"]["package"]["authors"] == [author["name"]]
    assert f'- name: "{author["name"]}"' in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def package_of(folder: str) -> dict[str, Any]:
    package: dict[str, Any] = table(f"{folder}/Cargo.toml")["package"]
    return package


def test_crates_can_be_published_with_the_versions_that_they_have() -> None:
    workspace = table("Cargo.toml")["workspace"]
    version = workspace["package"]["version"]
    own = [of for of in workspace["dependencies"].values() if "path" in of]
    published = [of for of in own if package_of(of["path"]).get("publish", True)]
    assert len(published) >= 6
    assert {of["version"] for of in published} == {version}
    # What tests alone need has no version: cargo leaves it out of a crate that is published.
    assert not any("version" in of for of in own if of not in published)
    for manifest in (ROOT / "crates").glob("*/Cargo.toml"):
        package = table(str(manifest.relative_to(ROOT)))["package"]
        if package.get("publish", True):
            needed = {"description", "license", "authors", "keywords", "categories"}
            assert needed <= set(package), manifest
            for name in ("LICENSE-APACHE", "LICENSE-MIT"):
                text = (manifest.parent / name).read_text(encoding="utf-8")
                assert text == (ROOT / name).read_text(encoding="utf-8")
