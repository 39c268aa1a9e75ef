// The other functions of hand.h's machine, by the same hand: motion of the legs, mass matrix, forward dynamics, and
// everything about each leg.  Outputs in the library's order without the risk.

// 12 numbers a leg: length, its derivatives, direction, angular velocity and acceleration
template <class Out> FN void put_motion(const Strut &s, const Swing &b, int first, Out out)
{
    const V W = world(s.T, b.W), A = world(s.T, b.A), d = s.T.x;
    out(first, s.L); out(first + 1, b.pd.x); out(first + 2, b.Ldd);
    out(first + 3, d.x); out(first + 4, d.y); out(first + 5, d.z);
    out(first + 6, W.x); out(first + 7, W.y); out(first + 8, W.z);
    out(first + 9, A.x); out(first + 10, A.y); out(first + 11, A.z);
}

template <class In, class Out> FN void kinematics(In in, Out out)
{
    const State<In> x = {in};
    const V t = x.vec(0), v = x.vec(12), w = x.vec(15), a = x.vec(18), al = x.vec(21);
    const M R = x.rotation();
    UNROLL for (int leg = 0; leg < 6; leg++) {
        const Strut s = strut(R, t, leg);
        put_motion(s, swing(s, v + cross(w, s.q), a + turn(w, al, s.q)), 12 * leg, out);
    }
}

// symmetric 3x3
struct Y { N xx, xy, xz, yy, yz, zz; };
FN Y turned(const M &T, Y Q)
{
    const V a = world(T, {Q.xx, Q.xy, Q.xz}), b = world(T, {Q.xy, Q.yy, Q.yz}), c = world(T, {Q.xz, Q.yz, Q.zz});
    const V &x = T.x, &y = T.y, &z = T.z;
    return {a.x * x.x + b.x * y.x + c.x * z.x, a.x * x.y + b.x * y.y + c.x * z.y, a.x * x.z + b.x * y.z + c.x * z.z,
            a.y * x.y + b.y * y.y + c.y * z.y, a.y * x.z + b.y * y.z + c.y * z.z, a.z * x.z + b.z * y.z + c.z * z.z};
}

// a leg's mass seen at its joint, world axes
FN Y seen_mass(const Strut &s, int leg)
{
    const int r = LEG(leg), i = r + 12;
    const double xx = par[i], xy = par[i + 1], xz = par[i + 2], yy = par[i + 3], yz = par[i + 4], zz = par[i + 5];
    const double m = par[r + 25], ex = par[r + 9], ey = par[r + 10], ez = par[r + 11];
    const N i2 = s.iL * s.iL, tan = s.tan;
    const Y Q = {one(m + par[r + 29]),
                 -ey * s.iL,
                 -ez * s.iL,
                 i2 * (((yy + zz) * tan - 2.0 * xz) * tan + (xx + yy)) + (2.0 * s.iL * (ex - tan * ez) + m),
                 i2 * (xy * tan + yz) + ey * (tan * s.iL),
                 i2 * (xx + zz) + (2.0 * ex * s.iL + m)};
    return turned(s.T, Q);
}

// 6x6, lower triangle by rows
struct Mass { N a[6][6]; };
FN Mass body_mass(const M &R)
{
    const V f = world(R, at(1));
    const double xx = par[4], xy = par[5], xz = par[6], yy = par[7], yz = par[8], zz = par[9];
    const Y I = turned(R, {one(yy + zz), one(-xy), one(-xz), one(xx + zz), one(-yz), one(xx + yy)});
    const N z = one(0.0), m = one(par[0]);
    return {{{m}, {z, m}, {z, z, m}, {z, -f.z, f.y, I.xx}, {f.z, z, -f.x, I.xy, I.yy}, {-f.y, f.x, z, I.xz, I.yz, I.zz}}};
}
FN void add_leg(Mass &A, V q, Y Q)
{
    const V n1 = cross({Q.xx, Q.xy, Q.xz}, q), n2 = cross({Q.xy, Q.yy, Q.yz}, q), n3 = cross({Q.xz, Q.yz, Q.zz}, q);
    A.a[0][0] += Q.xx; A.a[1][0] += Q.xy; A.a[1][1] += Q.yy; A.a[2][0] += Q.xz; A.a[2][1] += Q.yz; A.a[2][2] += Q.zz;
    A.a[3][0] -= n1.x; A.a[3][1] -= n2.x; A.a[3][2] -= n3.x;
    A.a[4][0] -= n1.y; A.a[4][1] -= n2.y; A.a[4][2] -= n3.y;
    A.a[5][0] -= n1.z; A.a[5][1] -= n2.z; A.a[5][2] -= n3.z;
    A.a[3][3] += n2.x * q.z - n3.x * q.y;
    A.a[4][3] += n2.y * q.z - n3.y * q.y;
    A.a[5][3] += n2.z * q.z - n3.z * q.y;
    A.a[4][4] += n3.y * q.x - n1.y * q.z;
    A.a[5][4] += n3.z * q.x - n1.z * q.z;
    A.a[5][5] += n1.z * q.y - n2.z * q.x;
}

