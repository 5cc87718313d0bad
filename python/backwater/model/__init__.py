"""Scenarios and single runs.

`builders` build scenarios with types and `scenario` reads them, with the engine's `tables` and its
units (`quantity`). `simulate` runs a scenario once; `trace_file` fits, makes and reads traces of
links. `python_class` loads controllers and detectors from files of Python, `stopping` ends runs
that execute them, and `machine` describes the computer.
"""
