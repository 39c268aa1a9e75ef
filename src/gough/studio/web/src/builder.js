// The trajectory builder and the simulation form.

import { Emitter, clear, h } from "./dom.js";
import { DEG, sig } from "./units.js";

const KINDS = {
  demo: "demo",
  waypoints: "waypoints",
  line: "line",
  harmonic: "harmonic",
  file: "paper or file",
  cue: "cue",
};

/** @typedef {keyof typeof KINDS} Kind */
const MOST_TOLD = 4; // broken limits in words

export class Builder extends Emitter {
  constructor() {
    super();
    /** @type {Kind} */
    this.kind = "demo";
    /** @type {number[][]} */
    this.points = [];
    /** sizes, frequencies, phases; the center is the pose on screen */
    this.harmonic = [
      [0.02, 0.02, 0.02, 0.03, 0.03, 0.03],
      [0.2, 0.4, 0.2, 0.2, 0.2, 0.4],
      [0, 0, 0, 0, 0, 0],
    ];
    this.values = { duration: 10, max_speed: 0, max_rate: 0, samples: 501, file: "" };
    /** @type {{ cue: import("./messages.js").CueInput, label: string } | null} put here by the cueing tool */
    this.cued = null;
    /** @type {Set<string>} */
    this.formulations = new Set();
    this.kinds = h("div.leg-choice", { role: "radiogroup", "aria-label": "Kind of trajectory" });
    this.detail = h("div");
    this.common = h("div");
    this.compare = h("div.checks");
    this.error = h("div.error-text", { role: "alert", hidden: true });
    this.status = h("p.hint", { role: "status" });
    this.notes = h("p.hint.motion-notes");
    this.marked = h("p.stale-note", { role: "status", hidden: true });
    this.reported = h("div.reported", {}, this.marked, this.status, this.error, this.notes);
    this.go = h("button.primary", { onclick: () => this.emit("build") }, "Compute motion");
    this.simulation = h("div");
    /** @type {import("./messages.js").Welcome | null} */
    this.welcome = null;
    this.controller = h("select", { "aria-label": "Controller" });
    this.step = h("input.number", {
      type: "number",
      step: "any",
      min: 0.0001,
      value: 0.001,
      "aria-label": "time step",
    });
    this.bandwidth = h("input.number", {
      type: "number",
      step: "any",
      min: 0,
      value: 40,
      "aria-label": "bandwidth",
    });
    this.bar = h("progress", { max: 1, value: 0, hidden: true });
    this.run = h("button.primary", { onclick: () => this.emit("simulate") }, "Run simulation");
    this.stop = h("button.text", { hidden: true, onclick: () => this.emit("cancel") }, "stop");
    this.el = h(
      "div.builder",
      {},
      this.kinds,
      this.detail,
      this.common,
      h("h3", {}, "Compare the forces with"),
      this.compare,
      this.go,
      this.reported,
      this.simulation,
    );
    this.build();
  }

  /** @param {import("./messages.js").Welcome} welcome */
  setWelcome(welcome) {
    this.welcome = welcome;
    clear(
      this.compare,
      welcome.formulations
        .filter((name) => name !== "exact")
        .flatMap((name) => [name, `${name}/published`])
        .map((name) =>
          h(
            "label.inline",
            {},
            h("input", {
              type: "checkbox",
              checked: this.formulations.has(name),
              onchange: (event) => {
                event.target.checked ? this.formulations.add(name) : this.formulations.delete(name);
              },
            }),
            name.endsWith("/published") ? `${name.split("/")[0]}, as printed` : name,
          ),
        ),
    );
    this.buildSimulation(welcome);
    this.build();
  }

  /** @param {import("./types.d.ts").Pose} pose */
  addPoint(pose) {
    this.points.push([...pose.position, ...pose.angles]);
    this.build();
  }

  clearPoints() {
    this.setPoints([]);
  }

  /**
   * Waypoints in the numbers of the pose panel.
   * @param {number[][]} points
   */
  setPoints(points) {
    this.points = points.map((row) => [...row]);
    this.build();
  }

  /**
   * The motion to build is a cue.
   * @param {import("./messages.js").CueInput} cue
   * @param {string} label
   */
  setCue(cue, label) {
    this.cued = { cue, label };
    this.kind = "cue";
    this.build();
  }

