// The live table: length, rate, force, joint loads; limits in red; why a pose is refused.

import { clear, h } from "./dom.js";
import {
  coordinateName,
  coordinateUnit,
  effort,
  legColor,
  legUnits,
  legWords,
  num,
  sig,
} from "./units.js";

const REACTIONS = {
  spherical_force: ["top N", "force in the platform joint"],
  universal_force: ["base N", "force in the base-side joint"],
  universal_moment: ["base N·m", "moment in the base-side joint"],
  prismatic_force: ["guide N", "force in guide or shaft bearing"],
  prismatic_moment: ["guide N·m", "moment in guide or shaft bearing"],
};

/**
 * Where a broken limit is marked: 0 the leg's name, then its numbers.
 * @type {Record<string, number>}
 */
const COLUMN = { reach: 1, stroke: 1, speed: 2, force: 3 };

/**
 * What is broken at a sample of a motion, leg by leg.
 * @param {(number | null)[]} broken
 * @param {import("./types.d.ts").Drawing} drawing
 */
export function brokenWords(broken, { names, limit_kinds: kinds }) {
  return names.flatMap((name, i) =>
    kinds
      .filter((_, k) => (broken[i] ?? 0) & (1 << k))
      .map((kind) => `${name}: ${kind} limit broken`),
  );
}

/** @typedef {{ el: HTMLElement, name: HTMLElement, cells: HTMLElement[] }} Row */

export class LegTable {
  constructor() {
    this.reaction = "spherical_force";
    /** @type {import("./types.d.ts").Machine | null} */
    this.machine = null;
    /** @type {import("./types.d.ts").Sample | null} */
    this.state = null;
    /** @type {Row[]} */
    this.rows = [];
    this.choice = h(
      "select.mini",
      {
        "aria-label": "Which joint load",
        title: "Which joint load",
        onchange: () => {
          this.reaction = this.choice.value;
          this.update(this.state);
        },
      },
      Object.entries(REACTIONS).map(([key, [text, title]]) =>
        h("option", { value: key, title }, text),
      ),
    );
    this.body = h("tbody");
    this.heads = {
      length: h("th", { scope: "col" }),
      rate: h("th", { scope: "col" }),
      force: h("th", { scope: "col" }),
    };
    this.table = h(
      "table.legs",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "leg"),
          this.heads.length,
          this.heads.rate,
          this.heads.force,
          h("th", { scope: "col" }, this.choice),
        ),
      ),
      this.body,
    );
    this.numbers = h("dl.numbers");
    this.refused = h("div.refused", { role: "status", "aria-live": "polite", hidden: true });
    this.el = h(
      "div",
      {},
      h("div.section-head", {}, h("h2", {}, "Legs"), (this.source = h("span.badge", {}, "pose"))),
      this.table,
      this.refused,
      (this.notes = h("div.notes")),
      this.numbers,
    );
  }

  /** @param {import("./types.d.ts").Machine} machine */
  setMachine(machine) {
    this.machine = machine;
    const { kinds, names } = machine.drawing;
    const unit = legUnits(kinds);
    const words = new Set(machine.document.legs.map(coordinateName));
    this.heads.length.replaceChildren(`${[...words].join(", ")} `, h("small", {}, unit.unit));
    this.heads.rate.replaceChildren("rate ", h("small", {}, unit.rate));
    this.heads.force.replaceChildren(
      `${legWords(machine.document.legs).effort} `,
      h("small", {}, unit.effort),
    );
    this.rows = names.map((name, i) => {
      const cells = ["coordinate", "rate", "force", "reaction"].map((key) =>
        h("td", { dataset: { leg: i, key } }),
      );
      const head = h("th", { scope: "row", style: { color: legColor(i) } }, name);
      return { cells, name: head, el: h("tr", {}, head, cells) };
    });
    clear(
      this.body,
      this.rows.map((row) => row.el),
    );
    machine.document.legs.forEach((leg, i) => {
      this.rows[i].el.title = allowed(leg);
    });
    if (this.state) this.update(this.state);
  }

  /**
   * The number whose limit is broken or near is marked; limits of cones and distances mark the leg's name.
   * @param {Row} row
   * @param {string[]} kinds of limits
   * @param {number} broken
   * @param {number} near
   */
  mark(row, kinds, broken, near) {
    /** @param {number} bits */
    const named = (bits) => kinds.filter((_, k) => bits & (1 << k));
    const [bad, close] = [named(broken), named(near)];
    row.el.classList.toggle("bad", bad.length > 0);
    row.el.classList.toggle("near", !bad.length && close.length > 0);
    [row.name, ...row.cells].forEach((cell, k) => {
      /** @param {string} kind */
      const here = (kind) => (COLUMN[kind] ?? 0) === k;
      cell.classList.toggle("bad", bad.some(here));
      cell.classList.toggle("near", !bad.some(here) && close.some(here));
    });
    const words = [...bad.map((kind) => `${kind} broken`), ...close.map((kind) => `${kind} near`)];
    row.name.title = words.join(", ");
  }

  restyle() {
    if (this.machine) this.setMachine(this.machine);
  }

  /**
   * state: coordinate, rate, force, reactions, margin, refused ...; source: "pose" or the time of a sample
   * @param {import("./types.d.ts").Sample | null} state
   * @param {string} [source]
   */
  update(state, source) {
    if (!state || !this.machine) return;
    const { kinds, limit_kinds } = this.machine.drawing;
    this.state = state;
    if (source) this.source.textContent = source;
    this.rows.forEach((row, i) => {
      const unit = coordinateUnit(kinds[i]);
      const load = state.reactions?.[this.reaction]?.[i];
      put(
        row.cells[0],
        state.coordinate[i],
        num(scale(state.coordinate[i], unit.scale), unit.digits),
      );
      put(row.cells[1], state.rate?.[i], num(scale(state.rate?.[i], unit.scale), 1));
      put(row.cells[2], state.force[i], effort(state.force[i]));
      put(row.cells[3], load, effort(load));
      this.mark(row, limit_kinds, state.broken?.[i] ?? 0, state.near?.[i] ?? 0);
    });
    clear(
      this.numbers,
      item(
        "Condition number",
        sig(state.condition_scaled, 4),
        "singular values of H, moment rows divided by the characteristic length",
        state.condition_scaled,
      ),
      item(
        "Smallest singular value",
        sig(state.sigma_min, 4),
        "of the same matrix: zero at a singular pose",
        state.sigma_min,
      ),
      item(
        "Condition, SI as in papers",
        sig(state.condition, 4),
        "mixed units: newtons and newton meters",
        state.condition,
      ),
    );
    this.refused.hidden = !state.refused?.length;
    clear(
      this.refused,
      state.refused?.length
        ? [
            h("strong", {}, state.heading ?? "This pose is refused"),
            h(
              "ul",
              {},
              state.refused.slice(0, 12).map((text) => h("li", {}, text)),
            ),
          ]
        : [],
    );
    clear(
      this.notes,
      (state.notes ?? []).slice(0, 2).map((text) => h("p.hint", {}, text)),
    );
  }
}

