// Inverse and forward dynamics of a 6-UPS platform with Pinocchio in C++: see pinocchio_route.py for method and input.
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <Eigen/LU>
#include <cmath>
#include <vector>

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::Vector3d;
typedef Eigen::Matrix<double, 6, 1> Vector6;
typedef Eigen::Matrix<double, 6, 6> Matrix6;
typedef Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> Rows;

struct Route {
    pin::Model model;
    pin::Data *data;
    Matrix3d U[6];
    Vector3d b[6], p[6];
    pin::JointIndex tip[6];
    Eigen::VectorXd q, qd, qdd, none, tau;
    pin::Data::Matrix6x J;
    std::vector<pin::RigidConstraintModel> loops;
    std::vector<pin::RigidConstraintData> loop_data;
};

static pin::Inertia inertia(const double *a) { return pin::Inertia(a[0], Vector3d(a + 1), Matrix3d(Rows(a + 4))); }

extern "C" void *create(const double *a)
{
    Route *r = new Route;
    r->model.gravity.linear() = Vector3d(a);
    a += 3;
    const pin::SE3 none = pin::SE3::Identity();
    for (int i = 0; i < 6; i++, a += 41) {
        r->b[i] = Vector3d(a);
        r->U[i] = Rows(a + 3);
        r->p[i] = Vector3d(a + 12);
        const std::string n = std::to_string(i);
        pin::JointIndex j = r->model.addJoint(0, pin::JointModelRZ(), pin::SE3(r->U[i], r->b[i]), "k" + n);
        j = r->model.addJoint(j, pin::JointModelRY(), none, "y" + n);
        r->model.appendBodyToJoint(j, inertia(a + 15), none);
        r->tip[i] = r->model.addJoint(j, pin::JointModelPX(), none, "s" + n);
        r->model.appendBodyToJoint(r->tip[i], inertia(a + 28), none);
    }
    const pin::JointIndex top = r->model.addJoint(0, pin::JointModelFreeFlyer(), none, "platform");
    r->model.appendBodyToJoint(top, inertia(a), none);
    r->data = new pin::Data(r->model);
    for (int i = 0; i < 6; i++) {  // the strut's end is the platform's joint
        const pin::SE3 joint(Matrix3d::Identity(), r->p[i]);
        r->loops.emplace_back(pin::CONTACT_3D, r->model, r->tip[i], none, top, joint, pin::LOCAL);
    }
    for (const auto &loop : r->loops) r->loop_data.emplace_back(loop);
    pin::initConstraintDynamics(r->model, *r->data, r->loops, r->loop_data);
    r->q.resize(r->model.nq);
    r->qd.resize(24);
    r->qdd.resize(24);
    r->none = r->tau = Eigen::VectorXd::Zero(24);
    r->J = pin::Data::Matrix6x::Zero(6, 24);
    return r;
}

// coordinates and velocities of the tree at the state x; per leg R p and the inverse of its tip's Jacobian
static void place(Route *r, const double *x, Vector3d *arm, Matrix3d *inverse)
{
    const Vector3d t(x), v(x + 12), w(x + 15);
    const Matrix3d R = Rows(x + 3);
    for (int i = 0; i < 6; i++) {
        arm[i] = R * r->p[i];
        const Vector3d l = r->U[i].transpose() * (t + arm[i] - r->b[i]);
        r->q[3 * i] = std::atan2(l.y(), l.x());
        r->q[3 * i + 1] = std::atan2(-l.z(), std::hypot(l.x(), l.y()));
        r->q[3 * i + 2] = l.norm();
    }
    r->q.segment<3>(18) = t;
    r->q.segment<4>(21) = Eigen::Quaterniond(R).coeffs();
    pin::computeJointJacobians(r->model, *r->data, r->q);
    for (int i = 0; i < 6; i++) {
        pin::getJointJacobian(r->model, *r->data, r->tip[i], pin::LOCAL_WORLD_ALIGNED, r->J);
        inverse[i] = r->J.block<3, 3>(0, 3 * i).inverse();
        r->qd.segment<3>(3 * i) = inverse[i] * (v + w.cross(arm[i]));
    }
    r->qd.segment<3>(18) = R.transpose() * v;
    r->qd.segment<3>(21) = R.transpose() * w;
}

static void efforts(Route *r, const double *x, double *out)
{
    const Vector3d v(x + 12), w(x + 15), a(x + 18), al(x + 21);
    const Matrix3d R = Rows(x + 3);
    Vector3d arm[6], pdd;
    Matrix3d inverse[6];
    place(r, x, arm, inverse);
    pin::forwardKinematics(r->model, *r->data, r->q, r->qd, r->none);
    for (int i = 0; i < 6; i++) {
        const Vector3d drift =
            pin::getClassicalAcceleration(r->model, *r->data, r->tip[i], pin::LOCAL_WORLD_ALIGNED).linear();
        pdd = a + al.cross(arm[i]) + w.cross(w.cross(arm[i]));
        r->qdd.segment<3>(3 * i) = inverse[i] * (pdd - drift);
    }
    r->qdd.segment<3>(18) = R.transpose() * (a - w.cross(v));
    r->qdd.segment<3>(21) = R.transpose() * al;
    const Eigen::VectorXd &tau = pin::rnea(r->model, *r->data, r->q, r->qd, r->qdd);
    Vector6 wrench;
    wrench.head<3>() = R * (tau.segment<3>(18) - Vector3d(x + 24));
    wrench.tail<3>() = R * (tau.segment<3>(21) - Vector3d(x + 27));
    Matrix6 H;
    for (int i = 0; i < 6; i++) {
        const Vector3d push = inverse[i].transpose() * tau.segment<3>(3 * i), s = inverse[i].row(2);
        wrench.head<3>() += push;
        wrench.tail<3>() += arm[i].cross(push);
        H.col(i) << s, arm[i].cross(s);
    }
    Eigen::Map<Vector6> answer(out);
    answer = H.partialPivLu().solve(wrench);
}

extern "C" void run(void *route, const double *x, double *out, long count)
{
    for (long k = 0; k < count; k++) efforts(static_cast<Route *>(route), x, out);
}

// x: position, rotation, velocity, angular velocity, six efforts, external wrench (platform axes); out: accelerations.
// Coordinates, velocities and joint torques are made once, the constrained dynamics `count` times.
extern "C" void run_forward(void *route, const double *x, double *out, long count)
{
    Route *r = static_cast<Route *>(route);
    const Vector3d v(x + 12), w(x + 15);
    const Matrix3d R = Rows(x + 3);
    Vector3d arm[6];
    Matrix3d inverse[6];
    place(r, x, arm, inverse);
    for (int i = 0; i < 6; i++) r->tau[3 * i + 2] = x[18 + i];
    r->tau.segment<6>(18) = Eigen::Map<const Vector6>(x + 24);
    pin::ProximalSettings settings(1e-14, 0.0, 10);
    for (long k = 0; k < count; k++)
        pin::constraintDynamics(r->model, *r->data, r->q, r->qd, r->tau, r->loops, r->loop_data, settings);
    Eigen::Map<Vector3d>(out, 3) = R * r->data->ddq.segment<3>(18) + w.cross(v);
    Eigen::Map<Vector3d>(out + 3, 3) = R * r->data->ddq.segment<3>(21);
}
