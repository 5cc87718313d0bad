"""The score of candidates: closed forms, bounds that hold, cheats that do not pay."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from backwater.errors import Refusal
from backwater.evolve import candidate, gates, leaderboard, openevolve, sealed, tune
from backwater.evolve.attack import attack
from backwater.evolve.candidate import Candidate
from backwater.evolve.environments import STRATA, Environment, draw, public
from backwater.evolve.evaluate import Evaluated, Evaluator
from backwater.evolve.scoring import LEAST, score, tail, utility
from command import call

PATH = Environment("steady", 10_000_000, 40.0, 1.0, 0.0, 1.0, 7)
SMALL = ((2, 2.0), (10, 5.0))


def named(name: str, **options: object) -> Candidate:
    return Candidate(name, {"kind": name, **options})


def test_a_full_link_without_a_queue_scores_nothing_and_half_of_it_one_less() -> None:
    """A queueing delay of a round trip: log2 of 1 + 1 is 1, and half of that counts."""
    full = {"goodput_bps": PATH.best_bps, "rtt_p95_s": 0.04}
    assert utility(PATH, full) == 0.0
    assert utility(PATH, full | {"goodput_bps": PATH.best_bps / 2}) == pytest.approx(-1.0)
    assert utility(PATH, full | {"rtt_p95_s": 0.08}) == pytest.approx(-0.5)
    # A p95 below the round trip is none, and nothing delivered is the least.
    assert utility(PATH, full | {"rtt_p95_s": 0.001}) == 0.0
    assert utility(PATH, {"goodput_bps": 0.0, "rtt_p95_s": 0.04}) == LEAST
    assert utility(PATH, {"goodput_bps": 1.0, "rtt_p95_s": None}) == LEAST


def test_the_worst_tenth() -> None:
    """Of 1 to 20 below zero the two worst; of five values half of the worst one."""
    assert tail([-float(i) for i in range(1, 21)]) == pytest.approx(-19.5)
    assert tail([-5.0, -1.0, -1.0, -1.0, -1.0]) == pytest.approx(-5.0)
    # Shifted by a tenth: the two next ones. Beyond all values the greatest score stands.
    assert tail([-float(i) for i in range(1, 21)], 0.1) == pytest.approx(-17.5)
    assert tail([-4.0] * 10, 0.95) == pytest.approx(-2.0)
    assert tail([-4.0] * 10, 1.0) == 0.0


def test_the_upper_bound_holds() -> None:
    """Samples of a known law: one bound in a hundred lies below the truth at most."""
    law = random.Random(1)
    few = [PATH] * 40
    # Uniform on [-8, 0]: the mean is -4, the worst tenth has the mean -7.6.
    truth = 0.5 * -4.0 + 0.5 * -7.6
    below = sum(
        score(few, [law.uniform(-8.0, 0.0) for _ in few], 0.01).upper < truth for _ in range(500)
    )
    assert below <= 5
    # And it says something: of good values it lies below 0, and it comes down with the number.
    many = [PATH] * 4000
    uppers = [score(one, [-4.0] * len(one), 0.01).upper for one in (few, many)]
    assert -4.0 < uppers[1] < uppers[0] <= 0.0
    assert uppers[1] < -3.0


def test_environments_depend_on_their_number_alone() -> None:
    assert draw(b"a", 20)[:10] == draw(b"a", 10)
    assert draw(b"a", 10) != draw(b"b", 10)
    assert [one.stratum for one in public("train", 5)] == list(STRATA)
    assert public("train", 5) != public("validation", 5)
    for one in public("train", 200):
        assert 1e6 <= one.rate_bps <= 30e6
        assert 10 <= one.rtt_ms <= 200
        assert (one.loss > 0) == (one.stratum == "lossy")
        assert bool(one.shares) == (one.stratum == "steps")


def test_who_knows_everything_scores_almost_nothing_less() -> None:
    """A constant window of the product on its own path: all of the link, one packet waits."""
    window = PATH.rate_bps * 0.04 / 8 / 1538
    evaluator = Evaluator(1)
    known = named("fixed", window=f"{math.ceil(window) + 1} packets")
    alone = evaluator.utilities(known, [PATH], 10.0)[0]
    assert -0.1 < alone <= 0.0
    # By heart it is of no use elsewhere: 1.37 times the rate and 1.73 times the round trip.
    elsewhere = evaluator.utilities(known, [PATH.scaled(1.37, 1.73)], 10.0)[0]
    assert elsewhere < alone - 0.3


def test_stages_send_bad_ones_away_and_say_why() -> None:
    evaluator = Evaluator(2, SMALL)
    good = evaluator.evaluate(named("copa"))
    assert good.passed
    assert good.stage == 2
    assert good.value == good.scores[-1].value > -2
    assert all(gate.passed for gate in good.gates)
    # With so few paths no bound lies below an incumbent; with a window of one packet it does.
    late = evaluator.evaluate(named("fixed", window="1 packets"), incumbent=-0.001)
    assert not late.passed
    assert late.why is not None


def test_a_hunt_sends_away_who_gets_nothing_somewhere() -> None:
    """A window of 33 packets is quick on its own path; one packet in flight is slow on many."""
    evaluator = Evaluator(2, SMALL, evals=60)
    good = evaluator.evaluate(named("newreno"), last=3)
    assert good.stage == 3
    assert good.hunt is not None
    assert good.hunt.evals == 60
    assert good.passed == good.hunt.passed
    slow = attack({"kind": "fixed", "window": "1 packets"}, evaluator.run, 60)
    assert slow is not None
    # 20 Mbit/s and 62 ms there and back hold 103 packets: one of them is a hundredth.
    assert slow.gap > 0.9
    assert not slow.passed
    assert slow.candidate_bps < 0.1 * slow.reference_bps
    # Who is the reference has no gap, and the same search finds the same path.
    same = attack({"kind": "cubic"}, evaluator.run, 20)
    assert same is not None
    assert same.gap == 0.0
    assert attack({"kind": "fixed", "window": "1 packets"}, evaluator.run, 60) == slow


def test_gates_of_outage_and_of_a_fallen_rate() -> None:
    """A window of ten products floods what a twentieth of the rate leaves; New Reno does not."""
    evaluator = Evaluator(2, SMALL)
    rows = []
    for one in (named("newreno"), named("fixed", window="330 packets")):
        found = Evaluated(one.name)
        evaluator.judge_gates(one, found)
        rows.append({gate.name: gate for gate in found.gates})
    reno, greedy = rows
    assert reno["stall"].passed
    assert reno["back-off"].passed
    assert not greedy["back-off"].passed
    # Of 330 packets a queue of 16 and a product of 2 hold 18: the rest of each round is lost.
    assert greedy["back-off"].found == pytest.approx(1 - 18 / 330, abs=0.02)


def test_a_gate_stands_above_any_score() -> None:
    """A window of ten products starves its neighbours, whatever it scores."""
    greedy = Evaluator(2, SMALL).evaluate(named("fixed", window="330 packets"))
    assert greedy.why is not None
    assert greedy.why.startswith("gate `harm to")
    assert greedy.value == LEAST
    assert not greedy.scores or len(greedy.scores) < len(SMALL) - 1


HEAD = """
import math

