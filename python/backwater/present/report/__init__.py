"""Results for people: a report per study, an index of studies, figure files, notebook views."""

from backwater.present.report.figure_files import figures
from backwater.present.report.index import write_index
from backwater.present.report.notebook import run_html
from backwater.present.report.page import write
from backwater.present.report.run_page import write_run

__all__ = ["figures", "run_html", "write", "write_index", "write_run"]
