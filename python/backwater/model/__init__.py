"""Scenarios and single runs.

`scenario` builds and reads scenarios; `quantity` reads and shows numbers with units. `simulate`
runs a scenario once; `trace_file` fits, makes and reads traces of links. `python_class` loads
controllers and detectors from files of Python; `stopping` ends runs that execute them.
"""
