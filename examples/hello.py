"""The ten lines of the README: forces, pose and assembly modes of a motion base."""

import gough

platform = gough.load("motion-base-1500")  # gough.presets() lists all; or your own .toml
lift = gough.trajectory.quintic(
    platform.home, gough.Pose.from_rpy([0.1, 0, 1.3], [0, 0.1, 0.2]), duration=1.5
)
motion = lift(0.4)  # pose, twist and acceleration; t may be an array
result = gough.inverse_dynamics(platform, motion)  # exact, or formulation="kane", "lagrange", ...
print("forces N   ", result.force.round(1))
print("condition  ", result.condition_scaled.round(3))
legs = gough.inverse_kinematics(platform, motion)
back = gough.forward_kinematics(
    platform, legs.length
)  # certified: the branch of the home pose, proved
print("pose m     ", back.pose.position.round(6), back.certified)
print(
    "modes      ",
    gough.assembly_modes(platform, legs.length).poses.shape[0],
    "ways to assemble these legs",
)
