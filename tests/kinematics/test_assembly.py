"""Every assembly mode: published sets, random machines of every kind, honesty about what is not proved."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.assembly import assembly_modes, explain
from gough.kinematics.assembly import start as starts
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose, rotation_exp, rotation_from_quaternion
from support.hexapods import hexapod, pairs, published, random_machine


def random_pose(rng: np.random.Generator) -> Pose:
    """Anywhere within about 1 m, any orientation."""
    return Pose(rng.normal(size=3), rotation_from_quaternion(rng.normal(size=4)))


def nearest(poses: Pose, there: Pose) -> float:
    """Smallest distance of position and rotation entries between `there` and the poses."""
    gap = np.abs(poses.position - there.position).max(axis=-1)
    return float(
        (gap + np.abs(poses.rotation - there.rotation).max(axis=(-2, -1))).min(initial=np.inf)
    )


@pytest.fixture(autouse=True)
def private_cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starts of random machines do not fill the user's cache; kernels stay where they are."""
    folder = tmp_path_factory.mktemp("starts")
    monkeypatch.setattr(starts, "cache_folder", lambda: folder)
    starts.clear_memory()


@pytest.mark.parametrize(
    ("name", "count"), [("dietmaier40", 40), ("hexapod_semireg", 28), ("octahedral33", 16)]
)
def test_published_solutions(name: str, count: int) -> None:
    """All real poses of the reference files (computed with 60 digits elsewhere), no more and no fewer."""
    platform, length, d = published(name)
    real = [s for s in d["solutions"] if s["real"]]
    for _ in range(2):  # the second question goes through the geometry's own start
        modes = assembly_modes(platform, length)
        assert modes.complete
        assert modes.certified
        assert modes.count == modes.expected == count
        assert len(modes) == d["n_real"] == len(real)
        assert modes.residual.max() < 1e-10
        back = actuator_coordinates(platform, modes.poses)
        np.testing.assert_allclose(back, np.broadcast_to(length, back.shape), atol=1e-10)
        for s in real:
            there = Pose(s["t_re"], rotation_from_quaternion(s["q_re"]))
            assert nearest(modes.poses, there) < 1e-9


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("general", 40),
        ("planar", 40),
        ("6-5", 40),
        ("6-4", 32),
        ("6-3", 16),
        ("3-3", 16),
        ("hexagon on a triangle", 16),
        ("semi-regular", 28),
    ],
)
def test_random_machines(kind: str, count: int) -> None:
    """The known number of finite solutions, all proved, the true pose among them."""
    check_random(kind, count, machines=6 if kind == "general" else 3)


def check_random(kind: str, count: int, machines: int) -> None:
    rng = np.random.default_rng(11)
    for _ in range(machines):
        platform, there = random_machine(kind, rng), random_pose(rng)
        modes = assembly_modes(platform, actuator_coordinates(platform, there))
        assert modes.complete, modes.reason
        assert modes.count == count, modes.reason
        assert len(modes) % 2 == 0
        assert nearest(modes.poses, there) < 1e-7
        assert modes.residual.max() < 1e-10


@pytest.mark.slow
def test_a_thousand_general_machines() -> None:
    """40 of 40 in at least 99.9 %, `complete` is never claimed with fewer, the true pose is always found."""
    rng = np.random.default_rng(12)
    complete = 0
    for _ in range(1000):
        platform, there = random_machine("general", rng), random_pose(rng)
        modes = assembly_modes(platform, actuator_coordinates(platform, there))
        complete += modes.complete
        assert modes.count == 40 or not modes.complete
        assert nearest(modes.poses, there) < 1e-6
    assert complete >= 999


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("semi-regular", 28), ("6-3", 16), ("3-3", 16)])
def test_three_hundred_special_machines(kind: str, count: int) -> None:
    check_random(kind, count, machines=300)


