"""UCU legs in the formulations that have them: agreement on random machines and mixtures, limits, planted errors.

Driven directly, with rotors on the leg and torsion springs, by screws of both hands on either part.  The exact model is
asked through its Python engine; nothing is compiled here.  GOUGH_MACHINES=1000 asks the slow test for more machines.
"""

from __future__ import annotations

import os
from dataclasses import fields

import numpy as np
import pytest

import gough
from gough.checks import Array, InputError
from gough.formulations import FORMULATIONS, kane, lagrange, multibody
from gough.formulations.kane import balance as kane_balance
from gough.formulations.kane import kinematics as kane_kinematics
from gough.formulations.kane import partial_velocities
from gough.formulations.lagrange import balance as lagrange_balance
from gough.formulations.lagrange import legs as lagrange_legs
from gough.formulations.lagrange import pairs as lagrange_pairs
from gough.formulations.multibody import assembly as body_assembly
from gough.formulations.multibody import joint_reactions as body_reactions
from gough.formulations.multibody import pairs as body_pairs
from gough.model import SPS, UCU, UPS, Body
from gough.results import Reactions
from gough.simulation.dae import simulate_dae
from gough.spatial import Motion, rotation_exp
from oracles.machines import CYLINDERS, Case, case, cases, rod
from oracles.planted import Error, planted

METHODS = ("lagrange", "kane", "multibody")
AGREEMENT = 1e-11  # relative to the largest number of its kind in the state
REACTIONS = [f.name for f in fields(Reactions)]
SPIN_FREE = "mixed, no spin"  # the mixture without the one leg whose spin is a state
MACHINES = int(os.environ.get("GOUGH_MACHINES", "30"))


def mixed(seed: int, states: int = 2) -> Case:
    """Screws on either part, RUS, SPS, PUS and UPS legs in one machine, the SPS leg free of spin."""
    c = case("UCU-mixed", seed=seed, states=states)
    rng, legs = np.random.default_rng(seed), list(c.platform.legs)
    for i, leg in enumerate(legs):
        if isinstance(leg, SPS):
            still = leg.friction.replace(universal=0.0, spherical=0.0)
            parts = {"lower": rod(rng, (2, 8), 0.4, 0.15), "upper": rod(rng, (1, 5), -0.3, 0.12)}
            legs[i] = leg.replace(friction=still, **parts)
    machine = c.platform.replace(legs=tuple(legs))
    return Case(machine, c.motion, c.external, c.spin_angle, c.spin_rate)


def drawn(kind: str, seed: int, states: int = 2) -> Case:
    return mixed(seed, states) if kind == SPIN_FREE else case(kind, seed=seed, states=states)


def spin_of(c: Case) -> dict[str, gough.Spin]:
    return {"spin": gough.Spin(c.spin_angle, c.spin_rate)} if c.needs_spin else {}


def answers(c: Case, name: str) -> dict[str, Array]:
    """Everything that a formulation says of a case."""
    if name == "exact":
        spin = spin_of(c)
        found = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="python", **spin)
        out = {
            "M": gough.mass_matrix(c.platform, c.motion.pose, engine="python", **spin),
            "b": gough.bias(c.platform, c.motion, engine="python", **spin),
        }
        energy = gough.energy(c.platform, c.motion, engine="python", **spin)
        out |= {"kinetic": energy.kinetic[:, None], "potential": energy.potential[:, None]}
    else:
        module, spin = FORMULATIONS[name], spin_of(c)
        found = module.inverse_dynamics(c.platform, c.motion, c.external, **spin)
        out = {
            "M": module.mass_matrix(c.platform, c.motion.pose, **spin),
            "b": module.bias(c.platform, c.motion, **spin),
        }
        if "energy" in module.ABOUT.gives:
            energies = lagrange.energy(c.platform, c.motion)
            out |= {
                key: value[:, None]
                for key, value in zip(("kinetic", "potential"), energies, strict=True)
            }
    out |= {"force": found.force, "H": found.H}
    if found.has_reactions:
        out |= {field: getattr(found.reactions, field) for field in REACTIONS}
    return out


