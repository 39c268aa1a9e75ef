"""Programs around exported C: each compiles without a warning against stubs of its host, and does what it says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import gough
from gough.export.c_hosts import host_project

pytestmark = [
    pytest.mark.skipif(
        shutil.which("g++") is None, reason="NO C++ COMPILER: the hosts' files were not compiled"
    ),
    pytest.mark.filterwarnings("ignore::gough.ModelWarning"),
]
STRICT = ["-Wall", "-Wextra", "-Werror", "-I."]
SIMSTRUC = """
typedef double real_T; typedef int int_T; typedef struct mxArray mxArray;
typedef struct { double disc[200], in[2][6], out[2][36]; const char *error; } SimStruct;
#define ssSetNumSFcnParams(S, n) ((void)(S))
#define ssGetNumSFcnParams(S) ((void)(S), 1)
#define ssGetSFcnParamsCount(S) ((void)(S), 1)
#define ssSetNumDiscStates(S, n) ((void)(S))
#define ssSetNumInputPorts(S, n) ((void)(S), 1)
#define ssSetNumOutputPorts(S, n) ((void)(S), 1)
#define ssSetInputPortWidth(S, p, n) ((void)(S))
#define ssSetInputPortRequiredContiguous(S, p, n) ((void)(S))
#define ssSetInputPortDirectFeedThrough(S, p, n) ((void)(S))
#define ssSetOutputPortWidth(S, p, n) ((void)(S))
#define ssSetNumSampleTimes(S, n) ((void)(S))
#define ssSetSampleTime(S, k, t) ((void)(S), (void)(t))
#define ssSetOffsetTime(S, k, t) ((void)(S), (void)(t))
#define ssGetSFcnParam(S, k) ((const mxArray *)(const void *)(S))
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetRealDiscStates(S) ((S)->disc)
#define ssGetInputPortRealSignal(S, p) ((const real_T *)(S)->in[p])
#define ssGetOutputPortRealSignal(S, p) ((S)->out[p])
static double mxGetScalar(const mxArray *a) { (void)a; return 1e-3; }
"""
SFUN = """
#include <stdio.h>
int main(void)
{
    static SimStruct S;
    int i;
    mdlInitializeSizes(&S);
    mdlInitializeSampleTimes(&S);
    mdlInitializeConditions(&S);
    for (i = 0; i < 10; i++) { mdlOutputs(&S, 0); mdlUpdate(&S, 0); }
    mdlOutputs(&S, 0);
    mdlTerminate(&S);
    printf("%.17g %s\\n", S.out[0][2], S.error ? S.error : "fine");
    return 0;
}
"""


def compiled(folder: Path, *command: str) -> str:
    found = subprocess.run([*command], cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    run = subprocess.run([str(folder / "t")], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_the_s_function_falls_as_simulate_falls(tmp_path: Path) -> None:
    machine = gough.load("motion-base-1500")
    host_project(machine, "simulink", name="mm").write(tmp_path)
    (tmp_path / "simstruc.h").write_text(SIMSTRUC)
    (tmp_path / "cg_sfun.h").write_text(SFUN)
    said = compiled(
        tmp_path, "gcc", "-std=c99", *STRICT, "mm_sfunction.c", "mm.c", "-o", "t", "-lm"
    )
    height, word = said.split()
    run = gough.simulate(machine, machine.require_home(), duration=0.01, step=1e-3)
    assert word == "fine"
    assert abs(float(height) - run.position.values[-1][2]) < 1e-12
    assert run.position.values[-1][2] < run.position.values[0][2]


ARDUINO = """
#include <stdio.h>
struct Port {
    int lines; const float *next;
    void begin(long) {}
    int available() { return lines; }
    float parseFloat() { return *next++; }
    void print(const char *s) { printf("%s", s); }
    void print(float x) { printf("%.9g", (double)x); }
    void println(int n) { printf("%d\\n", n); }
};
static Port Serial;
"""


def test_the_sketch_answers_coordinates_and_errors(tmp_path: Path) -> None:
    machine = gough.load("servo-hexapod")
    home = machine.require_home()
    host_project(machine, "arduino", name="mm").write(tmp_path)
    (tmp_path / "Arduino.h").write_text(ARDUINO)
    numbers = [1e3 * float(v) for v in home.position] + [3.0, -2.0, 4.0]
    rows = ", ".join(f"{v}f" for v in [*numbers, 0.0, 0.0, 900.0, 0.0, 0.0, 0.0])
    (tmp_path / "main.cpp").write_text(
        f'#include "mm.ino"\nint main() {{\n    static const float given[] = {{{rows}}};\n'
        "    setup();\n    Serial.next = given;\n    loop();\n    Serial.lines = 1;\n"
        "    loop();\n    loop();\n    return 0;\n}\n"
    )
    subprocess.run(
        ["gcc", "-std=c99", *STRICT, "-c", "mm.c", "-o", "mm.o"], cwd=tmp_path, check=True
    )
    said = compiled(tmp_path, "g++", *STRICT, "main.cpp", "mm.o", "-o", "t", "-lm").splitlines()
    turned = gough.Pose.from_rpy(home.position, [0.01745329252 * a for a in (3.0, -2.0, 4.0)])
    wanted = gough.inverse_kinematics(machine, turned).length * 57.29577951
    assert [float(word) for word in said[0].split()] == pytest.approx(list(wanted), abs=1e-3)
    assert said[1:] == ["error 2"]


KINEMATICS = """
typedef struct { struct { double x, y, z; } tran; double a, b, c; } EmcPose;
typedef unsigned long KINEMATICS_INVERSE_FLAGS, KINEMATICS_FORWARD_FLAGS;
typedef enum { KINEMATICS_IDENTITY = 1, KINEMATICS_FORWARD_ONLY, KINEMATICS_INVERSE_ONLY,
    KINEMATICS_BOTH } KINEMATICS_TYPE;
