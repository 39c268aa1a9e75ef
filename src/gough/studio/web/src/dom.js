// Small helpers to build the page without a framework.

/** An element: h("button.primary", { onclick, title }, "Play", child) */
export function h(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const el = document.createElement(name || "div");
  if (classes.length) el.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) el.addEventListener(key.slice(2), value);
    else if (key === "dataset") Object.assign(el.dataset, value);
    else if (key === "style") Object.assign(el.style, value);
    else if (key in el && !key.startsWith("aria") && key !== "list" && key !== "role")
      el[key] = value;
    else el.setAttribute(key, value === true ? "" : value);
  }
  append(el, children);
  return el;
}

export function append(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    el.append(child.nodeType ? child : document.createTextNode(String(child)));
  }
  return el;
}

export function clear(el, ...children) {
  el.replaceChildren();
  return append(el, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
export function s(tag, props = {}, ...children) {
  const el = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(props))
    if (value !== undefined) el.setAttribute(key, value);
  append(el, children);
  return el;
}

/** Offer text or a blob as a download. */
export function download(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Listeners by name. */
export class Emitter {
  constructor() {
    this.listeners = new Map();
  }
  on(name, fn) {
    if (!this.listeners.has(name)) this.listeners.set(name, new Set());
    this.listeners.get(name).add(fn);
    return () => this.listeners.get(name).delete(fn);
  }
  emit(name, value) {
    for (const fn of this.listeners.get(name) ?? []) fn(value);
  }
}

/** A collapsible section that remembers nothing and works by keyboard. */
export function section(title, open, ...children) {
  const el = h("details.section", { open });
  el.append(h("summary", {}, title));
  return append(el, children);
}

/** A modal dialog with a title; returns the element, already open. */
export function dialog(title, ...children) {
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

let toasts = null;

/** A short message in the corner; returns its element. */
export function toast(text, kind = "info", seconds = 6) {
  toasts ??= document.body.appendChild(h("div.toasts", { role: "status", "aria-live": "polite" }));
  const el = h(`div.toast.${kind}`, {}, text);
  toasts.append(el);
  while (toasts.children.length > 4) toasts.firstChild.remove();
  setTimeout(() => el.remove(), seconds * 1000);
  return el;
}

/** A table of data: names of the columns, and finished rows. */
export function table(head, rows) {
  return h(
    "table.data",
    {},
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
