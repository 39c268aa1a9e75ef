// The WebSocket: one promise per request, the newest pose wins, reconnects by itself.

import { Emitter } from "./dom.js";
import { unpack } from "./frames.js";
import { PROTOCOL, hello } from "./messages.js";

const WAIT = [200, 400, 800, 1500, 3000, 5000];

/**
 * Who waits for the answer to a request; which type it has is known where it was asked for.
 * @typedef {object} Waiting
 * @property {(answer: any) => void} resolve
 * @property {(why: Error) => void} reject
 * @property {((progress: import("./messages.js").Progress) => void) | undefined} onprogress
 * @property {string} asked type of the request
 */

export class Connection extends Emitter {
  /** @param {string} url */
  constructor(url) {
    super();
    this.url = url;
    this.next = 1;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.poseInFlight = 0;
    /** @type {Parameters<Connection["pose"]> | null} the newest pose that waits for its turn */
    this.pendingPose = null;
    this.tries = 0;
    this.open = false;
    this.restored = false; // the server has the machine of this page
    /** @type {(() => void)[]} */
    this.waiters = [];
    this.socket = this.connect();
  }

  /** Resolves once the server is there and has the machine of this page. */
  whenRestored() {
    return this.restored
      ? Promise.resolve()
      : new Promise((/** @type {(value?: undefined) => void} */ go) => this.waiters.push(go));
  }

  setRestored() {
    this.restored = true;
    for (const go of this.waiters.splice(0)) go();
    if (this.pendingPose && !this.poseInFlight) this.pose(...this.pendingPose);
  }

  connect() {
    this.emit("status", this.tries ? "reconnecting" : "connecting");
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.greet();
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => this.lost();
    return socket;
  }

  async greet() {
    this.tries = 0;
    try {
      const welcome = await this.request((id) => hello({ id, protocol: PROTOCOL }));
      this.open = true;
      this.emit("status", "live");
      this.emit("welcome", welcome);
    } catch (error) {
      this.emit("status", "refused");
      this.emit("failure", error);
    }
  }

  lost() {
    this.open = this.restored = false;
    for (const { reject } of this.waiting.values())
      reject(Object.assign(new Error("the connection was lost"), { lost: true }));
    this.waiting.clear();
    this.poseInFlight = 0;
    const delay = WAIT[Math.min(this.tries, WAIT.length - 1)];
    this.tries += 1;
    this.emit("status", "reconnecting");
    setTimeout(() => (this.socket = this.connect()), delay);
  }

  /**
   * Send what `build(id)` returns; resolves with the answer, rejects with a Failure.
   * @template {keyof import("./types.d.ts").Answers} K
   * @param {(id: number) => import("./types.d.ts").Message<K>} build
   * @param {(progress: import("./messages.js").Progress) => void} [onprogress]
   * @returns {Promise<import("./types.d.ts").Answers[K]>}
   */
  request(build, onprogress) {
    if (this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(
        Object.assign(new Error("not connected; trying again"), { lost: true }),
      );
    }
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const message = build(id);
      this.waiting.set(id, { resolve, reject, onprogress, asked: message.type });
      this.socket.send(JSON.stringify(message));
    });
  }

  /**
   * Ask for a pose; while one is in flight only the newest waits. `asked` comes back with the answer.
   * @param {(id: number) => import("./types.d.ts").Message<"SolvePose">} build
   * @param {import("./types.d.ts").SolveAsked} asked
   */
  pose(build, asked) {
    if (!this.restored || this.poseInFlight) {
      this.pendingPose = [build, asked];
      return;
    }
    this.pendingPose = null;
    this.poseInFlight = this.next;
    this.request(build)
      .then((answer) => {
        this.poseInFlight = 0;
        this.emit("pose", { answer, newest: !this.pendingPose, asked });
      })
      .catch((error) => {
        this.poseInFlight = 0;
        if (!error.lost) this.emit("poseFailure", error);
        else this.pendingPose ??= [build, asked];
      })
      .finally(() => {
        if (this.pendingPose && this.restored && !this.poseInFlight) this.pose(...this.pendingPose);
      });
  }

  /**
   * The message in what came, or null; what is not one is told, and whoever waits for it may ask again.
   * @param {string | ArrayBuffer} data
   * @returns {import("./types.d.ts").Received | null}
   */
  read(data) {
    try {
      return typeof data === "string" ? JSON.parse(data) : unpack(data);
    } catch (error) {
      this.emit("failure", error);
      this.socket.close(); // nobody knows whose answer that was: begin anew
      return null;
    }
  }

  /** @param {string | ArrayBuffer} data */
  receive(data) {
    const message = this.read(data);
    if (!message) return;
    const { id = 0 } = message; // requests are numbered from 1: 0 answers none
    const entry = this.waiting.get(id);
    // of a Cancel it is the answer, of all others a word before it
    if (message.type === "Progress" && entry?.asked !== "Cancel") {
      entry?.onprogress?.(
        /** @type {import("./messages.js").Progress} */ (/** @type {unknown} */ (message)),
      );
      return;
    }
    if (!entry) {
      if (message.type === "Failure")
        this.emit("failure", Object.assign(new Error(message.text), message));
      return;
    }
    this.waiting.delete(id);
    if (message.type === "Failure") entry.reject(Object.assign(new Error(message.text), message));
    else entry.resolve(message);
  }
}
