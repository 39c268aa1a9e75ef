// What is looked for: kept over an edit, the usual ones of a fresh page, none where none was wanted.
import assert from "node:assert/strict";
import { test } from "node:test";
import { byLeg, groupTitle, tickedOf, usualWords } from "../src/unknownticks.js";

const number = (leg, group, part) => ({ name: `${leg}.${group}${part && `.${part}`}`, leg, part });
const listed = {
  groups: ["base", "length", "scale"],
  members: [
    ["L1", "L2"].flatMap((leg) => ["x", "y", "z"].map((part) => number(leg, "base", part))),
    [number("L1", "length", ""), number("L2", "length", "")],
    [number("L1", "scale", ""), number("L2", "scale", "")],
  ],
  usual: [true, true, false],
};

test("the usual ones are ticked until something is chosen", () => {
  assert.equal(tickedOf(listed, null).size, 8);
  assert.ok(!tickedOf(listed, null).has("L1.scale"));
  assert.equal(usualWords(listed), "base joints, rod lengths: 8 numbers");
});

test("a choice stays over an edit, also that of nothing", () => {
  assert.deepEqual([...tickedOf(listed, new Set(["L2.scale", "L1.base.y"]))].sort(), [
    "L1.base.y",
    "L2.scale",
  ]);
  assert.equal(tickedOf(listed, new Set()).size, 0);
});

test("of a machine that has none of the chosen numbers the usual ones are ticked", () => {
  assert.equal(tickedOf(listed, new Set(["L9.rail.x"])).size, 8);
});

test("numbers of a group by leg, groups in words", () => {
  const rows = byLeg(listed.members[0]);
  assert.deepEqual(
    rows.map(([leg, numbers]) => [leg, numbers.map(({ part }) => part).join("")]),
    [
      ["L1", "xyz"],
      ["L2", "xyz"],
    ],
  );
  assert.equal(groupTitle("platform_axis"), "platform joint axes");
  assert.equal(groupTitle("new_thing"), "new thing");
});
