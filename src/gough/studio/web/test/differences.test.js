// Two machines in numbers, and colors of a scale.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleColor } from "../src/colors.js";
import { differences } from "../src/differences.js";

const side = (more = {}) => ({
  coordinate: [1, 1, 1, 1, 1, 1],
  force: [100, 0, -50, 10, 10, null],
  margin: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
  condition: 4,
  kinds: ["UPS", "UPS", "UPS", "UPS", "UPS", "UPS"],
  ...more,
});
const row = (rows, name) => rows.find((one) => one.name === name);

test("B minus A, and that as a share of the size of A", () => {
  const rows = differences(side(), side({ force: [110, 5, -75, 10, 10, 1], condition: 6 }));
  assert.equal(rows.length, 19);
  assert.equal(row(rows, "L1 force").difference, 10);
  assert.ok(Math.abs(row(rows, "L1 force").share - 0.1) < 1e-12);
  assert.equal(row(rows, "L3 force").share, -0.5);
  assert.equal(row(rows, "condition").share, 0.5);
});

test("nothing is compared with what is missing or zero, nor a length with an angle", () => {
  const other = side({ force: [110, 5, -75, 10, 10, 1], kinds: ["RUS", ...side().kinds.slice(1)] });
  const rows = differences(side(), other);
  assert.equal(row(rows, "L2 force").difference, 5);
  assert.equal(row(rows, "L2 force").share, null);
  assert.equal(row(rows, "L6 force").difference, null);
  assert.equal(row(rows, "L1 length").b, null);
  assert.equal(row(rows, "L1 force").difference, null);
  assert.equal(row(rows, "L2 length").difference, 0);
});

test("the scale runs from its first to its last color and stays there", () => {
  assert.deepEqual(scaleColor(-1), scaleColor(0));
  assert.deepEqual(scaleColor(2), scaleColor(1));
  assert.deepEqual(scaleColor(1), [0.99, 0.91, 0.15]);
  for (let k = 0; k <= 100; k++) for (const x of scaleColor(k / 100)) assert.ok(x >= 0 && x <= 1);
});
