"""The doctor, and what is checked before anything is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import backwater
from backwater.tools import emulation, installation

ROOT = Path(__file__).resolve().parent.parent


def row(name: str) -> installation.Check:
    (found,) = [check for check in installation.check() if check.name == name]
    return found


def test_a_working_installation_passes_every_required_check() -> None:
    wrong = [check for check in installation.check() if check.required and not check.ok]
    assert wrong == []


def test_only_what_is_not_well_carries_a_fix() -> None:
    for check in installation.check():
        assert (check.fix is None) == check.ok, check


def test_the_document_says_whether_all_required_checks_hold() -> None:
    good = installation.Check("a", True, True, "here")
    optional = installation.Check("b", False, False, "absent", "get it")
    bad = installation.Check("c", False, True, "broken", "mend it")
    assert installation.document([good, optional])["ok"] is True
    document = installation.document([good, optional, bad])
    assert document["ok"] is False
    assert list(document)[:2] == ["schema", "version"]
    assert document["checks"][2] == {
        "name": "c",
        "ok": False,
        "required": True,
        "found": "broken",
        "fix": "mend it",
    }
    json.dumps(document)


def test_an_engine_whose_runs_differ_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fingerprints = iter("ab")

    def run(*_: object) -> SimpleNamespace:
        document = {
            "fingerprint": next(fingerprints),
            "conservation": {"ok": True},
            "sanity": {"faults": []},
        }
        return SimpleNamespace(document=json.dumps(document))

    scenario = SimpleNamespace(resolve=lambda _: SimpleNamespace(run=run))
    native = SimpleNamespace(Scenario=SimpleNamespace(from_toml=lambda *_: scenario))
    monkeypatch.setattr(backwater, "_native", native)
    check = installation._trial()
    assert not check.ok
    assert check.found == "ValueError: fingerprints a and b"


@pytest.mark.parametrize("optimised", [True, False])
def test_an_engine_that_was_built_for_tests_is_told(
    monkeypatch: pytest.MonkeyPatch, optimised: bool
) -> None:
    monkeypatch.setattr(backwater._native, "optimised", lambda: optimised)
    check = row("optimised engine")
    assert check.ok == optimised
    assert check.fix == (None if optimised else "make setup")
    assert not check.required


def test_a_module_of_another_version_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    native = SimpleNamespace(version=lambda: "0.0.0", __file__="x.so")
    monkeypatch.setattr(backwater, "_native", native)
    check = row("native module")
    assert not check.ok
    assert check.found.startswith("0.0.0, but the package is ")
    assert check.fix == "make setup"


def test_a_module_that_does_not_load_is_an_answer_and_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(backwater, "_native")
    monkeypatch.setitem(sys.modules, "backwater._native", None)
    assert [check.ok for check in installation.check()[1:4]] == [False, False, False]


def test_a_tool_that_is_absent_is_optional_and_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, package in (("tshark", "shark"), ("chromium", "chromium"), ("ns-3", "ns")):
        check = row(name)
        assert not check.ok
        assert not check.required
        assert check.fix is not None
        assert package in check.fix


def prerequisites(path: Path, release: Path) -> subprocess.CompletedProcess[str]:
    shell = shutil.which("sh")
    assert shell is not None
    return subprocess.run(
        [shell, str(ROOT / "scripts" / "prerequisites.sh")],
        env={"PATH": str(path), "OS_RELEASE": str(release)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of programs in which nothing but the shell's own tools is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sed", "head", "tr", "dirname"):
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    program(folder, "uname", "echo Linux")
    return folder


def program(folder: Path, name: str, body: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


@pytest.mark.parametrize(
    ("release", "python", "linker"),
    [
        (
            "ID=ubuntu\nID_LIKE=debian\n",
            "apt-get install -y python3 python3-venv",
            "apt-get install -y build-essential",
        ),
        (
            "ID=debian\n",
            "apt-get install -y python3 python3-venv",
            "apt-get install -y build-essential",
        ),
        (
            'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
            "dnf install -y python3",
            "dnf install -y gcc",
        ),
        ("ID=nixos\n", "https://www.python.org/downloads/", "the name cc"),
    ],
)
def test_on_a_bare_machine_each_missing_thing_is_named_with_its_fix(
    bare: Path, tmp_path: Path, release: str, python: str, linker: str
) -> None:
    file = tmp_path / "os-release"
    file.write_text(release)
    ended = prerequisites(bare, file)
    assert ended.returncode == 1
    assert ended.stdout == ""
    said = ended.stderr
    assert "missing: Python 3.10 or newer" in said
    assert python in said
    assert "missing: Rust 1." in said
    assert "https://sh.rustup.rs" in said
    assert linker in said


def test_on_macos_the_fixes_are_those_of_macos(bare: Path, tmp_path: Path) -> None:
    program(bare, "uname", "echo Darwin")
    said = prerequisites(bare, tmp_path / "none").stderr
    assert "brew install python" in said
    assert "xcode-select --install" in said


def test_an_old_rust_is_named_with_its_version_and_rustup_mends_it(
    bare: Path, tmp_path: Path
) -> None:
    program(bare, "cargo", "exit 0")
    program(bare, "rustc", "echo 'rustc 1.70.0 (90c541806 2023-05-31)'")
    program(bare, "rustup", "exit 0")
    said = prerequisites(bare, tmp_path / "none").stderr
    assert "newer (found 1.70.0)" in said
    assert "rustup update stable" in said


def test_where_everything_is_there_the_python_to_use_is_all_that_is_said(
    bare: Path, tmp_path: Path
) -> None:
    for name in ("cargo", "cc"):
        program(bare, name, "exit 0")
    program(bare, "rustc", "echo 'rustc 99.0.0 (x)'")
    program(bare, "python3", f'exec "{sys.executable}" "$@"')
    ended = prerequisites(bare, tmp_path / "none")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert os.access(ended.stdout.strip(), os.X_OK)


def test_the_rust_asked_for_is_the_one_that_the_workspace_declares(
    bare: Path, tmp_path: Path
) -> None:
    declared = next(
        line.split('"')[1]
        for line in (ROOT / "Cargo.toml").read_text().splitlines()
        if line.startswith("rust-version")
    )
    assert f"missing: Rust {declared} or newer" in prerequisites(bare, tmp_path / "none").stderr


@pytest.mark.skipif(sys.platform != "linux", reason="emulation needs Linux")
def test_what_emulated_paths_lack_of_the_network_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forwarding, resolvers, beyond = (tmp_path / name for name in ("forward", "resolv", "beyond"))
    monkeypatch.setattr(emulation, "FORWARDING", forwarding)
    monkeypatch.setattr(emulation, "RESOLVERS", resolvers)
    monkeypatch.setattr(emulation, "BEYOND", beyond)
    forwarding.write_text("0\n")
    resolvers.write_text("nameserver 127.0.0.53\n")
    assert row("emulation: networks beyond").fix == "sudo sysctl -w net.ipv4.ip_forward=1"
    assert "not on the loopback interface" in str(row("emulation: names").fix)
    beyond.write_text("search home\nnameserver 192.0.2.53\n")
    assert row("emulation: names").found == f"192.0.2.53 of {beyond}"
