// What is drawn of each leg type: a cross, a ball or a neck at either end, a thread, a crank; nothing that is not.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { bladeNeck, notched, roundNeck, sprung } from "../src/flexures.js";
import { drawn, leg, springs } from "./machines.js";

/** Names of the pieces of the first leg, without its own. */
function pieces(machine) {
  const names = new Set();
  machine.traverse((o) => {
    if (o.name.startsWith("L1 ")) names.add(o.name.slice(3));
  });
  return names;
}
const ENDS = {
  UPS: ["base cross", "platform ball"],
  SPS: ["base ball", "platform ball"],
  UCU: ["base cross", "platform cross"],
  UCS: ["base cross", "platform ball"],
  PUS: ["base cross", "platform ball"],
  PSU: ["base ball", "platform cross"],
  RUS: ["base cross", "platform ball"],
  RSS: ["base ball", "platform ball"],
};
const BALL = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

for (const [type, ends] of Object.entries(ENDS))
  test(`${type} has the joints and parts of its type`, () => {
    const found = pieces(drawn(type));
    const joints = [...found].filter((name) => /^(base|platform) /.test(name));
    assert.deepEqual(joints.sort(), [...ends].sort());
    assert.equal(found.has("cylinder"), /^[US][PC]/.test(type));
    assert.equal(found.has("slider") && found.has("rail"), type.startsWith("P"));
    assert.equal(found.has("crank"), type.startsWith("R"));
    assert.equal(found.has("upper mark"), type === "UCU");
    assert.ok(!found.has("thread"));
  });

for (const type of Object.keys(ENDS))
  test(`${type} with springs has necks where they are, and only there`, () => {
    const given = {
      base: leg(type, 0).axis ? { second: 0.5 } : { base_ball: BALL },
      platform: leg(type, 0).platform_axis ? { platform_first: 0.5 } : { platform_ball: BALL },
    };
    for (const [side, stiff] of Object.entries(given)) {
      const machine = drawn(
        type,
        { springs: springs(stiff) },
        {
          rest: [
            [0, 0, 1],
            [0, 0, 1],
          ],
        },
      );
      const found = pieces(machine);
      const other = side === "base" ? ENDS[type][1] : ENDS[type][0];
      assert.ok(found.has(`${side} flexure`), side);
      assert.ok(found.has(other), "the other end as it is");
      assert.ok(!found.has(side === "base" ? ENDS[type][0] : ENDS[type][1]));
      if (side === "platform") assert.ok(!found.has("stud"), "no stud through the neck");
    }
  });

test("an axis without a spring is a pin", () => {
  const kind = (stiff) =>
    drawn("UCU", { springs: springs(stiff) })
      .getObjectByName("L1 base flexure")
      .children.map((o) => o.name);
  assert.deepEqual(kind({ first: 1 }), ["carrier neck", "second pin"]);
  assert.deepEqual(kind({ second: 1 }), ["first pin", "leg neck"]);
  assert.deepEqual(kind({ first: 1, second: 1 }), ["carrier neck", "leg neck"]);
  assert.equal(sprung(leg("UCU", 0), "base"), null);
  assert.equal(sprung({ ...leg("UCU", 0), springs: undefined }, "platform"), null);
});

test("a neck is thinnest at the center of its joint", () => {
  assert.ok(notched(0) < 0.25 && notched(0.3) < notched(0.5) && notched(1) === 1);
  for (const geometry of [roundNeck(), bladeNeck()]) {
    const { array } = geometry.getAttribute("position");
    let thick = 0;
    for (let i = 0; i < array.length; i += 3) {
      assert.ok(array[i] > -1e-6 && array[i] < 1 + 1e-6);
      if (array[i] < 1e-6) thick = Math.max(thick, Math.abs(array[i + 1]));
    }
    assert.ok(Math.abs(thick - notched(0)) < 1e-6, String(thick));
  }
});

test("the waist is at the joint and the halves are in line where the springs are relaxed", () => {
  const machine = drawn("UPS");
  const s = machine.legs.map((one) => one.axis.s.toArray());
  const made = drawn("UPS", { springs: springs({ first: 1, second: 1 }) }, { rest: [s[0], s[0]] });
  const [carrier, own] = made.getObjectByName("L1 base flexure").children;
  const x = new THREE.Vector3(1, 0, 0);
  const along = (o) => x.clone().applyQuaternion(o.quaternion);
  const k = made.legs[0].axis.foot.k;
  const rest = new THREE.Vector3(...s[0]);
  const across = rest.clone().addScaledVector(k, -rest.dot(k)).normalize();
  assert.ok(along(carrier).distanceTo(across.negate()) < 1e-9);
  assert.ok(along(own).distanceTo(rest) < 1e-9);
  assert.ok(carrier.position.distanceTo(made.legs[0].start) < 1e-12);
  assert.ok(own.position.distanceTo(made.legs[0].start) < 1e-12);
});

test("offset joints show their two axes apart, with an arm between", () => {
  const offset = { e: 0.05, d: 0.02, f: -0.03 };
  for (const stiff of [{}, { first: 1, second: 1 }]) {
    const machine = drawn("UCU", { base_offset: offset, springs: springs(stiff) });
    const joint = machine.legs[0].foot;
    const names = joint.children.map((o) => o.name);
    assert.ok(names.includes("cross arm") && names.includes("leg arm"), String(names));
    const { at, pin, on } = machine.legs[0].axis.foot;
    assert.ok(Math.abs(at.distanceTo(pin) - 0.05) < 1e-9);
    assert.ok(Math.abs(pin.distanceTo(on) - Math.hypot(0.02, 0.03)) < 1e-9);
    const length = (name) => joint.children.find((o) => o.name === name).scale.x;
    assert.ok(Math.abs(length("cross arm") - 0.05) < 1e-9);
  }
  const plain = drawn("UCU").legs[0].foot.children.map((o) => o.name);
  assert.deepEqual(plain, ["first pin", "second pin", "hub"]);
});

test("a screw has a thread of its hand, and a motor on the part that carries it", () => {
  for (const hand of ["right", "left"])
    for (const mount of ["lower", "upper"]) {
      const machine = drawn("UCU", { screw: { hand, mount, lead: 0.005, zero: 0, inertia: 0 } });
      const thread = machine.getObjectByName("L1 thread");
      const { array } = thread.geometry.getAttribute("position");
      // the middle of the first ring of the tube, and of the next: which way it goes about +x
      const ring = (j) => {
        const sum = [0, 0];
        for (let i = 0; i < 6; i++)
          [0, 1].forEach((c) => (sum[c] += array[3 * (7 * j + i) + 1 + c]));
        return Math.atan2(sum[1], sum[0]);
      };
      assert.equal(Math.sign(ring(1) - ring(0)), hand === "right" ? 1 : -1);
      assert.deepEqual(machine.getObjectByName("L1 motor").userData.body.name, mount);
    }
});
