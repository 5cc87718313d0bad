"""From cases to verdicts.

`claim` says what is measured, as `read_claim` reads it, and `bound` what is expected of it.
`reduce`, `function` and `compare` turn the cases of one seed into one number; `interval` gives the
95 % interval over seeds. `judge` puts them together and writes the record of a claim; `ablated`
says whether it can fail.
"""
