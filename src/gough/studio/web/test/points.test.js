// Points of distances: where they are at a pose, on which body, and when nobody knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { surfaceUnder } from "../src/bodies.js";
import { apart, clickedPoint, clickedWords, mm, namedPoints, typedPoint } from "../src/points.js";
import { body, drawn } from "./machines.js";

const at = (machine, name) => namedPoints(machine).find((point) => point.name === name);
const close = (a, b, tolerance = 1e-12) =>
  a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < tolerance, `${a} is not ${b}`));
const TURN = [Math.cos(0.2), 0, 0, Math.sin(0.2)]; // 0.4 rad about z

test("parts add up to the distance, and it has the sign of to minus from", () => {
  const { distance, parts } = apart([1, 2, 3], [1.2, 1, 5]);
  close(parts, [0.2, -1, 2]);
  assert.equal(distance, Math.hypot(...parts));
  assert.equal(mm(-0.0012345), "−1.234");
});

test("typed numbers are of the world, or of the platform from its reference point", () => {
  const pose = { position: [0.1, 0.2, 1], quaternion: TURN };
  close(typedPoint({ axes: "world", mm: [10, 20, 30] }, pose).at, [0.01, 0.02, 0.03]);
  const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
  const moved = typedPoint({ axes: "platform", mm: [1000, 0, 500] }, pose).at;
  close(moved, [0.1 + c, 0.2 + s, 1.5]);
  assert.equal(typedPoint({ axes: "world", mm: [1, null, 3] }, pose).at, null);
  assert.equal(typedPoint({ axes: "world", mm: [1, NaN, 3] }, pose).why, "type three numbers");
});

test("named points move with what they belong to", () => {
  const machine = drawn("UPS");
  const names = ["L1 base", "L1 platform", "reference point", "tool origin", "world origin"];
  const before = names.map((name) => at(machine, name).at);
  machine.place([0.1, 0, 1.1], TURN, machine.drawing.coordinate);
  const after = names.map((name) => at(machine, name).at);
  close(after[0], before[0]);
  assert.ok(apart(after[1], before[1]).distance > 0.1);
  close(after[2], [0.1, 0, 1.1]);
  close(after[3], [0.11 - 0.01, 0, 1.2]);
  close(after[4], [0, 0, 0]);
  close(at(machine, "work origin").at, [0.01, 0.02, 0.03]);
  const both = (points) => apart(points[1], points[3]).distance;
  assert.ok(Math.abs(both(after) - both(before)) < 1e-12);
});

test("where a leg does not reach, its moving parts are nowhere", () => {
  const machine = drawn("PUS");
  assert.ok(at(machine, "L2 base").at);
  machine.place([0, 0, 5], [1, 0, 0, 0], [0.1, null, 0.1, 0.1, 0.1, NaN]);
  for (const name of ["L2 base", "L2 link mass center", "L6 slider mass center"]) {
    assert.equal(at(machine, name).at, null, name);
    assert.match(at(machine, name).why, /does not reach/);
  }
  assert.ok(at(machine, "L2 platform").at, "on the platform, whatever its leg does");
  assert.ok(at(machine, "L1 base").at);
  const clicked = { body: { leg: 1, name: "link" }, local: [0.1, 0, 0] };
  assert.equal(clickedPoint(clicked, machine).at, null);
  assert.match(clickedPoint(clicked, machine).why, /L2 does not reach/);
});

test("a mass center beside the axis of a part that spins is not known", () => {
  const spun = drawn("RSS", { link: body(1, [0.3, 0.01, 0]) });
  assert.match(at(spun, "L1 link mass center").why, /spins freely/);
  assert.ok(at(drawn("RSS"), "L1 link mass center").at, "on the axis it is");
  const half = drawn("UCS", { lower: body(1, [0.3, 0.01, 0]), upper: body(1, [0.3, 0.01, 0]) });
  assert.ok(at(half, "L1 lower mass center").at);
  assert.equal(at(half, "L1 upper mass center").at, null);
  assert.match(clickedWords({ body: { leg: 0, name: "upper" }, local: [] }, half), /without spin/);
});

test("a ray finds the surface, and the point stays on its body", () => {
  const machine = drawn("UPS");
  const ball = machine.getObjectByName("L1 platform ball");
  const radius = ball.geometry.parameters.radius;
  const center = new THREE.Vector3(...at(machine, "L1 platform").at);
  const from = center.clone().add(new THREE.Vector3(3, 0.4, -0.3));
  const ray = new THREE.Raycaster(from, center.clone().sub(from).normalize());
  const hit = surfaceUnder(machine, ray);
  assert.deepEqual(hit.body, { leg: 0, name: "upper" });
  const inscribed = radius * Math.cos(Math.PI / 24) * Math.cos(Math.PI / 32);
  const away = apart(hit.world, center.toArray()).distance;
  assert.ok(away <= radius * (1 + 1e-6) && away >= inscribed * (1 - 1e-6), String(away));
  close(clickedPoint(hit, machine).at, hit.world, 1e-12);
  machine.place([0.1, 0.1, 1.2], TURN, machine.drawing.coordinate);
  const moved = clickedPoint(hit, machine).at;
  assert.ok(apart(moved, hit.world).distance > 0.1);
  assert.ok(Math.abs(apart(moved, at(machine, "L1 platform").at).distance - away) < 1e-9);
});

test("arrows, cones, frames and what is hidden are no surfaces", () => {
  const machine = drawn("UPS");
  const above = new THREE.Vector3(0, 0, 3);
  const down = new THREE.Raycaster(above, new THREE.Vector3(0, 0, -1));
  assert.deepEqual(surfaceUnder(machine, down).body, { leg: null, name: "platform" });
  machine.getObjectByName("platform").visible = false;
  assert.equal(surfaceUnder(machine, down), null, "through the hole of the base");
});
