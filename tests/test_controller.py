"""Congestion controllers written in Python."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import backwater
from backwater import errors

DUMBBELL = """
schema = "backwater/scenario/1"
duration = "5 s"
topology = { kind = "dumbbell", pairs = 2, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }
ports."L>R" = { buffer = "50 packets" }
flows.f1 = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "fixed", window = "20 packets" }, source = { kind = "bulk" } }
flows.f2 = { from = "s2", to = "d2", source = { kind = "poisson", packet = "500 B", rate = "1 Mbit/s" } }
"""  # noqa: E501


class Constant:
    """The window of twenty segments that the scenario's own controller has."""

    def __init__(self, setup: Any) -> None:
        self.window = 20 * setup.mss_B
        self.acks = self.acked = 0

    def on_ack(self, ack: Any) -> None:
        self.acks += 1
        self.acked += ack.acked_B


class Restarting(Constant):
    """After a pause no more than RFC 5681 lets it have."""

    seen: ClassVar[list[Any]] = []

    def on_idle(self, idle: Any) -> None:
        self.seen.append(idle)
        self.window = min(20 * 1448, idle.window_B or 20 * 1448)


class Clock(Constant):
    """Asks to be called every 10 ms, and once for an instant that has passed."""

    heard: ClassVar[list[float]] = []
    sent: ClassVar[list[Any]] = []
    wake_s: float | None = 0.01

    def on_timer(self, timer: Any) -> None:
        self.heard.append(timer.now_s)
        self.wake_s = timer.now_s + (0.01 if len(self.heard) < 5 else -0.01)

    def on_sent(self, sent: Any) -> None:
        self.sent.append(sent)


class Gentle:
    """The tutorial's: adds a segment a round trip, takes an eighth off when the queue is long."""

    def __init__(self, setup: Any) -> None:
        self.mss, self.window = setup.mss_B, setup.initial_B
        self.least = float("inf")
        self.rounds: list[Any] = []

    def on_round(self, round: Any) -> None:  # noqa: A002 -- the tutorial's word
        self.rounds.append(round)
        self.least = min(self.least, round.rtt_min_s or self.least)
        queueing = (round.rtt_mean_s or self.least) - self.least
        if round.lost_B > 0 or queueing > 0.010:
            self.window = max(2 * self.mss, self.window * 7 / 8)
        else:
            self.window += self.mss


def run(controller: Any, **others: Any) -> backwater.RunResult:
    return backwater.run(DUMBBELL, controllers={"f1": controller}, columns=False, **others)


@pytest.mark.parametrize(("choice", "bound"), [("restart", 14_480), ("keep", None)])
def test_a_python_controller_hears_of_pauses(choice: str, bound: int | None) -> None:
    # Two seconds from a response to the next: twice the retransmission timeout.
    source = {"kind": "request-response", "size": "60 kB", "gap": "2 s", "gaps": "fixed"}
    Restarting.seen.clear()
    run(Restarting, set={"flows.f1.source": source, "flows.f1.after_idle": choice})
    bounds = [idle.window_B for idle in Restarting.seen]
    assert bounds == [bound]


def test_a_python_controller_decides_as_one_of_the_table_would() -> None:
    made: list[Constant] = []

    def factory(setup: Any) -> Constant:
        made.append(Constant(setup))
        return made[-1]

    ours, table = run(factory), backwater.run(DUMBBELL, columns=False)
    assert ours.fingerprint == table.fingerprint
    flow = table.flows["f1"]
    # An acknowledgement on its way at the end was not heard.
    assert flow["acks_pkts"] - 25 <= made[0].acks <= flow["acks_pkts"]
    assert abs(made[0].acked - flow["goodput_bps"] * 5 / 8) <= 25 * 1448


