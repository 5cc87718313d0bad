"""Backwater: a packet-level laboratory for congestion control.

import backwater

result = backwater.run("merging.toml", seed=1, set={"flows.*.source.rate": "2 Mbit/s"})
result.metrics["loss"]

results = backwater.Study.load("lan-merging").run(quick=True)
results.to_pandas()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from backwater.engine import chosen
from backwater.errors import BackwaterError, Refusal, Unfinished
from backwater.results import picture

if TYPE_CHECKING:
    from backwater.model.builders import (
        AccessCategories,
        AccessCategory,
        Box,
        Channel,
        Controller,
        Detector,
        Flow,
        Host,
        Limits,
        Link,
        Mac,
        MacCategories,
        MacCategory,
        Mechanism,
        Medium,
        Notifier,
        OneWayLink,
        Phy,
        Port,
        Queue,
        Responder,
        Routing,
        Scenario,
        Source,
        Spreader,
        Stamp,
        Station,
        Switch,
        TdmaMedium,
        TerminalLink,
        Topology,
        Trace,
        TraceLink,
    )
    from backwater.model.simulate import RunResult, draw, run
    from backwater.model.world import World
    from backwater.results.results import Results
    from backwater.search.blaming import Blame, blame
    from backwater.search.rare_event import RareEvent
    from backwater.search.splitting import rare
    from backwater.search.what_if import Derivative, Difference, sensitivity, what_if
    from backwater.study.runnable import Study
    from backwater.study.sweep_study import Sweep

__version__ = chosen.version()
picture.drawn_by = "backwater.present.display"

__all__ = [
    "AccessCategories",
    "AccessCategory",
    "BackwaterError",
    "Blame",
    "Box",
    "Channel",
    "Controller",
    "Derivative",
    "Detector",
    "Difference",
    "Flow",
    "Host",
    "Limits",
    "Link",
    "Mac",
    "MacCategories",
    "MacCategory",
    "Mechanism",
    "Medium",
    "Notifier",
    "OneWayLink",
    "Phy",
    "Port",
    "Queue",
    "RareEvent",
    "Refusal",
    "Responder",
    "Results",
    "Routing",
    "RunResult",
    "Scenario",
    "Source",
    "Spreader",
    "Stamp",
    "Station",
    "Study",
    "Sweep",
    "Switch",
    "TdmaMedium",
    "TerminalLink",
    "Topology",
    "Trace",
    "TraceLink",
    "Unfinished",
    "World",
    "__version__",
    "blame",
    "draw",
    "rare",
    "run",
    "sensitivity",
    "what_if",
]

# Loaded at first use: commands that need none of it start at once. All other names are builders.
_HOMES = {
    "Blame": "backwater.search.blaming",
    "Derivative": "backwater.search.what_if",
    "Difference": "backwater.search.what_if",
    "RareEvent": "backwater.search.rare_event",
    "Results": "backwater.results.results",
    "RunResult": "backwater.model.simulate",
    "Study": "backwater.study.runnable",
    "Sweep": "backwater.study.sweep_study",
    "World": "backwater.model.world",
    "blame": "backwater.search.blaming",
    "draw": "backwater.model.simulate",
    "rare": "backwater.search.splitting",
    "run": "backwater.model.simulate",
    "sensitivity": "backwater.search.what_if",
    "what_if": "backwater.search.what_if",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES.get(name, "backwater.model.builders")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
