"""Energy of a 6-UPS machine from body velocities alone, complex-valued: exact derivatives along a motion.

Shares no code with the formulations it judges: the leg's rotation comes from solving
``W x S + Ld s = pd, W.c = 0`` as a 4x4 linear system.
"""

import numpy as np

from gough.model import UPS, Body, Drive, Friction, Platform
from gough.spatial import Motion, rotation_exp

STEP = 1e-30


def cross(a, b):
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def leg_rates(leg, pd, S):
    """Length rate, leg angular velocity and leg axes T for a platform-joint velocity."""
    L = np.sqrt(S @ S)
    s = S / L
    ks = cross(leg.axis, s)
    y = ks / np.sqrt(ks @ ks)
    c = cross(leg.axis, y)
    A = np.zeros((4, 4), dtype=complex)
    for j in range(3):
        A[:3, j] = cross(np.eye(3)[j], S)
    A[:3, 3] = s
    A[3, :3] = c
    solution = np.linalg.solve(A, np.append(pd, 0.0))
    return solution[3], solution[:3], np.stack([s, y, cross(s, y)], axis=1)


def energy(platform, t, R, v, w):
    """Kinetic plus potential energy, J."""
    g, body = platform.gravity, platform.body
    r = R @ body.center
    vg = v + cross(w, r)
    I = R @ body.inertia @ R.T
    E = body.mass * (vg @ vg / 2 - g @ (t + r)) + w @ I @ w / 2
    for leg in platform.legs:
        q = R @ leg.joint
        S = t + q - leg.base
        pd = v + cross(w, q)
        Ld, W, T = leg_rates(leg, pd, S)
        r_d, rho = T @ leg.lower.center, T @ leg.upper.center
        v_d, v_u = cross(W, r_d), pd + cross(W, rho)
        E = (
            E
            + leg.lower.mass * (v_d @ v_d / 2 - g @ r_d)
            + leg.upper.mass * (v_u @ v_u / 2 - g @ (S + rho))
        )
        E = E + W @ (T @ (leg.lower.inertia + leg.upper.inertia) @ T.T) @ W / 2
        if leg.drive is not None:
            E = E + leg.drive.reflected_inertia * Ld**2 / 2
            if leg.drive.rotor_axis is not None:
                E = (
                    E
                    + leg.drive.ratio
                    * leg.drive.rotor_inertia
                    * Ld
                    * (T @ leg.drive.rotor_axis)
                    @ W
                )
    return E


def power_terms(platform, x, force, external=None):
    """Residual ``dE/dt - power`` (W), dE/dt (W) and the sum of the sizes of all powers (W), one state."""
    R, v, w = x.rotation, x.velocity, x.angular_velocity
    spin = np.stack([cross(w, R[:, j]) for j in range(3)], axis=1)
    rate = (
        energy(
            platform,
            x.position + 1j * STEP * v,
            R + 1j * STEP * spin,
            v + 1j * STEP * x.acceleration,
            w + 1j * STEP * x.angular_acceleration,
        ).imag
        / STEP
    )
    powers = []
    if external is not None:
        powers += [(R @ external[:3]) @ v, (R @ external[3:]) @ w]
    for leg, F in zip(platform.legs, force, strict=True):
        q = R @ leg.joint
        Ld, W, _ = (z.real for z in leg_rates(leg, v + cross(w, q), x.position + q - leg.base))
        f = leg.friction
        powers += [
            F * Ld,
            -f.prismatic * Ld**2 - f.universal * W @ W - f.spherical * (W - w) @ (W - w),
        ]
    return rate - sum(powers), rate, sum(abs(p) for p in powers)


def random_body(rng, mass):
    a = rng.normal(size=(3, 3))
    sigma = 0.02 * mass * a @ a.T
    return Body(mass, rng.normal(size=3) * 0.2, np.trace(sigma) * np.eye(3) - sigma)


def random_machine(seed, *, friction=True, drive=None):
    """Six different UPS legs with full tensors and off-axis mass centers, tilted gravity."""
    rng = np.random.default_rng(seed)
    angle = np.arange(6) * np.pi / 3
    b = np.stack([np.cos(angle + 0.3), np.sin(angle + 0.3), 0 * angle], axis=1)
    p = 0.5 * np.stack([np.cos(angle - 0.2), np.sin(angle - 0.2), 0 * angle], axis=1)
    b, p = b + 0.1 * rng.normal(size=(6, 3)), p + 0.05 * rng.normal(size=(6, 3))
    legs = [
        UPS(
            b[i],
            p[i],
            [1.0, 1.0, 0.2] + 0.5 * rng.normal(size=3),
            random_body(rng, 3.0),
            random_body(rng, 2.0),
            Friction(*(rng.uniform(0.1, 1.0, 3) if friction else (0.0, 0.0, 0.0))),
            drive=None
            if drive is None
            else Drive(
                ratio=rng.uniform(200, 600),
                rotor_inertia=rng.uniform(1e-5, 1e-4),
                rotor_axis=None if drive == "fixed" else rng.normal(size=3),
            ),
        )
        for i in range(6)
    ]
    return Platform(random_body(rng, 20.0), legs, gravity=rng.normal(size=3) * 6)


def random_motion(seed, shape=()):
    """Fast motion around a pose well inside the workspace of `random_machine`."""
    rng = np.random.default_rng(seed)
    n = (*shape, 3)
    return Motion(
        [0.0, 0.0, 1.2] + 0.1 * rng.normal(size=n),
        rotation_exp(0.2 * rng.normal(size=n)),
        rng.normal(size=n),
        2 * rng.normal(size=n),
        10 * rng.normal(size=n),
        20 * rng.normal(size=n),
    )
