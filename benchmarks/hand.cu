// hand.h as a CUDA kernel, one state per thread; X and Y by component.
#define N double
#define UNROLL _Pragma("unroll")
#define FN __device__ __forceinline__
__constant__ double par[229];
#include "hand.h"

extern "C" __global__ void __launch_bounds__(128)
kernel(const long long n, const double *__restrict__ X, double *__restrict__ Y)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) efforts([&](int k) { return X[k * n + i]; }, [&](int k, double y) { Y[k * n + i] = y; });
}
