"""A score for controllers that a program wrote: `backwater evolve`.

`candidate` reads a controller and refuses what reaches beyond it, `environments` draws the paths of
a suite, `scoring` turns what a flow got into a number with bounds, `gates` are what a score cannot
make up for, and `evaluate` runs these in stages that a bad candidate leaves early. `sealed` keeps
paths that nobody has seen and tells little of them. `openevolve` is what that program calls, and
`leaderboard` the page that compares controllers. There is no model here, and no network.
"""
