"""Builders of scenarios, with a type for each argument.

A file with a plural name has one kind of part, a method for each; `wired`, `wireless`, `flow` and
`whole` have the tables of a scenario. `base` has what they share. All but `base` are written by
`make tables` from the tables that the engine reads.
"""

from backwater.model.builders.boxes import Box
from backwater.model.builders.controllers import Controller
from backwater.model.builders.detectors import Detector
from backwater.model.builders.flow import Flow
from backwater.model.builders.notifiers import Notifier
from backwater.model.builders.queues import Queue
from backwater.model.builders.responders import Responder
from backwater.model.builders.sources import Source
from backwater.model.builders.stamps import Stamp
from backwater.model.builders.topologies import Topology
from backwater.model.builders.traces import Trace
from backwater.model.builders.whole import Scenario
from backwater.model.builders.wired import (
    Host,
    Limits,
    Link,
    Mechanism,
    OneWayLink,
    Port,
    Routing,
    Switch,
    TdmaMedium,
    TerminalLink,
    TraceLink,
)
from backwater.model.builders.wireless import (
    AccessCategories,
    AccessCategory,
    Channel,
    Mac,
    MacCategories,
    MacCategory,
    Medium,
    Phy,
    Radio,
    Station,
)

__all__ = [
    "AccessCategories",
    "AccessCategory",
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
    "Radio",
    "Responder",
    "Routing",
    "Scenario",
    "Source",
    "Stamp",
    "Station",
    "Switch",
    "TdmaMedium",
    "TerminalLink",
    "Topology",
    "Trace",
    "TraceLink",
]
