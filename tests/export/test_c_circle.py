"""Sines, cosines and arc tangents of compact code in single precision, against those of the C library in double."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import gough
from gough.export.c_code import c_project

DRIVER = """
#include "mm.c"
#include <stdio.h>
static double worse(double a, double b) { return !(b <= a) ? b : a; }
int main(void)
{
    double off[3] = {0.0, 0.0, 0.0};
    float pose[12], c, s;
    const float position[3] = {0.0f, 0.0f, 0.0f};
    float angles[3] = {0.1f, 0.2f, 0.3f};
    long i;
    for (i = -400000; i <= 400000; i++) {
        const float a = 0.0199f * (float)i, near = 1e-5f * (float)i;
        circle(a, &c, &s);
        off[0] = worse(off[0], fabs(c - cos((double)a)));
        off[0] = worse(off[0], fabs(s - sin((double)a)));
        circle(near, &c, &s);
        off[1] = worse(off[1], fabs(s - sin((double)near)) / (fabs(sin((double)near)) + 1e-30));
        off[2] = worse(off[2], fabs(arc_tangent(s, c) - atan2((double)s, (double)c)));
    }
    printf("%.3e %.3e %.3e\\n", off[0], off[1], off[2]);
    printf("%d %d %d\\n", arc_tangent(0.0f, 0.0f) == 0.0f, isnan(arc_tangent((float)NAN, 0.0f)),
        isnan(arc_tangent(0.0f, (float)NAN)));
    printf("%d ", mm_pose(position, angles, pose));
    angles[1] = 9000.0f;
    printf("%d ", mm_pose(position, angles, pose));
    printf("%d\\n", isnan(pose[3]));
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER: the sines were not tried")
def test_they_are_right_to_rounding_and_refuse_what_they_cannot_reduce(tmp_path: Path) -> None:
    options = {"functions": ["fk", "pose", "limits"], "precision": "float", "compact": True}
    c_project(gough.load("servo-hexapod"), name="mm", states=1, **options).write(tmp_path)
    text = (tmp_path / "mm.c").read_text()
    assert not any(call in text for call in ("sinf(", "cosf(", "atan2f("))
    (tmp_path / "driver.c").write_text(DRIVER)
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    flags += ["-fno-sanitize-recover=all"]
    command = ["gcc", *flags, "driver.c", "-o", "t", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "t"], capture_output=True, text=True, check=True).stdout
    errors, odd, poses = (line.split() for line in out.splitlines())
    assert float(errors[0]) < 1.2e-7
    assert float(errors[1]) < 3e-7  # near zero, of the sine itself
    assert float(errors[2]) < 3e-7
    assert odd == ["1", "1", "1"]
    assert poses[0] == "0"
    assert poses[1] != "0"
    assert poses[2] == "1"


def test_other_code_has_those_of_the_library() -> None:
    for options in ({"precision": "double", "compact": True}, {"precision": "float"}):
        chosen = {"functions": ["pose"], "states": 1, **options}
        text = c_project(gough.load("servo-hexapod"), name="mm", **chosen).files["mm.c"]
        assert "circle(" not in text
        assert "cos" in text
