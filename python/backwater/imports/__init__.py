"""Work and networks of other simulators, turned into scenarios."""
