"""Which table of a scenario has which builder, and where it lies. `builders.py` writes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A table of the scenario: its path in the schema, its class, and what the class settles."""

    path: str
    name: str
    module: str
    # Fields that must be given, and their order.
    needed: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    summary: str = ""


# Every table of the schema. A path that is missing here stops the script.
PLACES = (
    Place("routing", "Routing", "wired"),
    Place("limits", "Limits", "wired"),
    Place("run", "Running", "wired"),
    Place("nodes.NAME:host", "Host", "wired"),
    Place("nodes.NAME:switch", "Switch", "wired"),
    Place("links.NAME:ethernet", "Link", "wired", ("ends",), ("from", "to")),
    Place(
        "links.NAME:ethernet",
        "OneWayLink",
        "wired",
        ("from", "to"),
        ("ends",),
        "one direction of a wire",
    ),
    Place("links.NAME:trace", "TraceLink", "wired", ("from", "to")),
    Place("media.NAME:tdma", "TdmaMedium", "wired"),
    Place("links.NAME:tdma", "TerminalLink", "wired", ("from", "to", "medium")),
    Place("ports.NAME", "Port", "wired"),
    Place("ports.NAME.watchdog", "Watchdog", "wired"),
    Place("events.NAME:down", "LinkDown", "wired", ("links", "at")),
    Place("events.NAME:rate", "LinkRate", "wired", ("links", "at", "rate")),
    Place("events.NAME:storm", "PauseStorm", "wired", ("links", "at")),
    Place("mechanisms.NAME", "Mechanism", "wired"),
    Place("media.NAME:802.11", "Medium", "wireless"),
    Place("media.NAME:802.11.phy", "Phy", "wireless"),
    Place("media.NAME:802.11.mac", "Mac", "wireless"),
    Place("media.NAME:802.11.mac.ac", "MacCategories", "wireless"),
    Place(
        "media.NAME:802.11.mac.ac.BK",
        "MacCategory",
        "wireless",
        summary="an access category of a medium",
    ),
    Place("media.NAME:802.11.channel", "Channel", "wireless"),
    Place("nodes.NAME:station", "Station", "wireless", ("medium", "at")),
    Place(
        "nodes.NAME:station.radios.NAME",
        "Radio",
        "wireless",
        ("medium",),
        summary="a further radio of a station",
    ),
    Place("nodes.NAME:station.ac", "AccessCategories", "wireless"),
    Place(
        "nodes.NAME:station.ac.BK",
        "AccessCategory",
        "wireless",
        summary="an access category of a station",
    ),
    Place(
        "flows.NAME",
        "Flow",
        "flow",
        summary="a flow, or one for each sender that a pattern matches",
    ),
    Place("defaults", "Defaults", "whole"),
    Place("", "Scenario", "whole", summary="a whole scenario"),
)
MODULES = {
    "wired": "Hosts, switches, links, ports and what acts at them.",
    "wireless": "802.11: stations and media.",
    "flow": "Flows.",
    "whole": "The scenario.",
}
# Types that the schema leaves open: names of recipes, and tables of several forms.
SAYS = {
    ("Defaults", "flows"): "Written",
    ("Mechanism", "recipe"): "Recipe",
    ("Scenario", "nodes"): "Mapping[str, Host | Switch | Station | Written]",
    ("Scenario", "links"): "Mapping[str, Link | OneWayLink | TraceLink | TerminalLink | Written]",
    ("Scenario", "events"): "Mapping[str, LinkDown | LinkRate | PauseStorm | Written]",
    ("Scenario", "media"): "Mapping[str, Medium | TdmaMedium | Written]",
    ("Scenario", "topology"): "Topology | Written",
}