class C:
    def __init__(self, setup):
        self.window = setup.initial_B
        self.mss = setup.mss_B
        self.began = 0.0
"""
# Name, code after the head, and what is said of it. `None`: it runs, and scores below New Reno.
MUSEUM = [
    ("reads a file", "    def on_round(self, r):\n        open('/etc/passwd')\n", "use `open`"),
    ("environment", "    def on_round(self, r):\n        import os\n", "import `os`"),
    (
        "frames",
        "    def on_round(self, r):\n        (i for i in ()).gi_frame\n",
        "reach for `gi_frame`",
    ),
    ("garbage", "    def on_round(self, r):\n        import gc\n", "import `gc`"),
    (
        "classes of Python",
        "    def on_round(self, r):\n        ().__class__.__base__\n",
        "reach for `__base__`",
    ),
    (
        "patches the scorer",
        "    def on_round(self, r):\n        import backwater.evolve.scoring as s\n",
        "import `backwater.evolve.scoring`",
    ),
    (
        "by text",
        "    def on_round(self, r):\n        '__class__'\n",
        "insides of objects in a text",
    ),
    ("state outside", "    def on_round(self, r):\n        global T\n        T = 1\n", "outside"),
    ("no window", "    def on_round(self, r):\n        self.window = math.nan\n", "window is NaN"),
    ("memory", "    def on_round(self, r):\n        self.x = [0] * 10**12\n", "MemoryError"),
    ("raises", "    def on_round(self, r):\n        1 / 0\n", "division by zero"),
    # 200 products. What lies beyond all bounds has a test of its own.
    ("a huge window", "    def on_round(self, r):\n        self.window = 1e7\n", None),
    ("starves itself", "    def on_round(self, r):\n        self.window = self.mss\n", None),
    (
        "acknowledgements counted as room",
        "    def on_ack(self, a):\n        self.window += 10 * self.mss\n",
        None,
    ),
    (
        "loops beside a rival only",
        "    def on_ack(self, a):\n        while a.rtt_s > 0.06: pass\n",
        "took longer",
    ),
    (
        "quiet after 3 s",
        "    def on_round(self, r):\n        self.window = self.mss * (40 if r.now_s < 3 else 1)\n",
        None,
    ),
]
# Shorter gates for who floods them: they count 13 s, and 3 s after an outage and a fall.
SHORT = 18.0


@pytest.fixture(scope="module")
def newreno() -> float:
    """The score of New Reno on the same paths, with the same gates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gates, "SECONDS", SHORT)
        found = Evaluator(2, SMALL).evaluate(named("newreno"))
    assert found.passed
    return found.value