def test_paths_that_arrive_a_little_before_infinity_are_accounted_for() -> None:
    """Two 6-3 machines: one path of each arrives unproved at h = 2e-6, beside a multiple solution at infinity."""
    rng = np.random.default_rng(11)
    machines = [(random_machine("6-3", rng), random_pose(rng)) for _ in range(214)]
    for k in (134, 213):
        platform, there = machines[k]
        modes = assembly_modes(platform, actuator_coordinates(platform, there), disk_cache=False)
        assert modes.complete, modes.reason
        assert modes.count == modes.expected == 16


def test_a_usual_hexapod_at_its_symmetric_home() -> None:
    """Equal lengths on a symmetric machine: the case where general-purpose solvers fail."""
    home = Pose([0.0, 0.0, 0.55])
    platform = hexapod(pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0), home=home)
    length = actuator_coordinates(platform, home)
    assert np.ptp(length) < 1e-12
    modes = assembly_modes(platform, length)
    assert modes.complete
    assert nearest(modes.poses, home) < 1e-12
    mirrored = Pose([0.0, 0.0, -0.55])
    assert nearest(modes.poses, mirrored) < 1e-12


def test_poses_follow_a_rigid_motion_of_the_frames() -> None:
    """Turning and shifting base and platform frames moves every mode with them (tilted planes included)."""
    rng = np.random.default_rng(3)
    machine = hexapod(pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0))
    length = actuator_coordinates(
        machine, Pose([0.05, 0.02, 0.6], rotation_from_quaternion([1, 0.1, -0.2, 0.05]))
    )
    A, B = random_pose(rng), random_pose(rng)
    moved = hexapod(
        machine.base_joints @ A.rotation.T + A.position,
        machine.platform_joints @ B.rotation.T + B.position,
    )
    first, second = assembly_modes(machine, length), assembly_modes(moved, length)
    assert first.count == second.count == 28
    assert len(first) == len(second)
    for k in range(len(first)):
        R = A.rotation @ first.poses.rotation[k] @ B.rotation.T
        t = A.rotation @ first.poses.position[k] + A.position - R @ B.position
        assert nearest(second.poses, Pose(t, R)) < 1e-9


def test_a_singular_pose_is_a_cluster_and_not_certified() -> None:
    """Two modes merge at a singular pose: reported together, never dropped, never called certified."""
    platform = hexapod(pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0))
    singular = Pose.from_rpy(
        [0.0, 0.0, 0.55], [0.0, 0.0, np.pi / 2]
    )  # Fichter: 90 degrees about the axis
    modes = assembly_modes(platform, actuator_coordinates(platform, singular))
    assert not modes.certified
    assert modes.clusters
    assert any(
        k.pose is not None
        and np.abs(k.pose.position - singular.position).max() < 1e-3
        and np.abs(k.pose.rotation - singular.rotation).max() < 1e-2
        for k in modes.clusters
    )
    assert all(k.multiplicity >= 2 for k in modes.clusters)


def test_near_a_singularity_the_two_modes_are_still_told_apart() -> None:
    platform = hexapod(pairs(0.5, 12.0, 0.0), np.roll(pairs(0.3, 15.0, 60.0), 1, axis=0))
    close = Pose.from_rpy([0.01, 0.02, 0.55], [0.02, 0.01, np.pi / 2 - 1e-4])
    modes = assembly_modes(platform, actuator_coordinates(platform, close))
    assert modes.complete
    assert nearest(modes.poses, close) < 1e-6


def test_an_architecturally_singular_machine_is_never_complete() -> None:
    """Similar hexagons: a continuum of poses; no finite list can be complete."""
    with pytest.warns(gough.ModelWarning, match="architecturally singular"):
        platform = hexapod(pairs(0.5, 20.0, 0.0), 0.6 * pairs(0.5, 20.0, 0.0))
    there = Pose([0.03, 0.02, 0.5], rotation_from_quaternion([1, 0.1, 0.05, 0.2]))
    modes = assembly_modes(platform, actuator_coordinates(platform, there))
    assert not (modes.complete and modes.certified)


