"""XCP and RCP as fluids: a bottleneck that flows offer twice its capacity in the first round trip.

Data are a liquid, cut into what arrives within a step of time; there is no simulator. Routers
follow the papers' laws, which are defined in intervals, so they step once for each interval. Three
things decide how close this comes to packets, and `main` shows the figures without each:

* a sender is clocked by acknowledgements: it sends what left the bottleneck and the change of its
  window. As a pure source of a rate RCP's overload grows by half, because no window ends it;
* round trips in headers are smoothed, by an eighth of the difference at each acknowledgement, so
  they lag behind the queue, and so does RCP's window;
* data sent before the first acknowledgement name no round trip and get no feedback from XCP.

References: Katabi, Handley and Rohrs, SIGCOMM 2002, and draft-falk-xcp-spec-03; Dukkipati et al.,
IWQoS 2005, and `rcp.cc` of Zhang and Dukkipati for ns-2.

Prints the largest queue in bandwidth-delay products, and when the queue has come below a tenth of
one for good.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

PACKET = 1538.0  # bytes on the wire
CAPACITY = 12.5e6  # bytes/s
DELAY = 0.1  # round trip without queue
FORWARD = 0.001  # of that, from senders to the bottleneck
PRODUCT = CAPACITY * DELAY
STEP = 5e-4
BIN = 0.02
SMOOTHING = 1 / 8
XCP_FLOWS, RCP_FLOWS = 20, 40


@dataclass
class Parcel:
    """Liquid of one sender."""

    sender: int
    bytes: float
    sent: float
    rtt: float
    spacing: float
    grant: float = 0.0


@dataclass
class Sender:
    """So many equal flows, in sums."""

    start: float
    flows: int
    window: float
    rtt: float = 0.0
    rate: float = math.inf
    outstanding: float = 0.0

    def acknowledged(self, parcel: Parcel, now: float, smoothed: bool) -> None:
        """Takes the round trip of what has come back."""
        self.outstanding -= parcel.bytes
        sample = now - parcel.sent
        count = parcel.bytes / PACKET / self.flows
        weight = 1 - (1 - SMOOTHING) ** count if smoothed and self.rtt else 1.0
        self.rtt += weight * (sample - self.rtt)

    def sends(self, now: float) -> float:
        """Bytes in this step."""
        if now < self.start:
            return 0.0
        room = max(0.0, self.window - self.outstanding)
        out = min(room, self.rate * self.flows * STEP)
        self.outstanding += out
        return out


@dataclass
class XcpRouter:
    """The router of the draft."""

    alpha: float = 0.4
    beta: float = 0.226
    gamma: float = 0.1
    bytes: float = 0.0
    spacing: float = 0.0
    spaced_rtt: float = 0.0
    control: float = 0.05
    interval: float = 0.05
    mean_rtt: float = 0.05
    look: float = 0.05
    least: float = 0.0
    persistent: float = 0.0
    # The rate that is left to give, and that for each second of spacing or byte.
    more: list[float] = field(default_factory=lambda: [0.0, 0.0])
    less: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def tick(self, now: float, queue: float) -> None:
        """Ends the intervals that are over."""
        self.least = min(self.least, queue)
        if now >= self.look:
            self.persistent, self.least = self.least, queue
            self.look += max(0.002, (self.mean_rtt - queue / CAPACITY) / 2)
        if now >= self.control:
            self.divide()

    def divide(self) -> None:
        """Sets what the packets of the next interval get."""
        y = self.bytes / self.interval
        self.mean_rtt = self.spaced_rtt / self.spacing if self.spacing else 0.05
        phi = self.alpha * (CAPACITY - y) - self.beta * self.persistent / self.mean_rtt
        shuffle = max(0.0, self.gamma * y - abs(phi))
        up, down = shuffle + max(phi, 0.0), shuffle + max(-phi, 0.0)
        self.more = [up, up / self.spacing if self.spacing else 0.0]
        self.less = [down, down / self.bytes if self.bytes else 0.0]
        self.bytes = self.spacing = self.spaced_rtt = 0.0
        self.interval = max(self.mean_rtt, 0.001)
        self.control += self.interval

    def arrive(self, parcel: Parcel) -> None:
        """Counts what comes to the queue."""
        self.bytes += parcel.bytes
        if parcel.rtt:
            packets = parcel.bytes / PACKET
            self.spacing += parcel.spacing * packets
            self.spaced_rtt += parcel.spacing * packets * min(parcel.rtt, 1.0)

    def depart(self, parcel: Parcel) -> None:
        """Writes what the sender gets."""
        if not parcel.rtt:
            return
        up = min(self.more[0], self.more[1] * parcel.spacing * parcel.bytes / PACKET)
        down = min(self.less[0], self.less[1] * parcel.bytes)
        self.more[0] -= up
        self.less[0] -= down
        parcel.grant = up - down

    @staticmethod
    def obey(sender: Sender, parcel: Parcel) -> None:
        """A sender's answer to it."""
        if parcel.rtt:
            least = PACKET * sender.flows
            sender.window = max(least, sender.window + parcel.grant * sender.rtt)