  build() {
    clear(
      this.kinds,
      /** @type {[Kind, string][]} */ (Object.entries(KINDS)).map(([kind, title]) =>
        h(
          "button",
          {
            className: kind === this.kind ? "chip on" : "chip",
            role: "radio",
            "aria-checked": String(kind === this.kind),
            onclick: () => {
              this.kind = kind;
              this.build();
            },
          },
          title,
        ),
      ),
    );
    /**
     * @param {string} label
     * @param {string} unit
     * @param {"duration" | "max_speed" | "max_rate" | "samples"} key
     * @param {string} title
     */
    const number = (label, unit, key, title) => {
      const box = h("input.number", {
        type: "number",
        step: "any",
        min: 0,
        value: this.values[key],
        title,
        "aria-label": label,
        onchange: () => {
          this.values[key] = Number(box.value);
        },
      });
      return h(
        "div.number-row",
        {},
        h("span.label", {}, label, h("small", {}, ` ${unit}`)),
        h("div.boxes", {}, box),
      );
    };
    clear(
      this.detail,
      {
        demo: () =>
          h(
            "p.hint",
            {},
            "Six harmonics about home, made smaller until the limits that the machine has hold.",
          ),
        waypoints: () => this.list(2),
        line: () => this.list(2, 2),
        harmonic: () => this.waves(),
        file: () => this.files(),
        cue: () =>
          h(
            "p.hint",
            {},
            this.cued
              ? `${this.cued.label}; made in Tools, Cueing.`
              : "None yet: compute one in Tools, Cueing, and put it on the timeline.",
          ),
      }[this.kind](),
    );
    clear(
      this.common,
      this.kind === "file" || this.kind === "cue"
        ? []
        : number("duration", "s", "duration", "of the whole motion"),
      this.kind === "line" || this.kind === "waypoints"
        ? [
            number("max speed", "m/s", "max_speed", "0: not limited"),
            number("max rate", "rad/s", "max_rate", "0: not limited"),
          ]
        : [],
      number("samples", "", "samples", "2 to 5001"),
    );
  }

