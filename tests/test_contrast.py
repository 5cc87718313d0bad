"""Colours of curves against the papers of a report, by the contrast ratio of WCAG 2.2."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backwater.present import report
from backwater.present.plot import COLOURS

STYLE = (Path(report.__file__).parent / "style.css").read_text(encoding="utf-8")
PAPERS = re.findall(r"--paper: (#[0-9a-f]{3,6});", STYLE)


def luminance(colour: str) -> float:
    """Relative luminance of a colour in sRGB."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_ratio_is_that_of_the_standard() -> None:
    assert contrast("#fff", "#000000") == pytest.approx(21)


@pytest.mark.parametrize("colour", COLOURS)
def test_a_curve_stands_out_on_both_papers(colour: str) -> None:
    assert len(PAPERS) == 2
    for paper in PAPERS:
        assert contrast(colour, paper) >= 3.0, paper
