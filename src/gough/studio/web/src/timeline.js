// Play, scrub, speed; two plots in step.

import { Emitter, h } from "./dom.js";
import { icon } from "./icons.js";
import { Plot } from "./plots.js";
import { last, nearest } from "./plotsvg.js";

export class Timeline extends Emitter {
  /**
   * @param {string[]} [keys]
   * @param {{ fixed?: boolean }} [options]
   */
  constructor(keys = ["length", "force"], options = {}) {
    super();
    /** @type {import("./types.d.ts").TimelineData | null} */
    this.data = null;
    /** @type {string | null} */
    this.stale = null;
    this.time = 0;
    this.playing = false;
    this.plots = keys.map((key) => new Plot({ key, fixed: options.fixed }));
    for (const plot of this.plots) {
      plot.on("seek", (t) => this.seek(t));
      plot.on("zoom", (range) => this.zoom(range));
    }
    this.button = h(
      "button.play",
      {
        title: "Play or pause (space)",
        "aria-label": "Play",
        onclick: () => this.toggle(),
        disabled: true,
      },
      icon("play"),
    );
    /** @type {HTMLInputElement} */
    this.slider = h("input.scrub", {
      type: "range",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      disabled: true,
      "aria-label": "Time",
      oninput: () => this.seek(Number(this.slider.value)),
    });
    this.slider.addEventListener("keydown", (event) => this.step(event));
    this.speed = h(
      "select",
      { "aria-label": "Speed", title: "Speed of play" },
      [0.1, 0.25, 0.5, 1, 2, 4].map((k) => h("option", { value: k, selected: k === 1 }, `${k}×`)),
    );
    this.loop = h("input", {
      type: "checkbox",
      checked: true,
      title: "Start again at the end",
      "aria-label": "Repeat",
    });
    this.clock = h("output.clock", {}, "– s");
    this.label = h("span.timeline-label", {}, "no motion yet");
    this.bar = h(
      "div.timeline",
      {},
      this.button,
      this.slider,
      this.clock,
      this.speed,
      h("label.inline", { title: "Start again at the end" }, this.loop, "loop"),
      this.label,
    );
    this.row = h(
      "div.plots",
      {},
      this.plots.map((plot) => plot.el),
    );
  }

  /**
   * @param {import("./types.d.ts").TimelineData | null} data
   * @param {import("./types.d.ts").Machine | null} machine
   * @param {string} label
   */
  setData(data, machine, label) {
    this.data = data;
    this.label.textContent = label;
    this.label.title = label;
    this.button.disabled = this.slider.disabled = !data || Boolean(this.stale);
    for (const plot of this.plots) {
      plot.range = null;
      plot.setData(data, machine);
    }
    if (!data) {
      this.pause(true);
      this.clock.textContent = "– s";
      return;
    }
    this.slider.min = String(data.t[0]);
    this.slider.max = String(last(data.t));
    this.seek(data.t[0], true);
  }

  restyle() {
    for (const plot of this.plots) plot.rebuild();
  }

  /**
   * Redraw after an edit of the machine without losing the place.
   * @param {import("./types.d.ts").TimelineData | null} data
   * @param {import("./types.d.ts").Machine | null} machine
   */
  replaceData(data, machine) {
    const t = this.time;
    this.data = data;
    for (const plot of this.plots) plot.setData(data, machine);
    if (data) this.seek(Math.min(t, last(data.t)), true);
  }

  /** @param {boolean} on whether what is on screen stands at the time of the timeline, or the platform was posed */
  setHere(on) {
    this.clock.title = on ? "" : "The view shows a pose, not this time";
    for (const plot of this.plots) plot.setHere(on);
  }

  /** @param {[number, number] | null} range */
  zoom(range) {
    if (!this.data) return;
    const [a, b] = [this.data.t[0], last(this.data.t)];
    /** @type {[number, number] | null} */
    const inside = range && [Math.max(a, range[0]), Math.min(b, range[1])];
    const all = !inside || inside[1] - inside[0] < 1e-9 || (inside[0] === a && inside[1] === b);
    for (const plot of this.plots) plot.setRange(all ? null : inside);
  }

  /**
   * What is on the plots belongs to something else now (`why`), or again to what is on screen (null).
   * @param {string | null} why
   */
  setStale(why) {
    if (why === this.stale) return;
    this.stale = why;
    if (why) this.pause(true);
    this.button.disabled = this.slider.disabled = Boolean(why) || !this.data;
    this.row.classList.toggle("stale", Boolean(why));
    for (const plot of this.plots) plot.setStale(why);
    this.emit("stale", why);
  }

  /**
   * Go to a time, at rest to the nearest sample: only there everything is known. Silently when nobody moved.
   * @param {number} t
   * @param {boolean} [silent]
   */
  seek(t, silent = false) {
    if (!this.data || (this.stale && !silent)) return;
    const { t: times } = this.data;
    this.time = this.playing
      ? Math.min(Math.max(t, times[0]), last(times))
      : times[nearest(times, t)];
    this.slider.valueAsNumber = this.time;
    this.slider.style.setProperty(
      "--fill",
      `${(100 * (this.time - times[0])) / (last(times) - times[0] || 1)}%`,
    );
    this.slider.setAttribute("aria-valuetext", `${this.time.toFixed(2)} seconds`);
    this.clock.textContent = `${this.time.toFixed(2)} / ${last(times).toFixed(2)} s`;
    for (const plot of this.plots) plot.setTime(this.time);
    if (!silent) this.emit("time", { time: this.time, index: nearest(times, this.time) });
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    if (!this.data) return;
    const k = nearest(this.data.t, this.time);
    const to = {
      ArrowLeft: k - 1,
      ArrowRight: k + 1,
      PageUp: k + 20,
      PageDown: k - 20,
      Home: 0,
      End: this.data.t.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.seek(this.data.t[Math.min(Math.max(to, 0), this.data.t.length - 1)]);
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }

  play() {
    if (!this.data || this.stale) return;
    this.playing = true;
    this.button.replaceChildren(icon("pause"));
    this.button.setAttribute("aria-label", "Pause");
    if (this.time >= last(this.data.t) - 1e-9) this.seek(this.data.t[0]);
    let before = performance.now();
    const tick = (/** @type {number} */ now) => {
      if (!this.playing || !this.data) return;
      let t = this.time + ((now - before) / 1000) * Number(this.speed.value);
      before = now;
      const [begin, end] = [this.data.t[0], last(this.data.t)];
      if (t >= end) {
        if (!this.loop.checked) {
          this.seek(end);
          this.pause();
          return;
        }
        t = begin + ((t - begin) % (end - begin || 1));
      }
      this.seek(t);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /**
   * Rest on the nearest sample; silently when the platform is no longer where the timeline is.
   * @param {boolean} [silent]
   */
  pause(silent = false) {
    const played = this.playing;
    this.playing = false;
    this.button.replaceChildren(icon("play"));
    this.button.setAttribute("aria-label", "Play");
    if (played && this.data) this.seek(this.time, silent);
  }
}