def worst(c: Case, name: str) -> dict[str, float]:
    """Largest differences from the exact model, by what was asked."""
    mine, exact = answers(c, name), answers(c, "exact")
    far = {}
    for key, got in mine.items():
        axes = tuple(range(1, got.ndim))
        size = np.abs(exact[key]).max(axis=axes)
        far[key] = float((np.abs(got - exact[key]).max(axis=axes) / size).max())
    return far


def served(name: str) -> list[str]:
    kinds = [*CYLINDERS, SPIN_FREE]
    return kinds if name == "multibody" else [kind for kind in kinds if kind != "UCU-mixed"]


PAIRS = [(name, kind) for name in METHODS for kind in served(name)]


def agree(name: str, kind: str, seeds: range, states: int) -> None:
    for seed in seeds:
        found = worst(drawn(kind, seed, states), name)
        assert max(found.values()) < AGREEMENT, (seed, found)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_everything_agrees_with_the_exact_model(name: str, kind: str) -> None:
    agree(name, kind, range(600, 604), 2)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_the_same_on_more_machines(name: str, kind: str) -> None:
    agree(name, kind, range(1000, 1000 + MACHINES), 3)


def test_what_is_compared() -> None:
    """Lagrange's energies, all reactions of the thirteen bodies, mass and bias of all three."""
    c = case("UCU-screw", seed=600, states=2)
    assert set(worst(c, "lagrange")) == {"M", "b", "force", "H", "kinetic", "potential"}
    assert set(worst(c, "kane")) == {"M", "b", "force", "H"}
    assert set(worst(c, "multibody")) == {"M", "b", "force", "H", *REACTIONS}


@pytest.mark.parametrize("kind", ["UCU-screw", "UCU-upper"])
def test_forward_dynamics_of_the_bodies(kind: str) -> None:
    c = case(kind, seed=610, states=3)
    force = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="python").force
    found = multibody.forward_dynamics(c.platform, c.motion, force, c.external)
    assert np.abs(found.acceleration - c.motion.acceleration).max() < AGREEMENT * 40
    far = np.abs(found.angular_acceleration - c.motion.angular_acceleration).max()
    assert far < AGREEMENT * 80


@pytest.mark.parametrize("name", METHODS)
def test_an_upper_part_that_does_not_feel_its_spin_is_that_of_a_ups_leg(name: str) -> None:
    """I_u s = 0, mass center on the axis, no friction: UCU = UPS to 1e-14; couples of bodies (24 equations) 1e-13."""
    for c in cases("UCU", 4, states=2, seed=3, friction=False):
        found = []
        for kind in (UCU, UPS):
            legs = []
            for leg in c.platform.legs:
                assert isinstance(leg, UCU)
                x, m = leg.upper.center[0], leg.upper.mass
                given = {"base": leg.base, "joint": leg.joint, "axis": leg.axis, "drive": leg.drive}
                own = {"platform_axis": leg.platform_axis} if kind is UCU else {}
                bare = Body(m, [x, 0, 0], np.diag([0.0, 0.03, 0.03]))
                legs.append(kind(**given, **own, lower=leg.lower, upper=bare))
            machine = c.platform.replace(legs=tuple(legs))
            found.append(
                answers(Case(machine, c.motion, c.external, c.spin_angle, c.spin_rate), name)
            )
        ucu, ups = found
        for key, want in ups.items():
            size = np.abs(ups["universal_moment" if key == "platform_moment" else key]).max()
            close = 1e-13 if key.endswith("moment") else 1e-14
            assert np.abs(ucu[key] - want).max() <= close * size, key
    assert any("moment" in key for key in ups) == (name == "multibody")


