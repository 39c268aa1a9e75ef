"""Random machines of mixed leg types, and their energy from positions alone.

The energy oracle knows no Jacobian and no joint formula: it places every body in space for a pose,
differentiates the placement along the path by complex step (angular velocity from dT/dt T^T) and adds up
kinetic and potential energy.  Only the time derivative of the energy is a finite difference (Richardson).
"""

import numpy as np

from gough.model import PUS, RUS, SPS, UPS, Body, Drive, Friction, Platform
from gough.spatial import Motion, rotation_exp, rotation_x, rotation_y

STEP = 1e-30


def random_tensor(rng, scale):
    a = rng.normal(size=(3, 3))
    sigma = scale * (a @ a.T + 0.1 * np.eye(3))
    return np.trace(sigma) * np.eye(3) - sigma


def random_body(rng, mass, size):
    return Body(
        mass * rng.uniform(0.5, 1.5), size * rng.normal(size=3), random_tensor(rng, mass * size**2)
    )


def axisymmetric_body(rng, mass, x):
    a, b = rng.uniform(0.5, 1.5, size=2) * mass * np.array([1e-3, 1e-2])
    return Body(mass, (x, 0, 0), (a, b, b))


def machine(kinds, seed, friction=True, drive=None):
    """A platform with legs of the given kinds on a hexagon; drive: None, "base" or "leg" mounted rotors."""
    rng = np.random.default_rng(seed)
    legs = []
    for i, kind in enumerate(kinds):
        angle = np.pi / 3 * i
        outward = np.array(
            [np.cos(angle + 0.35 * (-1) ** i), np.sin(angle + 0.35 * (-1) ** i), 0.0]
        )
        inward = np.array([np.cos(angle - 0.3 * (-1) ** i), np.sin(angle - 0.3 * (-1) ** i), 0.0])
        base, joint = outward + 0.1 * rng.normal(size=3), 0.6 * inward + 0.1 * rng.normal(size=3)
        axis = np.array([1.0, 0.3, 0.2]) * rng.choice([-1, 1], size=3) + 0.2 * rng.normal(size=3)
        C = Friction(*rng.uniform(0.5, 2.0, size=3)) if friction else Friction()
        motor = None
        if drive is not None:
            spin = rng.normal(size=3) if drive == "leg" and kind == "UPS" else None
            motor = Drive(ratio=rng.uniform(200, 400), rotor_inertia=5e-5, rotor_axis=spin)
        if kind == "UPS":
            legs.append(
                UPS(
                    base,
                    joint,
                    axis,
                    random_body(rng, 3.0, 0.3),
                    random_body(rng, 2.0, 0.3),
                    C,
                    drive=motor,
                )
            )
        elif kind == "SPS":
            legs.append(
                SPS(
                    base,
                    joint,
                    axisymmetric_body(rng, 3.0, 0.3),
                    axisymmetric_body(rng, 2.0, -0.3),
                    Friction(0, C.prismatic, 0),
                    drive=motor,
                )
            )
        elif kind == "RUS":
            P = joint - base + np.array([0.0, 0.1, 1.2])  # the middle of `states`
            across = np.cross(P, np.cross(outward + 0.1 * rng.normal(size=3), P))
            arm = (
                0.9 * across / np.linalg.norm(across)
            )  # upright on P: half way between the ends of the reach
            shaft = np.cross(arm, P) + 0.1 * rng.normal(size=3)
            rod = float(np.linalg.norm(P - arm))
            crank_, link = random_body(rng, 1.5, 0.2), random_body(rng, 2.0, 0.3)
            elbow = int(rng.choice([-1, 1]))
            legs.append(
                RUS(base, shaft, arm, joint, axis, rod, crank_, link, elbow, C, drive=motor)
            )
        else:
            rail = np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=3)
            legs.append(
                PUS(
                    base,
                    rail,
                    joint,
                    axis,
                    2.0,
                    1.2,
                    random_body(rng, 2.0, 0.3),
                    C,
                    slider_center=0.1 * rng.normal(size=3),
                    assembly=1,
                    drive=motor,
                )
            )
    return Platform(random_body(rng, 20.0, 0.2), legs, gravity=(1.0, -2.0, -9.0))


def states(seed, n=20):
    """Random fast states around a pose 1.2 m above the base."""
    rng = np.random.default_rng(seed)
    R = rotation_exp(rng.uniform(-0.25, 0.25, size=(n, 3))) @ rotation_x(0.1) @ rotation_y(-0.1)
    v, w, a, al = (k * rng.normal(size=(n, 3)) for k in (1.0, 2.0, 10.0, 20.0))
    return Motion(np.array([0.0, 0.1, 1.2]) + rng.uniform(-0.1, 0.1, size=(n, 3)), R, v, w, a, al)


