// Frames of the server, columns of a timeline, poses between samples, what is on screen, drafts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keepDraft, leftDraft, ownDraft, dropDraft } from "../src/drafts.js";
import { unpack } from "../src/frames.js";
import { later } from "../src/later.js";
import { cell, column, csv, known, quantity } from "../src/quantities.js";
import { Derived, Screen } from "../src/screen.js";
import { isLost, words } from "../src/refusals.js";

globalThis.document = { documentElement: { dataset: { theme: "dark" } } };

function frame(header, arrays = []) {
  const head = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(head.length / 8) * 8;
  const size = arrays.reduce((sum, a) => sum + Math.ceil(a.byteLength / 8) * 8, 0);
  const buffer = new ArrayBuffer(8 + length + size);
  const bytes = new Uint8Array(buffer).fill(32, 8, 8 + length);
  bytes.set(new TextEncoder().encode("GFR1"));
  new DataView(buffer).setUint32(4, length, true);
  bytes.set(head, 8);
  let at = 8 + length;
  for (const a of arrays) {
    bytes.set(new Uint8Array(a.buffer), at);
    at += Math.ceil(a.byteLength / 8) * 8;
  }
  return buffer;
}
const said = (array, at, count) => ({ array, at, count });

test("a frame gives its arrays to the last bit", () => {
  const t = Float64Array.from([0.1, Math.PI, NaN, -1e300]);
  const marks = Int32Array.from([1, -2, 3]);
  const drawn = Float32Array.from([0.5]);
  const header = {
    type: "Timeline",
    id: 7,
    data: { t: said("f8", 0, 4), more: { broken: said("i4", 32, 3), v: said("f4", 48, 1) } },
    notes: ["a", null],
  };
  const message = unpack(frame(header, [t, marks, drawn]));
  assert.equal(message.id, 7);
  assert.deepEqual(message.data.t, t);
  assert.deepEqual(message.data.more.broken, marks);
  assert.deepEqual(message.data.more.v, drawn);
  assert.deepEqual(message.notes, ["a", null]);
});

test("frames that are not whole are refused with a sentence", () => {
  const whole = frame({ data: said("f8", 0, 2) }, [Float64Array.from([1, 2])]);
  for (let n = 0; n < whole.byteLength; n += 1)
    assert.throws(() => unpack(whole.slice(0, n)), /binary answer/, `${n} bytes`);
  const bad = [
    { x: said("f8", 0, 3) },
    { x: said("f8", 8, 2) },
    { x: said("f8", 4, 1) },
    { x: said("f8", -8, 1) },
    { x: said("f8", 0, 1e300) },
    { x: said("f8", 0, "2") },
    { x: said("constructor", 0, 1) },
    { x: { array: "f8" } },
    [1],
    "text",
  ];
  const numbers = [Float64Array.from([1, 2])];
  for (const header of bad)
    assert.throws(() => unpack(frame(header, numbers)), /binary answer/, JSON.stringify(header));
  let deep = 1;
  for (let n = 0; n < 40; n += 1) deep = { deep };
  assert.throws(() => unpack(frame(deep)), /nested too deeply/);
  const broken = frame({ a: 1 });
  new Uint8Array(broken)[9] = 0xff;
  assert.throws(() => unpack(broken), /not JSON/);
});

test("random damage is read or refused, never more", () => {
  const whole = new Uint8Array(
    frame({ id: 1, data: { t: said("f8", 0, 2) } }, [Float64Array.from([1, 2])]),
  );
  let seed = 5;
  const draw = (n) => (seed = (seed * 48271) % 2147483647) % n;
  let refused = 0;
  for (let k = 0; k < 3000; k += 1) {
    const hurt = whole.slice();
    for (let n = 0; n <= draw(4); n += 1) hurt[draw(hurt.length)] = draw(256);
    try {
      unpack(hurt.buffer);
    } catch (error) {
      refused += 1;
      assert.match(error.message, /binary answer/);
    }
  }
  assert.ok(refused > 1000);
});

const machine = {
  document: {
    legs: Array.from({ length: 6 }, () => ({ type: "UPS", limits: { stroke: [1, 2] } })),
  },
  drawing: { kinds: Array(6).fill("UPS"), names: ["L1", "L2", "L3", "L4", "L5", "L6"] },
};