def test_charts_of_lagrange_agree() -> None:
    """The Euler angles of the paper and the local chart give the same forces; derivatives are true differences."""
    c = case("UCU-rotor", seed=620, states=3)
    euler = lagrange.inverse_dynamics(c.platform, c.motion, c.external, chart="euler").force
    local = lagrange.inverse_dynamics(c.platform, c.motion, c.external).force
    assert np.abs(euler - local).max() < AGREEMENT * np.abs(local).max()
    found, e = lagrange.terms(c.platform, c.motion, chart="local"), 1e-6
    for k, turn in enumerate((None, None, None, 2, 1, 0)):  # x, y, z, then about z, y, x
        ends = []
        for sign in (e, -e):
            step = sign * np.eye(3)[k % 3 if turn is None else turn]
            position, rotation = c.motion.position, c.motion.rotation
            if turn is None:
                position = position + step
            else:
                rotation = rotation_exp(step) @ rotation
            ends.append(lagrange.energy(c.platform, Motion.trusted(position, rotation))[1])
        slope = (ends[0] - ends[1]) / (2 * e)
        np.testing.assert_allclose(found.gravity[:, k], slope, rtol=0, atol=1e-5)


def test_partial_velocities_of_the_upper_parts_have_true_rates() -> None:
    c, h = case("UCU-upper", seed=621, states=2), 1e-5
    now = partial_velocities.speeds(c.platform, c.motion)
    ends = [partial_velocities.speeds(c.platform, later(c.motion, sign * h)) for sign in (1, -1)]
    for name in ("turn", "twist"):
        a, b = (getattr(end.struts[UCU].pair, name).value for end in ends)
        rate = getattr(now.struts[UCU].pair, name).rate
        far = np.abs(rate - (a - b) / (2 * h)).max()
        assert far < 1e-6 * np.abs(rate).max(), name
    slope = (ends[0].J - ends[1].J) / (2 * h)
    assert np.abs(now.Jdot - slope).max() < 1e-6 * np.abs(now.Jdot).max()
    pair = now.struts[UCU].pair
    assert pair is not None
    W = pair.turn.velocity(now.twist[..., None, :])
    assert np.abs(W - pair.W).max() < 1e-13 * np.abs(W).max()


def later(m: Motion, h: float) -> Motion:
    turn = m.angular_velocity * h + m.angular_acceleration * h**2 / 2
    return Motion(
        m.position + m.velocity * h + m.acceleration * h**2 / 2,
        rotation_exp(turn) @ m.rotation,
        m.velocity + m.acceleration * h,
        m.angular_velocity + m.angular_acceleration * h,
    )


def test_motor_torque_of_kane_is_that_of_the_drives_without_losses() -> None:
    """Power at the motors: effort times travel rate, shared among motor, screw and load."""
    c = case("UCU-screw", seed=622, states=2)
    found = kane.inverse_dynamics(c.platform, c.motion, c.external)
    nu = np.array([leg.drive.ratio for leg in c.platform.legs])  # type: ignore[union-attr]
    np.testing.assert_allclose(found.extra["motor_torque"], found.force / nu, rtol=1e-12)


# ---- thirteen bodies in time


def swinging(c: Case, t: Array) -> Motion:
    """A smooth motion about the case's first pose: along a line and about an axis at once."""
    n, line = np.array([0.5, -0.7, 0.4]), np.array([0.03, 0.02, -0.04])
    t = np.asarray(t)[..., None]
    turn = rotation_exp(0.15 * np.sin(6 * t) * n) @ c.motion.rotation[0]
    along = (np.sin(5 * t), 5 * np.cos(5 * t), -25 * np.sin(5 * t))
    spins = (0.9 * np.cos(6 * t) * n, -5.4 * np.sin(6 * t) * n)
    x, v, a = (line * part for part in along)
    return Motion(c.motion.position[0] + x, turn, v, spins[0], a, spins[1])


