// What may be missing: numbers that are not known, versions that are gone, elements that are not there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { needed, png } from "../src/dom.js";
import { History } from "../src/editor.js";
import { limitWords, sideOf } from "../src/gallery.js";
import { last, ticks } from "../src/plotsvg.js";
import { poseAt, sampleAt } from "../src/samples.js";
import { Derived, Screen } from "../src/screen.js";
import { bodiesOf } from "../src/summary.js";

/** Two samples, one second apart; the third coordinate is not known at the second. */
const run = (missing) => {
  const coordinate = [1, 1, 1, 1, 1, 1, 2, 2, missing, 2, 2, 2];
  const none = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  return {
    t: [0, 1],
    position: [0, 0, 0, 0.2, 0, 0],
    quaternion: [1, 0, 0, 0, 1, 0, 0, 0],
    coordinate,
    rate: none,
    force: { exact: none },
    spherical_vector: [...none, ...none, ...none],
    reactions: {},
    broken: none,
    near: none,
    condition: [1, 1],
    condition_scaled: [1, 1],
    sigma_min: [1, 1],
  };
};

for (const [name, missing] of [
  ["null of a report", null],
  ["NaN of a frame", NaN],
])
  test(`between samples a coordinate that is not known is not half of the other: ${name}`, () => {
    const pose = poseAt(run(missing), 0.5);
    assert.deepEqual(pose.coordinate, [1.5, 1.5, null, 1.5, 1.5, 1.5]);
    assert.deepEqual(pose.position, [0.1, 0, 0]);
  });

test("at a sample its neighbor does not matter", () => {
  assert.deepEqual(poseAt(run(NaN), 0).coordinate, [1, 1, 1, 1, 1, 1]);
  assert.deepEqual(poseAt(run(NaN), 1).coordinate, [2, 2, null, 2, 2, 2]);
  assert.equal(sampleAt(run(NaN), 1).coordinate[2], null);
});

test("an undo that the server takes after another machine was opened changes nothing", () => {
  const history = new History();
  const [a, b, other] = ["a", "b", "other"].map((name) => ({ document: { name } }));
  history.start(a);
  history.push(b);
  assert.equal(history.peek("undo"), a);
  history.start(other); // opened while the answer was under way
  history.move("undo");
  assert.equal(history.now, other);
  history.push(a);
  assert.deepEqual(history.past, [other]);
  history.move("undo");
  assert.deepEqual([history.now, history.future], [other, [a]]);
});

test("an edit before there was a version is no version to go back to", () => {
  const history = new History();
  history.push({ document: {} });
  assert.equal(history.peek("undo"), null);
});

test("which side of a singularity a mode is on is said only of known determinants", () => {
  assert.equal(sideOf(-0.2, 0.3), "other side of a singularity");
  assert.equal(sideOf(-0.2, -0.3), "same sign of the determinant");
  for (const [here, there] of [
    [null, 0.3],
    [0.3, null],
    [undefined, 0.3],
    [0, 0.3],
  ])
    assert.match(sideOf(here, there), /not known/);
});

test("limits hold only where there are some and they were looked at", () => {
  const rated = { refused: ["", "leg 1 too long"], limited: true, unchecked: [] };
  assert.equal(limitWords(rated, 0).short, "pose limits hold");
  assert.deepEqual(limitWords(rated, 1), {
    short: "limits broken",
    long: "leg 1 too long",
    bad: true,
  });
  assert.equal(limitWords({ ...rated, limited: false }, 0).short, "no limits given");
  const partly = limitWords({ ...rated, unchecked: ["cones of leg 2 have no axis"] }, 0);
  assert.equal(partly.short, "checked limits hold");
  assert.match(partly.long, /cones of leg 2/);
});

test("legs of several types: every body that one of them has", () => {
  assert.deepEqual(bodiesOf([{ lower: {}, upper: {} }, { link: {} }]), ["lower", "upper", "link"]);
  assert.deepEqual(bodiesOf([{ link: {} }, { link: {}, crank: {} }]), ["link", "crank"]);
});

test("what has to be there and is not is named", () => {
  assert.equal(needed(0, "a number"), 0);
  assert.equal(needed("", "a text"), "");
  for (const none of [null, undefined])
    assert.throws(() => needed(none, "the element app"), /the element app is not there/);
});

test("a canvas that gives no picture is a refusal, not a file", async () => {
  const picture = { size: 1 };
  assert.equal(await png({ toBlob: (done) => done(picture) }), picture);
  await assert.rejects(png({ toBlob: (done) => done(null) }), /picture/);
});

test("nothing is asked for where there is no pose, and the pose is the one on screen", async () => {
  const screen = new Screen();
  const asked = [];
  const derived = new Derived(screen, {
    key: () => JSON.stringify(screen.pose),
    ask: async (pose) => (asked.push(pose), { machine: 1 }),
    show: () => {},
    fail: assert.fail,
    clear: () => {},
    mark: () => {},
  });
  derived.set(true);
  screen.setMachine({ machine: 1, document: {} });
  assert.deepEqual(asked, []);
  screen.set({ solve: { pose: { position: [0, 0, 1] } } });
  while (derived.busy) await new Promise((go) => setTimeout(go));
  assert.deepEqual(asked, [{ position: [0, 0, 1] }]);
});

test("an axis of no length has no ticks", () => {
  assert.deepEqual(ticks(1, 1, 5), []);
  assert.deepEqual(ticks(NaN, 1, 5), []);
  assert.equal(last([3, 4]), 4);
});
