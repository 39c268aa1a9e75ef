"""The Gymnasium environment by its public name; it lives in `gough.simulation.gym`."""

from gough.simulation.gym import PlatformVectorEnv as PlatformVectorEnv
