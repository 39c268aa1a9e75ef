"""One client of the studio: its machine, its settings, and the answer to each of its messages.

Nothing here knows of sockets.  Every number the page shows comes from here, by the verbs of the library.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable
from functools import cache
from importlib import resources
from math import isfinite
from typing import Any

import numpy as np

import gough
from gough.analysis.limits import KINDS, ConeAxes, actuator_rate, check, cone_axes
from gough.analysis.struts import Struts, struts
from gough.analysis.workspace import workspace_slice
from gough.checks import Array, InfeasibleError, InputError
from gough.model import Platform
from gough.model.body import collected_warnings
from gough.model.document import parse
from gough.model.files import dumps, presets, save
from gough.report.document import drawing, from_document, sheet, to_document, with_payload
from gough.report.timeline import FORMULATIONS, REACTIONS, flat, solve, timeline
from gough.spatial import Motion, Pose, rotation_from_quaternion
from gough.studio import messages as m
from gough.studio import warm
from gough.studio.code import show_code
from gough.studio.conventions import CONVENTIONS, from_rotation, to_rotation
from gough.studio.motions import make_motion, make_trajectory
from gough.studio.simulation import CONTROLLERS, simulate
from gough.studio.workfolder import WorkFolder

Report = Callable[[float, str], None]
DEFAULT = "motion-base-1500"
_SIX_NONE = (None,) * 6


class Session:
    """State of one client."""

    def __init__(self, folder: WorkFolder, start: str = DEFAULT, scenario: str = "") -> None:
        self.folder, self.start, self.scenario = folder, start, scenario
        self.label, self.edited = "", False
        self.platform = read_machine(preset_text(DEFAULT), DEFAULT)[0]
        self.stop = threading.Event()  # asks a running simulation to end
        self._carried: tuple[m.Payload, Platform, ConeAxes] | None = None

    def snapshot(self) -> Session:
        """The session as it is now, for a long request that others may overtake."""
        return copy.copy(self)

    def handle(self, message: m.Request, report: Report | None = None) -> Any:
        """The answer to one message; what the library refuses becomes a `Failure` with its sentence."""
        try:
            return self._answer(message, report or _silent)
        except InfeasibleError as error:
            return m.Failure(message.id, str(error), kind="infeasible")
        except InputError as error:
            return m.Failure(message.id, str(error), error.field)
        except (ImportError, NotImplementedError, AttributeError) as error:
            return m.Failure(message.id, f"not available in this installation: {error}", kind="missing")

    def _answer(self, message: m.Request, report: Report) -> Any:
        match message:
            case m.SolvePose():
                return self.solve_pose(message)
            case m.Hello():
                return self.welcome(message)
            case m.OpenMachine():
                return self.open(message)
            case m.SetMachine():
                platform, notes = from_document(message.document)
                answer = self._use(message.id, platform, message.label[:200], notes)
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
            case m.ListFiles():
                return m.Files(message.id, self.folder.root.name, self.folder.files())
            case m.SaveMachine():
                path = save(self.platform, self.folder.target(message.name, overwrite=message.overwrite))
                self.label, self.edited = path.relative_to(self.folder.root).as_posix(), False
                return m.Saved(message.id, self.label)
            case m.GetToml():
                return m.Toml(message.id, dumps(self.platform))
            case m.ShowCode():
                return m.Code(message.id, *show_code(self.platform, self.label, message, self.edited))
            case m.Cancel():
                self.stop.set()
                return m.Progress(message.id, 1.0, "stopping")

    def welcome(self, message: m.Hello) -> m.Welcome:
        """What this server can do."""
        if message.protocol != m.PROTOCOL:
            raise InputError("protocol", message.protocol, f"this server speaks {m.PROTOCOL}; reload the page")
        return m.Welcome(message.id, m.PROTOCOL, gough.__version__, FORMULATIONS, CONVENTIONS, CONTROLLERS,
                         capabilities(), gallery(), self.folder.root.name, self.folder.files(), self.scenario)

    def open(self, message: m.OpenMachine) -> m.Machine:
        """A machine by preset name, file or text; source "start" is the one the studio was started with."""
        name = self.start if message.source == "start" else message.name
        if message.source == "text":
            text, label = message.text, name or "pasted machine"
        elif name in presets() and message.source in ("preset", "start"):
            text, label = preset_text(name), name
        elif message.source in ("file", "start"):
            text, label = self.folder.read(name), name
        else:
            raise InputError("source", message.source, "must be start, preset, file or text, with a known name")
        platform, notes = read_machine(text, label)
        return self._use(message.id, platform, label, notes)

    def _use(self, id_: int, platform: Platform, label: str, notes: tuple[str, ...]) -> m.Machine:
        answer = m.Machine(id_, label, to_document(platform), drawing(platform), notes, sheet(platform))
        self.platform, self.label, self.edited, self._carried = platform, label, False, None
        return answer

    def carried(self, payload: m.Payload) -> tuple[Platform, ConeAxes]:
        """The machine with its payload, and its cone axes; remembered while neither changes."""
        if self._carried is None or self._carried[0] != payload:
            platform = with_payload(self.platform, payload.mass, payload.center, payload.inertia)
            self._carried = (payload, platform, cone_axes(platform))
        return self._carried[1], self._carried[2]

    def solve_pose(self, message: m.SolvePose) -> m.PoseState:
        """Kinematics, efforts, reactions, limits at one pose; a pose out of reach is answered with the reason."""
        began = time.perf_counter()
        platform, axes = self.carried(message.payload)
        t, R = place(message.pose)
        motion = Motion(t, R, np.array(message.velocity[:3]), np.array(message.velocity[3:]),
                        np.array(message.acceleration[:3]), np.array(message.acceleration[3:]))
        g = struts(platform, motion)
        refused: list[str] = []
        force: Any = None
        rate = actuator_rate(platform, motion, g) if any(message.velocity) else np.zeros(6)
        values: dict[str, Any] = {"reactions": {}, "spherical_force": (None,) * 18, "condition": None,
                                  "condition_scaled": None, "sigma_min": None, "rate": _six(rate)}
        if g.reachable.all():
            values |= _geometry(platform, motion, g)
            try:
                result = solve(platform, motion, np.array(message.external), message.formulation,
                               engine=warm.engine(platform))
                force = result.force
                values |= _reactions(result)
            except InfeasibleError as error:
                refused.append(str(error))
        limits = check(platform, motion, rate=rate, force=force, geometry=g, axes=axes)
        refused = [v.sentence for v in limits.violations()] + refused
        margin = np.fmin.reduce([limits.margin[k] for k in KINDS])
        return m.PoseState(
            id=message.id, position=tuple(t.tolist()), quaternion=tuple(from_rotation("quaternion", R).tolist()),
            angles=tuple(from_rotation(message.show, R).tolist()), convention=message.show,
            entered=tuple(entered(message.pose, t, R).tolist()), coordinate=_six(g.coordinate),
            force=_SIX_NONE if force is None else _six(force), margin=_six(margin), refused=tuple(refused),
            notes=limits.unchecked, milliseconds=1e3 * (time.perf_counter() - began), **values)

    def make_motion(self, message: m.MakeMotion) -> m.Timeline:
        """A trajectory and everything along it."""
        platform, _ = self.carried(message.payload)
        motion, label = make_motion(platform, message, self.folder)
        data, figures, refused, notes = timeline(platform, motion, np.array(message.external), message.formulations)
        _with_angles(data, message.convention)
        return m.Timeline(message.id, "trajectory", label, flat(data), figures, tuple(refused), tuple(notes))

    def run_simulation(self, message: m.Simulate, report: Report) -> m.Timeline:
        """Follow a trajectory with a controller; the timeline shows what the machine did."""
        self.stop.clear()
        platform, _ = self.carried(message.motion.payload)
        trajectory, label = make_trajectory(platform, message.motion, self.folder)
        data, figures, refused, notes = simulate(platform, message, trajectory, report, self.stop.is_set)
        _with_angles(data, message.motion.convention)
        return m.Timeline(message.id, "simulation", f"{message.controller}: {label}", flat(data), figures,
                          tuple(refused), tuple(notes))

    def find_modes(self, message: m.FindModes) -> m.Modes:
        """Every pose with the same actuator coordinates."""
        t, R = place(message.pose)
        g = struts(self.platform, Pose(t, R))
        if not g.reachable.all():
            raise InfeasibleError("this pose is out of reach: " + "; ".join(
                check(self.platform, Pose(t, R)).sentences()[:2]))
        modes = gough.assembly_modes(self.platform, g.coordinate)
        rows = tuple((*p.tolist(), *q.tolist()) for p, q in
                     zip(modes.poses.position.reshape(-1, 3), modes.poses.quaternion.reshape(-1, 4), strict=True))
        text = f"{len(rows)} real assembly modes of {modes.count} finite solutions"
        text += "" if modes.complete else "; the search was not complete"
        return m.Modes(message.id, rows, tuple(g.coordinate.tolist()), int(modes.count), bool(modes.complete), text)

    def slice(self, message: m.SliceWorkspace) -> m.WorkspaceSlice:
        """Where the platform can be without turning."""
        t, R = place(message.pose)
        axes = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}.get(message.plane, (0, 1, 2))
        if not 2 <= message.points <= 401:
            raise InputError("points", message.points, "must be from 2 to 401")
        home = self.platform.home
        center = t[list(axes[:2])] if home is None else home.position[list(axes[:2])]
        s = workspace_slice(self.platform, R, plane=message.plane, level=float(t[axes[2]]), center=center,
                            width=message.width or None, points=message.points)
        text = f"{message.plane} slice, {s.area:.4g} m² inside all limits" if s.limited else \
            "no stroke, cone or radius limits are set: the slice shows reach only"
        return m.WorkspaceSlice(message.id, s.plane, s.level, tuple(s.u.tolist()), tuple(s.v.tolist()),
                                tuple(s.reason.ravel().tolist()), ("inside", *KINDS), s.area, text)


def place(pose: m.PoseInput) -> tuple[Array, Array]:
    """Reference point and rotation of a pose as entered: ``t = x + c - R c`` for a pivot c."""
    R = to_rotation(pose.convention, pose.angles)
    c = np.array(pose.pivot)
    return np.array(pose.position) + c - R @ c, R


def entered(pose: m.PoseInput, t: Array, R: Array) -> Array:
    """The inverse: the position to enter for a reference point `t`."""
    c = np.array(pose.pivot)
    return t - c + R @ c


def capabilities() -> dict[str, str]:
    """Verbs this installation has: "yes" or why not."""
    wanted = {"dynamics": "inverse_dynamics", "modes": "assembly_modes", "simulation": "simulate"}
    found = {key: "yes" if hasattr(gough, name) else f"gough.{name} is not in this version"
             for key, name in wanted.items()}
    return {**found, "papers": ",".join(gough.trajectory.papers())}


def read_machine(text: str, label: str) -> tuple[Platform, tuple[str, ...]]:
    """A machine from TOML and what is remarkable about it, as text: no warning is issued, clients share a process."""
    with collected_warnings() as about:
        platform, notes = parse(text, label)
    return platform, tuple(dict.fromkeys([*notes, *about]))


def preset_text(name: str) -> str:
    """The TOML of a preset."""
    return (resources.files("gough.model") / "presets" / f"{name}.toml").read_text(encoding="utf-8")


@cache
def gallery() -> tuple[dict[str, Any], ...]:
    """Presets with what a thumbnail needs."""
    cards = []
    for name in presets():
        platform, _ = read_machine(preset_text(name), name)
        shape = drawing(platform)
        cards.append({"name": name, "kind": "6-" + "/".join(sorted(set(platform.kinds))),
                      "title": platform.source.title, "start": shape["start"], "end": shape["end"],
                      "size": shape["size"], "base": platform.base_joints.tolist(), "up": shape["up"]})
    return tuple(cards)


def _with_angles(data: dict[str, Any], convention: str) -> None:
    """Orientation along the motion in the page's convention, without jumps of a full turn."""
    R = rotation_from_quaternion(data["quaternion"])
    angles = np.array([from_rotation(convention, r) for r in R])
    data["angles"] = np.unwrap(angles, axis=0) if convention not in ("vector", "quaternion") else angles