test("what is not a number is a gap in a column, in a plot and in a file", () => {
  const flat = Float64Array.from({ length: 12 }, (_, i) => (i === 7 ? NaN : i));
  assert.deepEqual(column(flat, 1, 6), [1, null]);
  assert.deepEqual([known(NaN), known(null), known(0)], [null, null, 0]);
  const q = quantity("length", { coordinate: flat }, machine);
  assert.deepEqual(q.series[1].values, [1000, null]);
  assert.deepEqual(q.lines, [1000, 2000]);
  const force = { exact: flat, kane: Float64Array.from({ length: 12 }, (_, i) => i + 0.5) };
  const off = quantity("difference", { force }, machine);
  assert.deepEqual(
    off.series.map((s) => s.values[0]),
    Array(6).fill(0.5),
  );
  assert.equal(off.series[1].values[1], null);
  const rows = csv(q, Float64Array.from([0, 0.1]))
    .trimEnd()
    .split("\n");
  assert.equal(rows[0].split(",")[0], '"t [s]"');
  assert.equal(rows[2].split(",")[2], "");
});

test("a cell of a table cannot start a formula", () => {
  for (const text of ["=1+1", "+x", "-x", "@x", "\t=x"]) assert.ok(cell(text).startsWith(`"'`));
  assert.equal(cell('say "x"'), '"say ""x"""');
});

test("the same document has the same number; another load makes a run stale", () => {
  const screen = new Screen();
  const opened = (mass) => ({ machine: 1, document: { body: { mass } } });
  screen.setMachine(opened(1));
  const first = screen.document;
  screen.setMachine(opened(2));
  assert.notEqual(screen.document, first);
  screen.setMachine(opened(1));
  assert.equal(screen.document, first);
  const asked = { payload: { mass: 0 }, external: [0] };
  screen.setRun({ motion: asked, data: { t: [0, 1] } });
  screen.set({ solve: { ...asked, pose: { position: [0, 0, 1] } } });
  assert.equal(screen.runStale, false);
  screen.set({ solve: { ...screen.solve, payload: { mass: 9 } } });
  assert.equal(screen.runStale, true);
  screen.set({ mode: "time", index: 1 });
  assert.equal(screen.time, 1);
});

test("what is derived is asked for again until it is of what is on screen", async () => {
  const screen = new Screen();
  screen.setMachine({ machine: 1, document: {} });
  screen.set({ solve: { pose: 1 } });
  const seen = [];
  const derived = new Derived(screen, {
    key: () => JSON.stringify(screen.pose),
    ask: async () => ({ machine: 1, of: screen.pose }),
    show: (answer) => seen.push(answer.of),
    fail: () => seen.push("failed"),
    clear: () => seen.push("cleared"),
    mark: () => {},
  });
  derived.set(true);
  screen.set({ solve: { pose: 2 } });
  while (derived.stale || derived.busy) await new Promise((go) => setTimeout(go));
  assert.equal(seen.at(-1), 2);
  derived.set(false);
  assert.equal(seen.at(-1), "cleared");
});

test("the newest call of each name is made once the view is there", () => {
  const { standIn, handOver } = later();
  assert.equal(standIn.alive, false);
  standIn.on("drag", 1);
  standIn.setMachine("a");
  standIn.place(1);
  standIn.setMachine("b");
  standIn.on("arrows", 2);
  const made = [];
  const real = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args) =>
          made.push([name, ...args]),
    },
  );
  handOver(real);
  assert.deepEqual(made, [
    ["place", 1],
    ["setMachine", "b"],
    ["on", "drag", 1],
    ["on", "arrows", 2],
  ]);
});

test("drafts are kept for the tab and for later; without storage nothing breaks", () => {
  assert.equal(ownDraft(), null);
  const store = () => {
    const kept = new Map();
    return {
      getItem: (k) => kept.get(k) ?? null,
      setItem: (k, v) => kept.set(k, v),
      removeItem: (k) => kept.delete(k),
    };
  };
  globalThis.sessionStorage = store();
  globalThis.localStorage = store();
  const document = { legs: Array(6).fill({}) };
  const past = Array.from({ length: 30 }, (_, n) => ({ n }));
  keepDraft({ document, label: "x", past, future: [], at: null });
  assert.equal(ownDraft().past.length, 20);
  assert.equal(ownDraft().past.at(-1).n, 29);
  assert.equal(leftDraft().label, "x");
  globalThis.sessionStorage.setItem("gough-draft", "{");
  assert.equal(ownDraft(), null);
  globalThis.sessionStorage.setItem("gough-draft", '{"document":{"legs":[1]}}');
  assert.equal(ownDraft(), null);
  dropDraft();
  assert.equal(leftDraft(), null);
});

test("why something was refused", () => {
  assert.equal(words(Object.assign(new Error("here"), { text: "there" })), "there");
  assert.equal(words(new Error("here")), "here");
  assert.deepEqual([isLost(new Error("x")), isLost({ lost: true })], [false, true]);
});