/**
 * The limits of a leg in words, for the tooltip of its row.
 * @param {import("./types.d.ts").LegDocument} leg
 */
function allowed({ type, limits, fixed }) {
  const unit = coordinateUnit(type);
  const parts = fixed ? [`fixed link, ${num(fixed * unit.scale, unit.digits)} ${unit.unit}`] : [];
  if (limits.stroke)
    parts.push(
      `stroke ${limits.stroke.map((x) => num(x * unit.scale, unit.digits)).join(" … ")} ${unit.unit}`,
    );
  if (limits.force) parts.push(`effort up to ${sig(limits.force)} ${unit.effort}`);
  if (limits.speed) parts.push(`rate up to ${sig(limits.speed * unit.scale)} ${unit.rate}`);
  const cones = { "base cone": limits.base_cone, "platform cone": limits.platform_cone };
  for (const [name, cone] of Object.entries(cones))
    if (cone) parts.push(`${name} ${num((cone * 180) / Math.PI, 1)}°`);
  return parts.length ? `${type}: ${parts.join(", ")}` : `${type}: no limits set`;
}

/**
 * @param {number | null | undefined} x
 * @param {number} k
 */
const scale = (x, k) => (x === null || x === undefined ? x : x * k);

/**
 * @param {HTMLElement} cell
 * @param {number | null | undefined} value
 * @param {string} text
 */
function put(cell, value, text) {
  if (cell.textContent !== text) cell.textContent = text;
  cell.dataset.value = String(value ?? "");
}

/**
 * @param {string} label
 * @param {string} text
 * @param {string} title
 * @param {number | null} value
 */
function item(label, text, title, value) {
  return [h("dt", { title }, label), h("dd", { dataset: { value: value ?? "" } }, text)];
}
