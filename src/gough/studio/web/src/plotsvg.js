// A plot as a stand-alone SVG, and the ranges and ticks it shares with the live plots.

import { sig, tick } from "./units.js";

/** The range of an axis: the values with a margin, and lines that are near. */
export function spread(lo, hi, lines) {
  if (lo === null || hi === null) return [0, 1];
  for (const y of lines ?? [])
    if (y > lo - (hi - lo) && y < hi + (hi - lo)) {
      lo = Math.min(lo, y);
      hi = Math.max(hi, y);
    }
  const pad = (hi - lo) * 0.06 || Math.abs(hi) * 0.1 || 1;
  return [lo - pad, hi + pad];
}

/** Index of the sample nearest to time x. */
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

/** Round numbers from lo to hi, about n. */
export function ticks(lo, hi, n) {
  const raw = (hi - lo) / n;
  const mag = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * mag).find((k) => k >= raw);
  const out = [];
  for (let x = Math.ceil(lo / step) * step; x <= hi + step * 1e-9; x += step)
    out.push(Math.abs(x) < step * 1e-9 ? 0 : x);
  return out;
}

const esc = (text) =>
  String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The plot as a stand-alone SVG, for print. */
export function plotSvg(q, t, range, { width = 760, height = 380, legend = true } = {}) {
  const [x0, x1] = range ?? [t[0], t.at(-1)];
  const inside = t.map((x, k) => (x >= x0 && x <= x1 ? k : -1)).filter((k) => k >= 0);
  let lo = Infinity,
    hi = -Infinity;
  for (const s of q.series)
    for (const k of inside)
      if (s.values[k] !== null) {
        lo = Math.min(lo, s.values[k]);
        hi = Math.max(hi, s.values[k]);
      }
  if (!Number.isFinite(lo)) [lo, hi] = [0, 1];
  [lo, hi] = spread(lo, hi, q.lines);
  const longest = Math.max(...q.series.map((s) => s.label.length), 4);
  const left = 70,
    right = legend ? 48 + 7 * longest : 16,
    top = 34,
    bottom = 44;
  const X = (x) => left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right);
  const Y = (y) => height - bottom - ((y - lo) / (hi - lo)) * (height - top - bottom);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`,
    ` height="${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="20" font-weight="600" font-size="14">${esc(q.title)}`,
    `${q.unit ? ` [${esc(q.unit)}]` : ""}</text>`,
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
  q.series.forEach((s, n) => {
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
    const dash = s.dash ? ` stroke-dasharray="${s.dash.join(" ")}"` : "";
    parts.push(`<path d="${d}" fill="none" stroke="${s.color}" stroke-width="1.6"${dash}/>`);
    if (legend && n < 18)
      parts.push(
        `<path d="M${width - right + 10} ${top + 8 + 18 * n}h18" stroke="${s.color}"`,
        ` stroke-width="2"${dash}/>`,
        `<text x="${width - right + 34}" y="${top + 12 + 18 * n}">${esc(s.label)}</text>`,
      );
  });
  parts.push(
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle" fill="#445">time [s]</text></svg>`,
  );
  return parts.join("");
}
