// hand.h on the processor with an eight-lane vector type; states and answers by rows as in the library.
#include <math.h>
#include <string.h>
typedef double N __attribute__((vector_size(64)));
typedef long I __attribute__((vector_size(64)));
#define N_IS_VECTOR
#define UNROLL _Pragma("GCC unroll 7")
#define FN inline __attribute__((always_inline))
static double par[229];
static FN N rsqrt(N a)
{
    N r;
    for (int k = 0; k < 8; k++) r[k] = sqrt(a[k]);
    return 1.0 / r;
}
#include "hand.h"
#include "hand_more.h"

// eight rows of eight numbers, `from` and `to` numbers apart: a transposition inside the registers
static FN void transpose(const double *in, long from, double *out, long to)
{
    const I low = {0, 8, 2, 10, 4, 12, 6, 14}, high = {1, 9, 3, 11, 5, 13, 7, 15};
    const I even = {0, 1, 8, 9, 4, 5, 12, 13}, odd = {2, 3, 10, 11, 6, 7, 14, 15};
    const I first = {0, 1, 2, 3, 8, 9, 10, 11}, last = {4, 5, 6, 7, 12, 13, 14, 15};
    N a[8], b[8], c[8];
    for (int i = 0; i < 8; i++) memcpy(&a[i], in + from * i, 64);
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shuffle(a[i], a[i + 1], low);
        b[i + 1] = __builtin_shuffle(a[i], a[i + 1], high);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            c[i + j] = __builtin_shuffle(b[i + j], b[i + j + 2], even);
            c[i + j + 2] = __builtin_shuffle(b[i + j], b[i + j + 2], odd);
        }
    for (int j = 0; j < 4; j++) {
        const N top = __builtin_shuffle(c[j], c[j + 4], first), bottom = __builtin_shuffle(c[j], c[j + 4], last);
        memcpy(out + to * j, &top, 64);
        memcpy(out + to * (j + 4), &bottom, 64);
    }
}

struct Out {
    double *Y;
    FN void operator()(int k, N y) const { memcpy(Y + 8 * k, &y, 64); }
    FN void less(int k, V f) const
    {
        const N part[3] = {f.x, f.y, f.z};
        for (int i = 0; i < 3; i++) {
            N y;
            memcpy(&y, Y + 8 * (k + i), 64);
            (*this)(k + i, y - part[i]);
        }
    }
};

// states by rows of `reads`, answers by rows of `writes` of which the last is left alone; eight at a time
#define BATCH(name, function, reads, computed, writes)                                                             \
    static __attribute__((noinline)) void eight_##name(const double *X, double *Y)                                \
    {                                                                                                             \
        function([&](int k) { N a; memcpy(&a, X + 8 * k, 64); return a; }, Out{Y});                               \
    }                                                                                                             \
    extern "C" void name(long n, const double *x, const double *p, double *y)                                     \
    {                                                                                                             \
        double X[reads * 8] __attribute__((aligned(64))), Y[computed * 8] __attribute__((aligned(64)));           \
        memcpy(par, p, sizeof par);                                                                               \
        for (long low = 0; low < n; low += 8) {                                                                   \
            const long m = n - low < 8 ? n - low : 8;                                                             \
            int k = 0;                                                                                            \
            if (m == 8)                                                                                           \
                for (; k + 8 <= reads; k += 8) transpose(x + reads * low + k, reads, X + 8 * k, 8);               \
            for (int lane = 0; lane < 8; lane++)                                                                  \
                for (int j = k; j < reads; j++) X[8 * j + lane] = x[reads * (low + (lane < m ? lane : m - 1)) + j]; \
            eight_##name(X, Y);                                                                                   \
            k = 0;                                                                                                \
            if (m == 8)                                                                                           \
                for (; k + 8 <= computed; k += 8) transpose(Y + 8 * k, 8, y + writes * low + k, writes);          \
            for (int lane = 0; lane < m; lane++)                                                                  \
                for (int j = k; j < computed; j++) y[writes * (low + lane) + j] = Y[8 * j + lane];                \
        }                                                                                                         \
    }

BATCH(hand, efforts, 30, 6, 7)
BATCH(hand_forward, forward, 30, 18, 19)
BATCH(hand_kinematics, kinematics, 24, 72, 72)
BATCH(hand_mass, mass, 12, 21, 22)
BATCH(hand_record, record, 30, 204, 204)