@dataclass
class RcpRouter:
    """The router of ns-2."""

    alpha: float
    beta: float
    gamma: float = 0.95
    rate: float = 0.05 * CAPACITY
    mean_rtt: float = 0.2
    interval: float = 0.01
    due: float = 0.01
    bytes: float = 0.0
    rtts: float = 0.0
    told: float = 0.0
    recent: float = 0.0
    # The mean round trip at the end of each interval.
    trail: list[tuple[float, float]] = field(default_factory=list)

    def tick(self, now: float, queue: float) -> None:
        """Ends the intervals that are over."""
        if now < self.due:
            return
        aim, t = self.gamma * CAPACITY, self.interval
        if self.told:
            self.recent = self.rtts / self.told
        gain = t / self.mean_rtt
        if self.recent < self.mean_rtt:
            gain *= self.rate / CAPACITY * self.recent / self.mean_rtt
        self.mean_rtt += gain * (self.recent - self.mean_rtt)
        self.trail.append((now, self.mean_rtt))
        spare = self.alpha * (aim - self.bytes / t) - self.beta * queue / self.mean_rtt
        self.rate *= 1 + t / self.mean_rtt * spare / aim
        self.rate = min(max(self.rate, 1000 / self.mean_rtt), aim)
        self.bytes = self.rtts = self.told = 0.0
        self.interval = min(self.mean_rtt, 0.01)
        self.due += self.interval

    def arrive(self, parcel: Parcel) -> None:
        """Counts what comes to the queue."""
        self.bytes += parcel.bytes
        if parcel.rtt:
            self.rtts += parcel.rtt * parcel.bytes
            self.told += parcel.bytes

    def depart(self, parcel: Parcel) -> None:
        """Writes what the sender gets."""
        parcel.grant = self.rate

    @staticmethod
    def obey(sender: Sender, parcel: Parcel) -> None:
        """A sender's answer to it."""
        sender.rate = parcel.grant
        sender.window = sender.flows * (parcel.grant * sender.rtt + PACKET)


@dataclass
class Options:
    """The rule that `main` leaves out to show that it matters."""

    clocked: bool = True
    smoothed: bool = True
    first_silent: bool = True


def integrate(
    router: XcpRouter | RcpRouter, senders: list[Sender], end: float, options: Options
) -> list[float]:
    """The largest queue of each bin, in bandwidth-delay products."""
    forward: deque[tuple[float, Parcel]] = deque()
    back: deque[tuple[float, Parcel]] = deque()
    queue: deque[Parcel] = deque()
    waiting = 0.0
    bins = [0.0] * round(end / BIN)
    for i in range(round(end / STEP)):
        now = i * STEP
        while back and back[0][0] <= now:
            parcel = back.popleft()[1]
            sender = senders[parcel.sender]
            sender.acknowledged(parcel, now, options.smoothed)
            router.obey(sender, parcel)
            if not options.clocked:
                sender.window = math.inf
        for n, sender in enumerate(senders):
            if out := sender.sends(now):
                rtt = sender.rtt or (0.0 if options.first_silent else DELAY)
                spacing = rtt / (sender.window / sender.flows / PACKET)
                forward.append((now + FORWARD, Parcel(n, out, now, rtt, spacing)))
        router.tick(now, waiting)
        while forward and forward[0][0] <= now:
            parcel = forward.popleft()[1]
            router.arrive(parcel)
            queue.append(parcel)
            waiting += parcel.bytes
        bins[int(now / BIN + 1e-9)] = max(bins[int(now / BIN + 1e-9)], waiting / PRODUCT)
        room = CAPACITY * STEP
        while queue and room > 0:
            parcel = queue[0]
            if parcel.bytes > room:
                parcel.bytes -= room
                parcel = Parcel(parcel.sender, room, parcel.sent, parcel.rtt, parcel.spacing)
            else:
                queue.popleft()
            room -= parcel.bytes
            waiting -= parcel.bytes
            router.depart(parcel)
            back.append((now + DELAY - FORWARD, parcel))
    return bins


