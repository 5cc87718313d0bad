"""Kinds of parts. Their builders are made from the engine's tables when they are first used.

`part_builders.pyi` has their signatures; `make tables` writes it.
"""

from __future__ import annotations

from typing import ClassVar

from backwater.model.builders.base import Part


class Controller(Part):
    """The controller `NAME`: `Controller.NAME(...)`, or `Controller("NAME", ...)`."""

    TABLE: ClassVar[str] = "controllers"


class Queue(Part):
    """The queue `NAME`: `Queue.NAME(...)`, or `Queue("NAME", ...)`."""

    TABLE: ClassVar[str] = "queues"


class Stamp(Part):
    """The stamp `NAME`: `Stamp.NAME(...)`, or `Stamp("NAME", ...)`."""

    TABLE: ClassVar[str] = "stamps"


class Spreader(Part):
    """The spreader `NAME`: `Spreader.NAME(...)`, or `Spreader("NAME", ...)`."""

    TABLE: ClassVar[str] = "spreaders"


class Detector(Part):
    """The detector `NAME`: `Detector.NAME(...)`, or `Detector("NAME", ...)`."""

    TABLE: ClassVar[str] = "detectors"


class Notifier(Part):
    """The notifier `NAME`: `Notifier.NAME(...)`, or `Notifier("NAME", ...)`."""

    TABLE: ClassVar[str] = "notifiers"


class Responder(Part):
    """The responder `NAME`: `Responder.NAME(...)`, or `Responder("NAME", ...)`."""

    TABLE: ClassVar[str] = "responders"


class Source(Part):
    """The source `NAME`: `Source.NAME(...)`, or `Source("NAME", ...)`."""

    TABLE: ClassVar[str] = "sources"


class Trace(Part):
    """The trace `NAME`: `Trace.NAME(...)`, or `Trace("NAME", ...)`."""

    TABLE: ClassVar[str] = "traces"


class Box(Part):
    """The box `NAME`: `Box.NAME(...)`, or `Box("NAME", ...)`."""

    TABLE: ClassVar[str] = "boxes"


class Topology(Part):
    """The topology `NAME`: `Topology.NAME(...)`, or `Topology("NAME", ...)`."""

    TABLE: ClassVar[str] = "topologies"
