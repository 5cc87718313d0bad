"""Search for what breaks a controller or a mechanism: `backwater hunt`.

A *space* (`spaces`) turns a *genome*, a tuple of whole numbers, into settings of a *scene*
(`scenes`), a scenario with known places. `trials` runs genomes, `objectives` scores what they gave,
`operators` proposes the next ones, `archive` keeps them on disk, `methods` joins these,
`shrink` simplifies what was found, and `found_study` writes it as a study.

Every draw is keyed by (search seed, method, generation, number), so that an archive depends on the
request alone, and not on the number of threads or on where a search was interrupted.
"""
