"""The results of studies and sweeps.

`store` writes one SQLite file, a transaction for each case; `integrity` finds what is damaged, and
`lock` keeps two writers apart. `columns` packs the metrics of a case, which `document` takes from
the document of its run; `rows_of` reads the rows of older stores.
`results` reads it for reports, notebooks and claims; `alike` counts warnings of one form. The
manifest beside it says which study ran, how and where. `picture` passes figures on to who draws
them.
"""
