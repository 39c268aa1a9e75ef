"""gough: the toolkit for Gough-Stewart platforms."""

from gough.checks import InfeasibleError as InfeasibleError
from gough.checks import InputError as InputError
from gough.model import PUS as PUS
from gough.model import RUS as RUS
from gough.model import SPS as SPS
from gough.model import UPS as UPS
from gough.model import Body as Body
from gough.model import Drive as Drive
from gough.model import Friction as Friction
from gough.model import Limits as Limits
from gough.model import ModelWarning as ModelWarning
from gough.model import Platform as Platform
from gough.model import Source as Source
from gough.spatial import Motion as Motion
from gough.spatial import Pose as Pose

__version__ = "0.1.0"