@pytest.mark.parametrize("kind", ["UCU-screw", "UCU-upper", SPIN_FREE])
def test_driven_screws_move_the_bodies_as_the_platform_was_moved(kind: str) -> None:
    """The travels of a motion, as drivers of thirteen bodies, give it back with its efforts and reactions."""
    c = drawn(kind, 640)

    def legs(t: float) -> tuple[Array, Array, Array]:
        found = gough.inverse_kinematics(c.platform, swinging(c, np.float64(t)), engine="python")
        return found.length, found.rate, found.acceleration

    run = simulate_dae(c.platform, swinging(c, np.float64(0.0)), 0.06, 0.006, lengths=legs)
    assert run.ok
    want = swinging(c, run.time)
    assert np.abs(run.motion.position - want.position).max() < 1e-10
    assert np.abs(run.motion.rotation - want.rotation).max() < 1e-10
    exact = gough.inverse_dynamics(c.platform, want, engine="python")
    assert np.abs(run.force - exact.force).max() < 1e-8 * np.abs(exact.force).max()
    for field in REACTIONS:
        theirs = getattr(exact.reactions, field)
        far = np.abs(getattr(run.reactions, field) - theirs).max()
        assert far < 1e-8 * np.abs(theirs).max(), field
    energy = gough.energy(c.platform, want, engine="python")
    np.testing.assert_allclose(run.kinetic, energy.kinetic, rtol=1e-8)
    np.testing.assert_allclose(run.potential, energy.potential, rtol=1e-8)


# ---- refusals


@pytest.mark.parametrize("name", ["newton-euler", "universal"])
def test_papers_of_ups_legs_refuse_with_a_sentence(name: str) -> None:
    c = case("UCU", seed=1, states=1)
    for verb in ("inverse_dynamics", "bias"):
        with pytest.raises(InputError, match=r"'UCU'.*is for UPS legs.*'lagrange', 'kane' or"):
            getattr(FORMULATIONS[name], verb)(c.platform, c.motion)


@pytest.mark.parametrize("name", ["lagrange", "kane"])
def test_no_paper_prints_errors_for_legs_it_does_not_have(name: str) -> None:
    module = FORMULATIONS[name]
    for c in (case("UCU", seed=1, states=1), mixed(600)):
        for keep in ({"published": True}, {"errata": sorted(module.ABOUT.printed)}):
            with pytest.raises(InputError, match=r"legs\[0\].*'UCU'.*prints no equations"):
                module.inverse_dynamics(c.platform, c.motion, **keep)
        module.inverse_dynamics(c.platform, c.motion, errata=())
    with pytest.raises(InputError, match="6-SPS"):
        multibody.inverse_dynamics(c.platform, c.motion, published=True)


@pytest.mark.parametrize("axis", ["axis", "platform_axis"])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("leg", [0, 4])
def test_struts_along_either_first_axis_are_refused(name: str, axis: str, leg: int) -> None:
    """In the words of the exact model where the verbs of the house ask; by the formulation itself otherwise."""
    c = case("UCU-screw", seed=623, states=2)
    legs, m = list(c.platform.legs), c.motion[1]
    s = m.position + m.rotation @ legs[leg].joint - legs[leg].base
    along = s if axis == "axis" else m.rotation.T @ s
    legs[leg] = legs[leg].replace(**{axis: along})
    bad = c.platform.replace(legs=tuple(legs))
    said = []
    for formulation in ("exact", name):
        with pytest.raises(gough.InfeasibleError) as error:
            gough.inverse_dynamics(bad, c.motion, formulation=formulation, engine="python")
        said.append(str(error.value))
    assert said[0] == said[1]
    assert said[0].startswith(f"state 1: leg {bad.leg_names[leg]}: ")
    with pytest.raises(gough.InfeasibleError, match=f"{leg + 1}"):
        FORMULATIONS[name].inverse_dynamics(bad, c.motion)


# ---- planted errors: what is easily mistaken, in each formulation

