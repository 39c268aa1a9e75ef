// Inverse dynamics of a 6-UPS platform written by hand: the limit that generated code is measured against.
// Same inputs by component and the same parameters as the library, no singularity measure: six efforts.
// The including file defines N (double, or a vector of doubles), FN (function qualifiers), `par` and `rsqrt(N)`.
struct V { N x, y, z; };
FN V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
FN V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
FN V operator*(N s, V a) { return {s * a.x, s * a.y, s * a.z}; }
FN N dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
FN V cross(V a, V b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
struct M { V x, y, z; };  // columns
FN V world(const M &T, V v) { return v.x * T.x + (v.y * T.y + v.z * T.z); }
FN V local(const M &T, V v) { return {dot(T.x, v), dot(T.y, v), dot(T.z, v)}; }

FN N one(double a) { return N{} + a; }
FN V at(int i) { return {one(par[i]), one(par[i + 1]), one(par[i + 2])}; }
#ifdef N_IS_VECTOR
FN V operator*(double s, V a) { return {s * a.x, s * a.y, s * a.z}; }
#endif

// B r with B = [A]x + [W]x[W]x
FN V turn(V W, V A, V r) { return cross(A, r) + cross(W, cross(W, r)); }

// I A + W x I W from the second moment S at par[i]: I = tr(S) E - S
FN V gyro(V W, V A, int i)
{
    const double xx = par[i], xy = par[i + 1], xz = par[i + 2], yy = par[i + 3], yz = par[i + 4], zz = par[i + 5];
    const V IA = {(yy + zz) * A.x - xy * A.y - xz * A.z, (xx + zz) * A.y - xy * A.x - yz * A.z,
                  (xx + yy) * A.z - xz * A.x - yz * A.y};
    const V IW = {(yy + zz) * W.x - xy * W.y - xz * W.z, (xx + zz) * W.y - xy * W.x - yz * W.z,
                  (xx + yy) * W.z - xz * W.x - yz * W.y};
    return IA + cross(W, IW);
}

template <class In, class Out> FN void efforts(In in, Out out)
{
    auto vec = [&](int k) { return V{in(k), in(k + 1), in(k + 2)}; };
    const V t = vec(0), v = vec(12), w = vec(15), a = vec(18), al = vec(21);
    const M R = {{in(3), in(6), in(9)}, {in(4), in(7), in(10)}, {in(5), in(8), in(11)}};
    const V g = at(10);

    const V first = world(R, at(1)), fall = a - g, wl = local(R, w), all = local(R, al);
    V force = par[0] * fall + turn(w, al, first) - world(R, vec(24));
    V moment = world(R, gyro(wl, all, 4)) + cross(first, fall) - world(R, vec(27));
    N h[6][7];

#pragma unroll
    for (int leg = 0; leg < 6; leg++) {
        const int o = 13 + 36 * leg, r = o + 3;
        const V q = world(R, at(o));
        const V S = t + q - at(r), k = at(r + 3);
        const N L2 = dot(S, S), iL = rsqrt(L2), L = L2 * iL;
        const V s = iL * S;
        V y = cross(k, s);
        const N isig = rsqrt(dot(y, y)), kap = dot(k, s), tan = kap * isig, sig = dot(y, y) * isig;
        y = isig * y;
        const M T = {s, y, cross(s, y)};
        const V pd = local(T, v + cross(w, q)), pdd = local(T, a + turn(w, al, q)), gl = local(T, g);
        const N Wy = -pd.z * iL, Wz = pd.y * iL, Wx = tan * Wz;
        const N Ldd = pdd.x + L * (Wy * Wy + Wz * Wz), slide = 2.0 * pd.x * iL;
        const N Ay = -pdd.z * iL + Wx * Wz - slide * Wy, Az = pdd.y * iL - Wx * Wy - slide * Wz;
        const N Ax = tan * Az - (kap * Wx + sig * Wz) * Wy * isig;
        const V W = {Wx, Wy, Wz}, A = {Ax, Ay, Az}, f = pdd - gl, d = at(r + 6), e = at(r + 9);
        const V up = par[r + 25] * f + turn(W, A, e);
        const V drag = par[r + 28] * (W - local(T, w));
        const V C = gyro(W, A, r + 12) + cross(e, f) - cross(d, gl) + V{one(0.0), -L * up.z, L * up.y}
                  + par[r + 26] * W + drag;
        const V load = world(T, {up.x + par[r + 27] * pd.x + par[r + 29] * Ldd, (C.z + C.x * tan) * iL, -C.y * iL});
        force = force + load;
        moment = moment + cross(q, load) - world(T, drag);
        const V m = cross(q, s);
        h[0][leg] = s.x; h[1][leg] = s.y; h[2][leg] = s.z; h[3][leg] = m.x; h[4][leg] = m.y; h[5][leg] = m.z;
    }
    h[0][6] = force.x; h[1][6] = force.y; h[2][6] = force.z; h[3][6] = moment.x; h[4][6] = moment.y; h[5][6] = moment.z;

    N up[6][7], inv[6];
#pragma unroll
    for (int j = 0; j < 6; j++) {
        N nn = one(0.0);
#pragma unroll
        for (int k = 0; k < 6; k++) nn += h[k][j] * h[k][j];
        inv[j] = rsqrt(nn);
#pragma unroll
        for (int k = 0; k < 6; k++) h[k][j] *= inv[j];
#pragma unroll
        for (int l = j + 1; l < 7; l++) {
            N d = one(0.0);
#pragma unroll
            for (int k = 0; k < 6; k++) d += h[k][j] * h[k][l];
            up[j][l] = d;
#pragma unroll
            for (int k = 0; k < 6; k++) h[k][l] -= d * h[k][j];
        }
    }
    N y[6];
#pragma unroll
    for (int j = 5; j >= 0; j--) {
        N d = up[j][6];
#pragma unroll
        for (int l = j + 1; l < 6; l++) d -= up[j][l] * y[l];
        y[j] = d * inv[j];
        out(j, y[j]);
    }
}
