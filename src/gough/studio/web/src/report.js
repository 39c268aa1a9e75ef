// The report: machine sheet, motion, forces, reactions, actuators, workspace, and a 3D replay; no server.

import { largest } from "./arrows.js";
import { h, table } from "./dom.js";
import { machineView } from "./drawings.js";
import { quantity } from "./quantities.js";
import { last, plotSvg } from "./plotsvg.js";
import { sliceLegend } from "./help.js";
import { sliceSvg } from "./slicesvg.js";
import { bodiesOf, executive, loads, source } from "./summary.js";
import { poseAt, sampleAt } from "./samples.js";
import { Timeline } from "./timeline.js";
import { Viewer } from "./viewer.js";
import { coordinateUnit, effort, legText, legUnits, num, sig } from "./units.js";

const JOINTS = {
  spherical_force: "platform joint N",
  universal_force: "base-side joint N",
  universal_moment: "base-side moment N·m",
  prismatic_force: "guide force N",
  prismatic_moment: "guide moment N·m",
};

const VIEWS = /** @type {const} */ (["oblique", "top", "front", "side"]);
const FIGURES = /** @type {const} */ (["peak", "rms", "cubic"]);

export class Report {
  /**
   * @param {HTMLElement} root
   * @param {import("./types.d.ts").ReportData} data
   */
  constructor(root, data) {
    this.data = data;
    this.machine = data.machine;
    /** @type {Viewer | null} */
    this.viewer = null;
    /** @type {Timeline | null} */
    this.timeline = null;
    const { timeline, slice } = data;
    const replay = timeline ? this.replay(timeline) : null;
    document.documentElement.dataset.theme = "light";
    document.body.classList.add("report");
    document.title = data.title;
    root.append(
      this.head(),
      h(
        "main.sheet",
        {},
        executive(data),
        timeline ? loads(timeline, data.machine) : null,
        timeline ? source(timeline) : null,
        this.sheet(),
        replay?.el,
        timeline ? this.plots(timeline) : null,
        timeline ? this.actuators(timeline) : null,
        timeline ? this.joints(timeline) : null,
        slice ? this.workspace(slice) : null,
        this.parameters(),
        this.foot(),
      ),
    );
    replay?.start(); // once it is laid out
  }

  head() {
    return h(
      "header.report-head",
      {},
      h("div", {}, h("h1", {}, this.data.title), h("p", {}, this.data.subtitle)),
      h(
        "div.head-tools",
        {},
        h("button.text", { onclick: () => this.theme() }, "dark / light"),
        h("button.text", { onclick: () => window.print() }, "print"),
      ),
    );
  }

  theme() {
    document.documentElement.dataset.theme =
      document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    this.viewer?.restyle();
    this.timeline?.restyle();
  }

  shape() {
    const { drawing, document: doc } = this.machine;
    return {
      start: drawing.start,
      end: drawing.end,
      base: doc.legs.map((leg) => leg.base),
      up: drawing.up,
    };
  }

