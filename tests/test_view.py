"""Record files, and the page that replays them in a browser."""

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

import command
from backwater.errors import Refusal
from backwater.model import record_file, simulate
from backwater.model.record_columns import COLUMNS
from backwater.present import viewer
from browser import document_of

BENCHES = Path(__file__).resolve().parent.parent / "python/backwater/benches"
SCENARIO = """\
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = { kind = "host" }
nodes.W = { kind = "switch" }
nodes.D = { kind = "host", obeys = false }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
ports."W>S" = { buffer = "500 kB" }
ports."S>W" = { buffer = "unlimited" }
mechanisms.bp = { recipe = "pause", at = ["W>D"], detect = { high = "80 %", low = "70 %" } }
[flows.f1]
from = "S"
to = "D"
source = { kind = "uniform-uniform", burst = "48 kB", rate = "8 Mbit/s" }
[flows.f2]
from = "S"
to = "D"
transport = "tcp"
controller = { kind = "cubic" }
source = { kind = "bulk" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run recorded in both forms, and one that differs."""
    made = tmp_path_factory.mktemp("view")
    (made / "s.toml").write_text(SCENARIO, encoding="utf-8")
    for name in ("a.csv", "a.bwrec"):
        assert command.call("run", "s.toml", "--record", name, cwd=made).code == 0
    high = 'mechanisms.bp.detect.high="90 %"'
    assert command.call("run", "s.toml", "--set", high, "--record", "b.bwrec", cwd=made).code == 0
    return made


def test_a_record_file_has_the_rows_of_the_csv(folder: Path) -> None:
    exported = command.call("export", "a.bwrec", cwd=folder)
    rows = list(csv.DictReader((folder / "a.csv").open(encoding="utf-8")))
    assert list(csv.DictReader(io.StringIO(exported.out))) == rows
    assert len(rows) > 2_000
    size = (folder / "a.bwrec").stat().st_size
    # A byte a row, and the head; long runs have half a byte.
    assert size < len(rows) + 1_000
    # Two writers that have nothing in common: the engine's columns, and those of its text.
    one, other = (record_file.read(folder / name) for name in ("a.bwrec", "a.csv"))
    for name in COLUMNS:
        assert (one.columns[name] == other.columns[name]).all(), name
    assert one.rates == {"S>W": 1e8, "W>S": 1e8, "W>D": 1e7, "D>W": 1e7}
    assert one.about["duration_s"] == 2.0


# Two packets of a flow over two lines, by hand, with what the flow's sender learns on the way.
EVENTS = """\
time_s,what,place,flow,seq,class,size_B,value
0.000000000100,enqueue,A>B,f,0,0,1000,1000
0.000000000100,send,A>B,f,0,0,1000,0
0.000000000100,enqueue,A>B,f,1,0,1000,2000
0.000000000900,send,A>B,f,1,0,1000,800
0.000000001000,enqueue,B>C,f,0,0,1000,1000
0.000000001000,send,B>C,f,0,0,1000,0
0.000000001500,drop,B>C,f,1,0,1000,3
0.000000001900,deliver,B>C,f,0,0,1000,1800
0.000000001900,srtt,A>B,f,2,0,0,8000
0.000000002000,srtt,A>B,f,2,0,0,7004
0.000000002000,enqueue,A>B,f,1,0,1000,1000
"""