def test_a_window_beyond_all_bounds_runs_and_does_not_pay(tmp_path: Path) -> None:
    """A burst of 2^31 B is in the way of all that comes later: half a second of it says enough."""
    file = tmp_path / "cheat.py"
    file.write_text(HEAD + "    def on_round(self, r):\n        self.window = 1e18\n")
    found = Evaluated("cheat")
    cheat, honest = (
        Evaluator(1).utilities(one, [PATH], 0.5, found)[0]
        for one in (candidate.read(str(file)), named("newreno"))
    )
    assert not found.failures
    assert LEAST < cheat < honest - 0.3


@pytest.mark.parametrize(("code", "says"), [one[1:] for one in MUSEUM], ids=[m[0] for m in MUSEUM])
def test_the_museum_of_cheats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newreno: float, code: str, says: str | None
) -> None:
    monkeypatch.setenv("BACKWATER_CALL_SECONDS", "2")
    monkeypatch.setattr(gates, "SECONDS", SHORT)
    file = tmp_path / "cheat.py"
    file.write_text(HEAD + code, encoding="utf-8")
    refused = None
    with suppress(Refusal):
        refused = says
        read = candidate.read(str(file))
        refused = None
    if refused is not None:
        with pytest.raises(Refusal, match=re.escape(refused)) as told:
            candidate.read(str(file))
        assert told.value.line is not None
        return
    found = Evaluator(2, SMALL).evaluate(read)
    if says is None:
        assert found.value < newreno
    else:
        assert found.why is not None
        assert says in found.why
        assert found.value == LEAST


def test_a_class_that_never_returns_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKWATER_CALL_SECONDS", "1")
    file = tmp_path / "loop.py"
    file.write_text(HEAD + "    def on_round(self, r):\n        while True: pass\n")
    # One run: the gates, of which each would wait for the limit, come before the last stage.
    found = Evaluator(1, ((1, 2.0), (1, 2.0))).evaluate(candidate.read(str(file)), last=1)
    assert found.why is not None
    assert "took longer" in found.why
    assert found.value == LEAST