def test_a_continuum_of_solutions_is_not_called_complete() -> None:
    """A cubic hexapod has 22 solutions; at its home twelve of them spread into a continuum, and that is said."""
    platform = gough.cubic(0.3)
    home = platform.home
    assert home is not None
    turn = rotation_from_quaternion([1, 0.05, -0.03, 0.04])
    away = Pose(home.position + np.array([0.01, 0.02, -0.01]), turn @ home.rotation)
    modes = assembly_modes(platform, actuator_coordinates(platform, away))
    assert modes.certified
    assert modes.count == 22
    modes = assembly_modes(platform, actuator_coordinates(platform, home))
    assert not modes.complete
    assert "continuum" in modes.reason
    assert nearest(modes.poses, home) < 1e-12


def test_impossible_and_bad_lengths() -> None:
    platform, length, _ = published("octahedral33")
    modes = assembly_modes(platform, length + np.array([3.0, 0, 0, 0, 0, 0]))
    assert len(modes) == 0
    assert "no pose exists" in modes.reason
    assert "no pose exists" in explain(platform, length + np.array([3.0, 0, 0, 0, 0, 0]))
    assert "8 poses have these coordinates" in explain(platform, length)
    motion_base = gough.load("motion-base-1500")
    modes = assembly_modes(
        motion_base, np.full(6, 0.9)
    )  # every pair of legs can close, six together cannot
    assert len(modes) == 0
    assert modes.complete
    assert modes.count == 28
    assert "all 28 solutions are complex" in explain(motion_base, np.full(6, 0.9))
    for bad in (np.nan, -1.0, 0.0):
        wrong = length.copy()
        wrong[4] = bad
        with pytest.raises(gough.InputError, match="length"):
            assembly_modes(platform, wrong)
    with pytest.raises(gough.InputError, match="length"):
        assembly_modes(platform, np.stack([length, wrong]))
    with pytest.raises(gough.InputError, match="shape"):
        assembly_modes(platform, length[:5])
    with pytest.raises(gough.InputError, match="filters"):
        assembly_modes(platform, length, ["weather"])


def test_a_batch_is_its_single_answers_whatever_the_threads() -> None:
    """Bit-identical for any split; leading axes; problems without a pose, clusters and continua in between."""
    platform, length, _ = published("hexapod_semireg")
    rng = np.random.default_rng(8)
    assembly_modes(platform, length)
    lengths = length + 0.02 * rng.normal(size=(3, 13, 6)) * length.mean()
    lengths[1, 4, 0] += 30.0
    one, two = (assembly_modes(platform, lengths, threads=n) for n in (1, 2))
    assert one.count.shape == one.number.shape == one.expected.shape == (3, 13)
    assert one.complete.all()
    assert (one.count[one.number > 0] == 28).all()
    assert len(one[1, 4]) == 0
    assert "no pose exists" in one[1, 4].reason
    assert one[2].complete.shape == (13,)
    for at in np.ndindex(3, 13):
        alone = assembly_modes(platform, lengths[at])
        for batch in (one, two):
            assert batch[at].certified == alone.certified
            np.testing.assert_array_equal(batch[at].poses.position, alone.poses.position)
            np.testing.assert_array_equal(batch[at].poses.rotation, alone.poses.rotation)


def test_answers_can_be_read() -> None:
    platform, length, _ = published("octahedral33")
    text = repr(assembly_modes(platform, length))
    assert text.startswith("<AssemblyModes: 8 real poses, certified; 16 of 16 finite solutions")
    assert text.count("position") == text.count("quaternion") == 8
    batch = repr(assembly_modes(platform, np.stack([length, length])))
    assert batch == "<AssemblyModesBatch (2,): 2 of 2 complete>"


@pytest.mark.parametrize("size", [1e-9, 1e-4, 1e6])
def test_machines_of_any_size(size: float) -> None:
    rng = np.random.default_rng(9)
    for kind, count in (("general", 40), ("semi-regular", 28)):
        machine, there = random_machine(kind, rng), random_pose(rng)
        platform = hexapod(size * machine.base_joints, size * machine.platform_joints)
        length = actuator_coordinates(platform, Pose(size * there.position, there.rotation))
        modes = assembly_modes(platform, length, disk_cache=False)
        assert modes.certified
        assert modes.count == count
        scaled = Pose.trusted(modes.poses.position / size, modes.poses.rotation)
        assert nearest(scaled, there) < 1e-9