  sheet() {
    const { sheet, document: doc, drawing } = this.machine;
    const shape = this.shape();
    const unit = coordinateUnit(drawing.kinds[0]);
    const facts = [
      ["Type", `6-${[...new Set(sheet.kinds)].join("/")}`],
      ["Platform mass", `${sig(sheet.platform_mass, 5)} kg`],
      ["Mass of one leg", `${sig(sheet.leg_mass[0], 5)} kg`],
      ["Moving mass", `${sig(sheet.moving_mass, 5)} kg`],
      ["Characteristic length", `${sig(sheet.characteristic_length * 1000, 5)} mm`],
      [
        "Home coordinate of the first leg",
        `${num(drawing.coordinate[0] * unit.scale, unit.digits)} ${unit.unit}`,
      ],
      ["Gravity", `${doc.gravity.map((g) => sig(g, 4)).join(", ")} m/s²`],
      ["Source", sheet.source.title || "not given"],
    ];
    return h(
      "section.card-section",
      {},
      h("h2", {}, "Machine"),
      h(
        "div.views",
        {},
        VIEWS.map((view) =>
          h(
            "figure",
            {},
            machineView(shape, view, { width: 260, height: 210, dimension: view !== "oblique" }),
            h("figcaption", {}, view),
          ),
        ),
      ),
      h(
        "div.two",
        {},
        h(
          "dl.facts",
          {},
          facts.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]),
        ),
        this.limits(),
      ),
    );
  }

  limits() {
    const { document: doc, drawing } = this.machine;
    const units = legUnits(drawing.kinds);
    const deg = 180 / Math.PI;
    /**
     * @param {import("./types.d.ts").LegDocument} leg
     * @param {number} i
     */
    const row = (leg, i) => {
      const unit = units.each[i];
      return h(
        "tr",
        {},
        h("th", { style: { color: legText(i) } }, drawing.names[i]),
        [
          leg.limits.stroke
            ? leg.limits.stroke.map((x) => num(x * unit.scale, unit.digits)).join(" … ")
            : "–",
          sig(leg.limits.force),
          leg.limits.speed ? num(leg.limits.speed * unit.scale, 1) : "–",
          leg.limits.base_cone ? num(leg.limits.base_cone * deg, 1) : "–",
          leg.limits.platform_cone ? num(leg.limits.platform_cone * deg, 1) : "–",
          leg.limits.radius ? num(leg.limits.radius * 1000, 1) : "–",
        ].map((t) => h("td", {}, t)),
      );
    };
    return table(
      [
        "leg",
        `stroke ${units.unit}`,
        `effort ${units.effort}`,
        `speed ${units.rate}`,
        "base cone °",
        "top cone °",
        "radius mm",
      ],
      doc.legs.map(row),
    );
  }

  /** @param {import("./types.d.ts").ReportTimeline} run */
  replay(run) {
    const stage = h("div.stage");
    const timeline = new Timeline(["length", "force"]);
    this.timeline = timeline;
    const el = h(
      "section.card-section.replay",
      {},
      h("h2", {}, "Motion: ", run.label),
      h("div.replay-view", {}, stage),
      timeline.row,
      timeline.bar,
    );
    return { el, start: () => this.start(run, timeline, stage) };
  }

  /** @param {import("./types.d.ts").ReportTimeline} timeline */
  plots({ data }) {
    const keys = [
      "position",
      "length",
      "rate",
      "force",
      ...(Object.keys(data.force).length > 1 ? ["difference"] : []),
      "power",
      "spherical_force",
      "universal_force",
      "condition",
      "energy",
    ];
    return h(
      "section.card-section",
      {},
      h("h2", {}, "Along the motion"),
      h(
        "div.plot-grid",
        {},
        keys.map((key) => {
          const holder = h("figure.svg-plot");
          const svg = new DOMParser().parseFromString(
            plotSvg(quantity(key, data, this.machine), data.t, null, { width: 640, height: 300 }),
            "image/svg+xml",
          ).documentElement;
          holder.append(svg);
          return holder;
        }),
      ),
    );
  }

  /** @param {import("./types.d.ts").ReportTimeline} timeline */
  actuators({ summary }) {
    const units = legUnits(this.machine.drawing.kinds);
    return h(
      "section.card-section",
      {},
      h("h2", {}, "Actuators"),
      table(
        [
          "leg",
          `from ${units.unit}`,
          `to ${units.unit}`,
          `peak effort ${units.effort}`,
          `RMS effort ${units.effort}`,
          `peak speed ${units.rate}`,
          "peak power W",
          "RMS power W",
        ],
        summary.legs.map((leg, i) => {
          const unit = units.each[i];
          return h(
            "tr",
            {},
            h("th", { style: { color: legText(i) } }, leg.name),
            [
              num(leg.coordinate_min * unit.scale, unit.digits),
              num(leg.coordinate_max * unit.scale, unit.digits),
              effort(leg.peak_force),
              effort(leg.rms_force),
              num(leg.peak_speed * unit.scale, 1),
              effort(leg.peak_power),
              effort(leg.rms_power),
            ].map((t) => h("td", {}, t)),
          );
        }),
      ),
    );
  }

  /** @param {import("./types.d.ts").ReportTimeline} timeline */
  joints({ summary }) {
    const hint =
      "For bearings: the cubic mean is the steady load of the same life (exponent 3), at the samples.";
    /** @param {[string, string]} pair */
    const one = ([key, title]) =>
      h(
        "figure.joint-table",
        {},
        h("figcaption", {}, title),
        table(
          ["leg", "peak", "RMS", "cubic mean"],
          summary.legs.map((leg, i) =>
            h(
              "tr",
              {},
              h("th", { style: { color: legText(i) } }, leg.name),
              FIGURES.map((kind) => h("td", {}, effort(leg.reactions[key][kind]))),
            ),
          ),
        ),
      );
    return h(
      "section.card-section",
      {},
      h("h2", {}, "Joint reactions"),
      h("p.hint", {}, hint),
      h("div.joint-tables", {}, Object.entries(JOINTS).map(one)),
    );
  }

  /** @param {import("./types.d.ts").SliceData} slice */
  workspace(slice) {
    /** @param {number} x */
    const mm = (x) => num(x * 1000, 0);
    if (!slice.reason.some((code) => code))
      return h("section.card-section", {}, h("h2", {}, "Workspace"), h("p.hint", {}, slice.text));
    return h(
      "section.card-section",
      {},
      h("h2", {}, "Workspace"),
      h(
        "div.two",
        {},
        h(
          "figure.slice-figure",
          {},
          sliceSvg(slice),
          h(
            "figcaption",
            {},
            `${slice.plane[0]} ${mm(slice.u[0])} … ${mm(last(slice.u))} mm, ` +
              `${slice.plane[1]} ${mm(slice.v[0])} … ${mm(last(slice.v))} mm, ` +
              `level ${mm(slice.level)} mm, home orientation`,
          ),
        ),
        sliceLegend(slice),
      ),
    );
  }

  parameters() {
    const { document: doc, drawing } = this.machine;
    /** @param {number[]} v */
    const vec = (v) => v.map((x) => num(x * 1000, 2)).join(", ");
    const bodies = bodiesOf(doc.legs);
    return h(
      "section.card-section",
      {},
      h("h2", {}, "Parameters"),
      table(
        ["leg", "type", "base mm", "platform joint mm", ...bodies.map((n) => `${n} kg`)],
        doc.legs.map((leg, i) =>
          h(
            "tr",
            {},
            h("th", { style: { color: legText(i) } }, drawing.names[i]),
            [
              leg.type,
              vec(leg.base),
              vec(leg.joint),
              ...bodies.map((n) => sig(leg[n]?.mass, 5)),
            ].map((t) => h("td", {}, t)),
          ),
        ),
      ),
      h("h3", {}, "Machine file (TOML)"),
      h("pre", { tabIndex: 0 }, this.data.toml),
    );
  }

  foot() {
    return h(
      "footer.report-foot",
      {},
      `gough ${this.data.version}. All numbers were computed in Python; this page only draws them, ` +
        "and loads nothing from anywhere.",
    );
  }

  /**
   * @param {import("./types.d.ts").ReportTimeline} run
   * @param {Timeline} timeline
   * @param {HTMLElement} stage
   */
  start({ data, label }, timeline, stage) {
    const viewer = new Viewer(stage);
    this.viewer = viewer;
    viewer.restyle("light");
    viewer.setMachine(this.machine.document, this.machine.drawing, true);
    viewer.setTrail(data.position);
    const most = largest(data.spherical_vector);
    timeline.on("time", ({ time, index }) => {
      const pose = poseAt(data, time);
      viewer.place(pose.position, pose.quaternion, pose.coordinate);
      const sample = sampleAt(data, index);
      viewer.setForces(sample.spherical_force, most);
      viewer.setMarks(sample.broken, sample.near);
    });
    timeline.setData(data, this.machine, label);
    timeline.seek(data.t[0]);
    document.addEventListener("keydown", (event) => {
      if (event.key === " " && event.target === document.body) {
        event.preventDefault();
        timeline.toggle();
      }
    });
  }
}
