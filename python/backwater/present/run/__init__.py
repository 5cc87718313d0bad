"""What one run measured, for people: tables, curves over time and a page of its own.

`charts` and `run_tables` show what it did, `groups` puts rows that are alike together, and
`validity` says how well a live run kept its instants.
"""

from backwater.present.run.charts import WHATS, spec
from backwater.present.run.run_tables import closing, over_time, tables

__all__ = ["WHATS", "closing", "over_time", "spec", "tables"]
