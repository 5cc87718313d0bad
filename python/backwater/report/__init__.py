"""Results for people: a report per study, an index of studies, figure files, notebook views."""

from backwater.report.export import figures
from backwater.report.index import write_index
from backwater.report.notebook import run_html
from backwater.report.page import write

__all__ = ["figures", "run_html", "write", "write_index"]