def test_a_campaign_tells_little(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    said = sealed.seal(folder, queries=3)
    assert len(said) == 64
    one = sealed.Campaign(folder)
    assert one.environments(4) != public("train", 4)
    assert one.release(-2.0, 0.1).value == pytest.approx(-2.0)
    # Not better by more than the width: the best is told again.
    again = sealed.Campaign(folder)
    again.environments(4)
    told = again.release(-1.95, 0.1)
    assert not told.better
    assert told.value == pytest.approx(-2.0)
    assert told.queries_left == 1
    again.environments(4)
    better = again.release(-1.234, 0.1)
    assert better.better
    assert better.value == pytest.approx(-1.23)
    with pytest.raises(Refusal, match="all 3 queries"):
        sealed.Campaign(folder).environments(4)
    with pytest.raises(Refusal, match="empty at first"):
        sealed.seal(folder)
    (folder / sealed.SECRET).write_text("another")
    with pytest.raises(Refusal, match="not the one whose"):
        sealed.Campaign(folder)


def test_the_command_and_its_lines(tmp_path: Path) -> None:
    good = call("evolve", "check", "newreno", "--json", cwd=tmp_path)
    assert good.code == 0
    assert good.document["passed"]
    (tmp_path / "bad.py").write_text("import os\n")
    bad = call("evolve", "check", "bad.py", cwd=tmp_path)
    assert bad.code == 2
    assert "may not import `os`" in bad.err
    assert call("evolve", "score", "newreno", "--suite", "x", cwd=tmp_path).code == 2
    lines = ['{"candidate": "cubic", "stage": 1}', "no", '{"candidate": "bad.py"}']
    done = subprocess.run(
        [sys.executable, "-m", "backwater", "evolve", "serve"],
        input="\n".join(lines),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["passed"]
    assert "not JSON" in answers[1]["error"]["what"]
    assert "import `os`" in answers[2]["error"]["what"]


def test_openevolve_gets_numbers_and_texts(tmp_path: Path) -> None:
    good = tmp_path / "good.py"
    code = "    def on_round(self, r):\n        self.window = 20 * self.mss\n"
    good.write_text(HEAD + code, encoding="utf-8")
    assert openevolve.evaluate_stage1(str(good))["combined_score"] == 1.0
    good.write_text("import os\n")
    bad = openevolve.evaluate_stage1(str(good))
    assert bad["combined_score"] == 0.0
    assert "import `os`" in bad["artifacts"]["refused"]


def test_a_board_has_a_row_for_each_and_commands_that_make_it_again(tmp_path: Path) -> None:
    hunts, cards = tmp_path / "hunts", tmp_path / "cards"
    hunts.mkdir()
    cards.mkdir()
    finding = {"says": "0.5, then 9 <Mbit/s>", "score": 0.8, "fingerprints": ["00ff"]}
    asked = {"space": "steps", "evals": 60, "seed": 1, "objective": "waste"}
    text = json.dumps({"asked": asked, "finding": finding})
    (hunts / "copa.json").write_text(text, encoding="utf-8")
    verdicts = [("bufferbloat", "copa", "fail"), ("use", "copa", "pass"), ("use", "cubic", "fail")]
    card = {
        "controller": "copa",
        "mode": "quick",
        "seeds": 8,
        "fingerprint": "00ee",
        "rows": [{"title": t, "controller": c, "verdict": v} for t, c, v in verdicts],
    }
    (cards / "copa.json").write_text(json.dumps(card), encoding="utf-8")
    line = ("board", "copa", "newreno", "--hunts", "hunts", "--scorecards", "cards", "--json")
    document = call(*line, cwd=tmp_path).document
    rows = {one["name"]: one for one in document["rows"]}
    # Copa keeps a short queue and scores better; New Reno fills each queue.
    assert rows["copa"]["value"] > rows["newreno"]["value"]
    assert rows["copa"]["cells"]["conditions"]["good"]
    assert rows["copa"]["cells"]["scorecard"]["text"] == "1 of 2 pass"
    assert rows["copa"]["cells"]["scorecard"]["command"].endswith("scorecard copa --quick")
    # Who has no document of a hunt is hunted here.
    hunted = rows["newreno"]["cells"]["hunt"]
    assert hunted["command"] == "backwater evolve score newreno --stage 4 --evals 200"
    for name in ("copa", "newreno"):
        for column in ("scale", "contest"):
            assert re.search(r"\[-?\d.+, .*\d\]", rows[name]["cells"][column]["text"])
        assert "fingerprint" in rows[name]["cells"]["contest"]["note"]
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert page.index("<th>copa") < page.index("<th>newreno")
    assert "9 &lt;Mbit/s&gt;" in page
    assert "http" not in page
    command = rows["copa"]["cells"]["score"]["command"].split()[1:]
    again = call(*command, "--json", cwd=tmp_path).document
    assert f"{again['value']:.3f}" == rows["copa"]["cells"]["score"]["text"]
    assert again["fingerprint"] in rows["copa"]["cells"]["score"]["note"]
    (hunts / "copa.json").write_text("no", encoding="utf-8")
    refused = call(*line, cwd=tmp_path)
    assert refused.code == 2
    assert "copa.json" in refused.err


def test_tuning_tries_options_and_keeps_to_the_gates(tmp_path: Path) -> None:
    """Copa's delta is packets in the queue, inverted: at 0.004 it is 500, which starves others."""
    deltas = "delta=0.004,0.5,5"
    log = tune.tune("copa", [deltas], Evaluator(2, SMALL), 5, 1)
    assert len(log) == 5
    assert log[0].options == {}
    assert log[0].why is None
    found = tune.best(log)
    assert found.score == max(one.score for one in log if one.why is None)
    greedy = [one for one in log if one.options.get("delta") == 0.004]
    assert all(one.why is not None for one in greedy)
    paths = draw(b"sealed", 10)
    compared = tune.compare("copa", found, Evaluator(2, SMALL), paths, 3.0)
    assert compared.paths == 10
    assert compared.difference == pytest.approx(compared.variant - compared.part)
    with pytest.raises(Refusal, match="one point"):
        tune.tune("copa", ["delta=5"], Evaluator(2, SMALL), 6, 1)
    refused = call("evolve", "tune", "bbr9", "--vary", "high-gain=1,2", cwd=tmp_path)
    assert refused.code == 2
    assert "bbr1" in refused.err


def test_a_score_of_renamed_and_permuted_paths_is_the_same() -> None:
    """Names of nodes, links and flows are not seen, and neither is the order of paths."""
    evaluator = Evaluator(1)
    plain = public("train", 5)
    utilities = evaluator.utilities(named("cubic"), plain, 3.0)
    turned = evaluator.utilities(named("cubic"), plain[::-1], 3.0)[::-1]
    assert turned == utilities
    text = json.dumps(plain[0].scenario({"kind": "cubic"}, 3.0))
    for old, new in (('"S', '"Paris'), ('>R"', '>Quito"'), ('"R"', '"Quito"'), ('"down"', '"x"')):
        text = text.replace(old, new)
    documents, errors = evaluator.run([json.loads(text)])
    assert not errors
    assert utility(plain[0], documents[0]["flows"][0]) == utilities[0]


def test_missing_scorecards_are_made_or_the_board_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    refused = call("board", "copa", "--make", cwd=tmp_path)
    assert refused.code == 2
    assert "name --scorecards DIR" in refused.err
    with pytest.raises(Refusal, match="scorecard of `nobody` was not made"):
        leaderboard.make_scorecards(
            tmp_path / "cards", [Candidate("nobody", {"kind": "nobody"})], 1
        )
    assert "no controller `nobody`" in capfd.readouterr().err
    (tmp_path / "tuned.toml").write_text('kind = "bbr1"\nhigh-gain = 1.5\npacing-margin = "20 %"\n')
    tuned = str(tmp_path / "tuned.toml")
    read = [candidate.read(name) for name in ("copa", tuned)]
    # In place of the minutes of a scorecard: its command line, as a document.
    fake = tmp_path / "python"
    fake.write_text('#!/bin/sh\necho "{\\"rows\\": [], \\"line\\": \\"$*\\"}"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))
    leaderboard.make_scorecards(tmp_path / "cards", read, 1)
    made = leaderboard.documents(tmp_path / "cards", ["copa"])["copa"]
    assert made["line"].startswith("-m backwater scorecard copa --quick --json --workers 1")
    # Each has a folder of its own: a second scorecard refuses one that is not empty.
    assert made["line"].endswith("cards/runs/copa")
    line = leaderboard.documents(tmp_path / "cards", [tuned])[tuned]["line"]
    options = "--option high-gain=1.5 --option pacing-margin=20 %"
    assert line.startswith(f"-m backwater scorecard bbr1 {options} --quick --json")
    # Entries that are there stay.
    (tmp_path / "cards" / "copa.json").write_text("{}")
    leaderboard.make_scorecards(tmp_path / "cards", read, 1)
    assert leaderboard.documents(tmp_path / "cards", ["copa"]) == {"copa": {}}
