"""Backwater with the queue management `avq`.

`import backwater_avq` before `import backwater`, or use the command `backwater-avq`, which is
`backwater` with this engine. Processes that are started by either have the same engine.
"""

import os
import sys

ENGINE = "backwater_avq.engine"
if "backwater" in sys.modules and os.environ.get("BACKWATER_ENGINE") != ENGINE:
    raise ImportError("backwater was loaded with another engine; import backwater_avq before it")
os.environ["BACKWATER_ENGINE"] = ENGINE


def command() -> None:
    """The command line of Backwater."""
    from backwater.cli import entry

    entry()
