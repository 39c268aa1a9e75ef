// hand.h on the processor with an eight-lane vector type; states (n, 30) and answers (n, 7) by rows as in the library.
#include <math.h>
#include <string.h>
typedef double N __attribute__((vector_size(64)));
#define N_IS_VECTOR
#define FN static inline __attribute__((always_inline))
static double par[229];
FN N rsqrt(N a)
{
    N r;
    for (int k = 0; k < 8; k++) r[k] = sqrt(a[k]);
    return 1.0 / r;
}
#include "hand.h"

// one block of eight states by component: X[k * 8 + lane]
static __attribute__((noinline)) void eight(const double *X, double *Y)
{
    efforts([&](int k) { N a; memcpy(&a, X + 8 * k, 64); return a; }, [&](int k, N y) { memcpy(Y + 8 * k, &y, 64); });
}

extern "C" void hand(long n, const double *x, const double *p, double *y)
{
    double X[30 * 8] __attribute__((aligned(64))), Y[6 * 8] __attribute__((aligned(64)));
    memcpy(par, p, sizeof par);
    for (long low = 0; low < n; low += 8) {
        for (int lane = 0; lane < 8; lane++) {
            const long i = low + lane < n ? low + lane : n - 1;
            for (int k = 0; k < 30; k++) X[8 * k + lane] = x[30 * i + k];
        }
        eight(X, Y);
        for (int lane = 0; lane < 8 && low + lane < n; lane++)
            for (int k = 0; k < 6; k++) y[7 * (low + lane) + k] = Y[8 * k + lane];
    }
}

// the same without copying in and out: what the arithmetic alone allows; x and y by blocks of eight
extern "C" void hand_blocks(long n, const double *x, const double *p, double *y)
{
    memcpy(par, p, sizeof par);
    for (long low = 0; low + 8 <= n; low += 8) eight(x + 30 * low, y + 6 * low);
}
