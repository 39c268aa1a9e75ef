// Small helpers to build the page without a framework.

/** @typedef {import("./types.d.ts").Child} Child */

/**
 * An element: h("button.primary", { onclick, title }, "Play", child)
 * @template {string} T
 * @param {T} tag
 * @param {import("./types.d.ts").Props} [props]
 * @param {...Child} children
 * @returns {import("./types.d.ts").ElementOf<T>}
 */
export function h(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const el = document.createElement(name || "div");
  if (classes.length) el.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on"))
      el.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (key === "dataset") Object.assign(el.dataset, value);
    else if (key === "style") Object.assign(el.style, value);
    else if (key in el && !key.startsWith("aria") && key !== "list" && key !== "role")
      Reflect.set(el, key, value);
    else el.setAttribute(key, value === true ? "" : String(value));
  }
  append(el, children);
  return /** @type {import("./types.d.ts").ElementOf<T>} */ (el);
}

/**
 * @template {Element} T
 * @param {T} el
 * @param {Child[]} children
 */
export function append(el, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(el, child);
    else el.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return el;
}

/**
 * @template {Element} T
 * @param {T} el
 * @param {...Child} children
 */
export function clear(el, ...children) {
  el.replaceChildren();
  return append(el, children);
}

/**
 * What has to be there by now; a sentence where it is not.
 * @template T
 * @param {T | null | undefined} it
 * @param {string} what
 * @returns {T}
 */
export function needed(it, what) {
  if (it === null || it === undefined) throw new Error(`${what} is not there`);
  return it;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * An SVG element.
 * @param {string} tag
 * @param {Record<string, unknown>} [props]
 * @param {...Child} children
 */
export function s(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props))
    if (value !== undefined) el.setAttribute(key, String(value));
  append(el, children);
  return el;
}

/**
 * Offer text or a blob as a download.
 * @param {string} name
 * @param {string | Blob} content
 * @param {string} [type]
 */
export function download(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * What a canvas shows, as a PNG.
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>}
 */
export function png(canvas) {
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the picture cannot be made"))),
      "image/png",
    ),
  );
}

/** Listeners by name. */
export class Emitter {
  constructor() {
    // what each name tells is known to who emits and who listens
    /** @type {Map<string, Set<(value: any) => void>>} */
    this.listeners = new Map();
  }
  /**
   * @param {string} name
   * @param {(value: any) => void} fn
   */
  on(name, fn) {
    const all = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, all.add(fn));
    return () => all.delete(fn);
  }
  /**
   * @param {string} name
   * @param {unknown} [value]
   */
  emit(name, value) {
    for (const fn of this.listeners.get(name) ?? []) fn(value);
  }
}

/**
 * A collapsible section that remembers nothing and works by keyboard.
 * @param {string} title
 * @param {boolean} open
 * @param {...Child} children
 */
export function section(title, open, ...children) {
  const el = h("details.section", { open });
  el.append(h("summary", {}, title));
  return append(el, children);
}

/**
 * A modal dialog with a title; returns the element, already open.
 * @param {string} title
 * @param {...Child} children
 */
export function dialog(title, ...children) {
  /** @type {HTMLDialogElement} */
  const box = h("dialog.dialog", { "aria-label": title, onclose: () => box.remove() });
  box.append(
    h(
      "header",
      {},
      h("h2", {}, title),
      h("button.icon", { title: "Close", "aria-label": "Close", onclick: () => box.close() }, "✕"),
    ),
    h("div.dialog-body", {}, children),
  );
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/** @type {HTMLElement | null} */
let toasts = null;

/**
 * A short message in the corner; returns its element.
 * @param {string} text
 * @param {string} [kind]
 * @param {number} [seconds]
 */
export function toast(text, kind = "info", seconds = 6) {
  toasts ??= document.body.appendChild(h("div.toasts", { role: "status", "aria-live": "polite" }));
  const el = h(`div.toast.${kind}`, {}, text);
  toasts.append(el);
  while (toasts.children.length > 4) toasts.firstElementChild?.remove();
  setTimeout(() => el.remove(), seconds * 1000);
  return el;
}

/**
 * A table of data: names of the columns, and finished rows.
 * @param {string[]} head
 * @param {Child[]} rows
 */
export function table(head, rows) {
  return h(
    "table.data",
    { tabIndex: 0 }, // a wide one scrolls on a phone, by keyboard too
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        head.map((t) => h("th", {}, t)),
      ),
    ),
    h("tbody", {}, rows),
  );
}
