// One plot: uPlot, in step with its neighbors, zoom by dragging, export as PNG, SVG and CSV.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Emitter, download, h } from "./dom.js";
import { icon } from "./icons.js";
import { QUANTITIES, csv, quantity } from "./quantities.js";
import { sig, tick } from "./units.js";

const sync = uPlot.sync("gough");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Plot extends Emitter {
  /** options: key, fixed (no chooser), legend */
  constructor(options) {
    super();
    this.key = options.key;
    this.time = 0;
    this.range = null;
    this.chooser = h(
      "select.plot-choice",
      {
        "aria-label": "What to plot",
        onchange: () => {
          this.key = this.chooser.value;
          this.rebuild();
          this.emit("key", this.key);
        },
      },
      Object.entries(QUANTITIES).map(([key, title]) =>
        h("option", { value: key, selected: key === this.key }, title),
      ),
    );
    this.unit = h("span.plot-unit");
    this.legend = h("span.plot-legend");
    this.area = h("div.plot-area", { tabIndex: 0, role: "img", "aria-label": "plot" });
    this.tools = h(
      "div.plot-tools",
      {},
      h(
        "button.icon",
        {
          title: "Show the whole motion (double click)",
          "aria-label": "Reset zoom",
          onclick: () => this.emit("zoom", null),
        },
        icon("expand"),
      ),
      ["PNG", "SVG", "CSV"].map((kind) =>
        h(
          "button.text",
          { title: `Export this plot as ${kind}`, onclick: () => this.export(kind) },
          kind,
        ),
      ),
    );
    this.el = h(
      "section.plot",
      {},
      h(
        "header",
        {},
        options.fixed ? h("strong.plot-title", {}, QUANTITIES[this.key]) : this.chooser,
        this.unit,
        this.legend,
        this.tools,
      ),
      this.area,
    );
    this.area.addEventListener("keydown", (event) => this.keys(event));
    new ResizeObserver(() => this.fit()).observe(this.area);
  }

  keys(event) {
    if (!this.data) return;
    const [a, b] = this.range ?? [this.data.t[0], this.data.t.at(-1)];
    const w = b - a;
    const moves = {
      "+": [a + w * 0.15, b - w * 0.15],
      "=": [a + w * 0.15, b - w * 0.15],
      "-": [a - w * 0.2, b + w * 0.2],
      0: null,
    };
    if (event.key in moves) {
      this.emit("zoom", moves[event.key]);
      event.preventDefault();
    }
  }

  setData(data, machine) {
    this.data = data;
    this.machine = machine;
    this.rebuild();
  }

  get quantity() {
    return this.data ? quantity(this.key, this.data, this.machine) : null;
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.area.replaceChildren();
    const q = this.quantity;
    if (!q) {
      this.unit.textContent = "";
      return;
    }
    this.chooser.value = this.key;
    this.unit.textContent = q.unit ? `[${q.unit}]` : "";
    this.legend.replaceChildren(...legendOf(q));
    if (!q.series.length) {
      this.area.append(
        h(
          "p.hint",
          {},
          this.key === "error"
            ? "Only a simulation has a tracking error: run one in the motion panel."
            : "Choose a formulation to compare with, in the motion panel.",
        ),
      );
      return;
    }
    this.area.setAttribute("aria-label", `${q.title} over time`);
    const axis = (more) => ({
      stroke: css("--muted"),
      grid: { stroke: css("--grid"), width: 1 },
      ticks: { stroke: css("--grid"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      ...more,
    });
    const options = {
      width: Math.max(this.area.clientWidth, 80),
      height: Math.max(this.area.clientHeight, 60),
      cursor: {
        sync: { key: sync.key, scales: ["x", null] },
        drag: { x: true, y: false, setScale: false },
        points: { size: 6 },
      },
      legend: { show: false },
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, range: (u, lo, hi) => this.range ?? [lo, hi] },
        y: { range: (u, lo, hi) => spread(lo, hi, q.lines) },
      },
      axes: [
        axis({ size: 24, values: (u, ticks) => ticks.map((t) => sig(t, 5)) }),
        axis({ size: 58, values: (u, ticks) => ticks.map(tick) }),
      ],
      series: [
        { label: "t" },
        ...q.series.map((s) => ({
          label: s.label,
          stroke: s.color,
          width: 1.5,
          dash: s.dash,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(u) => this.mark(u, q)],
        setSelect: [
          (u) => {
            if (u.select.width > 6) {
              this.emit("zoom", [
                u.posToVal(u.select.left, "x"),
                u.posToVal(u.select.left + u.select.width, "x"),
              ]);
              u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            }
          },
        ],
        ready: [
          (u) => {
            u.over.addEventListener("dblclick", () => this.emit("zoom", null));
            u.over.addEventListener("click", (event) => {
              if (!event.detail || event.detail === 1)
                this.emit("seek", u.posToVal(u.cursor.left, "x"));
            });
          },
        ],
        setCursor: [(u) => this.tip(u, q)],
      },
    };
    this.plot = new uPlot(options, [this.data.t, ...q.series.map((s) => s.values)], this.area);
    this.tipBox = h("div.plot-tip", { hidden: true });
    this.area.append(this.tipBox);
  }

  tip(u, q) {
    const k = u.cursor.idx;
    const mine = u.cursor.event && u.over.matches(":hover");
    this.tipBox && (this.tipBox.hidden = k === null || k === undefined || !mine);
    if (!this.tipBox || this.tipBox.hidden) return;
    this.tipBox.replaceChildren(
      h("b", {}, `${sig(this.data.t[k], 4)} s`),
      ...q.series
        .slice(0, 12)
        .map((s) => h("span", { style: { color: s.color } }, `${s.label} ${sig(s.values[k], 5)}`)),
    );
    this.tipBox.classList.toggle("left", u.cursor.left > u.over.clientWidth * 0.6);
  }

  /** Vertical line at the current time, a dot on each curve, dashed limit lines. */
  mark(u, q) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
    ctx.strokeStyle = css("--muted");
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const y of q.lines)
      line(
        ctx,
        bbox.left,
        u.valToPos(y, "y", true),
        bbox.left + bbox.width,
        u.valToPos(y, "y", true),
      );
    const x = u.valToPos(this.time, "x", true);
    line(ctx, x, bbox.top, x, bbox.top + bbox.height);
    ctx.setLineDash([]);
    const k = nearest(this.data.t, this.time);
    for (const s of q.series) {
      if (s.values[k] === null || s.dash) continue;
      ctx.fillStyle = s.color;
      ctx.beginPath();
      ctx.arc(x, u.valToPos(s.values[k], "y", true), 3 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.restore();
  }

  setTime(t) {
    this.time = t;
    this.plot?.redraw(false);
  }
  setRange(range) {
    this.range = range;
    if (this.plot)
      this.plot.setScale("x", {
        min: range?.[0] ?? this.data.t[0],
        max: range?.[1] ?? this.data.t.at(-1),
      });
  }
  fit() {
    this.plot?.setSize({
      width: Math.max(this.area.clientWidth, 80),
      height: Math.max(this.area.clientHeight, 60),
    });
  }

  async export(kind) {
    const q = this.quantity;
    if (!q) return;
    const name = q.title.toLowerCase().replace(/[^a-z]+/g, "-");
    if (kind === "CSV") download(`${name}.csv`, csv(q, this.data.t), "text/csv");
    else if (kind === "SVG")
      download(`${name}.svg`, plotSvg(q, this.data.t, this.range), "image/svg+xml");
    else download(`${name}.png`, await this.png(q));
  }

  png(q) {
    const source = this.plot.ctx.canvas;
    const head = Math.round(26 * devicePixelRatio);
    const canvas = h("canvas", { width: source.width, height: source.height + head });
    const c = canvas.getContext("2d");
    c.fillStyle = css("--panel");
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.fillStyle = css("--text");
    c.font = `600 ${13 * devicePixelRatio}px system-ui, sans-serif`;
    c.fillText(
      q.unit ? `${q.title} [${q.unit}]` : q.title,
      12 * devicePixelRatio,
      18 * devicePixelRatio,
    );
    c.drawImage(source, 0, head);
    return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  }
}

/** Names of what is not a leg (legs have the colors of the table), and of dashed formulations. */
function legendOf(q) {
  const plain = q.series
    .filter((s) => s.leg === undefined)
    .map((s) => h("span", { style: { color: s.color } }, s.label));
  const others = [
    ...new Map(
      q.series
        .filter((s) => s.leg !== undefined && s.label.includes(" "))
        .map((s) => [s.label.slice(s.label.indexOf(" ") + 1), s]),
    ).entries(),
  ];
  return [
    ...plain,
    ...others.map(([name, s]) =>
      h("span", {}, `${s.dash ? "╌ " : "─ "}${name.replace("/published", ", as printed")}`),
    ),
  ];
}

function line(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

function spread(lo, hi, lines) {
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

function ticks(lo, hi, n) {
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
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/><text x="${left}" y="20" font-weight="600" font-size="14">${esc(q.title)}${q.unit ? ` [${esc(q.unit)}]` : ""}</text>`,
  ];
  for (const y of ticks(lo, hi, 6))
    parts.push(
      `<path d="M${left} ${Y(y).toFixed(1)}H${width - right}" stroke="#dde3ea"/><text x="${left - 8}" y="${(Y(y) + 4).toFixed(1)}" text-anchor="end" fill="#445">${esc(tick(y))}</text>`,
    );
  for (const x of ticks(x0, x1, 8))
    parts.push(
      `<path d="M${X(x).toFixed(1)} ${top}V${height - bottom}" stroke="#eef1f5"/><text x="${X(x).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle" fill="#445">${esc(sig(x, 5))}</text>`,
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
    parts.push(
      `<path d="${d}" fill="none" stroke="${s.color}" stroke-width="1.6"${s.dash ? ` stroke-dasharray="${s.dash.join(" ")}"` : ""}/>`,
    );
    if (legend && n < 18)
      parts.push(
        `<path d="M${width - right + 10} ${top + 8 + 18 * n}h18" stroke="${s.color}" stroke-width="2"${s.dash ? ` stroke-dasharray="${s.dash.join(" ")}"` : ""}/><text x="${width - right + 34}" y="${top + 12 + 18 * n}">${esc(s.label)}</text>`,
      );
  });
  parts.push(
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle" fill="#445">time [s]</text></svg>`,
  );
  return parts.join("");
}
