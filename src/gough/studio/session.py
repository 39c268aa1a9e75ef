"""One client of the studio: its machine, its settings, and the answer to each of its messages.

Nothing here knows of sockets.  Every number the page shows comes from here, by the verbs of the library.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

import gough
from gough.analysis.drawing import drawing, slice_drawing
from gough.analysis.marks import limit_marks
from gough.analysis.sizing import with_payload
from gough.analysis.timeline import REACTIONS, solve, spin_note, timeline
from gough.analysis.workspace import workspace_slice
from gough.checks import Array, InfeasibleError, InputError
from gough.dynamics import FORMULATIONS
from gough.limits import check, home_warnings
from gough.model import Body, Platform
from gough.model.body import collected_warnings
from gough.model.files import dumps, presets, save
from gough.model.json_document import from_document, sheet, to_document
from gough.orientations import conventions, from_rotation
from gough.spatial import Motion
from gough.struts import Struts, struts
from gough.studio import messages as m
from gough.studio import views
from gough.studio.code import show_code
from gough.studio.frames import columns
from gough.studio.machines import gallery, preset, read_machine
from gough.studio.motions import make_motion, make_trajectory
from gough.studio.numbering import frames_of, place, restate
from gough.studio.simulation import CONTROLLERS, simulate
from gough.studio.workfolder import WorkFolder

Report = Callable[[float, str], None]
DEFAULT = "motion-base-1500"
TOO_LARGE = "these numbers are too large, or too far apart, to be computed with"
_SIX_NONE = (None,) * 6
_SIX_ZERO = (0,) * 6


class Session:
    """State of one client."""

    def __init__(self, folder: WorkFolder, start: str = DEFAULT, scenario: str = "") -> None:
        self.folder, self.start, self.scenario = folder, start, scenario
        self.label, self.edited, self.count = "", False, 0
        self.platform = preset(DEFAULT)[0]
        self._carried: tuple[m.Payload, Platform] | None = None

    def snapshot(self) -> Session:
        """The session as it is now, for a long request that others may overtake; it goes to another process."""
        taken = copy.copy(self)
        taken._carried = None
        return taken

    def handle(self, message: m.Request, report: Report | None = None) -> Any:
        """The answer to one message; what the library refuses becomes a `Failure` with its sentence."""
        try:
            return self._answer(message, report or _silent)
        except InfeasibleError as error:
            return m.Failure(message.id, str(error), kind="infeasible")
        except InputError as error:
            return m.Failure(message.id, str(error), error.field)
        except (ImportError, NotImplementedError) as error:
            return m.Failure(
                message.id, f"not available in this installation: {error}", kind="missing"
            )
        except (ArithmeticError, np.linalg.LinAlgError):
            return m.Failure(message.id, TOO_LARGE)

    def _answer(self, message: m.Request, report: Report) -> Any:
        match message:
            case m.SolvePose():
                return self.solve_pose(message)
            case m.Hello():
                return self.welcome(message)
            case m.OpenMachine():
                return self.open(message)
            case m.SetMachine():
                answer = self._use(
                    message.id, message.label[:200], *from_document(message.document)
                )
                self.edited = True
                return answer
            case m.MakeMotion():
                return self.make_motion(message)
            case m.Simulate():
                return self.run_simulation(message, report)
            case m.FindModes():
                return self.find_modes(message)
            case m.SliceWorkspace():
                return self.slice(message)
            case m.Restate():
                return restate(self.platform, message)
            case m.ListFiles():
                return m.Files(message.id, self.folder.root.name, self.folder.files())
            case m.SaveMachine():
                return self.save(message)
            case m.GetToml():
                return m.Toml(message.id, dumps(self.platform))
            case m.ShowCode():
                text = show_code(self.platform, self.label, message, self.edited)
                return m.Code(message.id, self.count, *text)
            case m.Cancel():
                return m.Progress(message.id, 1.0, "stopping")
            case _:
                return views.answer(self, message)

    def welcome(self, message: m.Hello) -> m.Welcome:
        """What this server can do."""
        if message.protocol != m.PROTOCOL:
            raise InputError(
                "protocol", message.protocol, f"this server speaks {m.PROTOCOL}; reload the page"
            )
        return m.Welcome(
            message.id,
            m.PROTOCOL,
            gough.__version__,
            tuple(FORMULATIONS),
            conventions(),
            CONTROLLERS,
            capabilities(),
            gallery(),
            self.folder.root.name,
            self.folder.files(),
            self.scenario,
        )

    def open(self, message: m.OpenMachine) -> m.MachineOpened:
        """A machine by preset name, file or text; source "start" is the one the studio was started with."""
        name = self.start if message.source == "start" else message.name
        if message.source == "text":
            label = name or "pasted machine"
            return self._use(message.id, label, *read_machine(message.text, label))
        if name in presets() and message.source in ("preset", "start"):
            return self._use(message.id, name, *preset(name))
        if message.source in ("file", "start"):
            return self._use(message.id, name, *read_machine(self.folder.read(name), name))
        raise InputError(
            "source", message.source, "must be start, preset, file or text, with a known name"
        )

    def save(self, message: m.SaveMachine) -> m.Saved:
        """The machine as a file of the work folder."""
        target = self.folder.target(message.name, overwrite=message.overwrite)
        try:
            path = save(self.platform, target)
        except OSError as error:
            raise InputError("name", message.name, f"cannot be written: {error.strerror}") from None
        self.label, self.edited = path.relative_to(self.folder.root).as_posix(), False
        return m.Saved(message.id, self.label)

    def _use(
        self, id_: int, label: str, platform: Platform, notes: tuple[str, ...]
    ) -> m.MachineOpened:
        told = (*notes, *home_warnings(platform))
        shown = to_document(platform), drawing(platform), told, sheet(platform)
        self.use(label, platform)
        self.count += 1
        return m.MachineOpened(id_, self.count, label, *shown)

    def use(self, label: str, platform: Platform) -> None:
        """From now on this is the machine."""
        self.platform, self.label, self.edited, self._carried = platform, label, False, None

    def carried(self, payload: m.Payload) -> Platform:
        """The machine with its payload; remembered while neither changes."""
        if self._carried is None or self._carried[0] != payload:
            with collected_warnings():
                platform = with_payload(
                    self.platform, Body(payload.mass, payload.center, payload.inertia)
                )
            self._carried = (payload, platform)
        return self._carried[1]

    def solve_pose(self, message: m.SolvePose) -> m.PoseState:
        """Kinematics, efforts, reactions, limits at one pose; a pose out of reach is answered with the reason."""
        began = time.perf_counter()
        platform = self.carried(message.payload)
        at = place(platform, message.pose)
        t, R = at.position, at.rotation
        twist, change = np.array(message.velocity), np.array(message.acceleration)
        motion = Motion.trusted(
            t, R, twist[:3], twist[3:], change[:3], change[3:]
        )  # finite: `place`, `wire.decode`
        g = struts(platform, motion)
        refused: list[str] = []
        force: Any = None
        still = not any(message.velocity)
        rate = np.zeros(6) if still else g.rate(motion.velocity, motion.angular_velocity)
        values: dict[str, Any] = {"reactions": {}, "spherical_force": (None,) * 18}
        values |= {"condition": None, "condition_scaled": None, "sigma_min": None}
        if g.reachable.all():
            values |= _geometry(platform, motion, g)
            try:
                wrench = np.array(message.external)
                result = solve(platform, motion, wrench, message.formulation, engine="auto")
                force = result.force
                values |= _reactions(result)
            except InfeasibleError as error:
                refused.append(str(error))
        margin, unchecked, broken, near = _SIX_NONE, (), _SIX_ZERO, _SIX_ZERO
        try:
            limits = check(platform, motion, rate=rate, force=force, geometry=g)
            refused = [v.sentence for v in limits.violations()] + refused
            margin, unchecked = _six(limits.leg_margin), limits.unchecked
            broken, near = (tuple(marks.tolist()) for marks in limit_marks(limits))
        except InfeasibleError as error:  # off its fixed links: no limit means anything there
            refused = refused or [str(error)]
        numbers, angles = frames_of(platform, message.show).numbers(at)
        return m.PoseState(
            id=message.id,
            machine=self.count,
            position=tuple(t.tolist()),
            quaternion=tuple(from_rotation("quaternion", R).tolist()),
            angles=tuple(angles.tolist()),
            show=message.show,
            entered=tuple(numbers.tolist()),
            coordinate=_six(g.coordinate),
            rate=_six(rate),
            force=_SIX_NONE if force is None else _six(force),
            margin=margin,
            broken=broken,
            near=near,
            refused=tuple(refused),
            notes=(*spin_note(platform), *unchecked),
            milliseconds=1e3 * (time.perf_counter() - began),
            **values,
        )

    def make_motion(self, message: m.MakeMotion) -> m.Timeline:
        """A trajectory and everything along it."""
        platform = self.carried(message.payload)
        motion, label, path = make_motion(platform, message, self.folder)
        data, figures, refused, notes = timeline(
            platform, motion, np.array(message.external), message.formulations, path
        )
        found = figures, tuple(refused), tuple(notes)
        return m.Timeline(message.id, self.count, "trajectory", label, columns(data), *found)

    def run_simulation(self, message: m.Simulate, report: Report) -> m.Timeline:
        """Follow a trajectory with a controller; the timeline shows what the machine did."""
        platform = self.carried(message.motion.payload)
        trajectory, label = make_trajectory(platform, message.motion, self.folder)
        data, figures, refused, notes = simulate(platform, message, trajectory, report)
        told, found = f"{message.controller}: {label}", (figures, tuple(refused), tuple(notes))
        return m.Timeline(message.id, self.count, "simulation", told, columns(data), *found)

    def find_modes(self, message: m.FindModes) -> m.ModesFound:
        """Every pose with the same actuator coordinates."""
        at = place(self.platform, message.pose)
        g = struts(self.platform, at)
        if not g.reachable.all():
            raise InfeasibleError(
                "this pose is out of reach: " + "; ".join(check(self.platform, at).sentences()[:2])
            )
        modes = gough.assembly_modes(self.platform, g.coordinate)
        parts = (modes.poses.position.reshape(-1, 3), modes.poses.quaternion.reshape(-1, 4))
        rows = tuple(map(tuple, np.hstack(parts).tolist()))
        text = f"{len(rows)} real assembly modes of {modes.count} finite solutions"
        text += "" if modes.complete else "; the search was not complete"
        at, count = tuple(g.coordinate.tolist()), int(modes.count)
        return m.ModesFound(message.id, self.count, rows, at, count, bool(modes.complete), text)

    def slice(self, message: m.SliceWorkspace) -> m.SliceShown:
        """Where the platform can be without turning."""
        at = place(self.platform, message.pose)
        t, R = at.position, at.rotation
        axes = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}.get(message.plane, (0, 1, 2))
        if not 2 <= message.points <= 401:
            raise InputError("points", message.points, "must be from 2 to 401")
        home = self.platform.home
        center = t[list(axes[:2])] if home is None else home.position[list(axes[:2])]
        s = workspace_slice(
            self.platform,
            R,
            plane=message.plane,
            level=float(t[axes[2]]),
            center=center,
            width=message.width or None,
            points=message.points,
        )
        shown = slice_drawing(s)
        shown |= {axis: shown[axis].tolist() for axis in ("u", "v")}
        return m.SliceShown(message.id, self.count, **shown)


def capabilities() -> dict[str, str]:
    """Verbs this installation has: "yes" or why not."""
    wanted = {"dynamics": "inverse_dynamics", "modes": "assembly_modes", "simulation": "simulate"}
    found = {
        key: "yes" if hasattr(gough, name) else f"gough.{name} is not in this version"
        for key, name in wanted.items()
    }
    return {**found, "papers": ",".join(gough.trajectory.papers())}


def _geometry(platform: Platform, motion: Motion, g: Struts) -> dict[str, Any]:
    """Singular values of H, columns ``(s_i, q_i x s_i)``, from the strut directions alone."""
    both = np.stack([g.wrench_matrix] * 2)  # H, and H with its moment rows in one unit
    both[1, 3:] /= platform.characteristic_length
    mixed, scaled = np.linalg.svd(both, compute_uv=False)
    return {
        "condition": _ratio(mixed),
        "condition_scaled": _ratio(scaled),
        "sigma_min": float(scaled[-1]),
    }


def _ratio(values: Any) -> float | None:
    return float(values[0] / values[-1]) if values[-1] > 0 else None


def _reactions(result: Any) -> dict[str, Any]:
    if not result.has_reactions:
        return {}
    r = result.reactions
    sizes = np.sqrt((np.array([getattr(r, name) for name in REACTIONS]) ** 2).sum(axis=-1))
    return {
        "reactions": {name: _six(six) for name, six in zip(REACTIONS, sizes, strict=True)},
        "spherical_force": tuple(r.spherical_force.ravel().tolist()),
    }


def _six(a: Array) -> tuple[float | None, ...]:
    return tuple([x if isfinite(x) else None for x in a.tolist()])


def _silent(fraction: float, text: str) -> None:
    """Progress that nobody asked for."""
