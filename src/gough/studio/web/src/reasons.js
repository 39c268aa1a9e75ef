// Colors of what stops the platform, by the codes of a workspace slice; 0 is inside.

export const REASON_COLORS = [
  "#2fb37a",
  "#8e2f52",
  "#d9534f",
  "#e08e3c",
  "#c77f2e",
  "#8a5fd0",
  "#5f7fd0",
  "#5f7fd0",
];