def _geometry(platform: Platform, motion: Motion, g: Struts) -> dict[str, Any]:
    """Singular values of H, columns ``(s_i, q_i x s_i)``, from the strut directions alone."""
    q, s = g.end - motion.position, g.direction
    H = np.vstack([s.T, np.stack([q[:, 1] * s[:, 2] - q[:, 2] * s[:, 1], q[:, 2] * s[:, 0] - q[:, 0] * s[:, 2],
                                  q[:, 0] * s[:, 1] - q[:, 1] * s[:, 0]])])
    mixed = np.linalg.svd(H, compute_uv=False)
    H[3:] /= platform.characteristic_length
    scaled = np.linalg.svd(H, compute_uv=False)
    return {"condition": _ratio(mixed), "condition_scaled": _ratio(scaled), "sigma_min": float(scaled[-1])}


def _ratio(values: Any) -> float | None:
    return float(values[0] / values[-1]) if values[-1] > 0 else None


def _reactions(result: Any) -> dict[str, Any]:
    if result.compute_reactions is None:
        return {}
    r = result.reactions
    return {"reactions": {k: _six(np.sqrt((getattr(r, k) ** 2).sum(axis=-1))) for k in REACTIONS},
            "spherical_force": tuple(r.spherical_force.ravel().tolist())}


def _six(a: Array) -> tuple[float | None, ...]:
    return tuple([x if isfinite(x) else None for x in a.tolist()])


def _silent(fraction: float, text: str) -> None:
    """Progress that nobody asked for."""
