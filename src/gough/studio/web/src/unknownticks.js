// Which numbers of the machine are looked for: groups with a tick each, and every number of a group by itself.

import { clear, h } from "./dom.js";

/** @typedef {import("./messages.js").UnknownsListed} UnknownsListed */
/** @typedef {import("./types.d.ts").UnknownNumber} UnknownNumber */

/** @type {Record<string, string>} what a group is called on screen; others by their name in the machine file */
const TITLES = {
  base: "base joints",
  joint: "platform joints",
  arm: "crank arms",
  length: "rod lengths",
  rail: "rail directions",
  shaft: "shaft directions",
  axis: "base joint axes",
  platform_axis: "platform joint axes",
  screw: "screw leads",
  zero: "encoder zeros",
  scale: "encoder scales",
};

/** @param {string} group */
export const groupTitle = (group) => TITLES[group] ?? group.replaceAll("_", " ");

/**
 * What is ticked when a machine is listed: what was, where it has such numbers; else the usual ones.
 * @param {UnknownsListed} listed
 * @param {Set<string> | null} before null: nothing was chosen yet
 */
export function tickedOf({ members, usual }, before) {
  const names = members.flat().map(({ name }) => name);
  const kept = names.filter((name) => before?.has(name));
  if (before && (kept.length || !before.size)) return new Set(kept);
  return new Set(members.filter((_, k) => usual[k]).flatMap((group) => group.map((n) => n.name)));
}

/**
 * The usual unknowns in words.
 * @param {UnknownsListed} listed
 */
export function usualWords({ groups, members, usual }) {
  const names = groups.filter((_, k) => usual[k]).map(groupTitle);
  const count = members.reduce((sum, group, k) => sum + (usual[k] ? group.length : 0), 0);
  return `${names.join(", ")}: ${count} numbers`;
}

/**
 * The numbers of a group leg by leg.
 * @param {UnknownNumber[]} group
 * @returns {[string, UnknownNumber[]][]}
 */
export function byLeg(group) {
  /** @type {Map<string, UnknownNumber[]>} */
  const legs = new Map();
  for (const number of group) legs.set(number.leg, [...(legs.get(number.leg) ?? []), number]);
  return [...legs];
}

export class UnknownTicks {
  /** @param {() => void} changed is told of every tick */
  constructor(changed) {
    this.changed = changed;
    /** @type {UnknownsListed | null} */
    this.listed = null;
    /** @type {Set<string> | null} null: nothing was chosen yet */
    this.ticked = null;
    /** @type {Set<string>} groups whose numbers are seen */
    this.unfolded = new Set();
    this.told = h("p.hint", { role: "status" });
    this.body = h("div.tick-groups");
    this.el = h("div.ticks", { role: "group", "aria-label": "Unknowns" }, this.body, this.told);
  }

  /** @param {UnknownsListed | null} listed of the machine on screen */
  set(listed) {
    this.listed = listed;
    if (listed) this.ticked = tickedOf(listed, this.ticked);
    this.build();
  }

  /** As on a fresh page. */
  reset() {
    this.ticked = null;
    this.unfolded.clear();
    this.set(this.listed);
  }

  /** Names of what is ticked, in the order of the machine's groups. */
  get names() {
    const all = this.listed?.members.flat() ?? [];
    return all.map(({ name }) => name).filter((name) => this.ticked?.has(name));
  }

  build() {
    const { listed } = this;
    /** @type {(() => void)[]} */
    this.refreshers = [];
    clear(
      this.body,
      listed?.groups.map((group, k) => this.group(group, listed.members[k])),
    );
    this.refresh();
  }

  /** Every tick, and how many there are, as they are chosen now. */
  refresh() {
    for (const one of this.refreshers ?? []) one();
    const all = this.listed?.members.flat().length ?? 0;
    const count = this.names.length;
    this.told.textContent = !all
      ? ""
      : count
        ? `${count} of ${all} numbers are looked for; the others stay as they are.`
        : "Nothing is ticked: tick at least one number.";
  }

  /**
   * @param {string[]} names
   * @param {boolean} on
   */
  tick(names, on) {
    this.ticked ??= new Set();
    for (const name of names) {
      if (on) this.ticked.add(name);
      else this.ticked.delete(name);
    }
    this.refresh();
    this.changed();
  }

  /**
   * @param {string} group
   * @param {UnknownNumber[]} members
   */
  group(group, members) {
    const names = members.map(({ name }) => name);
    const title = groupTitle(group);
    /** @type {HTMLInputElement} */
    const all = h("input", {
      type: "checkbox",
      dataset: { group },
      "aria-label": title,
      onchange: () => this.tick(names, all.checked),
    });
    const count = h("small");
    this.refreshers?.push(() => {
      const some = names.filter((name) => this.ticked?.has(name)).length;
      all.checked = some === names.length;
      all.indeterminate = some > 0 && some < names.length;
      count.textContent = `${some} of ${names.length}`;
    });
    const id = `ticks-${group}`;
    const single = h("div.tick-numbers", { id, hidden: !this.unfolded.has(group) });
    single.append(...byLeg(members).map(([leg, numbers]) => this.row(leg, numbers)));
    if (members.every(({ part }) => !part)) single.classList.add("plain");
    const fold = h(
      "button.text",
      {
        dataset: { unfold: group },
        "aria-expanded": String(!single.hidden),
        "aria-controls": id,
        "aria-label": `${title}: single numbers`,
        onclick: () => {
          single.hidden = !single.hidden;
          if (single.hidden) this.unfolded.delete(group);
          else this.unfolded.add(group);
          fold.setAttribute("aria-expanded", String(!single.hidden));
        },
      },
      "single",
    );
    return h(
      "div.tick-group",
      {},
      h("div.tick-head", {}, h("label.inline", {}, all, title), count, fold),
      single,
    );
  }

  /**
   * @param {string} leg
   * @param {UnknownNumber[]} numbers
   */
  row(leg, numbers) {
    const ticks = numbers.map(({ name, part }) => {
      /** @type {HTMLInputElement} */
      const box = h("input", {
        type: "checkbox",
        dataset: { unknown: name },
        "aria-label": name,
        onchange: () => this.tick([name], box.checked),
      });
      this.refreshers?.push(() => {
        box.checked = Boolean(this.ticked?.has(name));
      });
      return h("label.inline", {}, box, part || leg);
    });
    const named = numbers.some(({ part }) => part);
    return h("div.tick-row", {}, named ? h("span", {}, leg) : null, ticks);
  }
}
