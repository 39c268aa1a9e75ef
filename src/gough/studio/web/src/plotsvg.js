// A plot as a stand-alone SVG, and the ranges and ticks it shares with the live plots.

import { inkOf, sig, tick } from "./units.js";

/**
 * The range of an axis: the values with a margin, and lines that are near.
 * @param {number | null} lo
 * @param {number | null} hi
 * @param {number[]} [lines]
 * @returns {[number, number]}
 */
export function spread(lo, hi, lines) {
  if (lo === null || hi === null) return [0, 1];
  let [low, high] = [lo, hi];
  for (const y of lines ?? [])
    if (y > low - (high - low) && y < high + (high - low)) {
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
  const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - pad, high + pad];
}

/**
 * A curve at time x, as it is drawn: straight between samples; null where one of them is not known.
 * @param {ArrayLike<number>} t
 * @param {ArrayLike<number | null>} values
 * @param {number} x
 * @returns {number | null}
 */
export function between(t, values, x) {
  const k = nearest(t, x);
  const next = x > t[k] ? Math.min(k + 1, t.length - 1) : Math.max(k - 1, 0);
  const [a, b] = [values[k], values[next]];
  if (a === null || Number.isNaN(a)) return null;
  if (next === k || x === t[k]) return a;
  if (b === null || Number.isNaN(b)) return null;
  return a + ((x - t[k]) / (t[next] - t[k])) * (b - a);
}

/**
 * Index of the sample nearest to time x.
 * @param {ArrayLike<number>} t
 * @param {number} x
 */
export function nearest(t, x) {
  let lo = 0,
    hi = t.length - 1;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if (t[mid] > x) hi = mid;
    else lo = mid;
  }
  return x - t[lo] <= t[hi] - x ? lo : hi;
}

/**
 * The end of a list that is not empty.
 * @param {ArrayLike<number>} list
 */
export const last = (list) => list[list.length - 1];

/**
 * Round numbers from lo to hi, about n.
 * @param {number} lo
 * @param {number} hi
 * @param {number} n
 */
export function ticks(lo, hi, n) {
  const raw = (hi - lo) / n;
  const mag = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * mag).find((k) => k >= raw) ?? 10 * mag;
  const out = [];
  for (let x = Math.ceil(lo / step) * step; x <= hi + step * 1e-9; x += step)
    out.push(Math.abs(x) < step * 1e-9 ? 0 : x);
  return out;
}

/** @param {string} text */
const esc = (text) =>
  String(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/**
 * What a legend names: series that are no leg, then legs by their color, then formulations by their dash pattern.
 * @param {import("./types.d.ts").Quantity} q
 */
export function legendEntries(q) {
  const plain = q.series.filter((one) => one.leg === undefined);
  const first = (/** @type {"leg" | "by"} */ key) => [
    ...new Map(
      q.series.filter((one) => one[key] !== undefined).map((one) => [one[key], one]),
    ).values(),
  ];
  const legs = [...q.series.filter((one) => one.leg !== undefined && !one.by)];
  const named = legs.length
    ? legs
    : first("leg").map((one) => ({ ...one, label: one.name ?? one.label }));
  return {
    plain,
    legs: named.map(({ label, color }) => ({ label, color })),
    by: first("by").map(({ by, dash }) => ({
      label: String(by).replace("/published", ", as printed"),
      dash,
    })),
  };
}

/**
 * The plot as a stand-alone SVG, for print: dark inks on white, names of the axes, everything drawn in the legend.
 * @param {import("./types.d.ts").Quantity} q
 * @param {ArrayLike<number>} t
 * @param {[number, number] | null} range
 * @param {{ width?: number, height?: number }} [size]
 */
export function plotSvg(q, t, range, { width = 760, height = 380 } = {}) {
  const [x0, x1] = range ?? [t[0], t[t.length - 1]];
  const inside = Array.from(t, (_, k) => k).filter((k) => t[k] >= x0 && t[k] <= x1);
  let lo = Infinity,
    hi = -Infinity;
  for (const s of q.series)
    for (const k of inside) {
      const y = s.values[k];
      if (y === null) continue;
      lo = Math.min(lo, y);
      hi = Math.max(hi, y);
    }
  if (!Number.isFinite(lo)) [lo, hi] = [0, 1];
  [lo, hi] = spread(lo, hi, q.lines);
  const { plain, legs, by } = legendEntries(q);
  /** @type {{ label: string, color?: string, dash?: number[] }[]} */
  const entries = [...plain, ...legs, ...by];
  const longest = Math.max(...entries.map(({ label }) => label.length), 4);
  const left = 84,
    right = 48 + 7 * longest,
    top = 34,
    bottom = 44;
  const X = (/** @type {number} */ x) =>
    left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right);
  const Y = (/** @type {number} */ y) =>
    height - bottom - ((y - lo) / (hi - lo)) * (height - top - bottom);
  const name = esc(q.unit ? `${q.title} [${q.unit}]` : q.title);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`,
    ` height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${name}">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="20" font-weight="600" font-size="14">${esc(q.title)}</text>`,
  ];
  for (const y of ticks(lo, hi, 6))
    parts.push(
      `<path d="M${left} ${Y(y).toFixed(1)}H${width - right}" stroke="#dde3ea"/>`,
      `<text x="${left - 8}" y="${(Y(y) + 4).toFixed(1)}" text-anchor="end" fill="#445">`,
      `${esc(tick(y))}</text>`,
    );
  for (const x of ticks(x0, x1, 8))
    parts.push(
      `<path d="M${X(x).toFixed(1)} ${top}V${height - bottom}" stroke="#eef1f5"/>`,
      `<text x="${X(x).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle" fill="#445">`,
      `${esc(sig(x, 5))}</text>`,
    );
  for (const y of q.lines)
    if (y > lo && y < hi)
      parts.push(
        `<path d="M${left} ${Y(y).toFixed(1)}H${width - right}" stroke="#667" stroke-dasharray="5 4"/>`,
      );
  const dashed = (/** @type {number[] | undefined} */ dash) =>
    dash ? ` stroke-dasharray="${dash.join(" ")}"` : "";
  for (const s of q.series) {
    let pen = false,
      d = "";
    for (const k of inside) {
      const y = s.values[k];
      if (y === null) {
        pen = false;
        continue;
      }
      d += `${pen ? "L" : "M"}${X(t[k]).toFixed(1)} ${Y(y).toFixed(1)}`;
      pen = true;
    }
    parts.push(
      `<path class="curve" d="${d}" fill="none" stroke="${inkOf(s.color)}" stroke-width="1.6"${dashed(s.dash)}/>`,
    );
  }
  entries.forEach(({ label, color, dash }, n) => {
    parts.push(
      `<path d="M${width - right + 10} ${top + 8 + 18 * n}h18" stroke="${color ? inkOf(color) : "#445"}"`,
      ` stroke-width="2"${dashed(dash)}/>`,
      `<text x="${width - right + 34}" y="${top + 12 + 18 * n}">${esc(label)}</text>`,
    );
  });
  const middle = (top + height - bottom) / 2;
  parts.push(
    `<text transform="translate(18 ${middle}) rotate(-90)" text-anchor="middle" fill="#445">${name}</text>`,
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle" fill="#445">time [s]</text></svg>`,
  );
  return parts.join("");
}
