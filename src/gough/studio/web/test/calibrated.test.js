// A calibration in words and cells: no number where none was found, digits that mean something, safe tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decimals, numberCells, planCsv, shownUnit } from "../src/calibrated.js";
import { OnDemand, Screen } from "../src/screen.js";

const row = (more = {}) => ({
  name: "L1.base.x",
  unit: "m",
  nominal: 0.3,
  value: 0.30051234,
  change: 0.00051234,
  sigma: 2.1e-6,
  low: 0.300508,
  high: 0.300516,
  status: "found",
  planted: null,
  inside: null,
  ...more,
});

test("a number is shown with two digits of its deviation", () => {
  assert.deepEqual(numberCells(row()), {
    name: "L1.base.x",
    unit: "mm",
    nominal: "300.0000",
    value: "300.5123",
    change: "+0.5123",
    sigma: "0.0021",
    interval: ["300.5080 …", "300.5160"],
    planted: "",
  });
  assert.equal(decimals(0.0021), 4);
  assert.equal(decimals(25), 0);
  assert.equal(decimals(1e-30), 9);
  assert.equal(decimals(0), 4);
  assert.equal(numberCells(row({ change: -0.00051234 })).change, "−0.5123");
});

test("what was not found has its reason, and no number even where one came", () => {
  for (const status of ["unseen", "weak", "beforehand", "none"]) {
    const cells = numberCells(row({ status, planted: 0.3004 }));
    assert.match(cells.value, /not|weakly|tolerance/);
    assert.equal(cells.change + cells.sigma + cells.interval.join(""), "");
    assert.ok(!Object.values(cells).some((text) => text.includes("300.51")));
    assert.equal(cells.planted, "300.4000");
  }
});

test("angles are degrees, directions have no unit", () => {
  assert.equal(shownUnit("rad").unit, "°");
  assert.ok(Math.abs(shownUnit("rad").scale * Math.PI - 180) < 1e-12);
  assert.deepEqual(shownUnit("1"), { unit: "", scale: 1 });
});

test("a plan as CSV keeps every digit, and a leg's name is no formula", () => {
  const text = planCsv({
    heads: ["x [m]", '=HYPERLINK("a") [m]'],
    table: [
      [0.1, -1e-17],
      [1 / 3, 2],
    ],
  });
  assert.equal(text, `"x [m]","'=HYPERLINK(""a"") [m]"\n0.1,-1e-17\n0.3333333333333333,2\n`);
});

test("an answer on demand is marked after a change, never asked for by itself, fresh again after undo", async () => {
  const screen = new Screen();
  const marks = [];
  let asked = 0;
  let key = "a";
  screen.set({ machine: { machine: 1 }, solve: { pose: {} } });
  const part = new OnDemand(screen, {
    key: () => key,
    ask: async () => {
      asked += 1;
      return { machine: 1 };
    },
    show: () => {},
    fail: () => {},
    clear: () => {},
    mark: (stale) => marks.push(stale),
  });
  part.set(true);
  await part.run({});
  assert.equal(asked, 1);
  key = "b";
  screen.set({});
  assert.equal(part.stale, true);
  assert.equal(marks.at(-1), true);
  assert.equal(asked, 1);
  key = "a";
  screen.set({});
  assert.equal(marks.at(-1), false);
});

test("an answer for a machine that is gone is not shown", async () => {
  const screen = new Screen();
  screen.set({ machine: { machine: 2 }, solve: { pose: {} } });
  const shown = [];
  const part = new OnDemand(screen, {
    key: () => "a",
    ask: async () => ({ machine: 1 }),
    show: (answer) => shown.push(answer),
    fail: () => {},
    clear: () => {},
    mark: () => {},
  });
  part.set(true);
  await part.run({});
  assert.deepEqual(shown, []);
  assert.equal(part.shown, null);
});
