// Assembly modes as small pictures; the way from the pose on screen to one of them, and where it is singular.

import { turned } from "./arrows.js";
import { clear, h, needed, s } from "./dom.js";
import { machineView } from "./drawings.js";
import * as M from "./messages.js";
import { words } from "./refusals.js";
import { Derived } from "./screen.js";
import { num, sig } from "./units.js";

/** @typedef {{ modes: M.ModesFound, rated: M.PosesRated }} Found */

const WIDTH = 360;
const HEIGHT = 150;
const OTHER = "other side of a singularity";

/**
 * How a mode lies to the one that the platform is in, by their determinants; nothing is said where one is not known.
 * @param {number | null | undefined} here
 * @param {number | null | undefined} there
 */
export function sideOf(here, there) {
  if (!here || !there) return "which side of a singularity is not known";
  return Math.sign(here) === Math.sign(there) ? "same sign of the determinant" : OTHER;
}

/**
 * What is known of the limits of a pose: stroke, cones, distances.
 * @param {M.PosesRated} rated
 * @param {number} n
 */
export function limitWords(rated, n) {
  if (rated.refused[n]) return { short: "limits broken", long: rated.refused[n], bad: true };
  if (!rated.limited)
    return { short: "no limits given", long: "no limits of a pose given", bad: false };
  if (rated.unchecked.length)
    return {
      short: "checked limits hold",
      long: `the limits that were checked hold; ${rated.unchecked.join("; ")}`,
      bad: false,
    };
  return { short: "pose limits hold", long: "within the limits of the pose", bad: false };
}

