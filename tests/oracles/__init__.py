"""Independent checks of the dynamics: random machines, outside engines, loops closed by projection."""
