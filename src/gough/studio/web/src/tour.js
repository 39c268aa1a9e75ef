// A guided first minute: five steps that point at real controls. Offered once, skippable, remembered.

import { h } from "./dom.js";

const REMEMBERED = "gough-toured";

/** @typedef {{ at: string, title: string, text: string }} Step */

/** @type {Step[]} */
const STEPS = [
  {
    at: ".pose-rows",
    title: "Move the platform",
    text: "Drag a slider, or type a number. The green bar shows how far this number goes from here.",
  },
  {
    at: ".stage",
    title: "Look and drag",
    text: "Drag to look around. G and R bring a handle that moves and turns the platform itself.",
  },
  {
    at: ".side table.legs",
    title: "Read the legs",
    text: "Length, rate, force and joint load of each leg, computed by Python for this pose. Red: a limit is broken.",
  },
  {
    at: ".timeline",
    title: "Play a motion",
    text: "Space plays the demo. Under Motion (M) you build your own and simulate it with a controller.",
  },
  {
    at: "nav",
    title: "Go on from here",
    text:
      "Open brings other machines, Edit changes this one, Code shows the Python behind the screen, " +
      "Tools compares and measures.",
  },
];

export class Tour {
  /** @param {import("./studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
    /** @type {HTMLElement | null} */
    this.card = null;
    this.offer = h(
      "button.text.tour-offer",
      { title: "Five steps through the page", onclick: () => this.start() },
      "first minute",
    );
    if (!remembered()) studio.status.before(this.offer);
  }

  /** Begin with the first step; the offer is not made again. */
  start() {
    this.offer.remove();
    remember();
    this.came = /** @type {HTMLElement | null} */ (document.activeElement);
    this.show(0);
  }

  /** @param {number} n */
  show(n) {
    this.clear();
    const step = STEPS[n];
    this.target = document.querySelector(step.at);
    this.target?.classList.add("toured");
    const next = h(
      "button.primary",
      { onclick: () => (n + 1 < STEPS.length ? this.show(n + 1) : this.end()) },
      n + 1 < STEPS.length ? "Next" : "Done",
    );
    const card = h(
      "div.tour",
      {
        role: "dialog",
        "aria-label": `First minute, step ${n + 1} of ${STEPS.length}: ${step.title}`,
      },
      h("strong", {}, step.title, h("small", {}, ` ${n + 1} of ${STEPS.length}`)),
      h("p", {}, step.text),
      h(
        "div.buttons",
        {},
        next,
        n > 0 ? h("button.text", { onclick: () => this.show(n - 1) }, "Back") : null,
        h("button.text", { onclick: () => this.end() }, "Skip"),
      ),
    );
    this.card = card;
    card.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.end();
    });
    document.body.append(card);
    this.place(card);
    next.focus({ preventScroll: true });
  }

  /**
   * Beside what it points at, inside the window.
   * @param {HTMLElement} card
   */
  place(card) {
    if (!this.target) return;
    this.target.scrollIntoView({ block: "nearest" });
    const at = this.target.getBoundingClientRect();
    const { offsetWidth: w, offsetHeight: hgt } = card;
    const [wide, high] = [document.documentElement.clientWidth, window.innerHeight];
    const beside = at.right + 12 + w < wide ? at.right + 12 : at.left + (at.width - w) / 2;
    const below = at.right + 12 + w < wide ? at.top : at.bottom + 12;
    const fits = below + hgt + 12 < high ? below : at.top - hgt - 12;
    card.style.left = `${Math.max(12, Math.min(beside, wide - w - 12))}px`;
    card.style.top = `${Math.max(12, Math.min(fits, high - hgt - 12))}px`;
  }

  clear() {
    this.target?.classList.remove("toured");
    this.card?.remove();
    this.card = null;
  }

  end() {
    this.clear();
    this.came?.focus();
  }
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) === "yes";
  } catch {
    return true; // cannot be remembered: not offered again and again
  }
}

function remember() {
  try {
    localStorage.setItem(REMEMBERED, "yes");
  } catch {
    /* private window */
  }
}
