"""Plain lines of `backwater emulate`, which are read without the library of the command line."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import asdict

import pytest
from typer.main import get_command

from backwater.cli import application, emulate, real_time

OPTIONS = {
    name: one.default
    for name, one in inspect.signature(emulate.command).parameters.items()
    if name != "words"
}


def test_both_ways_have_the_same_options_and_defaults() -> None:
    assert asdict(real_time.Wishes()) == OPTIONS
    command = get_command(application.made("emulate")).commands["emulate"]  # type: ignore[attr-defined]
    flags = {
        word: (one.name, value)
        for one in command.params
        if getattr(one, "is_flag", False)
        for words, value in ((one.opts, True), (one.secondary_opts, False))
        for word in words
    }
    assert flags == real_time.FLAGS


@pytest.mark.parametrize("args", [[], ["--help"], ["--late", "1", "raw"], ["--live"], ["--liv"]])
def test_what_is_not_plain_is_left_to_the_library(args: list[str]) -> None:
    assert real_time.plain(args) is None


def test_flags_before_the_boxes_are_read_and_all_behind_stays_as_it_is() -> None:
    words = ["delay", "1", "--", "true", "--json"]
    assert real_time.plain(["--low-cpu", "--live", *words]) == (
        words,
        real_time.Wishes(low_cpu=True, live=True),
    )
    assert real_time.plain(["--exact", *words]) == (words, real_time.Wishes(low_cpu=False))


def test_a_plain_line_loads_no_library_of_the_command_line() -> None:
    code = (
        "import sys\nfrom backwater.cli import main\ncode = main(['emulate', 'dealy', '1'])\n"
        "print(code, 'typer' in sys.modules, 'rich' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "2 False False\n"
    assert "`dealy` is no box" in ran.stderr
