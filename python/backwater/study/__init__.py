"""Studies: one Markdown file each.

`definition` reads the file with `markdown`, `toml_text`, `axes`, `quick`, `figure`, `metric`,
`checks` and `places`; `source_names` says what S0 to S4 stand for; `subject` puts a controller
into it. `ablation` says what takes the place of a mechanism, `ablation_run` judges the claims
without it. `execution` resolves the cases of a study and runs those that the store does not hold;
a `runnable` study has a method for that; `merging` joins what several computers ran. `sweep_study`
makes a study without claims from a scenario and axes.
"""