def _cross(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def _turn(r):
    """exp([r]x) of a small complex rotation vector by its series."""
    n2 = r @ r
    a, b, term = 0.0, 0.0, 1.0
    for k in range(12):
        a, b = a + term, b + term / (2 * k + 2)
        term = -term * n2 / ((2 * k + 2) * (2 * k + 3))
    K = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    return np.eye(3) + a * K + b * K @ K


def crank(leg, p):
    """Crank angle and rotation that put the tip at the rod length from p, by Newton in complex numbers."""
    x, y, z = leg.shaft
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    def gap(theta):
        Z = np.eye(3) + np.sin(theta) * K + (1 - np.cos(theta)) * K @ K
        d = p - leg.base - Z @ leg.arm
        return d @ d - leg.length**2, -2 * d @ (K @ Z @ leg.arm), Z

    grid = np.linspace(-np.pi, np.pi, 73)
    values = np.array([np.real(gap(x)[0]) for x in grid])
    cross = np.nonzero(values[:-1] * values[1:] < 0)[0]
    # the lever arm s.(e x u) has the sign opposite to the elbow; -2 d.(e x u) is the slope of the gap
    (start,) = [i for i in cross if np.sign(values[i + 1] - values[i]) == leg.elbow]
    theta = complex(grid[start] + grid[start + 1]) / 2
    for _ in range(8):
        value, slope, _ = gap(theta)
        theta = theta - value / slope
    return theta, gap(theta)[2]


def place(platform, m, tau):
    """At path time tau: (body, mass center, axes) of all bodies, coordinates, strut and platform axes."""
    t = m.position + m.velocity * tau + m.acceleration * tau**2 / 2
    R = _turn(m.angular_velocity * tau + m.angular_acceleration * tau**2 / 2) @ m.rotation
    bodies = [(platform.body, t + R @ platform.body.center, R)]
    lengths, struts = [], []
    for leg in platform.legs:
        p = t + R @ leg.joint
        if isinstance(leg, PUS):
            P = p - leg.base
            Pe = P @ leg.rail
            l = Pe - leg.assembly * np.sqrt(Pe * Pe - P @ P + leg.length**2)
            near = leg.base + l * leg.rail
            s = (p - near) / leg.length
        elif isinstance(leg, RUS):
            l, turn = crank(leg, p)
            near = leg.base + turn @ leg.arm
            s = (p - near) / leg.length
        else:
            near = leg.base
            l = np.sqrt((p - near) @ (p - near))
            s = (p - near) / l
        k = leg.reference if isinstance(leg, SPS) else leg.axis
        if isinstance(leg, RUS):
            k = turn @ k
        y = _cross(k, s)
        y = y / np.sqrt(y @ y)
        T = np.stack([s, y, _cross(s, y)], axis=1)
        if isinstance(leg, PUS):
            bodies += [
                (Body(leg.slider_mass), near + leg.slider_center, np.eye(3)),
                (leg.link, near + T @ leg.link.center, T),
            ]
        elif isinstance(leg, RUS):
            bodies += [
                (leg.crank, leg.base + turn @ leg.crank.center, turn),
                (leg.link, near + T @ leg.link.center, T),
            ]
        else:
            bodies += [
                (leg.lower, near + T @ leg.lower.center, T),
                (leg.upper, p + T @ leg.upper.center, T),
            ]
        lengths.append(l)
        struts.append((T, turn if isinstance(leg, RUS) else np.eye(3)))
    return bodies, np.array(lengths), struts, R


def spin(T):
    """Angular velocity of axes evaluated at tau + i STEP."""
    O = T.imag / STEP @ T.real.T
    return np.array([O[2, 1], O[0, 2], O[1, 0]])


def energy(platform, m, tau):
    """Kinetic plus potential energy at path time tau, J."""
    bodies, lengths, struts, _ = place(platform, m, tau + 1j * STEP)
    # a spin-free SPS leg turns without spin; its placement here spins with the reference frame
    sps = {id(b) for leg in platform.legs if isinstance(leg, SPS) for b in (leg.lower, leg.upper)}
    E = 0.0
    for body, r, T in bodies:
        v, w = r.imag / STEP, spin(T) if np.iscomplexobj(T) else np.zeros(3)
        A = T.real
        if id(body) in sps:
            w = w - A[:, 0] * (w @ A[:, 0])
        w = A.T @ w
        E += body.mass * (v @ v / 2 - platform.gravity @ r.real) + w @ body.inertia @ w / 2
    rates = lengths.imag / STEP
    for leg, rate, (T, _) in zip(platform.legs, rates, struts, strict=True):
        if leg.drive is not None:
            E += leg.drive.reflected_inertia * rate**2 / 2
            if leg.drive.rotor_axis is not None:
                E += (
                    leg.drive.ratio
                    * leg.drive.rotor_inertia
                    * rate
                    * (T.real @ leg.drive.rotor_axis)
                    @ spin(T)
                )
    return E


def power_residual(platform, m, force, external=None):
    """``|dE/dt - power|`` divided by the sum of the sizes of all powers, one state."""
    h = 2e-4
    d = [
        (energy(platform, m, k * h) - energy(platform, m, -k * h)) / (2 * k * h) for k in (1, 2, 4)
    ]
    once = [(4 * d[0] - d[1]) / 3, (4 * d[1] - d[2]) / 3]
    dE = (16 * once[0] - once[1]) / 15
    _, lengths, struts, _ = place(platform, m, 1j * STEP)
    rates = lengths.imag / STEP
    powers = list(force * rates)
    if external is not None:
        powers += [
            m.rotation @ external[:3] @ m.velocity,
            m.rotation @ external[3:] @ m.angular_velocity,
        ]
    for leg, rate, (T, carrier) in zip(platform.legs, rates, struts, strict=True):
        W, C = spin(T), leg.friction
        W_rel = W - (spin(carrier) if isinstance(leg, RUS) else 0.0)
        slip = W - m.angular_velocity
        powers.append(-C.prismatic * rate**2)
        if not isinstance(leg, SPS):
            powers.append(-C.universal * W_rel @ W_rel - C.spherical * slip @ slip)
    return abs(dE - sum(powers)) / sum(np.abs(powers))
