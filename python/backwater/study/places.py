"""Whether the scopes that claims and figures name exist in the scenarios that they speak of."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from backwater.errors import Refusal, nearest
from backwater.verdict.claim import Claim, matches

if TYPE_CHECKING:
    from backwater.study.definition import Study

# The args of functions that name scopes, places or flows.
_SCOPES = ("of", "to", "by")


def check(study: Study, quick: bool) -> None:
    """Refuses a scope that no chosen combination has, before anything runs."""
    runnable = study.runnable(quick)
    read: dict[int, _Scenario] = {}
    for claim in study.claims:
        at = next((i for i, labels in enumerate(runnable) if matches(labels, claim.where)), None)
        if at is None:
            continue
        if at not in read:
            read[at] = _Scenario(json.loads(study.resolved(runnable[at], 1, quick).canonical))
        for scope in _scopes(claim):
            near = read[at].nearest(scope)
            if near is not None:
                raise Refusal(
                    f"claim {claim.id} is about `{scope}`, which its scenario doesn't have",
                    place=study.name,
                    line=_line(study, claim),
                    column=1,
                    nearest=near,
                    fix="name what the scenario has",
                )


def _scopes(claim: Claim) -> Iterator[str]:
    if claim.function is None:
        yield claim.scope
    for key, value in claim.args.items():
        listed = value if isinstance(value, list) else [value]
        if key in _SCOPES:
            yield from map(str, listed)
        elif key == "places":
            yield from (f"drops:{one}" for one in listed)
        elif key == "flows":
            yield from (f"flow:{one}" for one in listed)


def _line(study: Study, claim: Claim) -> int:
    lines = study.text.split("\n")
    head = (f"[claims.{claim.id}]", f"claims.{claim.id} ")
    return next((i for i, line in enumerate(lines, 1) if line.startswith(head)), 1)


class _Scenario:
    """The places of a resolved scenario."""

    def __init__(self, resolved: Mapping[str, Any]) -> None:
        self.flows = list(resolved["flows"])
        self.nodes = [*resolved["nodes"], *resolved["media"]]
        self.ports = list(resolved["ports"])
        self.laws = list(resolved.get("stamps", ()))
        rows = resolved["flows"].items()
        self.ranks = [name for name, row in rows if row.get("pattern") == "ranks"]

    def nearest(self, scope: str) -> list[str] | None:
        """None if the scope is there, else what is near it."""
        kind, _, place = scope.partition(":")
        if kind == "run" or (kind == "class" and place in set("01234567")):
            return None
        if kind == "flow":
            return self._flow(place)
        if kind == "station":
            return self._node(place)
        if kind == "port":
            return None if place in self.ports else self._link(place)
        if kind == "law":
            return None if place in self.laws else nearest(place, self.laws) or self.laws[:5]
        if kind == "ranks":
            known = place in self.ranks
            return None if known else nearest(place, self.ranks) or self.flows[:5]
        if kind in ("hop", "receiver"):
            flow, _, rest = place.rpartition("/")
            found = self._flow(flow)
            at = self._link(rest) if kind == "hop" else self._node(rest)
            return at if found is None else found
        if kind == "drops":
            return self._drops(place)
        return ["class:0"]

    def _flow(self, place: str) -> list[str] | None:
        name = place.partition("/")[0].partition("~")[0]
        known = any(fnmatch.fnmatchcase(flow, name) for flow in self.flows)
        return None if known else nearest(name, self.flows) or self.flows[:5]

    def _node(self, place: str) -> list[str] | None:
        name = place.partition("/")[0]
        return None if name in self.nodes else nearest(name, self.nodes) or self.nodes[:5]

    def _link(self, place: str) -> list[str] | None:
        ends = place.split(">")
        if len(ends) == 2 and all(self._node(end) is None for end in ends):
            return None
        return nearest(place, self.ports) or self.ports[:5] or self.nodes[:5]

    def _drops(self, pattern: str) -> list[str] | None:
        places = [*self.ports, *self.nodes]
        places += [f"{a}>{b}" for a in self.nodes for b in self.nodes]
        if any(fnmatch.fnmatchcase(place, pattern) for place in places):
            return None
        return nearest(pattern, self.ports) or self.ports[:5]
