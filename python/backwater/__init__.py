"""Backwater: a packet-level laboratory for congestion control.

import backwater

result = backwater.run("merging.toml", seed=1, set={"flows.*.source.rate": "2 Mbit/s"})
result.metrics["loss"]

results = backwater.Study.load("lan-merging").run(quick=True)
results.to_pandas()
"""

from backwater import _native
from backwater.errors import BackwaterError, Refusal, Unfinished
from backwater.model.scenario import (
    Detector,
    Flow,
    Host,
    Link,
    Mechanism,
    Medium,
    Notifier,
    Port,
    Queue,
    Responder,
    Routing,
    Scenario,
    Source,
    Station,
    Switch,
    Topology,
)
from backwater.model.simulate import RunResult, run
from backwater.results.results import Results
from backwater.study.definition import Study
from backwater.study.sweep_study import Sweep

__version__ = _native.version()

__all__ = [
    "BackwaterError",
    "Detector",
    "Flow",
    "Host",
    "Link",
    "Mechanism",
    "Medium",
    "Notifier",
    "Port",
    "Queue",
    "Refusal",
    "Responder",
    "Results",
    "Routing",
    "RunResult",
    "Scenario",
    "Source",
    "Station",
    "Study",
    "Sweep",
    "Switch",
    "Topology",
    "Unfinished",
    "__version__",
    "run",
]
