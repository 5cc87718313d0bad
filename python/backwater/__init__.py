"""Backwater: a packet-level laboratory for congestion control.

import backwater

result = backwater.run("merging.toml", seed=1, set={"flows.*.source.rate": "2 Mbit/s"})
result.metrics["loss"]

results = backwater.Study.load("lan-merging").run(quick=True)
results.to_pandas()
"""

from backwater import _native
from backwater.errors import BackwaterError, Refusal, Unfinished
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
    Stamp,
    Station,
    Switch,
    Topology,
    Trace,
    TraceLink,
)
from backwater.model.simulate import RunResult, draw, run
from backwater.model.world import World
from backwater.present import display
from backwater.results.results import Results
from backwater.study.runnable import Study
from backwater.study.sweep_study import Sweep

__version__ = _native.version()
Results.drawn_by = display.figure

__all__ = [
    "AccessCategories",
    "AccessCategory",
    "BackwaterError",
    "Box",
    "Channel",
    "Controller",
    "Detector",
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
    "Refusal",
    "Responder",
    "Results",
    "Routing",
    "RunResult",
    "Scenario",
    "Source",
    "Stamp",
    "Station",
    "Study",
    "Sweep",
    "Switch",
    "Topology",
    "Trace",
    "TraceLink",
    "Unfinished",
    "World",
    "__version__",
    "draw",
    "run",
]
