"""Tools beside studies.

`benchmark` measures the cost of a packet, with `benchmark_child` in a fresh process and `peers` for
other simulators. `contest_runs` lets controllers compete over cellular links; `rfc9743` is the
scorecard of a controller. `catalogue` lists everything that has a name; `installation` checks what
is installed.
"""
