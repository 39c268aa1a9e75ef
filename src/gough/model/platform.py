"""The whole machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np

from gough.checks import Array, Frozen, InfeasibleError, InputError, rich, text, vector
from gough.frozen import hinted
from gough.links import POSE, links, refuse_off_links
from gough.model.body import Body, model_warning
from gough.model.frames import Frames
from gough.model.home_relative import made_absolute, signs_chosen, without_relative
from gough.model.leg_types import LEG_TYPES, Leg
from gough.model.plate import Plate
from gough.model.spinning import Spinning
from gough.reasons import FINE, SINGULAR, problems, sentence
from gough.spatial import Pose
from gough.struts import lengths_only, struts, wrench_rows


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Source(Frozen):
    """Where the numbers of a machine come from.

    title, doi, page: the publication;  errata: what it prints wrongly (keys as E001-7 with a sentence);
    chosen: values that the source does not give, with the choice made.
    """

    title: str = ""
    doi: str = ""
    page: str = ""
    errata: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Platform(Frozen):
    """A six-legged platform.

    body     the moving platform with its payload; origin at the reference point P, platform axes
    legs     six of UPS, SPS, PUS, RUS, UCU, UCS, PSU, RSS, in any mixture
    gravity  (3,) m/s^2, world axes
    home     a usual pose, for drawing, as a guess, and to check the geometry
    frames   in which frames and angles users say where it is; nothing else reads them
    base_shape, platform_shape   bodies that no leg may touch (gough/clearances.py): world axes, platform axes
    """

    body: Body
    legs: tuple[Leg, ...]
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    home: Pose | None = None
    name: str = ""
    source: Source = field(default_factory=Source)
    frames: Frames = field(default_factory=Frames)
    base_shape: Plate | None = None
    platform_shape: Plate | None = None

    def __init__(
        self,
        body: Body,
        legs: Sequence[Leg],
        gravity: object = (0.0, 0.0, -9.81),
        home: Pose | None = None,
        name: str = "",
        source: Source | None = None,
        frames: Frames | None = None,
        base_shape: Plate | None = None,
        platform_shape: Plate | None = None,
    ) -> None:
        if not isinstance(body, Body):
            raise InputError("body", body, "must be a gough.Body")
        try:
            legs = tuple(islice(legs, 100))
        except Exception:  # whatever a foreign object does when it is taken apart
            raise InputError("legs", legs, "must be six legs") from None
        if len(legs) != 6:
            raise InputError("legs", f"{len(legs)} legs", "must be exactly six")
        for i, leg in enumerate(legs):
            if not isinstance(leg, LEG_TYPES):
                kinds = ", ".join(kind.__name__ for kind in LEG_TYPES)
                raise InputError(f"legs[{i}]", leg, f"must be a gough leg: {kinds}")
        if home is not None and (not isinstance(home, Pose) or home.shape != ()):
            raise InputError("home", home, "must be a single gough.Pose")
        if source is not None and not isinstance(source, Source):
            raise InputError("source", source, "must be a gough.Source")
        if frames is not None and not isinstance(frames, Frames):
            raise InputError("frames", frames, "must be a gough.Frames")
        shapes = {"base_shape": base_shape, "platform_shape": platform_shape}
        for key, shape in shapes.items():
            if shape is not None and not isinstance(shape, Plate):
                raise InputError(key, shape, "must be a gough.Plate")
        for key, value in {
            "body": body,
            "legs": legs,
            "gravity": vector("gravity", gravity),  # type: ignore[arg-type]
            "home": home,
            "name": text("name", name),
            "source": source or Source(),
            "frames": frames or Frames(),
            **shapes,
        }.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "legs", signs_chosen(self.legs, home, self._coordinates))
        object.__setattr__(self, "legs", made_absolute(self.legs, home, self._at_home))
        self._check_springs()
        self._check_links()
        problem = self.architecture_problem()
        if problem:
            model_warning(problem)

    def _at_home(self) -> Array:
        """(6,) coordinates at home before anything is counted from there."""
        return self._coordinates(tuple(map(without_relative, self.legs)))

    def _coordinates(self, legs: tuple[Leg, ...]) -> Array:
        """(6,) coordinates of other legs at home."""
        plain = object.__new__(Platform)
        plain.__dict__.update(self.__dict__, legs=legs)
        assert self.home is not None
        return struts(plain, self.home).coordinate

    def __repr__(self) -> str:
        kinds = "/".join(sorted(set(self.kinds)))
        home = "no home" if self.home is None else f"home {self.home!r}"
        name = f" {self.name}" if self.name else ""
        return f"<Platform{name}: 6-{kinds}, {self.body.mass:g} kg on the legs, {home}>"

    def _check_springs(self) -> None:
        """Every leg with springs in its joints has a pose in which they are relaxed."""
        for i, leg in enumerate(self.legs):
            if not leg.springs.any:
                continue
            at, pose = f"legs[{i}].springs.home", leg.springs.home or self.home
            if pose is None:
                why = "the springs are relaxed at the machine's home: give the machine or them one"
                raise InputError(at, None, why)
            g = struts(self, pose)
            code = int(problems(self, g)[i])
            spins = isinstance(leg, Spinning)
            along = spins and np.linalg.norm(np.cross(leg.reference, g.direction[i]))
            if code != FINE or (spins and not along > SINGULAR):
                why = sentence(self, code, i, g.end[i]) or "the strut lies along its `reference`"
                raise InputError(at, pose.position.tolist(), f"the leg cannot be there: {why}")

    def _check_links(self) -> None:
        """A degree of freedom is left, and home is a pose that the links allow."""
        if not len(links(self).driven):
            why = "six fixed links are a truss, not a platform: at least one leg must be driven"
            raise InputError("legs", "six fixed links", why)
        if self.home is not None:
            try:
                refuse_off_links(self, self.home, POSE)
            except InfeasibleError as error:
                raise InputError("home", self.home.position.tolist(), error.allowed) from None

    @cached_property
    def base_joints(self) -> Array:
        """(6, 3) base points of the legs, world axes, m."""
        return np.array([leg.base for leg in self.legs])

    @cached_property
    def platform_joints(self) -> Array:
        """(6, 3) platform joints, platform axes, m."""
        return np.array([leg.joint for leg in self.legs])

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Leg types by name, e.g. ``("UPS", ...)``."""
        return tuple(type(leg).__name__ for leg in self.legs)

    @cached_property
    def leg_names(self) -> tuple[str, ...]:
        """Names of the legs, L1..L6 where none is given."""
        return tuple(leg.name or f"L{i + 1}" for i, leg in enumerate(self.legs))

    @cached_property
    def characteristic_length(self) -> float:
        """Root-mean-square distance of the platform joints from their centroid, m; makes H one unit."""
        p = self.platform_joints
        return float(np.sqrt(((p - p.mean(axis=0)) ** 2).sum(axis=1).mean())) or 1.0

    @cached_property
    def up(self) -> Array:
        """(3,) unit vector against gravity; z without gravity."""
        g = float(np.linalg.norm(self.gravity))
        return -self.gravity / g if g > 0 else np.array([0.0, 0.0, 1.0])

    @cached_property
    def likely_home(self) -> Pose:
        """The home pose, or where one is likely: above the base by its size, not turned."""
        b = self.base_joints
        return self.home or Pose(b.mean(axis=0) + (float(np.ptp(b, axis=0).max()) or 1.0) * self.up)

    def require_home(self) -> Pose:
        """The home pose, or an error that says what to do."""
        if self.home is None:
            raise InputError(
                "home",
                None,
                "this machine has no home pose: set `home` in its file or by "
                "platform.replace(home=gough.Pose(...)), or give a pose where the call takes one",
            )
        return self.home

    def _repr_html_(self) -> str:
        return rich("platform_html", self)

    def architecture_problem(self) -> str | None:
        """A sentence if legs driven along their length make the machine singular in every pose, else None.

        Checked at three unrelated poses.  If the platform joints are an affine image of plane base joints
        (similar hexagons, for one), the columns of H are a fixed 6x6 matrix times ``(1, x, y, x², xy, y²)``
        of the base joints; so ``det H`` vanishes in every pose when these lie on a conic, such as a circle.
        Coincident legs do the same.
        """
        if not lengths_only(self):
            return None
        b, p = self.base_joints, self.platform_joints
        size = max(float(np.ptp(b, axis=0).max()), float(np.ptp(p, axis=0).max()))
        if size == 0.0:
            return "all joints coincide: this is not a platform"
        rng = np.random.default_rng(20)
        for _ in range(3):
            pose = Pose.from_quaternion(
                b.mean(axis=0) + size * rng.normal(size=3), rng.normal(size=4)
            )
            q = p @ pose.rotation.T
            s = pose.position + q - b
            n = np.linalg.norm(s, axis=1, keepdims=True)
            if n.min() < 1e-9 * size:
                return None
            values = np.linalg.svd(
                wrench_rows(q / self.characteristic_length, s / n), compute_uv=False
            )
            if values[-1] > 1e-9 * values[0]:
                return None
        return (
            "architecturally singular: base and platform joints (similar hexagons on a circle or another "
            "conic, or coincident legs) make the machine singular in every pose; change the pair angles of "
            "one of the two hexagons"
        )