export class ModesGallery {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    this.name = "modes";
    this.title = "Modes";
    /** @type {Found | null} for the leg lengths on screen */
    this.found = null;
    /** @type {M.WayShown | null} the newest way */
    this.answer = null;
    this.chosen = -1;
    this.planned = false;
    this.cards = h("div.mode-cards", { role: "group", "aria-label": "Assembly modes" });
    this.head = h("p.hint");
    this.way = h("div.way");
    this.el = h("div", {}, this.head, this.cards, this.way);
    this.modes = new Derived(studio.screen, {
      key: () => studio.screen.placeKey,
      ask: (pose) => this.ask(pose),
      show: ({ found }) => this.show(found),
      fail: (error) => this.fail(error),
      clear: () => this.empty(""),
      mark: (stale) => this.cards.classList.toggle("stale", stale),
    });
    this.ways = new Derived(studio.screen, {
      key: () => `${this.chosen} ${this.planned} ${studio.screen.placeKey}`,
      ask: (pose) => this.askWay(pose),
      show: (answer) => this.showWay(answer),
      fail: (error) => this.failWay(error),
      clear: () => this.clearWay(),
      mark: (stale) => this.way.classList.toggle("stale", stale),
    });
    this.derived = [this.modes, this.ways];
  }

  /** @param {boolean} on whether the panel is seen */
  shown(on) {
    if (on !== this.modes.on) this.modes.set(on);
    if (!on) this.ways.set(false);
  }

  /** @param {import("./types.d.ts").Pose} pose */
  async ask(pose) {
    this.head.textContent = this.found ? this.head.textContent : "looking for assembly modes …";
    const { connection } = this.studio;
    const modes = await connection.request((id) => M.findModes({ id, pose }));
    const rated = await connection.request((id) => M.ratePoses({ id, rows: modes.poses }));
    return { machine: rated.machine, found: { modes, rated } };
  }

  /** @param {Found} found */
  show(found) {
    this.found = found;
    this.ways.set(false);
    this.chosen = -1;
    this.head.textContent = `${found.modes.text}, with the leg lengths of this pose. Choose one to see the way there.`;
    const here = this.nearest(found.modes.poses);
    clear(
      this.cards,
      found.modes.poses.map((pose, n) => this.card(found.rated, pose, n, here)),
    );
  }

  /**
   * The mode that the platform is in: the one next to the pose on screen; -1 where that is not known.
   * @param {number[][]} poses
   */
  nearest(poses) {
    const { screen, state } = this.studio;
    const { size } = this.machine.drawing;
    // along a motion the angles of the pose are a quaternion
    const [at, q] =
      screen.mode === "time"
        ? [screen.pose?.position, screen.pose?.angles]
        : [state?.position, state?.quaternion];
    if (!at || !q) return -1;
    /** @param {number[]} pose */
    const away = (pose) => {
      const same = Math.abs(q.reduce((sum, x, k) => sum + x * pose[3 + k], 0));
      const turn = 2 * Math.acos(Math.min(1, same));
      return Math.hypot(...at.map((x, k) => x - pose[k])) + size * turn;
    };
    const all = poses.map(away);
    return all.indexOf(Math.min(...all));
  }

  /** The machine on screen: modes are found of one that is there. */
  get machine() {
    return needed(this.studio.machine, "a machine");
  }

  /**
   * @param {M.PosesRated} rated
   * @param {number[]} pose
   * @param {number} n
   * @param {number} at the mode that the platform is in
   */
  card(rated, pose, n, at) {
    const here = n === at;
    const side = sideOf(rated.determinant[at], rated.determinant[n]);
    const kind = here ? "here" : side;
    const limits = limitWords(rated, n);
    return h(
      "button.card.mode",
      {
        dataset: { mode: n },
        title: `${kind}; ${limits.long}`,
        "aria-pressed": "false",
        onclick: () => this.choose(n),
      },
      machineView(this.shape(pose), "oblique", { width: 110, height: 84 }),
      h("strong", {}, `mode ${n + 1}`, here ? h("em", {}, " here") : null),
      h(
        "small",
        {},
        `cond ${sig(rated.condition[n], 3)}${side === OTHER ? ", det of other sign" : ""}`,
      ),
      h(limits.bad ? "small.bad" : "small", {}, limits.short),
    );
  }

  /**
   * Joints of the machine at a pose: the feet are where they are now, the leg lengths are the same.
   * @param {number[]} pose
   * @returns {import("./types.d.ts").Outline}
   */
  shape(pose) {
    const { viewer } = this.studio;
    const { document: doc, drawing } = this.machine;
    const end = doc.legs.map((leg) => turned(pose.slice(3), leg.joint).map((x, k) => x + pose[k]));
    const drawn = viewer.alive ? viewer.machine : null;
    const start = drawn ? drawn.legs.map((leg) => leg.start.toArray()) : drawing.start;
    return { start, end, base: doc.legs.map((leg) => leg.base), up: drawing.up };
  }

  /** @param {number} n */
  choose(n) {
    this.chosen = n;
    this.planned = false;
    for (const card of /** @type {Iterable<HTMLElement>} */ (this.cards.children)) {
      const on = Number(card.dataset.mode) === n;
      card.classList.toggle("on", on);
      card.setAttribute("aria-pressed", String(on));
    }
    clear(this.way, h("p.hint", {}, "looking at the way …"));
    this.ways.set(true);
  }

  /** Put the platform into the chosen mode. */
  enter() {
    const pose = this.found?.modes.poses[this.chosen];
    if (!pose) return;
    this.studio.toPose();
    this.studio.askAt(pose.slice(0, 3), pose.slice(3));
  }

  /** @param {import("./types.d.ts").Pose} pose */
  async askWay(pose) {
    const to = needed(this.found?.modes.poses[this.chosen], "the chosen mode");
    const { planned } = this;
    return this.studio.connection.request((id) => M.findWay({ id, pose, to, planned }));
  }

  /** @param {M.WayShown} answer */
  showWay(answer) {
    this.answer = answer;
    /** @type {HTMLInputElement} */
    const at = h("input", {
      type: "range",
      min: 0,
      max: answer.share.length - 1,
      step: 1,
      value: 0,
      "aria-label": "Along the way",
      oninput: () => along(Number(at.value)),
    });
    const mark = s("line", { class: "way-now", y1: 8, y2: HEIGHT - 22 });
    const told = h("p.way-told");
    /** @param {number} k */
    const along = (k) => this.along(answer, k, mark, told);
    const singular = answer.crossings.length > 0 || answer.verdict === "crossing";
    const planned = this.planned;
    clear(
      this.way,
      h("h3", {}, `Way to mode ${this.chosen + 1}, ${planned ? "planned" : "straight"}`),
      h(
        `p.verdict-line${singular ? ".bad" : ""}`,
        {},
        answer.text.map((line) => h("span", {}, line)),
      ),
      wayPlot(answer, mark),
      at,
      told,
      this.buttons(),
    );
    along(0);
    this.way.scrollIntoView({ block: "nearest" });
  }

  buttons() {
    return h(
      "div.buttons",
      {},
      h("button.primary", { onclick: () => this.enter() }, `Enter mode ${this.chosen + 1}`),
      h(
        "button.text",
        {
          title: "A way inside all limits and clear of singular poses, where one is found",
          onclick: () => {
            this.planned = !this.planned;
            this.ways.redraw();
          },
        },
        this.planned ? "straight way" : "plan a way around",
      ),
    );
  }

  /**
   * @param {M.WayShown} answer
   * @param {number} k sample of the way that is shown as a ghost
   * @param {SVGElement} mark of it on the plot
   * @param {HTMLElement} told its numbers
   */
  along({ share, condition, determinant, margin, rows, crossings }, k, mark, told) {
    const x = 36 + share[k] * (WIDTH - 46);
    mark.setAttribute("x1", String(x));
    mark.setAttribute("x2", String(x));
    const left = margin[k];
    const room = left === null ? "" : `, margin ${num(100 * left, 1)} %`;
    told.textContent =
      condition[k] === null
        ? `${num(100 * share[k], 1)} %: out of reach`
        : `${num(100 * share[k], 1)} %: condition ${sig(condition[k], 4)}, ` +
          `determinant ${sig(determinant[k], 3)}${room}`;
    const singular = crossings.map((at) => rows[Math.round(at * (rows.length - 1))]);
    this.studio.viewer.setWay(
      this.shape(rows[k]).end,
      singular.map((row) => this.shape(row).end),
    );
  }

  /** @param {unknown} error */
  failWay(error) {
    this.clearWay();
    clear(this.way, h("p.verdict-line.bad", {}, h("span", {}, words(error))), this.buttons());
  }

  clearWay() {
    clear(this.way);
    this.studio.viewer.clearWay();
  }

  /** @param {unknown} error */
  fail(error) {
    this.empty(`No modes: ${words(error)}`);
  }

  /** @param {string} text */
  empty(text) {
    this.found = null;
    this.chosen = -1;
    this.ways.set(false);
    clear(this.cards);
    this.head.textContent = text;
  }
}

