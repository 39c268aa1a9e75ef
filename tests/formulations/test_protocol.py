"""Every formulation of the register keeps the Protocol: words, signatures, refusals, and what it says it gives."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import geometric_energy as ge
import gough
from gough import InputError, formulations
from gough.formulations import FORMULATIONS, About, Formulation, verb
from gough.formulations.linear import cross, skew
from gough.formulations.protocol import EVERY_LEG
from gough.reproduce.agreement import random_motion
from oracles.machines import case

pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")
METHODS = list(FORMULATIONS)
VERBS = (
    "reactions",
    "mass_matrix",
    "bias",
    "leg_motion",
    "condition",
    "energy",
    "equations",
    "forward_dynamics",
)
SAMPLE = {
    "UPS": "dasgupta-1998",
    "SPS": "elbadawy-6sps",
    "PUS": "lopes-6pus",
    "RUS": "servo-hexapod",
    "UCU": "screw-hexapod",
}
MIXED = ("UPS", "PUS", "SPS", "RUS", "PUS", "RUS")
AGREEMENT = 1e-11  # of mass matrix and bias, relative to their largest entry in the state


def module(name: str) -> Formulation:
    return FORMULATIONS[name]


def parameters(function: object) -> list[tuple[str, object, object]]:
    """Positional parameters with their defaults; the keywords are checked by calling."""
    found = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    return [(p.name, p.kind, p.default) for p in found if p.kind is p.POSITIONAL_OR_KEYWORD]


def relative(got: np.ndarray, want: np.ndarray, tail: int) -> float:
    axes = tuple(range(-tail, 0))
    return float((np.abs(got - want).max(axis=axes) / np.abs(want).max(axis=axes)).max())


@pytest.mark.parametrize("name", METHODS)
def test_says_what_it_is(name: str) -> None:
    about = module(name).ABOUT
    assert isinstance(about, About)
    assert about.name == name
    assert set(about.legs) <= set(EVERY_LEG)
    assert about.printed
    assert about.printed <= about.errata.keys()
    for code, sentence in about.errata.items():
        assert code.startswith(f"E{about.paper}-")
        assert len(sentence) > 20
    assert name in (Path(__file__).parents[2] / "README.md").read_text()


@pytest.mark.parametrize("name", METHODS)
def test_same_signatures(name: str) -> None:
    for function in ("inverse_dynamics", "mass_matrix", "bias"):
        promised = parameters(getattr(Formulation, function))[1:]  # without self
        assert parameters(getattr(module(name), function)) == promised, function


@pytest.mark.parametrize("name", METHODS)
def test_same_inner_files(name: str) -> None:
    folder = Path(formulations.__file__).parent / name.replace("-", "_")
    assert {"__init__.py", "errata.py", "kinematics.py", "balance.py", "verbs.py"} <= {
        p.name for p in folder.glob("*")
    }
    code = [
        line for line in (folder / "__init__.py").read_text().split('"""')[2].splitlines() if line
    ]
    wall = ["from gough import border", "border.guard(__name__)"]
    assert all(line.startswith("from gough.formulations.") for line in code if line not in wall)
    assert set(wall) <= set(code)


@pytest.mark.parametrize("name", METHODS)
def test_refuses_legs_it_does_not_serve(name: str) -> None:
    about = module(name).ABOUT
    for kind, preset in SAMPLE.items():
        platform = gough.load(preset)
        motion = random_motion(platform, 2, seed=1)
        for solve in (module(name).inverse_dynamics, module(name).mass_matrix, module(name).bias):
            state = motion.pose if solve is module(name).mass_matrix else motion
            if kind in about.legs:
                assert np.isfinite(getattr(solve(platform, state), "force", 0.0)).all()
            else:
                with pytest.raises(
                    InputError, match=rf"legs\[0\].*{name} is for {', '.join(about.legs)} legs"
                ):
                    solve(platform, state)


@pytest.mark.parametrize("name", METHODS)
def test_spinning_legs(name: str) -> None:
    c = case("SPS-general", seed=3, states=2)
    about = module(name).ABOUT
    if "SPS" not in about.legs:
        pytest.skip("no SPS legs")
    if "spin" in about.gives:
        spin = gough.Spin(c.spin_angle, c.spin_rate)
        M = verb(name, "mass_matrix")(c.platform, c.motion.pose, spin=spin)
        b = verb(name, "bias")(c.platform, c.motion, spin=spin)
        assert relative(M, gough.mass_matrix(c.platform, c.motion.pose, spin=spin), 2) < AGREEMENT
        assert relative(b, gough.bias(c.platform, c.motion, spin=spin), 1) < AGREEMENT
    else:
        with pytest.raises(InputError, match=r"legs\[0\].*spin matters.*'multibody'"):
            module(name).inverse_dynamics(c.platform, c.motion)


