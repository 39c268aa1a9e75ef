"""Every pose for given actuator coordinates."""

from gough import border
from gough.kinematics.assembly.answers import AssemblyModes as AssemblyModes
from gough.kinematics.assembly.answers import AssemblyModesBatch as AssemblyModesBatch
from gough.kinematics.assembly.answers import Cluster as Cluster
from gough.kinematics.assembly.modes import assembly_modes as assembly_modes
from gough.kinematics.assembly.modes import explain as explain

border.guard(__name__)