template <class In, class Out> FN void mass(In in, Out out)
{
    const State<In> x = {in};
    const V t = x.vec(0);
    const M R = x.rotation();
    Mass A = body_mass(R);
    UNROLL for (int leg = 0; leg < 6; leg++) {
        const Strut s = strut(R, t, leg);
        add_leg(A, s.q, seen_mass(s, leg));
    }
    for (int i = 0, k = 0; i < 6; i++)
        for (int j = i; j < 6; j++) out(k++, A.a[j][i]);
}

// six accelerations, six zeros (spins), six forces of bias
template <class In, class Out> FN void forward(In in, Out out)
{
    const State<In> x = {in};
    const V t = x.vec(0), v = x.vec(12), w = x.vec(15), g = at(10), none = {one(0.0), one(0.0), one(0.0)};
    const M R = x.rotation();
    const V first = world(R, at(1)), fall = none - g;
    Mass A = body_mass(R);
    V force = par[0] * fall + cross(w, cross(w, first)), push = world(R, x.vec(24));
    V moment = world(R, gyro(local(R, w), none, 4)) + cross(first, fall), pull = world(R, x.vec(27));
    UNROLL for (int leg = 0; leg < 6; leg++) {
        const Strut s = strut(R, t, leg);
        const V wq = cross(w, s.q), along = in(18 + leg) * s.T.x;
        const Load l = load(s, swing(s, v + wq, cross(w, wq)), w, g, leg);
        const V end = world(s.T, l.end);
        force = force + end;
        moment = moment + cross(s.q, end) - world(s.T, l.drag);
        push = push + along;
        pull = pull + cross(s.q, along);
        add_leg(A, s.q, seen_mass(s, leg));
    }
    const V F = push - force, G = pull - moment;
    N y[6] = {F.x, F.y, F.z, G.x, G.y, G.z}, inverse[6];
    for (int j = 0; j < 6; j++) {  // A = L D L^T
        inverse[j] = 1.0 / A.a[j][j];
        for (int i = j + 1; i < 6; i++) {
            const N l = A.a[i][j] * inverse[j];
            for (int k = i; k < 6; k++) A.a[k][i] -= l * A.a[k][j];
            y[i] -= l * y[j];
        }
    }
    for (int j = 5; j >= 0; j--) {
        for (int i = j + 1; i < 6; i++) y[j] -= A.a[i][j] * y[i];
        y[j] *= inverse[j];
    }
    for (int j = 0; j < 6; j++) { out(j, y[j]); out(6 + j, one(0.0)); }
    out(12, force.x); out(13, force.y); out(14, force.z); out(15, moment.x); out(16, moment.y); out(17, moment.z);
}

// 33 numbers a leg of the library's 34: motion, 1, effort, 0, joint reactions
template <class In, class Out> FN void record(In in, Out out)
{
    const Loaded x = loaded(in);
    V force = x.force, moment = x.moment;
    N h[6][7], y[6];
    Strut strut_of[6];
    V end_of[6];
    auto put3 = [&](int k, V f) { out(k, f.x); out(k + 1, f.y); out(k + 2, f.z); };
    UNROLL for (int leg = 0; leg < 6; leg++) {
        const int o = 34 * leg, r = LEG(leg);
        const Strut s = strut(x.R, x.t, leg);
        const Swing b = swing(s, x.v + cross(x.w, s.q), x.a + turn(x.w, x.al, s.q));
        const Load l = load(s, b, x.w, x.g, leg);
        const V end = world(s.T, l.end), drag = world(s.T, l.drag);
        force = force + end;
        moment = moment + cross(s.q, end) - drag;
        put(h, leg, s.T.x, cross(s.q, s.T.x));
        put_motion(s, b, o, out);
        const V d = at(r + 6), e = at(r + 9);
        const V slide = {par[r + 27] * b.pd.x, one(0.0), one(0.0)};
        const V hold = {l.C.x, one(0.0), -l.C.x * s.tan};
        out(o + 12, one(1.0));
        out(o + 14, one(0.0));
        put3(o + 18, world(s.T, l.up + turn(b.W, b.A, d) - par[r + 24] * l.gl));  // base joint, less the end's force
        put3(o + 21, world(s.T, hold - l.grip));
        put3(o + 24, world(s.T, l.up + slide));
        put3(o + 27, world(s.T, gyro(b.W, b.A, r + 18) + cross(e, l.f) + l.lever + l.drag));
        put3(o + 30, drag);
        out(o + 33, one(0.0));  // in place of the risk
        strut_of[leg] = s;
        end_of[leg] = l.end;
    }
    put(h, 6, force, moment);
    solve(h, y);
    UNROLL for (int leg = 0; leg < 6; leg++) {
        const int o = 34 * leg;
        const Strut &s = strut_of[leg];
        V F = end_of[leg];
        F.x -= y[leg];
        F = world(s.T, F);
        out(o + 13, y[leg]);
        put3(o + 15, V{-F.x, -F.y, -F.z});
        out.less(o + 18, F);
        out.less(o + 24, F);
        out.less(o + 27, cross(s.S, F));
    }
}