ALL, SCREWS, SPRUNG = ("UCU", "UCU-screw"), ("UCU-screw", "UCU-upper"), ("UCU-rotor", "UCU-upper")
LAGRANGE = (
    Error("platform's turning forgotten", lagrange_pairs.pair, "outer(s, carried)", "0.0", ALL),
    Error("platform axis fixed in space", lagrange_pairs.pair, " @ transpose(R)", "", ALL),
    Error("twist without the lower part's", lagrange_pairs.pair, "J_D - lower.J_D", "J_D", SCREWS),
    Error("half the spring", lagrange_pairs._torsion, "sum(-1) / 2", "sum(-1) / 4", SPRUNG),
    Error("twist counted from zero", lagrange_pairs._torsion, "S * c0 - C * s0", "S", SPRUNG),
    Error(
        "rotors on the upper part",
        lagrange_legs.telescopic,
        "turned.carrier",
        "turned.upper",
        ("UCU-screw",),
    ),
    Error(
        "rotors on the lower part",
        lagrange_legs.telescopic,
        "turned.carrier",
        "turned.lower",
        ("UCU-upper",),
    ),
    Error(
        "drive moved by the length alone",
        lagrange_legs.telescopic,
        "turned.data.h[:, None]",
        "0.0",
        SCREWS,
    ),
    Error(
        "mass of the upper part with the lower's spin",
        lagrange_legs.telescopic,
        "skew(r_u) @ upper.J_D",
        "skew(r_u) @ lower.J_D",
        ALL,
    ),
    Error(
        "tensor of the upper part with the lower's spin",
        lagrange_legs.telescopic,
        "[leg.upper for leg in legs], upper",
        "[leg.upper for leg in legs], lower",
        ALL,
    ),
    Error(
        "friction of the pair forgotten",
        lagrange_balance._friction,
        "C_c * apply",
        "0 * apply",
        ALL,
    ),
    Error(
        "friction along the screw's travel",
        lagrange_balance._friction,
        "here.J_P, twist",
        "here.J_C, twist",
        SCREWS,
    ),
)
KANE = (
    Error(
        "platform's turning forgotten",
        partial_velocities._pair,
        " + angular.through(outer(s, upper.row), spun)",
        "",
        ALL,
    ),
    Error(
        "platform axis at rest while it turns",
        kane_kinematics.upper_parts,
        "cross(w[..., None, :], k)",
        "0 * k",
        ALL,
    ),
    Error(
        "rate of the row without its divisor's",
        kane_kinematics.upper_parts,
        " + 2 * kap * kapdot * row",
        "",
        ALL,
    ),
    Error("twist counted from zero", kane_kinematics.upper_parts, "S * C0 - C * S0", "S", SPRUNG),
    Error(
        "screw's rate without the twist",
        partial_velocities.speeds,
        "J[..., low.index, :] += h",
        "J[..., low.index, :] += 0 * h",
        SCREWS,
    ),
    Error(
        "screw's second rate without the twist",
        partial_velocities.speeds,
        "Jdot[..., low.index, :] += h",
        "Jdot[..., low.index, :] += 0 * h",
        SCREWS,
    ),
    Error("friction of the pair forgotten", kane_balance._pairs, "data.C_c *", "0 *", ALL),
    Error("spring forgotten", kane_balance._pairs, "data.spring *", "0 *", SPRUNG),
    Error(
        "rotors on the lower part",
        kane_balance._drives,
        "struts.pair.upper.data.above[n]",
        "False",
        ("UCU-upper",),
    ),
    Error(
        "friction along the screw's travel",
        kane_balance._friction,
        "apply(now.slide, now.twist)",
        "now.rate",
        SCREWS,
    ),
    Error(
        "platform joint rubs on the lower part",
        kane_balance._friction,
        "top, W = (struts.pair.turn, struts.pair.W)",
        "pass",
        ALL,
    ),
)
BODIES = (
    Error(
        "pair that does not turn about the leg alone",
        body_assembly._turning,
        "(*bodies, Z, X)",
        "(*bodies, Z, Y)",
        ALL,
    ),
    Error(
        "platform axis in space", body_assembly._turning, "(0, bodies[1]", "(GROUND, bodies[1]", ALL
    ),
    Error("screw's hand", body_assembly._turning, "leg.screw.travel", "-leg.screw.travel", SCREWS),
    Error(
        "twist's second rate",
        body_pairs.Twist.gamma,
        "2 * dot(cross(w_i, a), bd)",
        "dot(cross(w_i, a), bd)",
        SCREWS,
    ),
    Error(
        "spring the other way",
        body_pairs.Pairs.torque,
        "found + self.spring",
        "found - self.spring",
        SPRUNG,
    ),
    Error("friction of the pair forgotten", body_pairs.Pairs.torque, "self.drag *", "0 *", ALL),
    Error(
        "friction along the leg forgotten",
        body_pairs.Pairs.add_forces,
        "-self.slide_drag *",
        "0 *",
        SCREWS,
    ),
    Error("twist counted from zero", body_pairs.home_twist, "float(", "0 * float(", SPRUNG),
    Error(
        "rotors on the lower part",
        body_assembly.assemble,
        "np.where(above, 1 + legs, 7 + legs)",
        "7 + legs",
        ("UCU-upper",),
    ),
    Error(
        "joint's moment not on the platform",
        body_reactions.joint_reactions,
        "wrench(('platform',), 0, i)[..., 3:]",
        "0.0",
        ALL,
    ),
    Error(
        "friction and spring not in the pair's moment",
        body_reactions.joint_reactions,
        "pairs.torque(state)[..., None]",
        "0.0",
        ALL,
    ),
)
PLANTED = [
    (name, error, kind)
    for name, errors in zip(METHODS, (LAGRANGE, KANE, BODIES), strict=True)
    for error in errors
    for kind in error.kinds
]


