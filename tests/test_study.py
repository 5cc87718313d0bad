"""Reading studies: what is accepted, and that every error points at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from backwater.errors import Refusal
from backwater.study.definition import shipped
from backwater.study.runnable import Study
from studies import BLOCK, SCENARIO, markdown


def parse(block: str = BLOCK, scenario: str = SCENARIO, prose: str = "Prose.") -> Study:
    return Study.parse(markdown(block, scenario, prose), "small.md")


def refused(text: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        Study.parse(text, "small.md").plan()
    return caught.value


def line_of(text: str, needle: str) -> int:
    return text[: text.index(needle)].count("\n") + 1


def test_a_study_is_read() -> None:
    study = parse()
    assert (study.id, study.title, study.source, study.seeds) == (
        "small",
        "A small study",
        "S2 A.1",
        4,
    )
    assert study.axis("rate").labels == ["4 Mbit/s", "6 Mbit/s", "8 Mbit/s"]
    assert study.axis("rate").numbers == [4e6, 6e6, 8e6]
    assert study.axis("scheme").numbers is None
    assert study.claims[0].source == "S2 A.1"
    assert study.prose == "# Small\n\nProse.\n"


def test_every_combination_runs_under_every_seed() -> None:
    plan = parse().plan()
    assert len(plan) == 2 * 3 * 4
    assert [case.seed for case in plan[:4]] == [1, 2, 3, 4]
    assert plan[0].labels == {"scheme": "none", "rate": "4 Mbit/s"}
    assert len({case.resolved.key() for case in plan}) == len(plan)


def test_quick_has_fewer_seeds_and_values_and_another_duration() -> None:
    plan = parse().plan(quick=True)
    assert len(plan) == 2 * 2 * 2
    assert {case.labels["rate"] for case in plan} == {"4 Mbit/s", "8 Mbit/s"}
    full = {case.resolved.key() for case in parse().plan()}
    assert full.isdisjoint(case.resolved.key() for case in plan)


def test_quick_may_leave_out_what_no_claim_reads() -> None:
    study = parse(BLOCK.replace("quick = { ", "quick = { only_judged = true, "))
    read = [{"scheme": "none", "rate": "4 Mbit/s"}, {"scheme": "none", "rate": "8 Mbit/s"}]
    assert study.combinations(quick=True) == read
    assert len(study.combinations()) == 6
    both = BLOCK.replace('where = { scheme = "none" }', 'where = { scheme = "pause" }')
    against = both.replace("along =", 'against = { scheme = "none" }\nby = "difference"\nalong =')
    compared = parse(against.replace("quick = { ", "quick = { only_judged = true, "))
    assert len(compared.combinations(quick=True)) == 4


def test_exclude_removes_combinations() -> None:
    block = BLOCK.replace(
        "figures.loss",
        'exclude = [{ scheme = "pause", rate = ["4 Mbit/s", "6 Mbit/s"] }]\nfigures.loss',
    )
    assert len(parse(block).combinations()) == 4


def test_a_label_names_a_value_that_sets_several_fields() -> None:
    block = BLOCK.replace(
        'values = ["none", "pause"]',
        'values = [{ label = "off", set = { "mechanisms.bp.recipe" = "none", duration = "1 s" } },'
        ' "pause"]',
    ).replace('scheme = "none"', 'scheme = "off"')
    study = parse(block)
    assert study.axis("scheme").labels == ["off", "pause"]
    assert study.axis("scheme").values[0].sets == (
        ("mechanisms.bp.recipe", "none"),
        ("duration", "1 s"),
    )


def test_numbers_and_flags_are_called_as_json_writes_them() -> None:
    block = BLOCK.replace(
        "figures.loss", 'axes.n = { path = "seed", values = [1, 2.5, true] }\nfigures.loss'
    )
    assert parse(block).axis("n").labels == ["1", "2.5", "true"]


def test_a_plain_file_beside_the_study_can_be_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(SCENARIO)
    block = BLOCK.replace("seeds = 4", 'seeds = 4, scenario = "base.toml"')
    path = tmp_path / "small.md"
    path.write_text(f"# Small\n\n```toml study\n{block}```\n")
    assert len(Study.load(path).plan()) == 24


def test_a_target_is_a_range_around_it() -> None:
    block = BLOCK.replace("at_least = 0.5", 'target = 0.5\ntolerance = "10 %"')
    claim = parse(block).claims[0]
    assert claim.bound.low == pytest.approx(0.45)
    assert claim.bound.high == pytest.approx(0.55)
    assert claim.published == 0.5


def test_bounds_may_carry_units() -> None:
    block = BLOCK.replace("at_least = 0.5", 'within = ["1 %", "2 %"]')
    assert (parse(block).claims[0].bound.low, parse(block).claims[0].bound.high) == (0.01, 0.02)


MISTAKES = [
    ('reduce = "increasing"', 'reduce = "incresing"', 'reduce = "incresing"', "increasing"),
    ("at_least = 0.5", "at_leest = 0.5", "at_leest", "at_least"),
    ("at_least = 0.5", "at_least = 0.5\nat_most = 1", "at_most", None),
    ("at_least = 0.5", "", "[claims.c1]", None),
    ("at_least = 0.5", "within = [2, 1]", "within", None),
    ("at_least = 0.5", "target = 3", "target", None),
    ("at_least = 0.5", 'at_least = "ten"', "at_least", None),
    ('where = { scheme = "none" }', 'where = { shceme = "none" }', "where", "scheme"),
    ('where = { scheme = "none" }', 'where = { scheme = "nine" }', "where", "none"),
    ('along = "rate"', 'along = "rite"', "along", "rate"),
    ('along = "rate"', "", 'reduce = "increasing"', None),
    ('reduce = "increasing"', 'reduce = "mean"', "along", None),
    ('reduce = "increasing"\nalong = "rate"', 'reduce = "slope"\nalong = "scheme"', "along", None),
    ('metric = "loss"', "", "[claims.c1]", None),
    ('metric = "loss"', 'metric = "lossy"', "metric", "loss"),
    ("[claims.c1]", "[claims.one]", "[claims.one]", None),
    ('along = "rate"\n', 'along = "rate"\nexpected = "differs"\n', "expected", None),
    ('along = "rate"\n', 'along = "rate"\nby = "ratio"\n', 'by = "ratio"', None),
    ('along = "rate"\n', 'along = "rate"\nargs = { a = 1 }\n', "args", None),
    ('x = "rate"', 'x = "rote"', "figures.loss", "rate"),
    ('y = "loss"', 'y = "loss", kind = "pie"', "figures.loss", None),
    ('y = "loss"', 'y = "los"', "figures.loss", "loss"),
    ('y = "loss"', 'y = "loss", scopes = ["flow:f1"]', "figures.loss", None),
    ('y = "loss"', 'y = "loss", scopes = ["flow:f1", "flow:f1"]', "figures.loss", None),
    ('y = "loss"', 'y = "loss", scope = "run", scopes = ["run", "flow:f1"]', "figures.loss", None),
    ('values = ["none", "pause"]', 'values = ["none", "none"]', "axes.scheme", None),
    ('values = ["none", "pause"]', "values = []", "axes.scheme", None),
    ('values = ["none", "pause"]', "values = [[1]]", "axes.scheme", None),
    ('path = "mechanisms.bp.recipe", ', "", "axes.scheme", None),
    ("seeds = 4", "seeds = 0", "study =", None),
    ("seeds = 4", "seedz = 4", "study =", "seeds"),
    ('id = "small"', 'id = "Small Study"', "study =", None),
    ("seeds = 2", "seeds = 2, speed = 9", "quick =", None),
    ("quick = {", "quik = {", "quik", "quick"),
]


@pytest.mark.parametrize(("old", "new", "at", "near"), MISTAKES)
def test_a_mistake_is_refused_on_its_line(old: str, new: str, at: str, near: str | None) -> None:
    assert old in BLOCK
    text = markdown(BLOCK.replace(old, new, 1))
    error = refused(text)
    assert error.line == line_of(text, at), str(error)
    assert error.place == "small.md"
    assert error.fix
    if near is not None:
        assert near in error.nearest
    assert f" {error.line} | " in str(error)


def test_what_is_not_toml_is_refused_on_its_line() -> None:
    text = markdown(BLOCK.replace("seeds = 4 }", "seeds = = 4 }"))
    assert refused(text).line == line_of(text, "seeds = = 4")


def test_an_error_in_the_scenario_has_the_line_of_the_study() -> None:
    text = markdown(scenario=SCENARIO.replace('rate = "10 Mbit/s"', 'rate = "10 parsec"'))
    error = refused(text)
    assert error.line == line_of(text, "10 parsec")
    assert error.place == "small.md"


def test_an_axis_that_sets_nothing_is_refused_on_its_line() -> None:
    text = markdown(BLOCK.replace("mechanisms.bp.recipe", "mechanisms.pb.recipe"))
    error = refused(text)
    assert "mechanisms.pb" in error.what
    assert error.line == line_of(text, "axes.scheme")


def test_an_axis_value_of_the_wrong_kind_is_refused_under_its_value() -> None:
    text = markdown(BLOCK.replace('"6 Mbit/s"', '"6 Mbits"'))
    error = refused(text)
    assert "Mbits" in error.what
    assert error.line == line_of(text, "6 Mbits")
    assert error.column == text.split("\n")[error.line - 1].index('"6 Mbits"') + 1


@pytest.mark.parametrize("place", ["{{figure lss}}", "{{claim c2}}", "{{graph loss}}", "{{claim}}"])
def test_a_placeholder_for_nothing_is_refused(place: str) -> None:
    error = refused(markdown(prose=f"Prose.\nSee {place}."))
    assert (error.line, error.column) == (4, 5)


def test_placeholders_in_code_are_code() -> None:
    parse(prose="```\n{{figure nothing}}\n```")


@pytest.mark.parametrize(
    "text",
    [
        "# No block\n",
        markdown() + markdown(),
        "# Open\n\n```toml study\nstudy = { id = 'x' }\n",
        f"# No scenario\n\n```toml study\n{BLOCK}```\n",
    ],
)
def test_a_study_has_one_block_of_each_kind(text: str) -> None:
    assert refused(text).fix


def test_excluding_everything_is_refused() -> None:
    every = 'exclude = [{ scheme = ["none", "pause"] }]\n'
    assert "excluded" in refused(markdown(BLOCK.replace("figures", every + "figures"))).what


def test_a_claim_about_nothing_is_refused() -> None:
    gone = 'exclude = [{ scheme = "none" }]\n'
    assert "c1" in refused(markdown(BLOCK.replace("figures", gone + "figures"))).what


def test_a_partner_that_is_excluded_is_refused() -> None:
    block = BLOCK.replace("figures", 'exclude = [{ scheme = "none", rate = "8 Mbit/s" }]\nfigures')
    block += (
        '[claims.c2]\nsays = "x"\nmetric = "loss"\nwhere = { scheme = "pause" }\n'
        'against = { scheme = "none" }\nby = "ratio"\nat_most = 0.9\n'
    )
    assert "excluded" in refused(markdown(block)).what


def test_an_unknown_study_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refusal) as caught:
        Study.load("no-such-study")
    assert caught.value.exit_code == 2


def test_a_study_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe")
    for name in ("bad.md", "absent.md"):
        with pytest.raises(Refusal):
            Study.load(tmp_path / name)


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_study_is_called_like_its_file_and_can_run(name: str) -> None:
    study = Study.load(name)
    assert study.id == name
    assert study.title
    assert study.source
    assert study.claims
    assert study.plan(quick=True)


@pytest.mark.parametrize(
    ("evidence", "near"), [("lan-cos", ""), ("nowhere/c1", ""), ("lan-cos/c9", "c109")]
)
def test_evidence_is_a_claim_that_exists(evidence: str, near: str) -> None:
    block = BLOCK + f'expected = "differs"\nreason = "x"\nevidence = "{evidence}"\n'
    found = refused(markdown(block))
    assert found.line is not None
    assert markdown(block).split("\n")[found.line - 1].startswith("evidence")
    assert near in ("", *found.nearest)
    assert parse(block.replace(evidence, "lan-cos/c112")).claims
    assert parse(block.replace(evidence, "small/c1")).claims


@pytest.mark.parametrize(
    ("kind", "more"),
    [("published", ""), ("own", 'quoted = "slide 3"\n'), ("probe", "published = 0.5\n")],
)
def test_published_is_what_the_source_says_and_where(kind: str, more: str) -> None:
    block = BLOCK.replace('kind = "published"\nquoted = "slide 3"\n', f'kind = "{kind}"\n{more}')
    assert refused(markdown(block)).what


def test_a_target_does_not_make_a_claim_published() -> None:
    target = BLOCK.replace("at_least = 0.5", "target = 0.5\ntolerance = 0.1")
    assert parse(target).claims[0].published == 0.5
    own = target.replace('kind = "published"\nquoted = "slide 3"\n', 'kind = "derived"\n')
    assert parse(own).claims[0].published is None