def test_frames_far_away_and_small_platforms() -> None:
    """Solved as far as the digits reach; where they do not, that is the reason given."""
    rng = np.random.default_rng(10)
    for kind in ("general", "3-3", "semi-regular"):
        machine, there = random_machine(kind, rng), random_pose(rng)
        off = np.array([1e6, -7e5, 3e5])
        platform = hexapod(machine.base_joints + off, machine.platform_joints)
        away = Pose(there.position + off, there.rotation)
        modes = assembly_modes(platform, actuator_coordinates(platform, away), disk_cache=False)
        assert nearest(modes.poses, away) < 1e-7
        assert modes.residual.max() < 1e-14
        assert modes.complete == (kind != "semi-regular")  # its hexagons are lost in the rounding
        if not modes.complete:
            assert "the numbers given tell" in modes.reason
        small = hexapod(machine.base_joints, 1e-5 * machine.platform_joints)
        modes = assembly_modes(small, actuator_coordinates(small, there), disk_cache=False)
        assert nearest(modes.poses, there) < 1e-7
        assert modes.complete or "the numbers given tell" in modes.reason


def test_sliders_and_cranks_are_spheres() -> None:
    """PUS and RUS machines: the true pose is found, and the branch filter keeps only what their legs can do."""
    from support.forward_machines import HOME, machine

    for kind in ("PUS", "RUS", "mixed"):
        platform = machine(kind)
        length = actuator_coordinates(platform, HOME)
        modes = assembly_modes(platform, length)
        assert modes.complete
        assert nearest(modes.poses, HOME) < 1e-9
        allowed = assembly_modes(platform, length, ["branch"])
        assert nearest(allowed.poses, HOME) < 1e-9
        assert len(allowed) == modes.on_branch.sum() <= len(modes)
        assert len(allowed) + allowed.removed["branch"] == len(modes)
        np.testing.assert_allclose(
            actuator_coordinates(platform, allowed.poses),
            np.broadcast_to(length, (len(allowed), 6)),
            atol=1e-9,
        )


def test_one_start_serves_all_slider_positions() -> None:
    """A 6-PUS machine with three double platform joints: 16 solutions wherever the sliders are."""
    platform = gough.load("lopes-6pus")
    home, rng = platform.home, np.random.default_rng(14)
    assert home is not None
    size = platform.characteristic_length
    turn = rotation_exp(rng.uniform(-0.1, 0.1, (4, 3))) @ home.rotation
    poses = Pose(home.position + size * rng.uniform(-0.05, 0.05, (4, 3)), turn)
    batch = assembly_modes(platform, actuator_coordinates(platform, poses))
    assert batch.complete.all()
    assert (batch.count == 16).all()
    for k in range(4):
        assert nearest(batch[k].poses, poses[k]) < 1e-9


@pytest.mark.parametrize("kind", ["general", "semi-regular", "6-3", "planar"])
def test_newton_from_everywhere_finds_nothing_new(kind: str) -> None:
    """Real poses found by Newton from 600 random guesses are all among the modes: an independent witness."""
    from gough.kinematics.forward import forward_kinematics

    rng = np.random.default_rng(21)
    platform = random_machine(kind, rng)
    length = actuator_coordinates(platform, random_pose(rng))
    modes = assembly_modes(platform, length)
    guess = Pose(
        1.5 * rng.normal(size=(600, 3)), rotation_from_quaternion(rng.normal(size=(600, 4)))
    )
    fk = forward_kinematics(platform, np.broadcast_to(length, (600, 6)), guess)
    assert fk.success.sum() > 50
    seen = set()
    for k in np.flatnonzero(fk.success):
        gap = np.abs(modes.poses.position - fk.pose.position[k]).max(axis=1)
        gap = gap + np.abs(modes.poses.rotation - fk.pose.rotation[k]).max(axis=(1, 2))
        assert gap.min() < 1e-6
        seen.add(int(gap.argmin()))
    assert len(seen) >= 2
