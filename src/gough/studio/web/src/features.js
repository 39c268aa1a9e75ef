// What stands beside pose, plots and editor: the volume in the view, and the panels of the drawer "Tools".

import { clear, h } from "./dom.js";
import { CalibrationPanel } from "./calibration.js";
import { CompareView } from "./compare.js";
import { CueingPanel } from "./cueing.js";
import { FilesPanel } from "./files.js";
import { ModesGallery } from "./gallery.js";
import { MeasurePanel } from "./measure.js";
import { Tour } from "./tour.js";
import { Tracks } from "./tracks.js";
import { VolumeView } from "./volume.js";

/** @typedef {{ name: string, title: string, el: HTMLElement, shown: (on: boolean) => void }} Panel */
/** @typedef {{ redraw?: () => void, derived?: import("./screen.js").Derived<any>[] }} Part */

export class Features {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.volume = new VolumeView(studio);
    this.tracks = new Tracks(studio);
    this.gallery = new ModesGallery(studio);
    this.compare = new CompareView(studio);
    this.measure = new MeasurePanel(studio);
    this.cueing = new CueingPanel(studio);
    this.calibration = new CalibrationPanel(studio);
    this.files = new FilesPanel(studio);
    this.tour = new Tour(studio);
    /** @type {Part[]} */
    this.parts = [
      this.volume,
      this.tracks,
      this.gallery,
      this.compare,
      this.measure,
      this.cueing,
      this.calibration,
    ];
    /** @type {Panel[]} */
    this.panels = [
      this.measure,
      this.gallery,
      this.compare,
      this.cueing,
      this.calibration,
      this.files,
    ];
    this.tabs = h("div.subtabs", { role: "tablist", "aria-label": "Tools" });
    this.body = h("div.tool-body", { role: "tabpanel" });
    this.el = h("div", {}, this.tabs, this.body);
    this.current = this.panels[0].name;
    this.open = false;
    /** @type {Record<string, () => unknown>} what keys do */
    this.keys = {
      v: () => this.volume.set(!this.volume.on),
      n: () => this.measure.toggle("names"),
      d: () => this.measure.toggle("dimensions"),
      1: () => this.measure.look("front"),
      2: () => this.measure.look("side"),
      3: () => this.measure.look("top"),
      4: () => this.measure.look("isometric"),
    };
  }

  /** Everything that is computed for what is on screen. */
  get derived() {
    return this.parts.flatMap((part) => part.derived ?? []);
  }

  /** Draw again in another theme, or with another machine in the view; what belongs to it is asked for by itself. */
  redraw() {
    for (const part of this.parts) part.redraw?.();
  }

  /**
   * The drawer was opened or closed.
   * @param {boolean} on
   */
  opened(on) {
    this.open = on;
    this.choose(this.current);
  }

  /**
   * One of the panels.
   * @param {string} name
   */
  choose(name) {
    this.current = name;
    clear(
      this.tabs,
      this.panels.map((panel) =>
        h(
          "button.subtab",
          {
            role: "tab",
            "aria-selected": String(panel.name === name),
            dataset: { panel: panel.name },
            onclick: () => {
              this.choose(panel.name);
              /** @type {HTMLElement} */ (this.tabs.querySelector("[aria-selected=true]")).focus();
            },
          },
          panel.title,
        ),
      ),
    );
    clear(this.body, this.panels.find((panel) => panel.name === name)?.el);
    for (const panel of this.panels) panel.shown(this.open && panel.name === name);
  }
}
