// Dynamics of a 6-UPS platform written by hand: the limit that generated code is measured against.
// Same inputs by component and the same parameters as the library, no measure of singularity (risk).
// The including file defines N (double, or a vector of doubles), FN (function qualifiers), `par`, `rsqrt(N)` and UNROLL.
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

// where a leg's parameters begin: its joint, then (LEG) base, axis, first and second moments, masses, friction, rotor
#define JOINT(leg) (13 + 36 * (leg))
#define LEG(leg) (16 + 36 * (leg))

// a leg's place: axes T = [s, y, s x y], q = R p, length, tan = k.s/|k x s|
struct Strut { V q, S; M T; N L, iL, kap, sig, isig, tan; };
FN Strut strut(const M &R, V t, int leg)
{
    const int r = LEG(leg);
    const V q = world(R, at(JOINT(leg))), S = t + q - at(r), k = at(r + 3);
    const N L2 = dot(S, S), iL = rsqrt(L2), L = L2 * iL;
    const V s = iL * S;
    V y = cross(k, s);
    const N isig = rsqrt(dot(y, y)), kap = dot(k, s), tan = kap * isig, sig = dot(y, y) * isig;
    y = isig * y;
    return {q, S, {s, y, cross(s, y)}, L, iL, kap, sig, isig, tan};
}

// its motion, leg axes: velocity and acceleration of the joint, W, A, second derivative of the length
struct Swing { V pd, pdd, W, A; N Ldd; };
FN Swing swing(const Strut &a, V joint_velocity, V joint_acceleration)
{
    const V pd = local(a.T, joint_velocity), pdd = local(a.T, joint_acceleration);
    const N Wy = -pd.z * a.iL, Wz = pd.y * a.iL, Wx = a.tan * Wz;
    const N Ldd = pdd.x + a.L * (Wy * Wy + Wz * Wz), slide = 2.0 * pd.x * a.iL;
    const N Ay = -pdd.z * a.iL + Wx * Wz - slide * Wy, Az = pdd.y * a.iL - Wx * Wy - slide * Wz;
    const N Ax = a.tan * Az - (a.kap * Wx + a.sig * Wz) * Wy * a.isig;
    return {pd, pdd, {Wx, Wy, Wz}, {Ax, Ay, Az}, Ldd};
}

// what it takes from the platform at zero effort, leg axes: end force, friction of the platform joint; and on the way
// gravity, fall, the upper part's load, lever, friction of the base joint, moment about the base joint
struct Load { V end, drag, gl, f, up, lever, grip, C; };
FN Load load(const Strut &a, const Swing &b, V w, V g, int leg)
{
    const int r = LEG(leg);
    const V gl = local(a.T, g), f = b.pdd - gl, d = at(r + 6), e = at(r + 9);
    const V up = par[r + 25] * f + turn(b.W, b.A, e);
    const V drag = par[r + 28] * (b.W - local(a.T, w)), grip = par[r + 26] * b.W;
    const V lever = {one(0.0), -a.L * up.z, a.L * up.y};
    const V C = gyro(b.W, b.A, r + 12) + cross(e, f) - cross(d, gl) + lever + grip + drag;
    const V end = {up.x + par[r + 27] * b.pd.x + par[r + 29] * b.Ldd, (C.z + C.x * a.tan) * a.iL, -C.y * a.iL};
    return {end, drag, gl, f, up, lever, grip, C};
}

// a state as the library lays it out
template <class In> struct State {
    In in;
    FN V vec(int k) const { return V{in(k), in(k + 1), in(k + 2)}; }
    FN M rotation() const
    {
        return {{in(3), in(6), in(9)}, {in(4), in(7), in(10)}, {in(5), in(8), in(11)}};
    }
};

// six columns and a right side: y of sum_i h_i y_i = h_6, by modified Gram-Schmidt
FN void solve(N h[6][7], N y[6])
{
    N up[6][7], inv[6];
    UNROLL for (int j = 0; j < 6; j++) {
        N nn = one(0.0);
        UNROLL for (int k = 0; k < 6; k++) nn += h[k][j] * h[k][j];
        inv[j] = rsqrt(nn);
        UNROLL for (int k = 0; k < 6; k++) h[k][j] *= inv[j];
        UNROLL for (int l = j + 1; l < 7; l++) {
            N d = one(0.0);
            UNROLL for (int k = 0; k < 6; k++) d += h[k][j] * h[k][l];
            up[j][l] = d;
            UNROLL for (int k = 0; k < 6; k++) h[k][l] -= d * h[k][j];
        }
    }
    UNROLL for (int j = 5; j >= 0; j--) {
        N d = up[j][6];
        UNROLL for (int l = j + 1; l < 6; l++) d -= up[j][l] * y[l];
        y[j] = d * inv[j];
    }
}

FN void put(N h[6][7], int j, V a, V b)
{
    h[0][j] = a.x; h[1][j] = a.y; h[2][j] = a.z; h[3][j] = b.x; h[4][j] = b.y; h[5][j] = b.z;
}

// a motion of the platform under an external wrench, and what it needs without legs
struct Loaded { V t, v, w, a, al, g; M R; V force, moment; };
template <class In> FN Loaded loaded(In in)
{
    const State<In> x = {in};
    const V t = x.vec(0), v = x.vec(12), w = x.vec(15), a = x.vec(18), al = x.vec(21), g = at(10);
    const M R = x.rotation();
    const V first = world(R, at(1)), fall = a - g;
    const V force = par[0] * fall + turn(w, al, first) - world(R, x.vec(24));
    const V moment = world(R, gyro(local(R, w), local(R, al), 4)) + cross(first, fall) - world(R, x.vec(27));
    return {t, v, w, a, al, g, R, force, moment};
}

// six efforts
template <class In, class Out> FN void efforts(In in, Out out)
{
    const Loaded x = loaded(in);
    V force = x.force, moment = x.moment;
    N h[6][7], y[6];
    UNROLL for (int leg = 0; leg < 6; leg++) {
        const Strut s = strut(x.R, x.t, leg);
        const Swing b = swing(s, x.v + cross(x.w, s.q), x.a + turn(x.w, x.al, s.q));
        const Load l = load(s, b, x.w, x.g, leg);
        const V end = world(s.T, l.end);
        force = force + end;
        moment = moment + cross(s.q, end) - world(s.T, l.drag);
        put(h, leg, s.T.x, cross(s.q, s.T.x));
    }
    put(h, 6, force, moment);
    solve(h, y);
    UNROLL for (int j = 0; j < 6; j++) out(j, y[j]);
}