@pytest.mark.parametrize("name", METHODS)
def test_published_keeps_the_printed_set(name: str) -> None:
    about = module(name).ABOUT
    platform = gough.load(SAMPLE["SPS" if name == "multibody" else "UPS"])
    motion = random_motion(platform, 3, seed=2)
    for function, state in (
        ("inverse_dynamics", motion),
        ("mass_matrix", motion.pose),
        ("bias", motion),
    ):
        solve = getattr(module(name), function)
        found = [
            solve(platform, state, **keep)
            for keep in (
                {"published": True},
                {"errata": about.printed},
                {},
                {"errata": ()},
                {"published": True, "errata": ()},
            )
        ]
        if function == "inverse_dynamics":
            assert [r.published for r in found] == [True, True, False, False, False]
            assert not np.array_equal(found[0].force, found[2].force)
            found = [r.force for r in found]
        np.testing.assert_array_equal(found[0], found[1])
        np.testing.assert_array_equal(found[2], found[3])
        np.testing.assert_array_equal(found[2], found[4])
        for keep, field in (
            ({"errata": ["E999-1"]}, "errata"),
            ({"errata": "E999-1"}, "errata"),
            ({"published": ("E999-1",)}, "published"),
        ):
            with pytest.raises(InputError, match=f"^{field}: .*E999-1"):
                solve(platform, state, **keep)
        with pytest.raises(TypeError, match="guess"):
            solve(platform, state, guess=1)


@pytest.mark.parametrize("name", METHODS)
def test_gives_what_it_says(name: str) -> None:
    about = module(name).ABOUT
    assert {"mass_matrix", "bias"} <= about.gives <= {*VERBS, "spin"}
    platform = gough.load(SAMPLE[about.legs[0]])
    motion = random_motion(platform, 2, seed=3)
    assert verb(name, "inverse_dynamics") is module(name).inverse_dynamics
    for what in VERBS:
        if what in about.gives:
            assert callable(verb(name, what))
        else:
            assert not hasattr(module(name), what)
            with pytest.raises(
                InputError, match=f"^formulation: got '{name}'; gives no {what}; use "
            ):
                verb(name, what)
    result = module(name).inverse_dynamics(platform, motion)
    assert result.condition.shape == (2,)
    if "reactions" in about.gives:
        again = verb(name, "reactions")(platform, motion)
        for field in type(again).__dataclass_fields__:
            np.testing.assert_array_equal(getattr(again, field), getattr(result.reactions, field))
    else:
        with pytest.raises(AttributeError, match=f"'{name}' does not give joint reactions"):
            _ = result.reactions


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("machine", [*gough.presets(), "mixed"])
def test_mass_matrix_and_bias_agree_with_the_exact_model(name: str, machine: str) -> None:
    platforms = [
        ge.machine(MIXED, seed=21 + k, drive=drive) for k, drive in enumerate((None, "base", "leg"))
    ]
    states = [ge.states(24 + k, n=4) for k in range(3)]
    if machine != "mixed":
        platforms = [gough.load(machine)]
        states = [random_motion(platforms[0], 12, seed=4)]
        if any(getattr(leg, "fixed", None) is not None for leg in platforms[0].legs):
            home = platforms[0].require_home()  # elsewhere its links would have to allow the motion
            states = [
                gough.Motion(home.position + np.zeros((2, 3)), home.rotation + np.zeros((2, 3, 3)))
            ]
    if not {kind for p in platforms for kind in p.kinds} <= set(module(name).ABOUT.legs):
        pytest.skip("legs it does not serve")
    if any(leg.springs.any for p in platforms for leg in p.legs):
        with pytest.raises(gough.InputError, match="springs in its joints"):
            module(name).mass_matrix(platforms[0], states[0].pose)
        return
    for platform, motion in zip(platforms, states, strict=True):
        engine = (
            "python" if "UCU" in platform.kinds else "native"
        )  # nothing compiled for this alone
        for one in (motion, motion[0]):
            M, b = module(name).mass_matrix(platform, one.pose), module(name).bias(platform, one)
            assert M.shape == (*one.shape, 6, 6)
            assert b.shape == (*one.shape, 6)
            assert relative(M, gough.mass_matrix(platform, one.pose, engine=engine), 2) < AGREEMENT
            assert relative(b, gough.bias(platform, one, engine=engine), 1) < AGREEMENT


def test_unknown_formulation() -> None:
    with pytest.raises(
        InputError, match="must be one of exact, newton-euler, universal, lagrange, kane, multibody"
    ):
        verb("hamilton", "bias")
    with pytest.raises(InputError, match="no formulation does"):
        verb("kane", "divination")
    assert "hamilton" not in FORMULATIONS
    with pytest.raises(KeyError):
        _ = FORMULATIONS["hamilton"]


def test_reachable_as_attributes_and_imported_late() -> None:
    code = """
import sys, gough.formulations as f
assert list(f.FORMULATIONS) == ["newton-euler", "universal", "lagrange", "kane", "multibody"]
assert len(f.FORMULATIONS) == 5
assert "newton_euler" in dir(f) and "gough.formulations.kane" not in sys.modules
assert f.kane is f.FORMULATIONS["kane"] and f.newton_euler.ABOUT.name == "newton-euler"
assert "gough.formulations.multibody" not in sys.modules
try:
    f.hamilton
except AttributeError as error:
    assert "hamilton" in str(error)
else:
    raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_shared_helpers_keep_every_kind_of_number() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4, 3)) + 1j * rng.normal(size=(2, 4, 3))
    np.testing.assert_array_equal(cross(a, b), np.cross(a, b))
    np.testing.assert_allclose(skew(a) @ b[..., None], np.cross(a, b)[..., None], rtol=1e-14)
    whole = np.array([1, 2, 3], dtype=object)
    assert list(cross(whole, whole[::-1])) == [-4, 8, -4]
