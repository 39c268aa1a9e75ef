// Used shares in words: never 100 % where it is not, the worst leg, legs without a limit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, percent, worst } from "../src/usedbars.js";

test("6,899 of 15,000 N is 46 %", () => {
  assert.equal(percent(6899 / 15000), "46 %");
  assert.equal(percent(0), "0 %");
  assert.equal(percent(1), "100 %");
  assert.equal(percent(1.32), "132 %");
  assert.equal(percent(null), "touch");
});

test("a limit that is nearly met is not called met, one that is just broken not held", () => {
  assert.equal(percent(0.9987), "99.87 %");
  assert.equal(percent(1.0013), "100.13 %");
  assert.equal(percent(1 - 1e-7), "< 100 %");
  assert.equal(percent(1 + 1e-7), "> 100 %");
});

test("the leg that uses most; one that touches before all; legs without this limit are told", () => {
  const legs = [{ share: 0.2 }, null, { share: 0.7 }, { share: 0.5 }, null, null];
  assert.equal(worst(legs), 2);
  assert.equal(worst([...legs.slice(0, 5), { share: null }]), 5);
  assert.equal(counted(legs), "; 3 of 6 legs have this limit");
  assert.equal(counted([{ share: 1 }]), "");
});
