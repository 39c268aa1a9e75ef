/* A walk through every stage of an FMU of this version, calls out of turn and wrong references included.
 * FMI is "fmi2.c" or "fmi3.c", VERSION 2 or 3; the exit status is the number of surprises. */
#include FMI

#include <math.h>
#include <stdio.h>

static int surprises;
static void expect(const char *what, int found, int wanted)
{
    if (found != wanted) {
        printf("%s: %d, not %d\n", what, found, wanted);
        surprises++;
    }
}

#if VERSION == 2
typedef double Number;
static void heard(void *e, String n, Status s, String c, String m, ...) { (void)e; (void)n; (void)s; (void)c; (void)m; }
static Component new_one(String guid)
{
    static const Callbacks callbacks = {heard, 0, 0, 0, 0};
    return fmi2Instantiate("one", 1, guid, 0, &callbacks, 0, 0);
}
#define CALL(name) fmi2##name
#define GET(c, r, n, v) fmi2GetReal(c, r, n, v)
#define SET(c, r, n, v) fmi2SetReal(c, r, n, v)
#define ENTER(c) fmi2EnterInitializationMode(c)
#define DERIVATIVES fmi2GetDerivatives
static Status stepped(Component c, double t, double h) { return fmi2DoStep(c, t, h, 1); }
static Status kept(Component c, void **s) { return fmi2GetFMUstate(c, s); }
static Status back(Component c, void *s) { return fmi2SetFMUstate(c, s); }
static Status dropped(Component c, void **s) { return fmi2FreeFMUstate(c, s); }
static Status packed(Component c, void *s, void *b, size_t n) { return fmi2SerializeFMUstate(c, s, b, n); }
static Status unpacked(Component c, void *b, size_t n, void **s) { return fmi2DeSerializeFMUstate(c, b, n, s); }
static Status size_of(Component c, void *s, size_t *n) { return fmi2SerializedFMUstateSize(c, s, n); }
static Status completed(Component c) { Boolean e, t; return fmi2CompletedIntegratorStep(c, 1, &e, &t); }
static Status discrete(Component c) { EventInfo info; return fmi2NewDiscreteStates(c, &info); }
#else
static void heard(void *e, Status s, String c, String m) { (void)e; (void)s; (void)c; (void)m; }
static Component new_one(String guid)
{
    return fmi3InstantiateCoSimulation("one", guid, 0, false, false, false, false, 0, 0, 0, heard, 0);
}
#define CALL(name) fmi3##name
#define GET(c, r, n, v) fmi3GetFloat64(c, r, n, v, n)
#define SET(c, r, n, v) fmi3SetFloat64(c, r, n, v, n)
#define ENTER(c) fmi3EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0)
#define DERIVATIVES fmi3GetContinuousStateDerivatives
static Status stepped(Component c, double t, double h)
{
    bool a, b, e;
    double last;
    return fmi3DoStep(c, t, h, true, &a, &b, &e, &last);
}
static Status kept(Component c, void **s) { return fmi3GetFMUState(c, s); }
static Status back(Component c, void *s) { return fmi3SetFMUState(c, s); }
static Status dropped(Component c, void **s) { return fmi3FreeFMUState(c, s); }
static Status packed(Component c, void *s, void *b, size_t n) { return fmi3SerializeFMUState(c, s, b, n); }
static Status unpacked(Component c, void *b, size_t n, void **s) { return fmi3DeserializeFMUState(c, b, n, s); }
static Status size_of(Component c, void *s, size_t *n) { return fmi3SerializedFMUStateSize(c, s, n); }
static Status completed(Component c) { bool e, t; return fmi3CompletedIntegratorStep(c, true, &e, &t); }
static Status discrete(Component c)
{
    bool a, b, d, e, f;
    double next;
    return fmi3UpdateDiscreteStates(c, &a, &b, &d, &e, &f, &next);
}
#endif

static double all[MODEL_VALUES], again[MODEL_VALUES];
static Reference every[MODEL_VALUES];

/* Twenty steps and every value after them. */
static void run(Component c, double *values)
{
    int i;
    for (i = 0; i < 20; i++) {
        expect("step", stepped(c, 1e-3 * i, 1e-3), OK);
    }
    expect("values", GET(c, every, MODEL_VALUES, values), OK);
}

static void wrong_references(Component c)
{
    const Reference outside[3] = {MODEL_VALUES, MODEL_VALUES + 1, 0xffffffffu}, time = 0;
    double value = 0.0;
    int k;
    for (k = 0; k < 3; k++) {
        expect("get outside", GET(c, outside + k, 1, &value), ERROR);
        expect("set outside", SET(c, outside + k, 1, &value), ERROR);
    }
    expect("set time", SET(c, &time, 1, &value), ERROR);
    for (k = 0; k < MODEL_VALUES; k++) {
        if (model_computed(every[k])) {
            expect("set computed", SET(c, every + k, 1, &value), ERROR);
        }
    }
}

