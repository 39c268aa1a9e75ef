// Units, words and ticks: what numbers look like on the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cross, largest, roundUp, turned } from "../src/arrows.js";
import { between, legendEntries, nearest, plotSvg, spread, ticks } from "../src/plotsvg.js";
import * as units from "../src/units.js";

globalThis.document = { documentElement: { dataset: { theme: "dark" } } };

test("a dash for nothing, a true minus sign, no negative zero", () => {
  assert.equal(units.num(null), "–");
  assert.equal(units.num(NaN), "–");
  assert.equal(units.num(-0.04, 1), "0.0");
  assert.equal(units.num(-12.34, 1), "−12.3");
  assert.equal(units.num(-Infinity), "−∞");
  assert.equal(units.sig(-1234567), "−1.235e+6");
  assert.equal(units.sig(0.00001234, 3), "1.23e−5");
  assert.equal(units.tick(0.00001234), "1.2e−5");
  assert.equal(units.effort(12345.6), "12346");
  assert.equal(units.effort(0.01234), "0.0123");
});

test("legs that turn and legs that push have units of their own", () => {
  const mixed = units.legUnits(["RUS", "UPS"]);
  assert.deepEqual([mixed.mixed, mixed.unit, mixed.effort], [true, "°, mm", "N·m, N"]);
  assert.equal(units.legUnits(["PUS", "PUS"]).mixed, false);
  assert.equal(units.legWords([{ type: "RSS" }, { type: "RUS" }]).effort, "torque");
  assert.equal(units.legWords([{ type: "RSS" }, { type: "UPS" }]).length, "Leg coordinate");
  assert.equal(units.coordinateName({ type: "UCU", screw: {} }), "travel");
});

test("names of the angles of a convention", () => {
  assert.deepEqual(units.poseFields("rpy"), ["roll", "pitch", "yaw"]);
  assert.deepEqual(units.poseFields("ZXZ extrinsic"), ["a (z)", "b (x)", "c (z)"]);
});

test("every color of a plot has a dark ink", () => {
  const dark = (color) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255);
    return 0.2126 * r ** 2.2 + 0.7152 * g ** 2.2 + 0.0722 * b ** 2.2 < 0.22;
  };
  for (const color of [...units.LEG_COLORS.dark, "#f59f33", "#8b98a9"])
    assert.ok(dark(units.inkOf(color)), color);
  assert.equal(units.shade("#f59f33"), "#f59f33");
});

test("ticks are round, inside, and about as many as asked for", () => {
  for (const [lo, hi, n] of [
    [0, 10, 8],
    [-3.2e-5, 4.1e-5, 6],
    [1190, 1760, 6],
  ]) {
    const found = ticks(lo, hi, n);
    assert.ok(found.length >= 3 && found.length <= n + 1, String(found));
    const step = found[1] - found[0];
    const digit = Number((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toFixed(6));
    assert.ok([1, 2, 5].includes(digit), String(step));
    for (const x of found) assert.ok(x >= lo - 1e-12 && x <= hi + 1e-9 * step);
  }
});

test("the range of an axis takes in lines that are near", () => {
  assert.deepEqual(spread(0, 10, [12]), [-0.72, 12.72]);
  assert.deepEqual(spread(0, 10, [500]), [-0.6, 10.6]);
  assert.deepEqual(spread(null, null, []), [0, 1]);
  assert.deepEqual(spread(5, 5), [4.5, 5.5]);
});

test("the nearest sample", () => {
  const t = Float64Array.from([0, 1, 2, 4]);
  for (const [x, k] of [
    [-1, 0],
    [0.4, 0],
    [0.6, 1],
    [3.1, 3],
    [9, 3],
  ])
    assert.equal(nearest(t, x), k);
});

test("arrows: the largest force, rounded up to a force that a legend names", () => {
  assert.equal(largest([3, 4, 0, NaN, null, 2]), 5);
  assert.equal(largest(null), 0);
  assert.deepEqual(
    [0.9, 1, 1.1, 2.1, 5.1, 1234, 0, NaN].map(roundUp),
    [1, 1, 2, 5, 10, 2000, 0, 0],
  );
});

test("turning by a quaternion", () => {
  const half = Math.SQRT1_2;
  const seen = turned([half, 0, 0, half], [1, 2, 3]); // a quarter turn about z
  [-2, 1, 3].forEach((x, i) => assert.ok(Math.abs(seen[i] - x) < 1e-15));
  assert.deepEqual(cross([1, 0, 0], [0, 1, 0]), [0, 0, 1]);
});

const curve = (more) => ({ label: "L1", color: "#ff6b6b", values: [1, null, 3], ...more });

test("an exported plot names its axes and everything that it draws", () => {
  const series = [0, 1].flatMap((leg) => [
    curve({ leg, name: `L${leg + 1}`, label: `L${leg + 1}` }),
    curve({
      leg,
      name: `L${leg + 1}`,
      label: `L${leg + 1} kane`,
      by: "kane/published",
      dash: [6, 4],
    }),
  ]);
  const q = { key: "force", title: 'A <b> & "c"', unit: "N", series, lines: [2] };
  const { plain, legs, by } = legendEntries(q);
  assert.deepEqual([plain.length, legs.map((l) => l.label)], [0, ["L1", "L2"]]);
  assert.deepEqual(by, [{ label: "kane, as printed", dash: [6, 4] }]);
  const svg = plotSvg(q, Float64Array.from([0, 1, 2]), null);
  for (const text of [
    "time [s]",
    "&lt;b&gt; &amp; &quot;c&quot; [N]</text>",
    "kane, as printed",
    ">L2<",
  ])
    assert.ok(svg.includes(text), text);
  assert.equal(svg.match(/class="curve"/g).length, 4);
  assert.ok(svg.includes(units.LEG_COLORS.light[0]) && !svg.includes(units.LEG_COLORS.dark[0]));
  assert.ok(!svg.includes("NaN") && !svg.includes("undefined"));
});

test("differences alone still name their legs", () => {
  const q = { series: [curve({ leg: 0, name: "L1", label: "L1 kane", by: "kane" })], lines: [] };
  assert.deepEqual(legendEntries(q).legs, [{ label: "L1", color: "#ff6b6b" }]);
});

test("a dot lies on the drawn curve, between samples too, and nowhere where nothing is known", () => {
  const t = [0, 1, 2, 4];
  const values = [0, 10, null, 5];
  assert.equal(between(t, values, 0.25), 2.5);
  assert.equal(between(t, values, 0.75), 7.5);
  assert.equal(between(t, values, 1), 10);
  assert.equal(between(t, values, 1.2), null);
  assert.equal(between(t, values, 2), null);
  assert.equal(between(t, values, 4), 5);
  assert.equal(between(t, [NaN, 1, 1, 1], 0), null);
});
