"""The command line: documents against their schemas, exit codes, refusals."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from backwater import _native, cli, errors
from backwater.study import metric
from backwater.tools import catalogue
from command import BACKWATER, Ended, call
from studies import BLOCK, SCENARIO, markdown

Command = Callable[..., Ended]
TAPLO = shutil.which("taplo", path=str(Path(sys.executable).parent)) or shutil.which("taplo")
BENCHES = Path(cli.__file__).parent.parent / "benches"
NAMES = [f"{kind}/{row[0]}" for kind in catalogue.kinds() for row in catalogue.brief(kind)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.toml").write_text(SCENARIO)
    (tmp_path / "s.md").write_text(markdown())
    return tmp_path


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command in a folder with a scenario s.toml and a study s.md."""
    monkeypatch.chdir(folder)

    def go(*args: object) -> Ended:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main([str(arg) for arg in args])
        return Ended(code, out.getvalue(), err.getvalue())

    return go


def valid(found: Ended, name: str | None = None) -> dict[str, Any]:
    """The document on stdout, which must be valid under the schema that it names."""
    document = found.document
    named = document["schema"].split("/")[1]
    assert name in (None, named), found.out
    schema = json.loads((Path(cli.__file__).parent.parent / f"schemas/{named}.json").read_text())
    jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    first = list(document)[:2]
    assert first == ["schema", "version"]
    return document


def refused(found: Ended) -> dict[str, Any]:
    assert found.code == 2, found
    error: dict[str, Any] = valid(found, "error")["error"]
    assert error["what"]
    assert error["fix"]
    return error


def without_cost(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_cost(v) for k, v in value.items() if k not in ("cost", "out", "report")}
    return [without_cost(one) for one in value] if isinstance(value, list) else value


def test_schemas_are_schemas(run: Command) -> None:
    found = valid(run("list", "--schemas", "--json"), "schemas")["schemas"]
    assert {"run", "study", "list", "error", "bench", "sweep", "scenario", "manifest"} <= set(found)
    for schema in found.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert len({schema["$id"] for schema in found.values()}) == len(found)


@pytest.mark.skipif(TAPLO is None, reason="taplo is not installed")
def test_an_editor_of_toml_completes_scenarios(run: Command, folder: Path) -> None:
    schema = folder / "scenario.schema.json"
    schema.write_text(run("list", "scenario", "--schemas").out)
    good = (BENCHES / "mesh-44.toml").read_text(encoding="utf-8")
    for text, right in ((good, True), (good.replace("duration", "durtion", 1), False)):
        (folder / "edited.toml").write_text(f"#:schema ./{schema.name}\n{text}")
        done = subprocess.run(
            [str(TAPLO), "lint", "edited.toml"], cwd=folder, capture_output=True, check=False
        )
        assert (done.returncode == 0) == right, done.stderr


def test_list_has_every_kind_of_the_engine_and_of_the_contract(run: Command) -> None:
    found = valid(run("list", "--json"), "list")["kinds"]
    contract = "controllers queues mechanisms detectors notifiers responders media sources studies"
    assert set(contract.split()) <= set(found)
    engine = json.loads(_native.parts())
    assert {kind: found[kind] for kind in engine} == engine
    assert all(found.values())


@pytest.mark.parametrize(("kind", "name"), [("traces", "cox"), ("boxes", "loss")])
def test_traces_and_boxes_are_listed_and_explained(run: Command, kind: str, name: str) -> None:
    assert name in run("list", kind).out
    rows = valid(run("explain", name, "--json"), "explain")["rows"]
    assert kind in [row["kind"] for row in rows]


def test_list_of_one_kind(run: Command) -> None:
    assert list(valid(run("list", "queues", "--json"))["kinds"]) == ["queues"]
    assert "strict-priority" in run("list", "queues").out


def test_list_refuses_an_unknown_kind(run: Command) -> None:
    assert "queues" in refused(run("list", "quees", "--json"))["nearest"]


