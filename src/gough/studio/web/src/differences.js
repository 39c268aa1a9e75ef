// Two machines or runs in numbers: what A has, what B has, B − A, and that as a share of A.

import { DEG, turns } from "./units.js";

/** @typedef {{ coordinate: (number|null)[], force: (number|null)[], margin: (number|null)[],
 *   condition: number|null, kinds: string[] }} Side */

/** @typedef {{ name: string, unit: string, scale: number, digits: number, a: number|null, b: number|null,
 *   difference: number|null, share: number|null }} Row */

/**
 * Rows of the table, SI; `share` is (B − A)/|A|, null where A is zero or one is missing.
 * @param {Side} a
 * @param {Side} b
 * @returns {Row[]}
 */
export function differences(a, b) {
  /** @type {Row[]} */
  const rows = [];
  /**
   * @param {string} name
   * @param {string} unit
   * @param {number} scale
   * @param {number} digits
   * @param {number | null} x
   * @param {number | null} y
   */
  const add = (name, unit, scale, digits, x, y) => {
    const both = x !== null && y !== null && Number.isFinite(x) && Number.isFinite(y);
    const difference = both ? y - x : null;
    const share = both && x !== 0 ? (y - x) / Math.abs(x) : null;
    rows.push({ name, unit, scale, digits, a: x ?? null, b: y ?? null, difference, share });
  };
  /** @param {number} i */
  const same = (i) => turns(a.kinds[i]) === turns(b.kinds[i]);
  for (let i = 0; i < 6; i++) {
    const unit = turns(a.kinds[i]) ? "°" : "mm";
    const scale = turns(a.kinds[i]) ? 1 / DEG : 1000;
    const other = same(i) ? b.coordinate[i] : null; // a length and an angle have no difference
    add(`L${i + 1} length`, unit, scale, 2, a.coordinate[i], other);
  }
  for (let i = 0; i < 6; i++) {
    const unit = turns(a.kinds[i]) ? "N·m" : "N";
    add(`L${i + 1} force`, unit, 1, 1, a.force[i], same(i) ? b.force[i] : null);
  }
  for (let i = 0; i < 6; i++) add(`L${i + 1} margin`, "%", 100, 1, a.margin[i], b.margin[i]);
  add("condition", "", 1, 3, a.condition, b.condition);
  return rows;
}
