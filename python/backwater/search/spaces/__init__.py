"""Spaces: what a genome means. Each is a file here and a row of `SPACES`."""

from __future__ import annotations

from backwater.search.spaces.jitter import Jitter
from backwater.search.spaces.link import Link
from backwater.search.spaces.parts import Parts
from backwater.search.spaces.path import Path
from backwater.search.spaces.space import Bounds, Genome, Space
from backwater.search.spaces.steps import Steps
from backwater.search.spaces.traffic import Traffic

SPACES: dict[str, type[Space]] = {
    space.name: space for space in (Link, Traffic, Steps, Path, Jitter, Parts)
}

__all__ = [
    "SPACES",
    "Bounds",
    "Genome",
    "Jitter",
    "Link",
    "Parts",
    "Path",
    "Space",
    "Steps",
    "Traffic",
]
