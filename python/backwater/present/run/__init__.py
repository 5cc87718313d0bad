"""What one run measured, for people: tables, curves over time and a page of its own."""

from backwater.present.run.charts import WHATS, spec
from backwater.present.run.run_tables import closing, over_time, tables

__all__ = ["WHATS", "closing", "over_time", "spec", "tables"]
