// Curves of a cue, and what is asked for by hand only.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AXES, axisValues, curvePath, drawnSamples, extremes } from "../src/cuecurves.js";
import { OnDemand, Screen } from "../src/screen.js";

test("forces stay in SI, rates are shown in degrees", () => {
  const flat = [1, 2, 3, Math.PI, 0, -Math.PI / 2, 4, 5, 6, 0, 0, 0];
  assert.deepEqual([...axisValues(flat, 1)], [2, 5]);
  assert.deepEqual([...axisValues(flat, 3)], [180, 0]);
  assert.deepEqual([...axisValues(flat, 5)], [-90, 0]);
  assert.equal(AXES.length, 6);
});

test("a spike of one sample among thirty thousand is drawn", () => {
  const values = Float64Array.from({ length: 30001 }, (_, k) => Math.sin(k / 500));
  values[12345] = 7;
  values[23456] = -9;
  const drawn = drawnSamples(values, 300);
  assert.ok(drawn.includes(12345) && drawn.includes(23456));
  assert.ok(drawn.includes(0) && drawn.includes(30000));
  assert.ok(drawn.length <= 1200);
  assert.deepEqual(
    drawn,
    drawn.toSorted((a, b) => a - b),
  );
  assert.deepEqual(extremes([values]), extremes([drawn.map((k) => values[k])]));
});

test("a short curve is drawn whole", () => {
  const same = (x) => x;
  assert.equal(curvePath([0, 1, 2], [5, 6, 7], same, same, 100), "M0.0 5.0L1.0 6.0L2.0 7.0");
});

/** A screen with a machine, and something computed for its document. */
function onDemand() {
  const screen = new Screen();
  screen.set({ machine: { machine: 1 }, document: 1 });
  const told = { asked: 0, shown: 0, marks: [] };
  const part = new OnDemand(screen, {
    key: () => String(screen.document),
    ask: async () => ((told.asked += 1), { machine: screen.machine.machine }),
    show: () => (told.shown += 1),
    fail: () => assert.fail(),
    clear: () => {},
    mark: (stale) => told.marks.push(stale),
  });
  return { screen, told, part };
}

test("what is asked for by hand is marked when the machine changes, and waits", async () => {
  const { screen, told, part } = onDemand();
  part.set(true);
  assert.equal(told.asked, 0);
  await part.run();
  assert.deepEqual([told.asked, told.shown, part.stale], [1, 1, false]);
  screen.set({ machine: { machine: 2 }, document: 2, solve: { pose: {} } });
  assert.deepEqual([told.asked, part.stale, told.marks.at(-1)], [1, true, true]);
  screen.set({ machine: { machine: 3 }, document: 1 }); // undone: the same document again
  assert.deepEqual([told.asked, part.stale, told.marks.at(-1)], [1, false, false]);
});

test("an answer for a machine that is gone is not shown", async () => {
  const { screen, told, part } = onDemand();
  part.set(true);
  const run = part.run();
  screen.set({ machine: { machine: 2 }, document: 2 });
  await run;
  // the answer was for the machine of when it was asked
  assert.equal(told.shown, 0);
  assert.ok(part.stale);
});