/**
 * Condition (logarithmic) along the way, crossings marked.
 * @param {M.WayShown} answer
 * @param {SVGElement} now where the ghost is
 */
function wayPlot({ share, condition, crossings }, now) {
  const MOST = 1e4; // what is above is drawn at the edge: at a singular pose it is infinite
  const known = condition.filter((x) => x !== null);
  const top = Math.log10(Math.min(Math.max(...known, 10), MOST));
  /** @param {number} u */
  const x = (u) => 36 + u * (WIDTH - 46);
  /** @param {number} c */
  const y = (c) => HEIGHT - 22 - ((HEIGHT - 30) * Math.min(Math.log10(c), top)) / top;
  let path = "";
  share.forEach((u, k) => {
    if (condition[k] === null) return;
    const pen = k === 0 || condition[k - 1] === null ? "M" : "L";
    path += `${pen}${x(u).toFixed(1)} ${y(condition[k]).toFixed(1)}`;
  });
  const ticks = [...Array(Math.floor(top) + 1).keys()].map((p) => 10 ** p);
  return s(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "way-plot",
      role: "img",
      "aria-label": `Condition number along the way, ${crossings.length} singular poses crossed`,
    },
    ticks.map((c) => [
      s("line", { x1: 36, x2: WIDTH - 10, y1: y(c), y2: y(c), class: "way-grid" }),
      s("text", { x: 31, y: y(c) + 4, class: "way-tick", "text-anchor": "end" }, String(c)),
    ]),
    crossings.map((u, n) => [
      s("line", { x1: x(u), x2: x(u), y1: 8, y2: HEIGHT - 22, class: "way-cross" }),
      s(
        "text",
        {
          x: x(u) + (u > 0.6 ? -4 : 4),
          y: 18 + 13 * (n % 4),
          class: "way-cross-text",
          "text-anchor": u > 0.6 ? "end" : "start",
        },
        `singular, ${num(100 * u, 1)} %`,
      ),
    ]),
    s("path", { d: path, class: "way-line" }),
    now,
    s("text", { x: 36, y: HEIGHT - 7, class: "way-tick" }, "this pose"),
    s(
      "text",
      { x: WIDTH / 2, y: HEIGHT - 7, class: "way-tick", "text-anchor": "middle" },
      "condition number along the way",
    ),
    s("text", { x: WIDTH - 10, y: HEIGHT - 7, class: "way-tick", "text-anchor": "end" }, "mode"),
  );
}
