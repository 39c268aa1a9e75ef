"""A bridge between ROS 2 and set-points over UDP.

On one side topics: poses come in on ``~/target`` (geometry_msgs/PoseStamped, world axes), joint states go out on
``joint_states`` (sensor_msgs/JointState: the drives' joints of the exported URDF, zero at the pose of the file).
On the other side the packets of docs/controller.md, here answered by a simulated machine:

    gough export urdf motion-base-1500 --out machine.urdf --ros2-control
    python examples/ros2_bridge.py motion-base-1500 --ros --port 5401        # in a sourced ROS 2 environment

Everything but `run_node` is plain Python and runs without ROS: without ``--ros`` the machine is moved a centimeter up
over the same packets, and what comes back is printed.  That the node does what it says inside ROS was not tried.
"""

from __future__ import annotations

import argparse
import socket
import sys
from typing import Any

import numpy as np

import gough
from gough.control import Decentralized
from gough.hardware import SetpointServer
from gough.hardware.setpoints import StatePacket, pack_pose, unpack_state


class Bridge:
    """Numbers its set-points, sends them, and turns states into joint readings."""

    def __init__(self, machine: gough.Platform, host: str, port: int) -> None:
        home = machine.require_home()
        self.names = [f"{name}-drive" for name in machine.leg_names]
        self.zero = gough.inverse_kinematics(machine, home).length
        self._sequence = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect((host, port))
        self._socket.setblocking(False)

    def send(self, time: float, position: Any, wxyz: Any) -> None:
        """One target, world axes."""
        pose = gough.Pose.from_quaternion(position, wxyz)
        self._sequence += 1
        self._socket.send(pack_pose(self._sequence, time, pose))

    def newest(self) -> StatePacket | None:
        """The last state that has come back."""
        found = None
        while True:
            try:
                state = unpack_state(self._socket.recv(1024))
            except (BlockingIOError, ConnectionRefusedError):
                return found
            found = found if isinstance(state, str) else state

    def joints(self, state: StatePacket) -> dict[str, Any]:
        """Fields of a JointState: names, positions from the pose of the URDF, rates."""
        position = (state.length - self.zero).tolist()
        return {"name": self.names, "position": position, "velocity": state.rate.tolist()}

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def simulated(machine: gough.Platform, port: int) -> SetpointServer:
    """A machine that answers on this computer."""
    law = Decentralized.from_bandwidth(machine, bandwidth=30.0)
    return SetpointServer(gough.Simulator(machine, controller=law), port=port)


def demo(machine: gough.Platform) -> dict[str, Any]:
    """A centimeter up, as fast as it goes; the last joint readings."""
    with simulated(machine, 0) as server:
        bridge, home = Bridge(machine, server.host, server.port), machine.require_home()
        told: dict[str, Any] = {}
        for k in range(800):
            if k % 10 == 0:
                bridge.send(
                    k * 1e-3, home.position + np.array([0.0, 0.0, 0.01]), [1.0, 0.0, 0.0, 0.0]
                )
            server.tick()
            state = bridge.newest()
            told = told if state is None else bridge.joints(state)
        bridge.close()
        return told


def run_node(machine: gough.Platform, port: int) -> None:
    """The node, until it is stopped."""
    try:
        import rclpy
        from geometry_msgs.msg import PoseStamped
        from sensor_msgs.msg import JointState
    except ImportError:
        sys.exit("ros2_bridge: rclpy is not here; source a ROS 2 environment, or leave --ros out")
    with simulated(machine, port) as server:
        bridge = Bridge(machine, server.host, server.port)
        rclpy.init()
        node = rclpy.create_node("gough_bridge")
        out = node.create_publisher(JointState, "joint_states", 10)

        def target(message: Any) -> None:
            p, q, stamp = message.pose.position, message.pose.orientation, message.header.stamp
            time = stamp.sec + 1e-9 * stamp.nanosec
            bridge.send(time, [p.x, p.y, p.z], [q.w, q.x, q.y, q.z])

        def step() -> None:
            server.tick()
            state = bridge.newest()
            if state is not None:
                message = JointState(**bridge.joints(state))
                message.header.stamp = node.get_clock().now().to_msg()
                out.publish(message)

        node.create_subscription(PoseStamped, "~/target", target, 10)
        node.create_timer(server.simulator.step_size, step)
        try:
            rclpy.spin(node)
        finally:
            bridge.close()
            node.destroy_node()
            rclpy.shutdown()


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="ROS 2 topics to set-points over UDP")
    parser.add_argument("machine", nargs="?", default="motion-base-1500")
    parser.add_argument("--port", type=int, default=5401)
    parser.add_argument("--ros", action="store_true", help="run the node")
    given = parser.parse_args(arguments)
    machine = gough.load(given.machine)
    if given.ros:
        run_node(machine, given.port)
        return
    told = demo(machine)
    for name, position in zip(told["name"], np.round(told["position"], 4), strict=True):
        print(f"{name} {position:.4f}")


if __name__ == "__main__":
    main()