int kinematicsForward(const double *, EmcPose *, const KINEMATICS_FORWARD_FLAGS *, KINEMATICS_INVERSE_FLAGS *);
int kinematicsInverse(const EmcPose *, double *, const KINEMATICS_INVERSE_FLAGS *, KINEMATICS_FORWARD_FLAGS *);
KINEMATICS_TYPE kinematicsType(void);
int kinematicsSwitchable(void);
#define KINS_NOT_SWITCHABLE int kinematicsSwitchable(void) { return 0; }
#define EXPORT_SYMBOL(name) extern int exported_##name
#define MODULE_LICENSE(name) extern int licensed
"""
HAL = """
static inline int hal_init(const char *name) { (void)name; return 1; }
static inline int hal_ready(int id) { (void)id; return 0; }
static inline int hal_exit(int id) { (void)id; return 0; }
"""
ROUND_TRIP = """
#include <math.h>
#include <stdio.h>
#include "kinematics.h"
int rtapi_app_main(void);
void rtapi_app_exit(void);
int main(void)
{
    const EmcPose wanted = {{5.0, -4.0, 800.0}, 2.0, -3.0, 4.0};
    EmcPose found = {{0.0, 0.0, 800.0}, 0.0, 0.0, 0.0}, lost = {{0.0, 0.0, 90000.0}, 0.0, 0.0, 0.0};
    double joints[6], off;
    if (rtapi_app_main() || kinematicsType() != KINEMATICS_BOTH || kinematicsSwitchable()) return 1;
    if (kinematicsInverse(&wanted, joints, 0, 0) || kinematicsForward(joints, &found, 0, 0)) return 2;
    off = fabs(found.tran.x - 5.0) + fabs(found.tran.y + 4.0) + fabs(found.tran.z - 800.0)
        + fabs(found.a - 2.0) + fabs(found.b + 3.0) + fabs(found.c - 4.0);
    if (!(off < 1e-6) || kinematicsInverse(&lost, joints, 0, 0) != -1) return 3;
    rtapi_app_exit();
    printf("%g\\n", off);
    return 0;
}
"""


def test_linuxcnc_goes_there_and_back(tmp_path: Path) -> None:
    host_project(gough.load("hexaglide"), "linuxcnc", name="mm").write(tmp_path)
    stubs = {
        "kinematics.h": KINEMATICS,
        "hal.h": HAL,
        "rtapi.h": "",
        "rtapi_math.h": "#include <math.h>\n",
    }
    stubs["rtapi_app.h"] = "int rtapi_app_main(void);\nvoid rtapi_app_exit(void);\n"
    for file, text in {**stubs, "main.c": ROUND_TRIP}.items():
        (tmp_path / file).write_text(text)
    sources = ["main.c", "mm.c", "mm_kins.c"]
    compiled(tmp_path, "gcc", "-std=c99", *STRICT, *sources, "-o", "t", "-lm")


def test_unknown_hosts_are_refused() -> None:
    with pytest.raises(gough.InputError, match="must be one of simulink, arduino, linuxcnc"):
        host_project(gough.load("hexaglide"), "plc")
