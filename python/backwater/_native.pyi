"""The engine: what the compiled module offers."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, final, overload

from numpy.typing import NDArray

_T = TypeVar("_T")
# A run in which a rare event came: seed, copies, instant, fingerprint.
_Example = tuple[int, list[tuple[int, int]], int, str]

def version() -> str: ...
def optimised() -> bool: ...
def engine_id() -> str: ...
def parts() -> str: ...
def units() -> str: ...
def rate_advice(text: str) -> str | None: ...
def legal() -> str: ...
def schema() -> str: ...
def series() -> list[tuple[str, str]]: ...
def rare(
    resolved: Resolved,
    event: list[tuple[str, str]],
    level: int,
    score: list[tuple[str, str]],
    empty: list[tuple[str, str]],
    span_ps: tuple[int, int],
    levels: list[int] | None,
    restart: list[int] | None,
    seed: int,
    runs: int,
    replicates: int,
    workers: int,
) -> tuple[
    list[int],
    list[tuple[list[int], list[int], int, _Example | None]],
    list[tuple[list[int], list[int], list[int], int, float, _Example | None]],
]: ...
def hosted_trial(
    resolved: Resolved, figures: list[str], looks: tuple[int, list[str]] | None = None
) -> tuple[list[float], list[float], int]: ...
def pack(values: NDArray[Any]) -> str: ...
def unpack(text: str) -> NDArray[Any]: ...

@final
class Draws:
    def __init__(self, seed: object, *key: object) -> None: ...
    def unit(self) -> float: ...
    def below(self, count: int) -> int: ...
    def between(self, low: int, high: int) -> int: ...
    def choice(self, of: Sequence[_T]) -> _T: ...

@final
class Counts(Sequence[int]):
    def __init__(self, values: Sequence[int] | NDArray[Any]) -> None: ...
    @staticmethod
    def spread(count: int, places: int, most: float, least: int, draws: Draws) -> Counts: ...
    @staticmethod
    def unpacked(text: str) -> Counts: ...
    def packed(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __lt__(self, other: Counts) -> bool: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def sum(self, low: int, length: int) -> int: ...
    def variation(self) -> tuple[int, int]: ...
    def with_part(self, low: int, part: Counts) -> Counts: ...
    def rolled(self, low: int, length: int, by: int) -> Counts: ...
    def exchanged(self, one: int, other: int, length: int) -> Counts: ...
    def repeated(self, low: int, length: int) -> Counts: ...
    def even(self, low: int, length: int) -> Counts: ...
    def smooth(self, low: int, length: int, half: int) -> Counts: ...
    def within(self, lag: int) -> Counts: ...
    def at_most(self, most: int) -> Counts: ...
    def crossed(self, other: Counts, draws: Draws) -> Counts: ...
    def spliced(self, other: Counts, first: int, last: int) -> Counts: ...
    def ends(self) -> Instants: ...
    def evenly(self, length: int) -> Instants: ...

@final
class Instants:
    def __init__(self, instants: NDArray[Any]) -> None: ...
    @staticmethod
    def filled(per_step: list[int], steps: list[int], size: int) -> Instants: ...
    def array(self) -> NDArray[Any]: ...

class Trials:
    def __init__(self, workers: int) -> None: ...
    def begin(
        self,
        resolved: list[Resolved],
        patches: list[list[tuple[Any, ...]]],
        figures: list[str],
        looks: tuple[int, list[str]] | None = None,
    ) -> Running: ...

class Running:
    def found(
        self,
    ) -> tuple[
        list[list[float]], list[NDArray[Any]], list[int], list[int], list[tuple[int, str]]
    ]: ...

class Worlds:
    def __init__(
        self, resolved: list[Resolved], count: int, threads: int, knobs: list[str]
    ) -> None: ...
    @staticmethod
    def columns() -> list[str]: ...
    def agents(self, stage: int) -> list[str]: ...
    def knobs(self, stage: int) -> list[tuple[str, float, float, float]]: ...
    def reset(
        self,
        places: list[int],
        stages: list[int],
        patches: list[list[tuple[Any, ...]]],
        clocks: list[tuple[str, float, int, int]],
        starts: list[tuple[list[float], int]],
        seen: NDArray[Any],
    ) -> list[tuple[int, str]]: ...
    def step(
        self,
        settings: NDArray[Any],
        mask: NDArray[Any],
        seen: NDArray[Any],
        ended: NDArray[Any],
    ) -> list[tuple[int, str]]: ...
    def copy(self, source: int, to: int) -> None: ...
    def fingerprint(self, index: int) -> int: ...
    def probe(self, index: int) -> dict[str, Any]: ...
    def stopped(self, index: int) -> list[bool]: ...

class ScenarioError(ValueError):
    diagnostic: str

class Scenario:
    @staticmethod
    def from_toml(text: str, name: str, folder: str | None) -> Scenario: ...
    @staticmethod
    def from_json(text: str, name: str, folder: str | None) -> Scenario: ...
    def set(self, path: str, value_json: str, origin: str) -> None: ...
    def copy(self) -> Scenario: ...
    def resolve(self, seed: int | None) -> Resolved: ...
    def resolve_once(self, seed: int | None) -> Resolved: ...

class Resolved:
    @property
    def seed(self) -> int: ...
    @property
    def canonical(self) -> str: ...
    @property
    def inputs(self) -> list[tuple[str, str]]: ...
    @property
    def hosted(self) -> list[str]: ...
    @property
    def recipe(self) -> str: ...
    def key(self) -> str: ...
    def check(self) -> None: ...
    def ways(self) -> str: ...
    def mechanisms(self) -> str: ...
    def powers(self) -> str: ...
    def run(
        self,
        record: str | None,
        pcap: str | None,
        columns: bool,
        controllers: dict[str, Callable[[ControllerSetup], Any]] | None = None,
        logs: list[tuple[str, str]] = ...,
        series: str | None = None,
        max_wall_s: float | None = None,
        max_memory_B: int | None = None,  # noqa: N803
        perfetto: str | None = None,
        qlog: str | None = None,
    ) -> Outcome: ...

class BudgetError(RuntimeError): ...
class FaultError(ScenarioError): ...

class PartError(RuntimeError):
    whose: str
    place: str

class ControllerSetup:
    flow: str
    mss_B: int  # noqa: N815
    initial_B: int  # noqa: N815
    seed: int

class DetectorSetup:
    mechanism: str
    seed: int

class LevelSeen:
    now_s: float
    traffic_class: int
    held_B: int  # noqa: N815
    room_B: int  # noqa: N815
    own_B: int  # noqa: N815
    forwarded_B: int  # noqa: N815
    by_previous_hop_B: dict[int, int]  # noqa: N815
    by_next_hop_B: dict[int, int]  # noqa: N815

class FrameSeen:
    size_B: int  # noqa: N815
    previous_hop: int | None
    next_hop: int | None
    airtime_s: float
    retries: int

class ResponderSetup:
    mechanism: str
    seed: int

class NoticeSeen:
    now_s: float
    traffic_classes: list[int]
    less: bool
    rate_bps: int | None
    lasts_s: float

class Knobs:
    def stop(self, seconds: float) -> None: ...
    def limit(self, rate_bps: int, seconds: float) -> None: ...
    def open(self) -> None: ...
    def contend(
        self,
        traffic_class: int,
        seconds: float,
        *,
        aifsn: int | None = None,
        cw_min: int | None = None,
    ) -> None: ...

class StampSetup:
    place: str
    seed: int

class PacketSeen:
    now_s: float
    size_B: int  # noqa: N815
    ends: tuple[int, int]
    waiting_B: int  # noqa: N815
    waiting_pkts: int
    lost: bool
    rtt_s: float | None
    cwnd_pkts: float | None
    granted: float | None

class AckSeen:
    now_s: float
    acked_B: int  # noqa: N815
    advanced_B: int  # noqa: N815
    lost_B: int  # noqa: N815
    marked_B: int  # noqa: N815
    in_flight_B: int  # noqa: N815
    rtt_s: float | None
    srtt_s: float
    rtt_min_s: float
    delivery_bps: int | None
    round: int
    recovering: bool
    number: int

class RoundSeen:
    now_s: float
    took_s: float
    acked_B: int  # noqa: N815
    lost_B: int  # noqa: N815
    marked_B: int  # noqa: N815
    in_flight_B: int  # noqa: N815
    rtt_min_s: float | None
    rtt_mean_s: float | None
    srtt_s: float
    round: int

class CongestionSeen:
    now_s: float
    cause: str
    in_flight_B: int  # noqa: N815
    lost_B: int  # noqa: N815

class IdleSeen:
    now_s: float
    window_B: int | None  # noqa: N815

class SentSeen:
    now_s: float
    number: int
    len_B: int  # noqa: N815
    in_flight_B: int  # noqa: N815
    again: bool
    app_limited: bool

class TimerSeen:
    now_s: float

class Outcome:
    @property
    def document(self) -> str: ...
    @property
    def columns(self) -> dict[str, NDArray[Any]]: ...
    @property
    def whats(self) -> list[str]: ...
    @property
    def places(self) -> list[str]: ...
    @property
    def flows(self) -> list[str]: ...

class World:
    @staticmethod
    def of(resolved: Resolved) -> World: ...
    @property
    def now_ps(self) -> int: ...
    @property
    def end_ps(self) -> int: ...
    @property
    def fingerprint(self) -> str: ...
    def next_due(self) -> int | None: ...
    def advance(self, to_ps: int) -> None: ...
    def advance_until(self, ports: list[str], level: int, to_ps: int) -> bool: ...
    def probe(self) -> dict[str, Any]: ...
    def inject(
        self,
        at_ps: int,
        source: str,
        *,
        to: str,
        length_B: int,  # noqa: N803
        traffic_class: int = 0,
        ecn: str = "not-ect",
        flow_hash: int | None = None,
        tag: int = 0,
    ) -> None: ...
    def exits(self) -> list[Exit]: ...
    def fork(
        self,
        to: Resolved | None = None,
        reseed: tuple[int, bool] | None = None,
        by: tuple[list[tuple[str, int]], list[tuple[str, int]], list[tuple[str, int, int]], bool]
        | None = None,
        patches: list[tuple[Any, ...]] | None = None,
        fresh: list[str] | None = None,
    ) -> World: ...
    def facts(self) -> list[tuple[str, int, str, int, str, str, int]]: ...
    def unspared(self) -> list[tuple[str, int]]: ...
    def document(self) -> str: ...

class Exit:
    at_ps: int
    node: str
    flow: str
    tag: int
    ecn: str
    cause: str | None

class EmulationError(RuntimeError):
    fix: str

def emulate(
    words: list[str],
    scenario: Resolved | None,
    attached: list[tuple[str, list[str]]],
    environment: list[tuple[str, str]],
    traces: str | None,
    command_line: str,
    low_cpu: bool | None,
    live: bool,
    no_offload: bool,
    late_p99_s: float,
    unmodelled_loss: float,
    record: str | None,
    pcap: str | None,
    pcap_model: str | None,
    series: bool,
    control: str | None,
    live_page: str | None,
) -> tuple[int, str, list[str]]: ...
def flow_scenario(fields_json: str, seed: int) -> str: ...
def flow_send(
    host: str,
    port: int,
    scenario: Resolved,
    fields_json: str,
    total_B: int | None,  # noqa: N803
    duration_s: float | None,
    interval_s: float,
) -> int | None: ...
def flow_listen(address: str, port: int, interval_s: float, once: bool) -> int | None: ...
def probe_send(
    host: str, port: int, packets: int, rate_pps: float, random_gaps: bool, size: int
) -> str: ...
def probe_receive(port: int, packets: int, nominal_s: float) -> str: ...

@final
class Stored:
    layout: str
    blob: bytes
    head: str

def stored(document: str) -> Stored: ...
@overload
def run_batch(
    cases: list[Resolved],
    workers: int,
    done: Callable[[int, Stored | None, str | None], None],
    *,
    store: Literal[True],
    budget: tuple[float | None, int | None] = (None, None),
) -> None: ...
@overload
def run_batch(
    cases: list[Resolved],
    workers: int,
    done: Callable[[int, str | None, str | None], None],
    *,
    budget: tuple[float | None, int | None] = (None, None),
) -> None: ...
def limit_calls(seconds: float, descriptor: int) -> None: ...
def diff(a: str, b: str) -> str | None: ...
def trace_fit(file: str, kind: str, opportunity: str, folder: str | None) -> str: ...
def trace_make(
    toml: str,
    name: str,
    sets: list[tuple[str, str]],
    seed: int,
    duration: str,
    opportunity: str,
    folder: str | None,
) -> str: ...
def trace_log(file: str, folder: str | None) -> str: ...
