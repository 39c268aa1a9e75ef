// What is on screen, said once: machine, pose or time, run. What is computed for it asks here; stale until it is.

import { Emitter } from "./dom.js";
import { WORLD } from "./posepanel.js";
import { isLost } from "./refusals.js";

export class Screen extends Emitter {
  constructor() {
    super();
    /** @type {import("./messages.js").MachineOpened | null} the newest */
    this.machine = null;
    this.document = 0; // number of its document: equal documents have equal numbers
    this.mode = "pose"; // or "time": where the platform is taken from
    /** @type {import("./types.d.ts").SolveAsked | null} the newest SolvePose asked for, without id */
    this.solve = null;
    this.index = 0; // sample of the run where the timeline stands
    this.moving = false; // playing: nothing is asked for along the way
    /** @type {import("./types.d.ts").Run | null} what is on the plots */
    this.run = null;
    /** @type {Map<string, number>} */
    this.documents = new Map();
    this.runs = 0;
  }

  /** @param {Partial<Screen>} change */
  set(change) {
    Object.assign(this, change);
    this.emit("change");
  }

  /** @param {import("./messages.js").MachineOpened} machine */
  setMachine(machine) {
    this.set({ machine, document: this.numberOf(machine.document) });
  }

  /**
   * A number for a document; the same document again, after undo or a restart of the server, has the same.
   * @param {import("./types.d.ts").MachineDocument} document
   * @returns {number}
   */
  numberOf(document) {
    const text = JSON.stringify(document);
    const number = this.documents.get(text) ?? this.documents.size + 1;
    this.documents.set(text, number);
    return number;
  }

  /**
   * The motion on the plots, or null; `of`: the answer that brought it, `machine` the one it was computed for.
   * @param {Omit<import("./types.d.ts").Run, "number" | "document"> | null} run
   */
  setRun(run) {
    this.runs += 1;
    this.set({ run: run && { ...run, number: this.runs, document: this.document } });
  }

  /** Whether the plots show another machine, payload or outer load than the screen. */
  get runStale() {
    const { run, solve } = this;
    if (!run) return false;
    return run.document !== this.document || (solve !== null && loads(run.motion) !== loads(solve));
  }

  /**
   * Where the platform is, as a PoseInput.
   * @returns {import("./types.d.ts").Pose | null}
   */
  get pose() {
    if (this.mode !== "time" || !this.run) return this.solve?.pose ?? null;
    const { position, quaternion } = this.run.data;
    const k = this.index;
    return {
      position: Array.from(position.slice(3 * k, 3 * k + 3)),
      angles: Array.from(quaternion.slice(4 * k, 4 * k + 4)),
      ...WORLD,
      convention: "quaternion",
    };
  }

  /** The time where the timeline stands, or null where the platform is posed by hand. */
  get time() {
    return this.mode === "time" && this.run ? this.run.data.t[this.index] : null;
  }

  /** Machine and pose: a slice and assembly modes belong to these. */
  get placeKey() {
    return JSON.stringify([this.document, this.pose]);
  }

  /** Everything: the shown code belongs to this. */
  get wholeKey() {
    const at = this.mode === "time" ? this.index : this.solve;
    return JSON.stringify([this.document, this.machine?.label, this.mode, at, this.run?.number]);
  }
}

/** @param {Pick<import("./types.d.ts").SolveAsked, "payload" | "external">} asked */
const loads = ({ payload, external }) => JSON.stringify([payload, external]);

/** Something that the server computes for what is on screen; asked for again whenever that changes. */
/**
 * What makes a Derived: key() names what it belongs to; ask(pose) gives an answer; the others draw.
 * @template {{ machine: number }} T
 * @typedef {object} Parts
 * @property {() => string} key
 * @property {(pose: import("./types.d.ts").Pose) => Promise<T>} ask
 * @property {(answer: T) => void} show
 * @property {(error: unknown) => void} fail
 * @property {() => void} clear
 * @property {(stale: boolean) => void} mark
 */

/** @template {{ machine: number }} T */
export class Derived {
  /**
   * key() names what it belongs to; ask(pose) gives an answer; show(answer), fail(error), clear(), mark(stale) draw.
   * @param {Screen} screen
   * @param {Parts<T>} parts
   */
  constructor(screen, parts) {
    this.parts = parts;
    this.screen = screen;
    this.on = this.busy = false;
    /** @type {string | null} key of what is drawn */
    this.shown = null;
    screen.on("change", () => this.check());
  }

  /** @param {boolean} on */
  set(on) {
    this.on = on;
    this.shown = null;
    if (!on) this.parts.clear();
    else this.check();
  }

  /** Ask again, although nothing on screen changed. */
  redraw() {
    this.shown = null;
    this.check();
  }

  get stale() {
    return this.on && this.shown !== this.parts.key();
  }

  check() {
    if (!this.on) return;
    this.parts.mark(this.stale);
    const { pose, moving } = this.screen;
    if (this.stale && !this.busy && !moving && pose) this.run(pose);
  }

  /** @param {import("./types.d.ts").Pose} pose */
  async run(pose) {
    const key = this.parts.key();
    this.busy = true;
    let again = true;
    try {
      const answer = await this.parts.ask(pose);
      if (this.on && answer.machine === this.screen.machine?.machine) {
        this.shown = key;
        this.parts.show(answer);
      }
    } catch (error) {
      if (isLost(error))
        again = false; // asked again when the connection is back
      else if (this.on) {
        this.shown = key;
        this.parts.fail(error);
      }
    }
    this.busy = false;
    if (again) this.check();
    else if (this.on) this.parts.mark(this.stale);
  }
}

/**
 * A Derived that costs much: marked like the others when the screen changes, asked for again only by hand (`run`).
 * @template {{ machine: number }} T
 * @extends {Derived<T>}
 */
export class OnDemand extends Derived {
  check() {
    if (this.on) this.parts.mark(this.stale);
  }
}
