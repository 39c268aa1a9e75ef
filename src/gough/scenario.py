"""The old name of `gough.simulation.scenario`."""

from gough.simulation.scenario import Scenario as Scenario
from gough.simulation.scenario import load_scenario as load_scenario