  /**
   * @param {number} least
   * @param {number} [most]
   */
  list(least, most = 99) {
    const rows = this.points.slice(0, most).map((point, i) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, i + 1),
        point.map((x, k) => {
          const scale = k < 3 ? 0.001 : DEG;
          const box = h("input.number.tiny", {
            type: "number",
            step: "any",
            value: Number((x / scale).toFixed(3)),
            "aria-label": `waypoint ${i + 1} ${["x", "y", "z", "a", "b", "c"][k]}`,
            onchange: () => {
              point[k] = Number(box.value) * scale;
            },
          });
          return h("td", {}, box);
        }),
        h(
          "td",
          {},
          h(
            "button.icon",
            {
              title: "Remove",
              "aria-label": `Remove waypoint ${i + 1}`,
              onclick: () => {
                this.points.splice(i, 1);
                this.build();
              },
            },
            "✕",
          ),
        ),
      ),
    );
    return [
      h(
        "table.points",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["", "x", "y", "z", "a", "b", "c", ""].map((t) => h(t ? "th" : "td", {}, t)),
          ),
        ),
        h("tbody", {}, rows),
      ),
      h(
        "button.text",
        { disabled: this.points.length >= most, onclick: () => this.emit("here") },
        "+ add the pose on screen",
      ),
      this.points.length < least
        ? h("p.hint", {}, `At least ${least} poses are needed; mm and degrees.`)
        : null,
    ];
  }

  waves() {
    /** @param {number} k */
    const scale = (k) => (k < 3 ? 0.001 : DEG);
    /**
     * @param {string} title
     * @param {number} index
     * @param {string} unit
     * @param {(k: number) => number} scales
     */
    const line = (title, index, unit, scales) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, title, h("small", {}, ` ${unit}`)),
        this.harmonic[index].map((x, k) => {
          const box = h("input.number.tiny", {
            type: "number",
            step: "any",
            value: Number((x / scales(k)).toFixed(4)),
            "aria-label": `${title} ${k + 1}`,
            onchange: () => {
              this.harmonic[index][k] = Number(box.value) * scales(k);
            },
          });
          return h("td", {}, box);
        }),
      );
    return [
      h(
        "table.points",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["", "x", "y", "z", "a", "b", "c"].map((t) => h(t ? "th" : "td", {}, t)),
          ),
        ),
        h(
          "tbody",
          {},
          line("size", 0, "mm °", scale),
          line("freq.", 1, "Hz", () => 1),
          line("phase", 2, "°", () => DEG),
        ),
      ),
      h(
        "p.hint",
        {},
        "About the pose on screen: the reference point along the world's axes; a b c are roll, pitch, yaw.",
      ),
    ];
  }

  files() {
    const papers = this.welcome?.capabilities.papers?.split(",").filter(Boolean) ?? [];
    const files =
      this.welcome?.files.filter((f) => f.kind === "trajectory").map((f) => f.name) ?? [];
    const options = [...papers, ...files];
    if (!options.includes(this.values.file)) this.values.file = options[0] ?? "";
    return options.length
      ? h(
          "label.field",
          {},
          "trajectory",
          h(
            "select",
            {
              onchange: (event) => {
                this.values.file = event.target.value;
              },
            },
            options.map((name) =>
              h("option", { value: name, selected: name === this.values.file }, name),
            ),
          ),
        )
      : h("p.hint", {}, "No trajectory files (.toml, .csv, .nc) in the work folder.");
  }

  /** @param {import("./messages.js").Welcome} welcome */
  buildSimulation({ capabilities, controllers }) {
    const missing = capabilities.simulation !== "yes";
    const chosen = this.controller.value;
    clear(
      this.controller,
      controllers.map((name) => h("option", { value: name, selected: name === chosen }, name)),
    );
    this.run.disabled = missing;
    clear(
      this.simulation,
      h("h3", {}, "Simulate it"),
      h(
        "p.hint",
        {},
        missing
          ? `Not available: ${capabilities.simulation}.`
          : "A controller follows this trajectory; the timeline then shows what the machine did.",
      ),
      h("label.field", {}, "controller", this.controller),
      h(
        "div.number-row",
        {},
        h("span.label", {}, "bandwidth", h("small", {}, " rad/s")),
        h("div.boxes", {}, this.bandwidth),
      ),
      h(
        "div.number-row",
        {},
        h("span.label", {}, "step", h("small", {}, " s")),
        h("div.boxes", {}, this.step),
      ),
      h("div.buttons", {}, this.run, this.stop, this.bar),
    );
  }

  /** @param {number | null} fraction */
  progress(fraction) {
    this.bar.hidden = this.stop.hidden = fraction === null;
    this.run.disabled = fraction !== null;
    this.bar.value = fraction ?? 0;
  }

  /**
   * The MakeMotion message, without id.
   * @param {import("./posepanel.js").PosePanel} panel
   */
  message(panel) {
    const waypoints =
      this.kind === "harmonic"
        ? [[...panel.pose.position, ...panel.pose.angles], ...this.harmonic]
        : this.points.slice(0, this.kind === "line" ? 2 : undefined);
    return {
      kind: this.kind,
      waypoints: ["demo", "file", "cue"].includes(this.kind) ? [] : waypoints,
      ...panel.numbering,
      duration: this.values.duration,
      max_speed: this.values.max_speed,
      max_rate: this.values.max_rate,
      samples: Math.round(this.values.samples),
      file: this.kind === "file" ? this.values.file : "",
      cue: this.kind === "cue" ? (this.cued?.cue ?? null) : null,
      payload: panel.payload,
      external: panel.external,
      formulations: ["exact", ...this.formulations],
    };
  }

  /**
   * What the motion is, what it breaks, and what else is to be said of it.
   * @param {import("./types.d.ts").Summary | null} summary
   * @param {string[]} refused
   * @param {string[]} [notes]
   */
  report(summary, refused, notes = []) {
    this.notes.textContent = notes.join("; ");
    this.error.hidden = !refused.length;
    const more = refused.length > MOST_TOLD ? `; ${refused.length - MOST_TOLD} more` : "";
    this.error.textContent = refused.slice(0, MOST_TOLD).join("; ") + more;
    this.status.textContent = summary
      ? `${sig(summary.duration, 4)} s, ${summary.samples} samples; largest condition number ` +
        `${sig(summary.worst_condition, 4)} at ${sig(summary.worst_condition_time, 4)} s`
      : "";
  }

  /**
   * What is told of the motion on the plots is of something else now (`why`), or again of what is on screen (null).
   * @param {string | null} why
   */
  setStale(why) {
    this.marked.hidden = !why;
    this.marked.textContent = why ? `The motion on the plots is ${why}.` : "";
    this.reported.classList.toggle("outdated", Boolean(why && this.status.textContent));
  }
}
