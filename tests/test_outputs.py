"""Files that a person names for what comes out: links, devices, and names that are taken."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import backwater
from backwater.model import outputs
from command import call
from test_limits import BASE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text(BASE)
    (tmp_path / "other").mkdir()
    return tmp_path


def test_a_link_is_followed_and_stays_a_link(folder: Path) -> None:
    target, link = folder / "other" / "target", folder / "link"
    link.symlink_to(target)
    for text in ("first", "second"):
        outputs.save(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    # Permissions are those that a person gave, and no draft is left.
    target.chmod(0o640)
    outputs.save(link, b"third")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert [path.name for path in target.parent.iterdir()] == ["target"]


def test_a_draft_follows_no_link_that_a_stranger_has_laid(folder: Path) -> None:
    victim = folder / "victim"
    victim.write_text("mine")
    for name in (".page.html.draft", "page.html.draft", ".page.html"):
        (folder / name).symlink_to(victim)
    outputs.save(folder / "page.html", "page")
    assert victim.read_text() == "mine"
    assert not (folder / "page.html").is_symlink()


def test_a_pipe_takes_what_is_written_and_stays_a_pipe(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    outputs.save(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device to lose")
def test_a_device_stays_a_device(folder: Path) -> None:
    null = folder / "null"
    try:
        os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        null.write_text("")
    except OSError:
        pytest.skip("no device can be made or opened here")
    assert call("run", "s.toml", "--report", null, cwd=folder).code == 0
    assert stat.S_ISCHR(null.stat().st_mode)


def test_what_stdout_is_gets_the_page(folder: Path) -> None:
    ended = call("run", "s.toml", "--report", "/dev/stdout", cwd=folder)
    assert ended.code == 0, ended.err
    assert "</html>" in ended.out
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize(
    "words",
    [
        ("run", "s.toml", "--record", "s.toml"),
        ("run", "s.toml", "--pcap", "other/../s.toml"),
        ("run", "s.toml", "--perfetto", "link"),
        ("run", "s.toml", "--report", "hard"),
        ("run", "s.toml", "--report", "x", "--record", "x"),
        ("run", "s.toml", "--pcap", "x", "--perfetto", "other/../x"),
        ("emulate", "--record", "s.toml", "scenario", "s.toml", "--attach", "A=touch ran"),
        ("emulate", "--page", "link", "scenario", "s.toml", "--attach", "A=touch ran"),
        ("emulate", "--page", "x", "--pcap", "x", "delay", "1", "--", "touch", "ran"),
        ("emulate", "--record", "up", "link", "up", "up", "--", "touch", "ran"),
        ("emulate", "--pcap", "x", "link", "up", "up", "--uplink-log=x", "--", "touch", "ran"),
        ("emulate", "link", "up", "up", "--uplink-log=up", "--", "touch", "ran"),
        ("trace", "make", "made.toml", "--out", "made.toml"),
    ],
    ids=" ".join,
)
def test_nothing_that_is_read_is_overwritten_and_no_output_by_another(
    folder: Path, words: tuple[str, ...]
) -> None:
    (folder / "link").symlink_to("s.toml")
    (folder / "hard").hardlink_to(folder / "s.toml")
    (folder / "up").write_text("1\n")
    (folder / "made.toml").write_text('kind = "constant"\nrate = "1 Mbit/s"\n')
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    ended = call(*words, cwd=folder)
    assert ended.code == 2, ended.err
    assert "is the same file as" in ended.err
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_run_of_python_overwrites_no_scenario(folder: Path) -> None:
    with pytest.raises(backwater.Refusal, match="which is read"):
        backwater.run(folder / "s.toml", record=folder / "s.toml")
    assert (folder / "s.toml").read_text() == BASE


def test_an_input_of_the_scenario_is_read_too(folder: Path) -> None:
    (folder / "sent.csv").write_text("time_s,size_B\n0,100\n")
    replay = BASE.replace(
        '{ kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" }',
        '{ kind = "replay", file = "sent.csv" }',
    )
    (folder / "s.toml").write_text(replay)
    ended = call("run", "s.toml", "--record", "sent.csv", cwd=folder)
    assert ended.code == 2, ended.err
    assert "is the same file as `sent.csv`, which is read" in ended.err


def test_a_report_overwrites_no_results(folder: Path) -> None:
    axis = ("--axis", "flows.f.source.rate=1 Mbit/s")
    assert call("sweep", "s.toml", *axis, "--out", "out", cwd=folder).code == 0
    for command, name in (("report", "store"), ("export", "results.csv")):
        (folder / name).symlink_to(folder / "out" / "results.sqlite")
        before = (folder / "out" / "results.sqlite").read_bytes()
        ended = call(command, "out", "--out", name, cwd=folder)
        assert ended.code == 2, ended.err
        assert (folder / "out" / "results.sqlite").read_bytes() == before
