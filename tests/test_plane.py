"""Names beside the marks of a plane."""

from __future__ import annotations

from typing import Any

from backwater.present.plot.plane import PLACES, place_names


def placed(*points: tuple[str, float, float]) -> list[str]:
    rows: list[dict[str, Any]] = [{"name": name, "x": x, "mean": y} for name, x, y in points]
    place_names(rows)
    return [PLACES[row["beside"]][0].get("align", "") for row in rows]


def test_a_name_stands_to_the_right_of_its_mark_where_nothing_is_in_its_way() -> None:
    assert placed(("far", 700.0, 4.0), ("near", 100.0, 2.0)) == ["left", "left"]


def test_names_of_marks_that_lie_together_part() -> None:
    # The second mark lies under the first's name, and the x axis runs from right to left.
    far = ("far", 650.0, 3.9)
    together = placed(far, ("rearmed, 1 s", 160.0, 2.75), ("rearmed", 110.0, 2.76))
    assert together == ["left", "right", "left"]
    # Four names on one spot take four places.
    rows: list[dict[str, Any]] = [{"name": "name", "x": 50.0, "mean": 1.0} for _ in PLACES]
    rows += [{"name": "", "x": 100.0, "mean": 2.0}]
    place_names(rows)
    assert sorted(row["beside"] for row in rows[:4]) == [0, 1, 2, 3]


def test_a_name_stays_inside_the_plot() -> None:
    assert placed(("a long name", 1.0, 1.0), ("far", 700.0, 4.0))[0] == "right"
