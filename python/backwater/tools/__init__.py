"""Tools beside studies.

`benchmark` measures the cost of the packets of `benchmark_cases`, with `benchmark_child` in a
fresh process and `peers` for other simulators, to which `peer_network` tells a mesh;
`benchmark_pair` alternates two builds.
`emulation_bench` measures the emulator, in the networks of `emulation_runs`.
`contest_runs` and `contest_plot` rank controllers over cellular links, and `rfc9743` is the
scorecard of a controller; `matching_stamp` says which stamp a sender needs there. `catalogue` lists
everything that has a name; `installation` checks what is installed, with `emulation` for what real
packets need. `templates` has files to begin with, `problems` finds all faults of a file.
`access_point` lists the mechanisms that work at an access point, `queue_pairs` the controllers and
spreaders that work over each repair of losses.
"""
