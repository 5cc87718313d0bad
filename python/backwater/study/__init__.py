"""Studies: one Markdown file each.

`definition` reads the file with the help of `markdown` and `toml_text`, `axes`, `figure` and
`metric`. `execution` resolves the cases of a study and runs those that the store does not hold.
`sweep_study` makes a study without claims from a scenario and axes.
"""
