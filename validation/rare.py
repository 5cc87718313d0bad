"""How often the 95 % intervals of `backwater rare` cover chances that are known without it.

Each row repeats the whole a hundred times, with a seed and levels of a pilot of its own each time:
by stages with a fixed effort, and by RESTART. `half as wide` has the intervals halved (as they are
laid: on a logarithmic scale), for comparison.

    python validation/rare.py [--method stages|RESTART] [PART OF A CASE'S NAME …]    # 15 minutes
"""

from __future__ import annotations

import argparse
import runpy
import statistics
import sys
import time
from pathlib import Path

SCENES = runpy.run_path(str(Path(__file__).parents[1] / "tests" / "rare_scenes.py"))
WHOLES, RUNS, REPLICATES = 100, 100, 10
METHODS = {"stages": None, "RESTART": 4}


def main() -> None:
    """Prints a row for each case and method."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--method", choices=METHODS)
    given = parser.parse_args()
    began = time.process_time()
    print("| case | chance | method | covered | half as wide | error | plain runs |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for name, case in SCENES["cases"]().items():
        if not any(part in name for part in given.names):
            continue
        for method in [given.method] if given.method else METHODS:
            whole, half, found = SCENES["covered"](case, WHOLES, RUNS, REPLICATES, METHODS[method])
            error = statistics.median(one.relative_error for one in found)
            ratios = [one.plain_events / one.events for one in found if one.plain_events]
            print(
                f"| {name} | {case[2]:.4g} | {method} | {whole} | {half} | {error:.0%} | "
                f"{statistics.median(ratios):.2g} |",
                flush=True,
            )
    print(f"{time.process_time() - began:.0f} s of CPU", file=sys.stderr)


if __name__ == "__main__":
    main()
