"""Builders of scenarios, with a type for each argument.

`part_builders` has a class for each kind of part, a method for each part; `wired`, `wireless`,
`flow` and `whole` have the tables of a scenario. `base` and `documented` have what they share.
`make tables` writes the tables and the signatures from what the engine reads. Each file is loaded
when one of its names is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backwater.model.builders.flow import Flow
    from backwater.model.builders.part_builders import (
        Box,
        Controller,
        Detector,
        Notifier,
        Queue,
        Responder,
        Source,
        Spreader,
        Stamp,
        Topology,
        Trace,
    )
    from backwater.model.builders.whole import Defaults, Scenario
    from backwater.model.builders.wired import (
        Host,
        Limits,
        Link,
        LinkDown,
        LinkRate,
        Mechanism,
        OneWayLink,
        PauseStorm,
        Port,
        Routing,
        Running,
        Switch,
        TdmaMedium,
        TerminalLink,
        TraceLink,
        Watchdog,
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
    "Defaults",
    "Detector",
    "Flow",
    "Host",
    "Limits",
    "Link",
    "LinkDown",
    "LinkRate",
    "Mac",
    "MacCategories",
    "MacCategory",
    "Mechanism",
    "Medium",
    "Notifier",
    "OneWayLink",
    "PauseStorm",
    "Phy",
    "Port",
    "Queue",
    "Radio",
    "Responder",
    "Routing",
    "Running",
    "Scenario",
    "Source",
    "Spreader",
    "Stamp",
    "Station",
    "Switch",
    "TdmaMedium",
    "TerminalLink",
    "Topology",
    "Trace",
    "TraceLink",
    "Watchdog",
]

_HOMES = {
    "Controller": "part_builders",
    "Queue": "part_builders",
    "Stamp": "part_builders",
    "Spreader": "part_builders",
    "Detector": "part_builders",
    "Notifier": "part_builders",
    "Responder": "part_builders",
    "Source": "part_builders",
    "Trace": "part_builders",
    "Box": "part_builders",
    "Topology": "part_builders",
    "Routing": "wired",
    "Limits": "wired",
    "Running": "wired",
    "Host": "wired",
    "Switch": "wired",
    "Link": "wired",
    "OneWayLink": "wired",
    "TraceLink": "wired",
    "TdmaMedium": "wired",
    "TerminalLink": "wired",
    "Port": "wired",
    "Watchdog": "wired",
    "LinkDown": "wired",
    "LinkRate": "wired",
    "PauseStorm": "wired",
    "Mechanism": "wired",
    "Medium": "wireless",
    "Phy": "wireless",
    "Mac": "wireless",
    "MacCategories": "wireless",
    "MacCategory": "wireless",
    "Channel": "wireless",
    "Station": "wireless",
    "Radio": "wireless",
    "AccessCategories": "wireless",
    "AccessCategory": "wireless",
    "Flow": "flow",
    "Defaults": "whole",
    "Scenario": "whole",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
