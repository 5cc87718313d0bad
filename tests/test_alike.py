"""Warnings that differ in numbers and names alone are one."""

from __future__ import annotations

from backwater.results.alike import alike


def test_warnings_of_one_form_are_one_with_the_number_of_cases() -> None:
    still = "{} of 12 flows delivered nothing in the last third of the run: {}"
    rows = [
        ("a", still.format(2, "f9, f12")),
        ("b", still.format(1, "f11")),
        ("c", still.format(1, "f11")),
        ("c", still.format(1, "f8")),
        ("c", "the queue is empty"),
        ("d", "deadlock at 0.030 s: s0>s1, s1>s0 wait for one another"),
    ]
    first, *others = alike(rows)
    assert (first.text, first.cases, first.texts) == (still.format(1, "f11"), 3, 3)
    assert str(first).endswith("f11 (2 more such, with other numbers or names)")
    assert [(str(one), one.cases) for one in others] == [(rows[4][1], 1), (rows[5][1], 1)]


def test_warnings_that_say_something_else_stay_apart() -> None:
    assert len(alike([("a", "3 packets lost"), ("b", "3 packets held")])) == 2
