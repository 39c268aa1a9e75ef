// The axis of a leg between joints with offsets, closed in the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { legAxis } from "../src/legaxis.js";

const leg = (more = {}) => ({
  data: { axis: [1, 0, 0], platform_axis: [0, 1, 0], ...more },
  start: new THREE.Vector3(0.1, 0.2, 0),
  end: new THREE.Vector3(0.3, -0.1, 1.5),
  shaft: null,
  angle: 0,
});

test("without offsets the axis joins the two joints", () => {
  const { low, high, s, foot, top } = legAxis(leg(), new THREE.Matrix4());
  assert.ok(low.distanceTo(new THREE.Vector3(0.1, 0.2, 0)) < 1e-12);
  assert.ok(high.distanceTo(new THREE.Vector3(0.3, -0.1, 1.5)) < 1e-12);
  for (const joint of [foot, top]) {
    assert.ok(Math.abs(joint.y.dot(s)) < 1e-12);
    assert.ok(Math.abs(joint.y.dot(joint.k)) < 1e-12);
  }
});

test("offsets are kept: pin and strut lie where the joint puts them", () => {
  const base = { e: 0.05, d: 0.02, f: -0.03 };
  const { low, s, foot } = legAxis(leg({ base_offset: base }), new THREE.Matrix4());
  assert.ok(Math.abs(foot.pin.distanceTo(foot.at) - 0.05) < 1e-12);
  assert.ok(Math.abs(low.distanceTo(foot.pin) - Math.hypot(0.02, 0.03)) < 1e-9);
  assert.ok(Math.abs(low.clone().sub(foot.pin).dot(s)) < 1e-9);
});