static void strangers(Component c, Status wanted)
{
    double x[MODEL_STATES + 1], value = 0.0;
    const Reference one = 1;
    void *state = 0;
    expect("step", stepped(c, 0.0, 1e-3), wanted);
    expect("completed", completed(c), wanted);
    expect("discrete", discrete(c), wanted);
    expect("continuous", CALL(EnterContinuousTimeMode)(c), wanted);
    expect("set states", CALL(SetContinuousStates)(c, x, MODEL_STATES), wanted);
    expect("set time", CALL(SetTime)(c, 0.0), wanted);
    expect("terminate", CALL(Terminate)(c), wanted);
    if (!c) {
        expect("get", GET(c, &one, 1, &value), wanted);
        expect("set", SET(c, &one, 1, &value), wanted);
        expect("enter", ENTER(c), wanted);
        expect("exit", CALL(ExitInitializationMode)(c), wanted);
        expect("reset", CALL(Reset)(c), wanted);
        expect("keep", kept(c, &state), wanted);
    }
}

/* NaN, infinity and steps that are none: errors, and nothing else. */
static void nonsense(Component c)
{
    const double bad[4] = {NAN, INFINITY, -1.0, -INFINITY};
    void *state = 0;
    int i, k;
    expect("keep", kept(c, &state), OK);
    for (i = 0; i < 4; i++) {
        expect("bad step", stepped(c, 0.0, bad[i]), ERROR);
    }
    for (k = 1; k < MODEL_VALUES; k++) {
        for (i = 0; i < 2; i++) {
            if (!model_computed(every[k]) && SET(c, every + k, 1, bad + i) == OK) {
                (void)GET(c, every, MODEL_VALUES, again);
                (void)stepped(c, 0.0, 1e-3);
                (void)completed(c);
                expect("back", back(c, state), OK);
            }
        }
    }
    expect("drop", dropped(c, &state), OK);
}

static void states(Component c)
{
    double x[MODEL_STATES + 1], d[MODEL_STATES + 1];
    int i, k;
    expect("event mode", CALL(EnterEventMode)(c), OK);
    expect("discrete", discrete(c), OK);
    expect("continuous", CALL(EnterContinuousTimeMode)(c), OK);
    expect("too many", CALL(GetContinuousStates)(c, x, MODEL_STATES + 1), ERROR);
    expect("nominals", CALL(GetNominalsOfContinuousStates)(c, x, MODEL_STATES), OK);
    for (i = 0; i < 10; i++) {
        expect("time", CALL(SetTime)(c, 1e-4 * i), OK);
        expect("states", CALL(GetContinuousStates)(c, x, MODEL_STATES), OK);
        expect("rates", DERIVATIVES(c, d, MODEL_STATES), OK);
        for (k = 0; k < MODEL_STATES; k++) {
            x[k] += 1e-6 * d[k];
        }
        expect("new states", CALL(SetContinuousStates)(c, x, MODEL_STATES), OK);
        expect("completed", completed(c), OK);
    }
}

int main(void)
{
    void *state = 0, *copy = 0;
    unsigned char *bytes;
    size_t size = 0, k;
    Component c;
    for (k = 0; k < MODEL_VALUES; k++) {
        every[k] = (Reference)k;
    }
    expect("another", new_one("another") != 0, 0);
    expect("none", new_one(0) != 0, 0);
    strangers(0, ERROR);
    c = new_one(MODEL_GUID);
    strangers(c, ERROR);
    expect("exit first", CALL(ExitInitializationMode)(c), ERROR);
    expect("enter", ENTER(c), OK);
    expect("enter twice", ENTER(c), ERROR);
    strangers(c, ERROR);
    wrong_references(c);
    expect("at the start", GET(c, every, MODEL_VALUES, all), OK);
    expect("exit", CALL(ExitInitializationMode)(c), OK);
    expect("exit twice", CALL(ExitInitializationMode)(c), ERROR);
    expect("keep", kept(c, &state), OK);
    expect("keep again", kept(c, &state), OK);
    run(c, all);
    expect("size", size_of(c, state, &size), OK);
    bytes = malloc(size);
    expect("no room", packed(c, state, bytes, size - 1), ERROR);
    expect("pack", packed(c, state, bytes, size), OK);
    expect("too short", unpacked(c, bytes, size - 1, &copy), ERROR);
    expect("unpack", unpacked(c, bytes, size, &copy), OK);
    free(bytes);
    expect("no state", back(c, 0), ERROR);
    expect("back", back(c, copy), OK);
    run(c, again);
    for (k = 0; k < MODEL_VALUES; k++) {
        expect("the same again", all[k] == again[k], 1);
    }
    expect("drop", dropped(c, &copy), OK);
    wrong_references(c);
    nonsense(c);
    expect("back", back(c, state), OK);
    states(c);
    expect("terminate", CALL(Terminate)(c), OK);
    strangers(c, ERROR);
    expect("set after the end", SET(c, every + 1, 1, all + 1), ERROR);
    expect("reset", CALL(Reset)(c), OK);
    expect("enter anew", ENTER(c), OK);
    expect("drop", dropped(c, &state), OK);
    CALL(FreeInstance)(c);
    CALL(FreeInstance)(0);
    return surprises;
}
