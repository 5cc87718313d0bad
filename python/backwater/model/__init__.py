"""Scenarios and single runs.

`builders` build scenarios with types and `scenario` reads them, with the engine's `tables` and its
units (`quantity`). `simulate` runs a scenario once and `outcome` has its document; a `world` is
driven by the caller, and `patches` change its forks; `trace_file` fits, makes and reads traces of
links. `python_class` loads controllers, detectors and responders from files of Python,
`controller_file` names controllers in files of the user. `workers` runs batches, those with such
classes in processes (`worker`), and `cluster` on other computers. `arguments` checks what a person
passes, `invariants` what holds at the end of a run; `outputs` writes the files that are named for
results. `machine` describes the computer, `record_file` holds the events of
a run in columns, whose numbers are explained in `record_columns`.
"""
