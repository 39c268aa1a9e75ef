// Line icons, drawn here so that no font has to have them.

import { s } from "./dom.js";

const PATHS = {
  move: "M12 3v18M3 12h18M12 3l-3 3M12 3l3 3M12 21l-3-3M12 21l3-3M3 12l3-3M3 12l3 3M21 12l-3-3M21 12l-3 3",
  turn: "M20 12a8 8 0 1 1-2.6-5.9M20 3v5h-5",
  none: "M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16M6.5 6.5l11 11",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  slice: "M4 4h16v16H4zM4 12h16M12 4v16",
  modes: "M4 9l5-4l5 4l-5 4zM10 15l5-4l5 4l-5 4z",
  volume: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12L4 7.5M12 12v9",
  camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10.5a3 3 0 1 0 0 6a3 3 0 1 0 0-6",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  redo: "M15 7l5 5l-5 5M20 12H10a6 6 0 0 0-6 6",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  play: "M8 5l11 7l-11 7z",
  pause: "M8 5v14M16 5v14",
  expand: "M4 12h16M4 12l4-4M4 12l4 4M20 12l-4-4M20 12l-4 4",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  return s(
    "svg",
    { viewBox: "0 0 24 24", class: `ico ico-${name}`, "aria-hidden": "true" },
    s("path", { d: PATHS[name] }),
  );
}
