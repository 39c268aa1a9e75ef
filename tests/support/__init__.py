"""Machines, states and measures that tests of several rooms share."""