def test_a_controller_is_told_of_round_trips() -> None:
    made: list[Gentle] = []

    def factory(setup: Any) -> Gentle:
        made.append(Gentle(setup))
        return made[-1]

    result = run(factory)
    assert result.fingerprint == run(Gentle).fingerprint
    rounds = made[0].rounds
    # 40 ms of propagation each, and at most 50 packets of queue.
    assert all(0.040 <= r.rtt_min_s <= r.rtt_mean_s < 0.120 for r in rounds)
    assert 5 / 0.120 < len(rounds) < 5 / 0.040
    assert all(abs(r.took_s - r.rtt_mean_s) < 0.050 for r in rounds[2:])
    # Beyond the least, 10 ms of queue are tolerated: some 8 packets of 1.2 ms.
    flow = result.flows["f1"]
    assert flow["retransmitted_pkts"] == 0
    assert flow["rtt_p95_s"] < 0.065


class Raises(Gentle):
    def on_round(self, round: Any) -> None:  # noqa: A002
        raise ZeroDivisionError("division by nought")


class NotANumber(Gentle):
    def on_round(self, round: Any) -> None:  # noqa: A002
        self.window = float("nan")


class Negative(Gentle):
    def on_round(self, round: Any) -> None:  # noqa: A002
        self.window = -1


class Text(Gentle):
    def on_round(self, round: Any) -> None:  # noqa: A002
        self.window = "wide"


class Mute:
    window = 14480


class NoPace(Gentle):
    pacing = 0.0


class NoTimer(Gentle):
    wake_s = 1.0


class NoInstant(Clock):
    def on_timer(self, timer: Any) -> None:
        self.wake_s = float("nan")


class BeforeTheRun(Clock):
    wake_s = -1.0


@pytest.mark.parametrize(
    ("controller", "said"),
    [
        (Raises, "ZeroDivisionError: division by nought (test_controller.py:"),
        (NotANumber, "ValueError: its window is NaN"),
        (Negative, "ValueError: its window is -1"),
        (Text, "TypeError"),
        (lambda setup: Mute(), "TypeError: a controller has a method on_round"),
        (NoPace, "ValueError: its pacing is 0"),
        (NoTimer, "TypeError: a controller with a `wake_s` has a method on_timer"),
        (NoInstant, "ValueError: its wake_s is NaN"),
        (BeforeTheRun, "ValueError: its wake_s is -1"),
        (lambda setup: None.window, "AttributeError"),  # type: ignore[attr-defined]
    ],
)
def test_a_faulty_controller_ends_its_own_run(controller: Any, said: str) -> None:
    with pytest.raises(errors.Unfinished) as caught:
        run(controller)
    assert caught.value.exit_code == errors.EXIT_UNFINISHED == 3
    assert caught.value.place == "flows.f1.controller"
    assert said in caught.value.what
    # Nobody else is harmed.
    assert run(Constant).document["conservation"]["ok"]


def ticks(seconds: float) -> int:
    """Picoseconds, in which the engine counts: sums of seconds would be off in the last bit."""
    return round(seconds * 1e12)


class Late:
    """The law of the table's `late`: AIMD that halves when the oldest segment out is late."""

    timers = 0

    def __init__(self, setup: Any) -> None:
        self.mss: int = setup.mss_B
        self.packets = 2.0
        self.threshold = ticks(0.070)
        self.out: list[tuple[int, int]] = []
        self.cut = False

    @property
    def window(self) -> float:
        return self.packets * self.mss

    @property
    def due(self) -> int | None:
        return self.out[0][1] + self.threshold if self.out else None

    @property
    def wake_s(self) -> float | None:
        return None if self.cut or self.due is None else self.due / 1e12

    def late(self, now: int) -> bool:
        return self.due is not None and self.due <= now

    def decrease(self) -> None:
        if not self.cut:
            self.cut = True
            self.packets = max(self.packets / 2, 2.0)

    def on_sent(self, sent: Any) -> None:
        self.out.append((sent.number, ticks(sent.now_s)))

    def on_timer(self, timer: Any) -> None:
        type(self).timers += 1
        if self.late(ticks(timer.now_s)):
            self.decrease()

    def on_ack(self, ack: Any) -> None:
        while self.out and self.out[0][0] <= ack.number:
            self.out.pop(0)
        if ack.rtt_s is None:
            return
        if self.late(ticks(ack.now_s)) or ticks(ack.rtt_s) > self.threshold:
            self.decrease()
            return
        self.cut = False
        self.packets += ack.acked_B / self.mss / self.packets

    def on_congestion(self, congestion: Any) -> None:
        if congestion.cause == "timeout":
            self.out.clear()
        if congestion.cause in {"loss", "timeout"}:
            self.decrease()