def xcp(router: XcpRouter | None = None, options: Options | None = None) -> list[float]:
    """Twenty flows. Their first windows, two products, come one by one within a round trip."""
    first = 2 * PRODUCT / XCP_FLOWS
    senders = [Sender(n * DELAY / XCP_FLOWS, 1, first) for n in range(XCP_FLOWS)]
    return integrate(router or XcpRouter(), senders, 12.0, options or Options())


def rcp(
    alpha: float,
    beta: float,
    options: Options | None = None,
    router: RcpRouter | None = None,
    flows: int = RCP_FLOWS,
) -> list[float]:
    """Forty flows that begin with a packet, and then have a twentieth of the capacity each."""
    senders = [Sender(0.0, flows, flows * PACKET)]
    return integrate(router or RcpRouter(alpha, beta), senders, 6.0, options or Options())


def rcp_mean_rtt(flows: int, when: float, alpha: float = 0.0, beta: float = 0.0) -> float:
    """The router's mean round trip then; without gains the rates stay and the queue grows."""
    router = RcpRouter(alpha, beta)
    rcp(alpha, beta, router=router, flows=flows)
    return next(mean for at, mean in reversed(router.trail) if at <= when)


def approach_time(mean: float, recent: float, first: float = 0.2) -> float:
    """Seconds in which RCP's mean round trip comes from `first` to `mean`, both below what is told.

    The rule's differential equation, d' = (recent - d) / d, has the solution
    t = first - d + recent ln((recent - first) / (recent - d)).
    """
    return first - mean + recent * math.log((recent - first) / (recent - mean))


def settled(queue: list[float], level: float = 0.1) -> float:
    """When the queue has come below that many products for good."""
    over = [i for i, most in enumerate(queue) if most > level]
    return (over[-1] + 1) * BIN if over else 0.0


def main() -> None:
    """Prints the table."""
    told, instant = Options(first_silent=False), Options(smoothed=False)
    cases: list[tuple[str, Callable[[], list[float]]]] = [
        ("XCP", xcp),
        ("  round trips in the first data", lambda: xcp(options=told)),
        ("  no feedback", lambda: xcp(XcpRouter(alpha=0.0, beta=0.0, gamma=0.0))),
    ]
    for alpha, beta in ((0.4, 0.4), (0.1, 1.0)):
        law = partial(rcp, alpha, beta)
        cases += [
            (f"RCP {alpha:g}/{beta:g}", law),
            ("  no window", partial(law, Options(clocked=False))),
            ("  round trips not smoothed", partial(law, instant)),
        ]
    for told_rtt in (0.5, 2.5):
        router = RcpRouter(0.0, 0.0)
        for step in range(500):
            router.rtts, router.told = told_rtt, 1.0
            router.tick(0.01 * (step + 1), 0.0)
        took = approach_time(router.mean_rtt, told_rtt)
        mean = router.mean_rtt
        print(f"RCP, {told_rtt:g} s told for 5 s: {mean:.4f} s, by its solution {took:.3f} s")
    for name, run in cases:
        queue = run()
        print(f"{name:33s} peak {max(queue):.3f}, settled after {settled(queue):.2f} s")


if __name__ == "__main__":
    main()
