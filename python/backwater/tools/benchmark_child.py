"""One run of a benchmark, in a process that imports nothing of the package but the engine.

The peak of memory is then that of the run.

    python -I benchmark_child.py ENGINE SCENARIO CHANGES
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backwater import _native


def resolved(engine: Any, file: Path, changes: Mapping[str, Any]) -> _native.Resolved:
    """The scenario of a file with these changes, ready to run."""
    scenario = engine.Scenario.from_toml(file.read_text(encoding="utf-8"), file.name, None)
    for at, value in changes.items():
        scenario.set(at, json.dumps(value), "benchmark")
    ready: _native.Resolved = scenario.resolve(None)
    return ready


def _main(engine: str, scenario: str, changes: str) -> None:
    spec = spec_from_file_location("backwater._native", engine)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    run = resolved(module, Path(scenario), json.loads(changes)).run(None, None, False)
    sys.stdout.write(run.document)


if __name__ == "__main__":
    _main(*sys.argv[1:])