class Deaf(Late):
    """The same without a timer: it learns that a segment is late from the acknowledgement."""

    wake_s = None


@pytest.mark.parametrize(
    ("sets", "timely"),
    [
        # An acknowledgement that is delayed tells too late that its segment is late.
        ({"flows.f1.transport": "tcp"}, True),
        ({"flows.f1.transport": "tcp", "flows.f1.delayed_ack": "0 s"}, False),
        ({"flows.f1.transport": "datagram"}, False),
    ],
)
def test_lateness_in_python_is_lateness_in_rust(sets: dict[str, Any], timely: bool) -> None:
    """Departures and timers are told at their instants: the runs agree to the picosecond."""
    law = {"kind": "late", "threshold": "70 ms"}
    sets = {"duration": "20 s", "flows.f1.controller": law, **sets}
    Late.timers = 0
    table = backwater.run(DUMBBELL, set=sets, columns=False)
    assert run(Late, set=sets).fingerprint == table.fingerprint
    assert Late.timers > 0
    if timely:
        assert run(Deaf, set=sets).fingerprint != table.fingerprint


def test_a_controller_is_called_at_the_instants_it_asks_for() -> None:
    Clock.heard.clear()
    Clock.sent.clear()
    flow = run(Clock).flows["f1"]
    # An instant that has passed is none: after the fifth call there is no other.
    assert Clock.heard == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05], abs=1e-12)
    # The segments were entered; all are numbered in order of transmission.
    assert len(Clock.sent) == flow["entered_pkts"]
    assert [sent.number for sent in Clock.sent] == list(range(len(Clock.sent)))
    assert sum(sent.again for sent in Clock.sent) == flow["retransmitted_pkts"] == 0
    first = Clock.sent[0]
    assert (first.now_s, first.len_B, first.in_flight_B) == (0.0, 1448, 1448)
    assert not first.app_limited


class Huge(Gentle):
    """A window that no memory holds."""

    def on_round(self, round: Any) -> None:  # noqa: A002
        if round.now_s > 0.05:
            self.window = 1e30


def test_a_window_without_a_bound_is_clamped_and_told_once_for_each_flow() -> None:
    """A million segments at most, as `fixed` may have. Without a bound the run died of it."""
    second = {
        "from": "s2",
        "to": "d2",
        "transport": "tcp",
        "source": {"kind": "bulk"},
        "controller": {"kind": "fixed", "window": "20 packets"},
    }
    # Small packets, so that the queue of the sender's own host fills no test's memory.
    sets = {"duration": "200 ms", "flows.f1.packet": "80 B", "flows.f2": second}
    result = backwater.run(DUMBBELL, controllers={"f1": Huge, "f2": Huge}, set=sets, columns=False)
    said = [one for one in result.document["warnings"] if "window" in one]
    assert [one.split(":")[0] for one in said] == ["flow f1", "flow f2"]
    for one, mss in zip(said, (80 - 52, 1500 - 52), strict=True):
        assert "1e30 B" in one
        assert f"counted as {1_000_000 * mss} B" in one
    assert result.document["conservation"]["ok"]
    # A window that is just as large as may be is no reason to warn.
    sets = {"duration": "1 s", "flows.f1.controller.window": "1000000 packets"}

    class Largest(Constant):
        def __init__(self, setup: Any) -> None:
            super().__init__(setup)
            self.window = 1_000_000 * setup.mss_B

    ours = backwater.run(DUMBBELL, controllers={"f1": Largest}, set=sets, columns=False)
    assert not [one for one in ours.document["warnings"] if "controller" in one]
    assert ours.fingerprint == backwater.run(DUMBBELL, set=sets, columns=False).fingerprint


@pytest.mark.parametrize("name", ["f2", "f3"])
def test_a_flow_without_a_transport_has_no_controller(name: str) -> None:
    with pytest.raises(errors.Refusal) as caught:
        backwater.run(DUMBBELL, controllers={name: Gentle})
    assert caught.value.nearest == ["f1"]
