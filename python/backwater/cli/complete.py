"""Names that the shell completes."""

from __future__ import annotations

from collections.abc import Iterable

from backwater.tools import catalogue


def _of(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def studies(incomplete: str) -> list[str]:
    """Studies of this installation."""
    return _of(catalogue.study_names(), incomplete)


def kinds(incomplete: str) -> list[str]:
    """Kinds of names."""
    return _of(catalogue.kinds(), incomplete)


def names(incomplete: str) -> list[str]:
    """Everything that has a name."""
    return _of(catalogue.names(), incomplete)


def controllers(incomplete: str) -> list[str]:
    """Congestion controllers."""
    return _of((row["id"] for row in catalogue.rows("controllers")), incomplete)


def metrics(incomplete: str) -> list[str]:
    """Metrics."""
    return _of((row["id"] for row in catalogue.rows("metrics")), incomplete)