def test_the_bytes_of_a_small_file_are_those_of_the_description(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text(EVENTS, encoding="utf-8")
    data = record_file.encode(record_file.read(tmp_path / "small.csv"))
    assert data[:8] == b"BWREC 2\n"
    length = int.from_bytes(data[8:12], "little")
    head = json.loads(data[12 : 12 + length])
    assert head["whats"] == ["enqueue", "send", "drop", "deliver", "srtt"]
    raw, at = {}, 12 + length
    for column in head["columns"]:
        raw[column["name"]] = zlib.decompress(data[at : at + column["bytes"]], -15)
        at += column["bytes"]

    def written(*numbers: int) -> bytes:
        """Zigzag doubles what is not negative; what needs more than seven bits takes two bytes."""
        zigzag = [2 * number if number >= 0 else -2 * number - 1 for number in numbers]
        parts = ([z] if z < 128 else [z & 127 | 128, z >> 7] for z in zigzag)
        return bytes(itertools.chain.from_iterable(parts))

    # Each event at each place has a flow, and numbers of the flow's packets, of its own.
    assert raw["flow"] == written(1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0)
    assert raw["seq"] == written(0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0)
    # The third `enqueue` at A>B is of a packet that was dropped, so it begins anew; that at B>C
    # and `deliver` count from the row before of the packet, 100 and 1000 ps.
    assert raw["time_ps"] == written(100, 0, 0, 800, 900, 0, 500, 900, 0, 100, 0)
    # Waits and the delay follow from the times. The second round trip is seven eighths of the
    # first and 4: p - p/8 is 7000.
    assert raw["value"] == written(1000, 0, 1000, 0, 1000, 0, 3, 0, 8000, 4 - 8000, -1000)


@pytest.mark.parametrize(
    ("bench", "duration"), [("tcp-10-100M", "4 s"), ("lan-merge-pause", "60 s")]
)
def test_a_packet_takes_at_most_four_bytes(bench: str, duration: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.bwrec"
    ran = simulate.run(BENCHES / f"{bench}.toml", set={"duration": duration}, record=kept)
    delivered = ran.document["conservation"]["delivered_pkts"]
    assert delivered > 30_000
    # Seven events each, of which one took a byte and more in version 1.
    assert kept.stat().st_size <= 4 * delivered


def test_a_file_of_another_version_is_refused_by_its_number(tmp_path: Path) -> None:
    old = tmp_path / "old.bwrec"
    old.write_bytes(b"BWREC 1\n" + bytes(40))
    ended = command.call("view", "old.bwrec", cwd=tmp_path)
    assert ended.code == 2
    assert "has version 1, and this program reads version 2" in ended.err
    assert "record the run again" in ended.err


def test_a_page_reads_every_number_of_a_file(folder: Path) -> None:
    """The reader of the page, which shares nothing with that of Python."""
    assert command.call("view", "a.bwrec", cwd=folder).code == 0
    told = probed(
        folder,
        """
  const run = viewer.runs[0], told = {};
  for (const name of ["at", "what", "place", "flow", "seq", "class", "size_B", "value"])
    told[name === "at" ? "time_ps" : name] = [...run[name]];""",
    )
    kept = record_file.read(folder / "a.bwrec")
    assert {"enqueue", "send", "deliver", "srtt", "window", "knob"} <= set(kept.whats)
    for name in COLUMNS:
        assert told[name] == kept.columns[name].tolist(), name


@pytest.mark.parametrize("cut", [9, 60, -3])
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, cut: int) -> None:
    bad = tmp_path / "bad.bwrec"
    bad.write_bytes((folder / "a.bwrec").read_bytes()[:cut])
    with pytest.raises(Refusal, match="damaged"):
        record_file.read(bad)
    with pytest.raises(Refusal, match="damaged"):
        record_file.packed(bad)


def test_more_events_than_a_page_holds_are_refused_with_a_remedy(tmp_path: Path) -> None:
    head = json.dumps({"rows": 10**8, "columns": []}).encode()
    many = tmp_path / "many.bwrec"
    many.write_bytes(record_file.MAGIC + len(head).to_bytes(4, "little") + head)
    ended = command.call("view", "many.bwrec", cwd=tmp_path)
    assert ended.code == 2
    assert "100,000,000 events" in ended.err
    assert "record a part" in ended.err


def probed(folder: Path, script: str) -> dict[str, Any]:
    """A script's findings, in `told`, on the page view.html once that has opened."""
    text = (folder / "view.html").read_text(encoding="utf-8")
    probe = f"""
<script>(async () => {{
  while (!document.documentElement.dataset.ready) await new Promise((r) => setTimeout(r, 20));
{script}
  document.body.dataset.told = JSON.stringify(told);
}})();</script>"""
    page = folder / "probed.html"
    page.write_text(
        re.sub(r"script-src [^;]*;", "script-src 'unsafe-inline';", text, count=1).replace(
            "</body>", f"{probe}</body>"
        ),
        encoding="utf-8",
    )
    shown = document_of(page, folder / "profile")
    found = re.search(r'data-told="([^"]*)"', shown)
    assert found is not None, shown[-2000:]
    told: dict[str, Any] = json.loads(html.unescape(found[1]))
    return told


def test_the_page_draws_lanes_and_names_a_packet(folder: Path) -> None:
    assert command.call("view", "a.bwrec", cwd=folder).code == 0
    # The page's own tools, as a reader uses them.
    told = probed(
        folder,
        """
  const run = viewer.runs[0], ink = (c) => {
    const d = c.getContext("2d").getImageData(100, 0, c.width - 100, c.height).data;
    let n = 0;
    for (let at = 3; at < d.length; at += 4) n += d[at] > 0;
    return n;
  };
  // Of the whole run; the search below shows one packet, as soon as the page is drawn again.
  const packets = ink(document.getElementById("sequence"));
  document.getElementById("wanted").value = "f1 3";
  document.getElementById("search").requestSubmit();
  await new Promise((r) => setTimeout(r, 200));
  const told = {
    rows: run.rows, lanes: ink(run.canvas), queue: ink(document.getElementById("queue")),
    packets,
    way: [...document.querySelectorAll("#way tbody tr")].map((r) =>
      [...r.cells].map((c) => c.textContent)),
    packet: document.getElementById("packet").textContent,
    gates: run.gates.flat().length, wide: document.documentElement.scrollWidth - innerWidth,
  };""",
    )
    with (folder / "a.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert told["rows"] == len(rows)
    assert min(told["lanes"], told["queue"], told["packets"]) > 50
    assert told["gates"] > 0, "PAUSE shut a gate"
    mine = [row for row in rows if row["flow"] == "f1" and row["seq"] == "3"]
    assert [line[1:3] for line in told["way"]] == [[row["what"], row["place"]] for row in mine]
    # Its delay is what the engine says, and the parts are the differences of the times.
    delay = int(mine[-1]["value"]) / 1e9
    assert f"delivered after {delay:.4g} ms" in told["packet"]
    assert told["wide"] <= 0


def test_throughput_capacity_and_delays_are_those_of_the_engine(tmp_path: Path) -> None:
    # 500 opportunities of 1504 B a second.
    (tmp_path / "even").write_text("".join(f"{2 * n}\n" for n in range(1, 501)))
    (tmp_path / "t.toml").write_text(
        """\
schema = "backwater/scenario/1"
duration = "2 s"
nodes.in = { kind = "host" }
nodes.out = { kind = "host" }
links.up = { kind = "trace", from = "in", to = "out", trace = "even" }
links.down = { from = "out", to = "in", rate = "10 Mbit/s", delay = "20 ms" }
flows.f = { from = "in", to = "out", source = { kind = "cbr", packet = "1 kB", rate = "4 Mbit/s" } }
""",
        encoding="utf-8",
    )
    words = ["run", "t.toml", "--record", "t.bwrec", "--series", "500 ms", "--json"]
    ran = command.call(*words, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert command.call("view", "t.bwrec", "--out", "view.html", cwd=tmp_path).code == 0
    told = probed(
        tmp_path,
        """
  const run = viewer.runs[0], place = run.places.indexOf("in>out");
  const steps = [0, 1, 2].map((n) => {
    const parts = Rates.ofPort(run, place, n * 5e11, (n + 1) * 5e11), mean = (of) =>
      parts.reduce((sum, one) => sum + of(one) * (one.to - one.from), 0) / 5e11;
    return [mean((one) => one.sent), mean((one) => one.could)];
  });
  const flow = Rates.delays(run, run.byFlow[run.flows.indexOf("f")]);
  const sum = flow.value.reduce((a, b) => a + b, 0);
  const told = { steps, delay: sum / flow.value.length / 1e12 };""",
    )
    document = ran.document
    port = document["series"]["ports"]["in>out"]
    for n, (sent, could) in enumerate(told["steps"]):
        assert sent == pytest.approx(port["throughput_bps"][n], rel=1e-6)
        assert could == pytest.approx(6.016e6, rel=0.005)
    [of_flow] = document["flows"]
    assert told["delay"] == pytest.approx(of_flow["delay_mean_s"], rel=1e-6)


def test_a_long_flow_is_drawn_from_one_end_to_the_other(tmp_path: Path) -> None:
    """Of more rows than 50,000 some are drawn: they rise from the lower left to the upper right."""
    (tmp_path / "long.toml").write_text(
        'schema = "backwater/scenario/1"\nduration = "400 ms"\n'
        'nodes.A = { kind = "host" }\nnodes.B = { kind = "host" }\n'
        'links.a = { ends = ["A", "B"], rate = "1 Gbit/s", delay = "1 us" }\n'
        'flows.f = { from = "A", to = "B", packet = "125 B", '
        'source = { kind = "cbr", packet = "125 B", rate = "100 Mbit/s" } }\n',
        encoding="utf-8",
    )
    assert command.call("view", "long.toml", cwd=tmp_path).code == 0
    told = probed(
        tmp_path,
        """
  const c = document.getElementById("sequence"), left = 100;
  const d = c.getContext("2d").getImageData(left, 0, c.width - left, c.height), at = [];
  for (let x = 0; x < d.width; x += 1) {
    const y = [...Array(d.height).keys()].find((y) => d.data[4 * (y * d.width + x) + 3] > 0);
    if (y !== undefined) at.push([x / d.width, y / d.height]);
  }
  const told = { rows: viewer.runs[0].rows, at };""",
    )
    assert told["rows"] > 100_000
    columns = [x for x, _ in told["at"]]
    assert len(columns) > 500
    assert min(columns) < 0.02
    assert max(columns) > 0.98
    # The line of equal rates: what is drawn at a share of the time is that share of the packets.
    for x, y in told["at"]:
        assert y == pytest.approx(1 - x, abs=0.15)


def test_packets_that_wait_at_the_end_are_drawn(tmp_path: Path) -> None:
    """20 Mbit/s come to a line of 10 Mbit/s: half of the packets wait when the run ends."""
    (tmp_path / "full.toml").write_text(
        'schema = "backwater/scenario/1"\nduration = "1 s"\n'
        'nodes.A = { kind = "host" }\nnodes.B = { kind = "host" }\n'
        'links.a = { ends = ["A", "B"], rate = "10 Mbit/s", delay = "1 us" }\n'
        'ports."A>B" = { buffer = "unlimited" }\n'
        'flows.f = { from = "A", to = "B", packet = "1 kB", '
        'source = { kind = "cbr", packet = "1 kB", rate = "20 Mbit/s" } }\n',
        encoding="utf-8",
    )
    assert command.call("run", "full.toml", "--record", "full.csv", cwd=tmp_path).code == 0
    assert command.call("view", "full.toml", cwd=tmp_path).code == 0
    told = probed(
        tmp_path,
        """
  const run = viewer.runs[0], place = run.places.indexOf("A>B");
  const told = { waiting: run.levels[place][0].at(-1), held: run.held[place].length };""",
    )
    with (tmp_path / "full.csv").open(encoding="utf-8") as file:
        whats = [row["what"] for row in csv.DictReader(file)]
    waiting = whats.count("enqueue") - whats.count("send")
    assert waiting > 1000, "2,500 come, and the line carries half of them"
    assert told["held"] == waiting
    assert told["waiting"] - waiting in (0, 1), "one may leave in the last of 65,536 intervals"


def test_two_runs_are_compared_from_their_first_difference(folder: Path, tmp_path: Path) -> None:
    ended = command.call("view", "a.bwrec", "b.bwrec", "--out", "two.html", "--json", cwd=folder)
    assert [run["name"] for run in ended.document["runs"]] == ["a.bwrec", "b.bwrec"]
    shown = document_of(folder / "two.html", tmp_path)
    one, other = (record_file.read(folder / name).named() for name in ("a.bwrec", "b.bwrec"))
    lines = [list(zip(*some.values(), strict=True)) for some in (one, other)]
    alike = next(at for at, (a, b) in enumerate(zip(*lines, strict=False)) if a != b)
    assert f"Alike in {alike:,} events." in shown
    assert 'data-ready="yes"' in shown


def test_the_page_has_no_network_and_no_foreign_script(folder: Path) -> None:
    text = viewer.page([record_file.packed(folder / "a.bwrec")])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1].split("style-src")[0]
    assert not re.search(r'(src|href)="', text)
