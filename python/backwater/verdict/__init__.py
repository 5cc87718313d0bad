"""From cases to verdicts.

`claim` says what is measured, as `read_claim` reads it, and `bound` what is expected of it, in the
units that `units` permits. `metrics` reads one case. `reduce`, `function` and `compare` turn the
cases of one seed into one number, and `across` does where cases are held against each other by
their labels. `interval` gives the 95 % interval of a mean over seeds, `exact` those of shares,
quantiles and rare losses. `judge` puts them together and writes the record of a claim; `ablated`
says whether it can fail, and `readings` puts several readings of one sentence side by side.
`finding` is what is found of a claim, `losses` judges bounds on losses, and `jain` has the interval
of Jain's index. `published` holds cases against published numbers.
"""