@pytest.mark.parametrize("name", NAMES)
def test_everything_listed_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind, _, id_ = name.partition("/")
    assert cli.main(["explain", id_, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert kind in [row["kind"] for row in rows]
    assert cli.main(["explain", id_]) == 0
    assert capsys.readouterr().out.strip()


def test_explain_refuses_with_the_nearest(run: Command) -> None:
    assert "uniform-uniform" in refused(run("explain", "uniform-unifrom", "--json"))["nearest"]


def test_run_is_a_function_of_scenario_and_seed(run: Command) -> None:
    one, two = (valid(run("run", "s.toml", "--json"), "run") for _ in range(2))
    assert without_cost(one) == without_cost(two)
    other = valid(run("run", "s.toml", "--seed", 2, "--json"))
    assert other["fingerprint"] != one["fingerprint"]
    assert (one["seed"], other["seed"]) == (1, 2)


def test_set_overrides_by_path_with_and_without_quotes(run: Command) -> None:
    plain = run("run", "s.toml", "--set", "flows.*.source.rate=2 Mbit/s", "--json").document
    quoted = run("run", "s.toml", "--set", 'flows.f1.source.rate="2 Mbit/s"', "--json").document
    assert plain["fingerprint"] == quoted["fingerprint"]
    assert plain["flows"][0]["offered_bps"] < 4e6


def test_a_table_that_is_not_toml_is_refused(run: Command) -> None:
    told = run("run", "s.toml", "--set", 'flows.f1.source={"kind": "cbr"}', "--json")
    assert told.code == errors.EXIT_REFUSED
    assert "is not TOML" in told.document["error"]["what"]


# Only a run with transfers has slowdowns by their size.
TRANSFERS = """\
schema = "backwater/scenario/1"
duration = "1 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.a = { ends = ["S", "D"], rate = "100 Mbit/s", delay = "1 us" }
flows.f = { from = "S", to = "D", transport = "tcp", controller = { kind = "reno" }, source = { kind = "request-response", gaps = "fixed", gap = "10 ms", size = "1 kB" } }
"""  # noqa: E501
QUEUE_PAIRS = """\
schema = "backwater/scenario/1"
duration = "20 ms"
topology = { kind = "star", hosts = 7, rate = "10 Gbit/s", delay = "1 us", bottleneck = "10 Gbit/s" }
flows.f = { from = "h*", to = "h*", pattern = "transfers", transport = "irn", cap = "1 MB", stop = "10 ms", controller = { kind = "fixed", window = "64 packets" }, source = { kind = "workload", sizes = "storage", rate = "2 Gbit/s" } }
"""  # noqa: E501


def test_every_metric_of_a_run_is_listed_and_no_other(run: Command, folder: Path) -> None:
    document = run("run", "s.toml", "--json").document
    (folder / "transfers.toml").write_text(TRANSFERS)
    transfers = run("run", "transfers.toml", "--json").document
    (folder / "pairs.toml").write_text(QUEUE_PAIRS)
    pairs = run("run", "pairs.toml", "--json").document
    not_metrics = {"id", "from", "to", "class", "hops", "paused"}
    # A flow has a Hurst parameter where it asks for one.
    asks = run("run", "s.toml", "--set", "flows.f1.hurst=true", "--json").document
    places = {
        "run": set(document["metrics"]) | set(transfers["metrics"]) | set(pairs["metrics"]),
        "flow": (set(asks["flows"][0]) | set(pairs["flows"][0])) - not_metrics,
        "port": set(document["ports"][0]) - not_metrics,
    }
    made_here = {
        "run": {
            "entered_pkts",
            "delivered_pkts",
            "dropped_pkts",
            "held_pkts",
            "deadlocks",
        },
        "flow": set(),
        "port": {f"paused_class{n}" for n in range(8)},
    }
    for scope, names in places.items():
        listed = [one for one in metric.METRICS if scope in one.scopes]
        for name in names | made_here[scope]:
            assert any(one.fits(name) for one in listed), f"{scope} {name} is not listed"
        for one in listed:
            # Parts of the delay are there where packets went in A-MPDUs; ports that trim, send
            # notices or have a watchdog count; networks with equal ways say how even they are.
            of_ports = ("trimmed_pkts", "notices_pkts", "watchdog_actions")
            of_ways = ("ways_uneven_mean", "ways_uneven_max")
            if one.id in ("delay_aggregate_s", "delay_reorder_s", *of_ports, *of_ways):
                continue
            assert any(one.fits(name) for name in names | made_here[scope]), one.id


def test_a_run_for_people_is_tables(run: Command) -> None:
    found = run("run", "s.toml")
    assert found.code == 0
    for word in ("FLOWS", "PORTS", "f1", "W>D", "fingerprint"):
        assert word in found.out


def test_a_recording_equals_itself_and_differs_from_another(run: Command, folder: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert run("run", "s.toml", "--seed", seed, "--record", f"{name}.rec").code == 0
    same, other = run("diff", "a.rec", "b.rec", "--json"), run("diff", "a.rec", "c.rec", "--json")
    assert (same.code, valid(same, "diff")["equal"]) == (0, True)
    assert (other.code, valid(other)["equal"]) == (1, False)
    assert valid(other)["first"]
    refused(run("diff", "a.rec", "absent", "--json"))
    refused(run("diff", "a.rec", "s.toml", "--json"))
    refused(run("diff", "a.rec", ".", "--json"))


def test_a_capture_is_written(run: Command, folder: Path) -> None:
    assert run("run", "s.toml", "--pcap", "out.pcapng").code == 0
    assert (folder / "out.pcapng").read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"


@pytest.mark.parametrize("option", ["--pcap", "--record"])
def test_a_file_that_cannot_be_written_is_exit_3(run: Command, option: str) -> None:
    found = run("run", "s.toml", option, "no/such/folder/file", "--json")
    assert found.code == 3
    valid(found, "error")


BAD = {
    "empty": "",
    "syntax": "seed = \n",
    "bare number": SCENARIO.replace('"2 s"', "2"),
    "unknown unit": SCENARIO.replace("2 s", "2 parsec"),
    "unknown field": SCENARIO.replace('from = "S"', 'form = "S"'),
    "misspelt kind": SCENARIO.replace("uniform-uniform", "uniform-unifrom"),
    "unknown node": SCENARIO.replace('to = "D"', 'to = "E"'),
    "negative": SCENARIO.replace("2 s", "-2 s"),
    "zero rate": SCENARIO.replace('"10 Mbit/s"', '"0 Mbit/s"'),
    "nan": SCENARIO.replace('"2 s"', "nan"),
    "absurd": SCENARIO.replace('"50 kB"', '"99999999999999999999999 kB"'),
    "not a scenario": "\x00\x01",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_scenario_is_refused(run: Command, folder: Path, name: str) -> None:
    (folder / "bad.toml").write_text(BAD[name])
    refused(run("run", "bad.toml", "--json"))


@pytest.mark.parametrize(
    "args",
    [
        ("run", "absent.toml"),
        ("run", "."),
        ("run",),
        ("run", "s.toml", "--sed", "1"),
        ("run", "s.toml", "--seed", "-1"),
        ("run", "s.toml", "--seed", "one"),
        ("run", "s.toml", "--seed", str(2**64)),
        ("run", "s.toml", "--set", "duration"),
        ("run", "s.toml", "--set", "flows.f9.class=1"),
        ("run", "s.toml", "--set", "=1"),
        ("runn", "s.toml"),
        ("study", "run"),
        ("study", "run", "no-such-study"),
        ("study", "run", "s.md", "--all"),
        ("study", "run", "s.md", "s.toml"),
        ("study", "run", "s.md", "./s.md"),
        ("study", "run", "s.md", "--workers", "0"),
        ("study", "run", "s.md", "--seeds", "0"),
        ("study", "rn"),
        ("sweep", "s.toml"),
        ("sweep", "s.toml", "--axis", "duration"),
        ("sweep", "s.toml", "--axis", "duration=1 s,,2 s"),
        ("sweep", "s.toml", "--axis", "duration=1 s,1 s"),
        ("sweep", "s.toml", "--axis", "duration=1 s", "--axis", "duration=2 s"),
        ("sweep", "s.toml", "--axis", "durtion=1 s"),
        ("report", "."),
        ("report", "absent"),
        ("export", "."),
        ("export", "s.toml"),
        ("diff", "s.toml"),
        ("list", "--schemas", "queues"),
        ("bench", "no-such-benchmark"),
    ],
)
def test_a_wrong_request_is_exit_2_with_one_document(run: Command, args: tuple[str, ...]) -> None:
    found = run(*args, "--json")
    refused(found)
    assert found.err
    plain = run(*args)
    assert (plain.code, plain.out) == (2, "")


def test_a_refused_study_leaves_nothing_behind(run: Command, folder: Path) -> None:
    refused(run("study", "run", "s.md", "no-such-study", "--out", "o", "--json"))
    assert not (folder / "o").exists()


def test_a_study_runs_and_its_folder_is_complete(run: Command, folder: Path) -> None:
    found = run("study", "run", "s.md", "--out", "o", "--json")
    document = valid(found, "study")
    (study,) = document["studies"]
    assert (found.code, study["status"], document["mode"]) == (0, "ok", "full")
    assert (study["cases_done"], study["cases_total"], study["seeds"]) == (24, 24, 4)
    assert study["claims"][0]["id"] == "small/c1"
    for name in ("results.sqlite", "manifest.json", "report.html"):
        assert (folder / "o/small" / name).exists()
    manifest = json.loads((folder / "o/small/manifest.json").read_text())
    schema = json.loads((Path(cli.__file__).parent.parent / "schemas/manifest.json").read_text())
    jsonschema.validate(manifest, schema, cls=jsonschema.Draft202012Validator)
    assert manifest["command"] == ["backwater", *["study", "run", "s.md", "--out", "o", "--json"]]
    assert manifest["status"] == "done"


def test_two_quick_runs_of_a_study_are_equal(run: Command) -> None:
    one, two = (
        run("study", "run", "s.md", "--quick", "--out", out, "--json").document for out in "ab"
    )
    assert without_cost(one) == without_cost(two)
    assert one["mode"] == "quick"
    assert run("diff", "a/small", "b/small").code == 0


def test_an_unexpected_claim_is_exit_1(run: Command, folder: Path) -> None:
    text = markdown().replace("at_least = 0.5", 'at_most = -1\nexpected = "reproduced"')
    (folder / "bad.md").write_text(text)
    found = run("study", "run", "bad.md", "--out", "o", "--json")
    (study,) = valid(found, "study")["studies"]
    assert (found.code, study["status"], study["summary"]["unexpected"]) == (1, "unexpected", 1)
    assert run("study", "run", "bad.md", "--out", "p").code == 1


def test_several_studies_get_a_folder_each_and_an_index(run: Command, folder: Path) -> None:
    (folder / "t.md").write_text(markdown().replace('id = "small"', 'id = "other"'))
    found = run("study", "run", "s.md", "t.md", "--quick", "--out", "o", "--json")
    assert [one["id"] for one in valid(found)["studies"]] == ["small", "other"]
    assert (folder / "o/index.html").exists()


def test_a_study_for_people_ends_with_its_claims(run: Command) -> None:
    found = run("study", "run", "s.md", "--quick")
    assert "Without control loss rises" in found.out
    assert "reproduced" in found.out
    assert "results/small/report.html" in found.out.replace("\\", "/")
    assert "8 of 8 cases" in found.err


def test_studies_are_listed(run: Command) -> None:
    assert list(valid(run("study", "list", "--json"), "list")["kinds"]) == ["studies"]
    assert run("study", "list").code == 0


def test_a_sweep_runs_every_combination(run: Command, folder: Path) -> None:
    found = run(
        *("sweep", "s.toml", "--axis", "flows.*.source.rate=2 Mbit/s,8 Mbit/s"),
        *("--axis", "mechanisms.bp.recipe=none,pause", "--seeds", 2, "--json"),
    )
    document = valid(found, "sweep")
    assert found.code == 0, found.err
    assert len(document["rows"]) == 4
    assert document["rows"][0]["metrics"]["loss"]["n"] == 2
    assert document["rows"][0]["case"] == {
        "flows.*.source.rate": "2 Mbit/s",
        "mechanisms.bp.recipe": "none",
    }
    for name in ("results.sqlite", "manifest.json", "report.html"):
        assert (folder / "results/sweep-s" / name).exists()


def test_results_are_exported(run: Command, folder: Path) -> None:
    assert run("study", "run", "s.md", "--quick", "--out", "o").code == 0
    rows = list(csv.DictReader(io.StringIO(run("export", "o/small").out)))
    assert len(rows) == 8
    assert rows[0]["scheme"] == "none"
    assert 0 <= float(rows[0]["loss"]) <= 1
    listed = valid(run("export", "o/small", "--scope", "flow:f1", "--json"), "export")
    assert "goodput_bps" in listed["columns"]
    assert len(listed["rows"]) == 8
    everything = list(csv.DictReader(io.StringIO(run("export", "o/small", "--long").out)))
    assert {"run", "flow:f1", "port:W>D"} <= {row["scope"] for row in everything}
    refused(run("export", "o/small", "--scope", "flow:f2", "--json"))
    refused(run("export", "o/small", "--out", "x.xls", "--json"))
    assert run("export", "o/small", "--out", "no/such/x.csv", "--json").code == 3
    assert run("export", "o/small", "--out", "x.csv").code == 0
    assert (folder / "x.csv").read_text() == run("export", "o/small").out


def test_an_axis_with_the_name_of_a_metric_is_exported_beside_it(
    run: Command, folder: Path
) -> None:
    block = BLOCK.replace("axes.rate", "axes.loss").replace('"rate"', '"loss"')
    block = block.replace("axes.scheme", "axes.seed").replace('"scheme"', '"seed"')
    block = block.replace("where = { scheme", "where = { seed")
    (folder / "s.md").write_text(markdown(block))
    assert run("study", "run", "s.md", "--quick", "--out", "o").code == 0
    rows = list(csv.DictReader(io.StringIO(run("export", "o/small").out)))
    assert {row["axis.loss"] for row in rows} == {"4 Mbit/s", "8 Mbit/s"}
    assert {row["axis.seed"] for row in rows} == {"none", "pause"}
    assert all(0 <= float(row["loss"]) <= 1 for row in rows)
    everything = list(csv.DictReader(io.StringIO(run("export", "o/small", "--long").out)))
    assert {row["seed"] for row in everything} == {"1", "2"}
    assert {row["axis.seed"] for row in everything} == {"none", "pause"}


def test_results_are_exported_as_parquet(run: Command, folder: Path) -> None:
    polars = pytest.importorskip("polars")
    assert run("study", "run", "s.md", "--quick", "--out", "o").code == 0
    assert run("export", "o/small", "--out", "x.parquet").code == 0
    assert polars.read_parquet(folder / "x.parquet").height == 8


def test_a_report_is_written_again(run: Command, folder: Path) -> None:
    assert run("study", "run", "s.md", "--quick", "--out", "o").code == 0
    found = run("report", "o/small", "--out", "again.html", "--json")
    assert valid(found, "report")["files"] == ["again.html"]
    assert (folder / "again.html").exists()
    figures = valid(run("report", "o/small", "--figures", "f", "--format", "svg,pdf", "--json"))
    assert figures["files"]
    assert all((folder / name).exists() for name in figures["files"])
    refused(run("report", "o/small", "--figures", "f", "--format", "gif", "--json"))
    refused(run("report", "o/small", "--figures", "f", "--out", "x.html", "--json"))
    assert run("report", "o/small", "--out", "s.toml/x.html", "--json").code == 3


def test_doctor_answers_in_one_document(run: Command) -> None:
    found = run("doctor", "--json")
    assert valid(found, "doctor")["ok"] is (found.code == 0)
    assert run("doctor").out


def test_the_installed_command_does_what_the_function_does(run: Command, folder: Path) -> None:
    installed = call("run", "s.toml", "--json", cwd=folder)
    assert installed.code == 0
    assert without_cost(installed.document) == without_cost(run("run", "s.toml", "--json").document)
    assert call("run", "absent.toml", "--json", cwd=folder).code == 2


def test_help_and_version(run: Command) -> None:
    assert run().code == 0
    assert "study" in run().out
    assert run("--version").out.strip()
    for verb in ("list", "run", "sweep", "report", "export", "diff", "doctor", "bench", "explain"):
        assert run(verb, "--help").code == 0


def test_a_reader_who_leaves_is_no_error(folder: Path) -> None:
    with subprocess.Popen(
        [*BACKWATER, "list", "--schemas"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_defect_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def defect(kind: str) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(catalogue, "rows", defect)
    assert cli.main(["list", "--json"]) == 3
    printed = capsys.readouterr()
    assert "out of order" in json.loads(printed.out)["error"]["what"]
    assert "Traceback" not in printed.err


def test_the_help_of_all_verbs_is_that_which_their_modules_give() -> None:
    """The help reads sentences from files, because loading every module takes half a second."""
    from typer.testing import CliRunner

    from backwater.cli import application

    apps = (application.summaries(), application.made())
    shown = [CliRunner().invoke(app, ["--help"]).output for app in apps]
    assert "contest" in shown[0]
    assert shown[0] == shown[1]


def test_commands_that_need_no_library_load_none() -> None:
    """NumPy, plots and verdicts are no part of what `--help` or a run needs."""
    heavy = ("numpy", "backwater.present.plot", "backwater.verdict.judge", "vl_convert")
    bench = BENCHES / "lan-merge-pause.toml"
    run = ["backwater", "run", str(bench), "--set", 'duration="1 s"']
    for line in (["backwater", "--version"], ["backwater", "--help"], ["backwater", "list"], run):
        code = (
            "import sys; from backwater import cli; "
            f"cli._run({line!r}); print([m for m in {heavy} if m in sys.modules], file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stderr.strip() == "[]", done.stderr
