"""How much flash the exported C takes on small controllers, linked and counted by the cross compilers' own tools."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import gough
from gough.export.c_code import c_project

AVR = ["avr-gcc", "-mmcu=atmega328p"]
ARM = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
NOSYS = ["--specs=nosys.specs"]
NANO = ["--specs=nano.specs", *NOSYS]  # the small C library that comes with the compiler
LINKED = ("-flto", "-fno-math-errno")
SMALL = ["-Os", "-std=c99", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
HEAP = ("malloc", "calloc", "realloc", "free", "_sbrk")
MAIN = """#include "mm.h"
volatile float in[24], out[12];
int main(void)
{
    float motion[24], coordinate[6], rate[6];
    int i, status;
    for (i = 0; i < 24; i++) motion[i] = in[i];
    status = mm_inverse_kinematics(motion, coordinate, rate);
    for (i = 0; i < 6; i++) { out[i] = coordinate[i]; out[6 + i] = rate[i]; }
    return status;
}
"""


def compiler(name: str) -> pytest.MarkDecorator:
    reason = f"NO {name}: the size of the exported C was not measured"
    return pytest.mark.skipif(shutil.which(name) is None, reason=reason)


def run(*command: str) -> str:
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return found.stdout


def flash(command: list[str], folder: Path, sources: list[str], more: tuple[str, ...] = ()) -> int:
    """Bytes of text and data of the linked image; no symbol of a heap is in it."""
    image = str(folder / "image")
    run(*command, *SMALL, *more, *(str(folder / name) for name in sources), "-o", image, "-lm")
    tool = command[0].removesuffix("gcc")
    heap = [line.split()[-1] for line in run(f"{tool}nm", image).splitlines()]
    assert not set(heap) & set(HEAP)
    text, data = run(f"{tool}size", image).splitlines()[1].split()[:2]
    return int(text) + int(data)


@compiler("avr-gcc")
@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_inverse_kinematics_fits_an_avr(tmp_path: Path, name: str) -> None:
    options = {"functions": ["ik"], "precision": "float", "compact": True, "states": 1}
    c_project(gough.load(name), name="mm", **options).write(tmp_path)
    (tmp_path / "main.c").write_text(MAIN)
    size = flash(AVR, tmp_path, ["main.c", "mm.c"])
    print(f"{name}: inverse kinematics, ATmega328P: {size} bytes of flash")
    assert size <= 12_000


EVERYTHING = ["id", "ik", "fk", "fd", "plant", "pose", "limits"]
USE = """#include "mm.h"
volatile float in[512], out[64];
volatile int which;
int main(void)
{
    float x[512], y[64];
    int i, status = 0;
    for (i = 0; i < 512; i++) x[i] = in[i];
    switch (which) {
    case 0: status = mm_inverse_dynamics(x, x + 24, y); break;
    case 1: status = mm_inverse_kinematics(x, y, y + 6); break;
    case 2: status = mm_forward_kinematics(x, x + 6, y); break;
    case 3: status = mm_forward_dynamics(x, x + 18, x + 24, y); break;
    case 4: status = mm_plant_start(x, x + 12, y); break;
    case 5: status = mm_plant_step(x[0], x, x + 64, x + 70, y); break;
    case 6: status = mm_plant_sensors(x, x + 64, x + 70, y); break;
    case 7: status = mm_pose(x, x + 3, y); break;
    case 8: status = mm_check_limits(x, y, y + 18); break;
    case 9: status = mm_plant_rates(x, x + 64, x + 70, y); break;
    case 10: status = mm_plant_slip(x, x + 64, x + 70, y); break;
    }
    for (i = 0; i < 64; i++) out[i] = y[i];
    return status;
}
"""


@compiler("arm-none-eabi-gcc")
@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
@pytest.mark.parametrize("name", ["motion-base-1500", "hexaglide", "servo-hexapod"])
def test_all_functions_fit_a_cortex_m4(tmp_path: Path, name: str) -> None:
    """The code of the machine, and the whole linked image with the small C library and its start-up."""
    options = {"functions": EVERYTHING, "precision": "float", "compact": True, "states": 1}
    c_project(gough.load(name), name="mm", **options).write(tmp_path)
    (tmp_path / "main.c").write_text(USE)
    plain = flash([*ARM, *NOSYS], tmp_path, ["main.c", "mm.c"])
    linked = flash([*ARM, *NANO], tmp_path, ["main.c", "mm.c"], LINKED)
    own = str(tmp_path / "mm.o")
    run(*ARM, *SMALL[:2], "-c", str(tmp_path / "mm.c"), "-o", own)
    text, data, bss = map(int, run("arm-none-eabi-size", own).splitlines()[1].split()[:3])
    print(f"{name}: everything, Cortex-M4: {text} bytes of flash, linked image {linked} ({plain})")
    assert (data, bss) == (0, 0)
    assert text <= 25_000
    assert linked <= 25_000
