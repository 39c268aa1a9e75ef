// One plot: uPlot, in step with its neighbors, zoom by dragging, export as PNG, SVG and CSV.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Emitter, download, h, needed, png, s as svg, toast } from "./dom.js";
import { icon } from "./icons.js";
import { QUANTITIES, csv, quantity, titles } from "./quantities.js";
import { between, last, legendEntries, plotSvg, spread } from "./plotsvg.js";
import { words } from "./refusals.js";
import { sig, tick } from "./units.js";

const sync = uPlot.sync("gough");
/** @param {string} name */
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Plot extends Emitter {
  /**
   * options: key, fixed (no chooser), legend
   * @param {{ key: string, fixed?: boolean }} options
   */
  constructor(options) {
    super();
    this.key = options.key;
    this.time = 0;
    this.here = true; // what is on screen stands at this time
    /** @type {[number, number] | null} */
    this.range = null;
    /** @type {string | null} why it is not of what is on screen */
    this.stale = null;
    /** @type {import("./types.d.ts").TimelineData | null} */
    this.data = null;
    /** @type {import("./types.d.ts").Machine | null} */
    this.machine = null;
    /** @type {uPlot | null} */
    this.plot = null;
    /** @type {HTMLElement | null} */
    this.tipBox = null;
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

  /** @param {KeyboardEvent} event */
  keys(event) {
    if (!this.data) return;
    const [a, b] = this.range ?? [this.data.t[0], last(this.data.t)];
    const w = b - a;
    /** @type {Record<string, [number, number] | null>} */
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

  /**
   * Why the plot is not of what is on screen, or null.
   * @param {string | null} why
   */
  setStale(why) {
    this.stale = why;
    this.el.dataset.stale = why ?? "";
  }

  /**
   * @param {import("./types.d.ts").TimelineData | null} data
   * @param {import("./types.d.ts").Machine | null} machine
   */
  setData(data, machine) {
    this.data = data;
    this.machine = machine;
    this.rebuild();
  }

  get quantity() {
    const { data, machine } = this;
    return data && machine ? quantity(this.key, data, machine) : null;
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.area.replaceChildren();
    const { quantity: q, data, machine } = this;
    if (!q || !data || !machine) {
      this.unit.textContent = "";
      return;
    }
    const named = titles(machine);
    for (const option of this.chooser.options) option.textContent = named[option.value];
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
    /**
     * @param {uPlot.Axis} more
     * @returns {uPlot.Axis}
     */
    const axis = (more) => ({
      stroke: css("--muted"),
      grid: { stroke: css("--grid"), width: 1 },
      ticks: { stroke: css("--grid"), width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
      ...more,
    });
    /** @type {uPlot.Options} */
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
        ...q.series.map((one) => ({
          label: one.label,
          stroke: one.color,
          width: 1.5,
          dash: one.dash,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(u) => this.mark(u, q, data.t)],
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
              const { left } = u.cursor;
              if (left !== undefined && (!event.detail || event.detail === 1))
                this.emit("seek", u.posToVal(left, "x"));
            });
          },
        ],
        setCursor: [(u) => this.tip(u, q, data.t)],
      },
    };
    this.plot = new uPlot(options, [data.t, ...q.series.map((s) => s.values)], this.area);
    this.tipBox = h("div.plot-tip", { hidden: true });
    this.area.append(this.tipBox);
  }

  /**
   * @param {uPlot} u
   * @param {import("./types.d.ts").Quantity} q
   * @param {ArrayLike<number>} t
   */
  tip(u, q, t) {
    const { idx: k, left = 0 } = u.cursor;
    const mine = u.cursor.event && u.over.matches(":hover");
    if (!this.tipBox) return;
    this.tipBox.hidden = k === null || k === undefined || !mine;
    if (k === null || k === undefined || !mine) return;
    this.tipBox.replaceChildren(
      h("b", {}, `${sig(t[k], 4)} s`),
      ...q.series
        .slice(0, 12)
        .map((s) => h("span", { style: { color: s.color } }, `${s.label} ${sig(s.values[k], 5)}`)),
    );
    this.tipBox.classList.toggle("left", left > u.over.clientWidth * 0.6);
  }

  /**
   * Dashed limit lines; while the screen stands at a time, a vertical line there and a dot on each curve.
   * @param {uPlot} u
   * @param {import("./types.d.ts").Quantity} q
   * @param {Float64Array | number[]} t
   */
  mark(u, q, t) {
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
    if (this.here) this.markTime(u, q, t);
    ctx.restore();
  }

  /**
   * @param {uPlot} u
   * @param {import("./types.d.ts").Quantity} q
   * @param {Float64Array | number[]} t
   */
  markTime(u, q, t) {
    const { ctx, bbox } = u;
    const x = u.valToPos(this.time, "x", true);
    line(ctx, x, bbox.top, x, bbox.top + bbox.height);
    ctx.setLineDash([]);
    for (const s of q.series) {
      const y = between(t, s.values, this.time);
      if (y === null || s.dash) continue;
      ctx.fillStyle = s.color;
      ctx.beginPath();
      ctx.arc(x, u.valToPos(y, "y", true), 3 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
    }
  }

  /** @param {boolean} on whether what is on screen stands at the time of the timeline */
  setHere(on) {
    if (on === this.here) return;
    this.here = on;
    this.plot?.redraw(false);
  }

  /** @param {number} t */
  setTime(t) {
    this.time = t;
    this.plot?.redraw(false);
  }
  /** @param {[number, number] | null} range */
  setRange(range) {
    this.range = range;
    if (!this.data) return;
    const { t } = this.data;
    this.plot?.setScale("x", { min: range?.[0] ?? t[0], max: range?.[1] ?? last(t) });
  }
  fit() {
    this.plot?.setSize({
      width: Math.max(this.area.clientWidth, 80),
      height: Math.max(this.area.clientHeight, 60),
    });
  }

  /** @param {string} kind */
  async export(kind) {
    const { quantity: q, data } = this;
    if (!q || !data) return;
    if (this.stale) {
      toast(`Not exported: ${this.stale}.`, "error");
      return;
    }
    const name = q.title.toLowerCase().replace(/[^a-z]+/g, "-");
    if (kind === "CSV") download(`${name}.csv`, csv(q, data.t), "text/csv");
    else if (kind === "SVG")
      download(`${name}.svg`, plotSvg(q, data.t, this.range), "image/svg+xml");
    else
      try {
        download(`${name}.png`, await pixels(plotSvg(q, data.t, this.range)));
      } catch (error) {
        toast(words(error), "error");
      }
  }
}

/**
 * An SVG as pixels, twice as many as its size says.
 * @param {string} text
 */
async function pixels(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
  const context = needed(canvas.getContext("2d"), "a canvas to draw on");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return png(canvas);
}

/**
 * Names of what is not a leg (legs have the colors of the table), and of formulations by their dash pattern.
 * @param {import("./types.d.ts").Quantity} q
 */
function legendOf(q) {
  const { plain, by } = legendEntries(q);
  /**
   * @param {{ dash?: number[] }} one
   * @param {string} color
   */
  const key = ({ dash }, color) =>
    svg(
      "svg",
      { viewBox: "0 0 28 6", class: "dash", "aria-hidden": "true" },
      svg("path", { d: "M0 3H28", stroke: color, "stroke-dasharray": (dash ?? []).join(" ") }),
    );
  return [
    ...plain.map((one) =>
      h("span", { style: { color: one.color } }, key(one, one.color), one.label),
    ),
    ...by.map((one) => h("span", {}, key(one, "currentColor"), one.label)),
  ];
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x0
 * @param {number} y0
 * @param {number} x1
 * @param {number} y1
 */
function line(ctx, x0, y0, x1, y1) {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
