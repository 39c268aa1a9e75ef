"""What the machine is."""

from gough.model.body import Body as Body
from gough.model.body import Friction as Friction
from gough.model.body import ModelWarning as ModelWarning
from gough.model.drive import Drive as Drive
from gough.model.encoder import Encoder as Encoder
from gough.model.frames import Frames as Frames
from gough.model.hydraulic import Hydraulic as Hydraulic
from gough.model.leg_types import CRANKS as CRANKS
from gough.model.leg_types import SLIDERS as SLIDERS
from gough.model.leg_types import Leg as Leg
from gough.model.legs import PUS as PUS
from gough.model.legs import RUS as RUS
from gough.model.legs import SPS as SPS
from gough.model.legs import UCU as UCU
from gough.model.legs import UPS as UPS
from gough.model.limits import Limits as Limits
from gough.model.offset import JointOffset as JointOffset
from gough.model.plate import Plate as Plate
from gough.model.platform import Platform as Platform
from gough.model.platform import Source as Source
from gough.model.rods import PSU as PSU
from gough.model.rods import RSS as RSS
from gough.model.rods import UCS as UCS
from gough.model.screw import Screw as Screw
from gough.model.spinning import Spinning as Spinning
from gough.model.springs import JointSprings as JointSprings