@pytest.mark.parametrize(
    ("name", "error", "kind"), PLANTED, ids=[f"{n}: {e.name}, {k}" for n, e, k in PLANTED]
)
def test_planted_errors_are_seen(name: str, error: Error, kind: str) -> None:
    """Each breaks the agreement by far, on some of three machines."""
    seen = []
    body_assembly.assemble.cache_clear()
    with planted(error), np.errstate(all="ignore"):
        for seed in range(600, 603):
            try:
                seen.append(max(worst(case(kind, seed=seed, states=2), name).values()))
            except gough.InfeasibleError:  # a singular system says so
                seen.append(np.inf)
    body_assembly.assemble.cache_clear()
    assert max(seen) > 1e5 * AGREEMENT, seen


def linked() -> tuple[gough.Platform, Motion]:
    """A motion base whose first leg is a fixed link, at rest at home."""
    preset = gough.load("motion-base-ucu")
    home, leg = preset.require_home(), preset.legs[0]
    assert isinstance(leg, UCU)
    held = float(np.linalg.norm(home.position + home.rotation @ leg.joint - leg.base))
    still = leg.friction.replace(prismatic=0.0)
    link = leg.replace(fixed=held, drive=None, limits=gough.Limits(), friction=still)
    return preset.replace(legs=(link, *preset.legs[1:])), Motion.at_rest(home)


@pytest.mark.parametrize("name", METHODS)
def test_forces_in_fixed_links_agree(name: str) -> None:
    machine, rest = linked()
    exact = gough.inverse_dynamics(machine, rest, engine="python")
    found = gough.inverse_dynamics(machine, rest, formulation=name)
    np.testing.assert_allclose(found.force, exact.force, rtol=AGREEMENT)
    np.testing.assert_array_equal(found.link_force, found.force[..., :1])


def test_bodies_on_fixed_links_are_not_moved_by_forces() -> None:
    """Their forces are not given: refused, not taken for zero.  Driven by lengths they may be."""
    machine, rest = linked()
    force = gough.inverse_dynamics(machine, rest, engine="python").force
    with pytest.raises(InputError, match=r"legs\[0\].*fixed link"):
        multibody.forward_dynamics(machine, rest, force)
    with pytest.raises(InputError, match=r"legs\[0\].*fixed link"):
        simulate_dae(machine, rest, 0.01, 0.001, force=force)
    length = gough.inverse_kinematics(machine, rest, engine="python").length
    run = simulate_dae(
        machine, rest, 0.002, 0.001, lengths=lambda t: (length, np.zeros(6), np.zeros(6))
    )
    np.testing.assert_allclose(run.force[-1], force, rtol=1e-8)
