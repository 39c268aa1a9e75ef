"""The integrators, one file each: its order, its formulas, what it serves."""
