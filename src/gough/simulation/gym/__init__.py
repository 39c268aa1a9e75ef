"""Gymnasium environments: hold, reach or track poses by setting actuator efforts.  Extra: ``pip install gough[gym]``

    import gough.gym                                                    # registers the names
    env = gymnasium.make("gough/Hold-v0", platform="servo-hexapod")    # one machine
    env = gymnasium.make_vec("gough/Track-v0", 1024, platform=...)     # many, in one call of the compiled integrator
``gymnasium.make("gough.gym:gough/Hold-v0")`` imports this module by itself.
"""

from __future__ import annotations

try:
    import gymnasium
except ImportError as error:
    from gough.extras import MissingPackageError

    raise MissingPackageError("gymnasium") from error

from gough.border import guard_class
from gough.simulation.gym.environment import PlatformVectorEnv as PlatformVectorEnv
from gough.simulation.gym.goals import TASKS as TASKS
from gough.simulation.gym.single import PlatformEnv as PlatformEnv

for _made in (PlatformVectorEnv, PlatformEnv):
    guard_class(_made, _made.__name__)
for _task in TASKS:
    _name = f"gough/{_task.capitalize()}-v0"
    if _name not in gymnasium.registry:
        gymnasium.register(
            _name,
            entry_point="gough.simulation.gym:PlatformEnv",
            vector_entry_point="gough.simulation.gym:PlatformVectorEnv",
            kwargs={"task": _task},
        )
