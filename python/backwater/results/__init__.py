"""What studies and sweeps have measured.

`store` writes one SQLite file, a transaction for each case; `integrity` finds what is damaged, and
`lock` keeps two writers apart.
`results` reads it for reports, notebooks and claims. The manifest beside it says which study ran,
how and where. `picture` passes figures on to who draws them.
"""
