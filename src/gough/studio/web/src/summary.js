// The first pages of a report: verdict, used shares of the limits as bars, load cases, the motion and its run.

import { h, s, table } from "./dom.js";
import { coordinateUnit, effort, legText, num, sig, turns } from "./units.js";

const DEG = 180 / Math.PI;

/**
 * How a value of a limit of that kind is shown, for a leg of that type.
 * @param {string} kind
 * @param {string} type
 */
function shown(kind, type) {
  const unit = coordinateUnit(type);
  if (kind === "stroke") return { scale: unit.scale, unit: unit.unit, digits: unit.digits };
  if (kind === "speed") return { scale: unit.scale, unit: unit.rate, digits: 1 };
  if (kind === "force") return { scale: 1, unit: unit.effort, digits: 0 };
  if (kind.endsWith("cone")) return { scale: DEG, unit: "°", digits: 1 };
  return { scale: 1000, unit: "mm", digits: 1 };
}

const BODIES = /** @type {const} */ (["lower", "upper", "link", "crank"]);

/**
 * The bodies that any of the legs has: they need not be of one type.
 * @param {Pick<import("./types.d.ts").LegDocument, "lower" | "upper" | "link" | "crank">[]} legs
 */
export const bodiesOf = (legs) => BODIES.filter((name) => legs.some((leg) => leg[name]));

/** @param {number | null} share */
const percent = (share) => (share === null ? "touch" : `${num(100 * share, 0)} %`);

/**
 * Verdict, who and when, warnings.
 * @param {import("./types.d.ts").ReportData} data
 */
export function executive(data) {
  const { verdict, timeline } = data;
  const facts = [
    ["Machine", data.machine.document.name || data.title],
    ["Motion", timeline ? timeline.label : "none given"],
    ["Author", data.author || "not given"],
    ["Date", data.date],
    ["Computed by", data.versions.map((pair) => pair.join(" ")).join(", ")],
  ];
  const said = [...data.machine.warnings, ...(timeline?.refused ?? [])];
  return h(
    "section.card-section.executive",
    {},
    h("h2", {}, "Result"),
    h(`p.verdict.${verdict.kind}`, {}, verdict.text),
    h(
      "dl.facts",
      {},
      facts.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]),
    ),
    timeline ? utilisation(timeline, data.machine) : null,
    said.length
      ? h(
          "div.warn-box",
          {},
          h("strong", {}, "Warnings"),
          h(
            "ul",
            {},
            said.map((w) => h("li", {}, w)),
          ),
        )
      : null,
  );
}

/**
 * @param {import("./types.d.ts").ReportTimeline} timeline
 * @param {import("./types.d.ts").Machine} machine
 */
function utilisation(timeline, machine) {
  const rows = timeline.summary.utilisation;
  if (!rows.length) return h("p.hint", {}, "No limits given.");
  const { names, kinds } = machine.drawing;
  return h(
    "div",
    {},
    h("h3", {}, "Used share of every limit"),
    h(
      "p.hint",
      {},
      `Largest at ${timeline.summary.samples} samples; 100 % is the limit. ` +
        "Stroke: 0 % is its middle. Distances: what is needed over what there is.",
    ),
    h(
      "div.bars",
      {},
      rows.map(({ kind, legs }) => {
        const i = worst(legs);
        const leg = legs[i];
        return leg ? bar(kind, leg, names[i], kinds[i], i) : null;
      }),
    ),
    table(
      ["share of", ...names],
      rows.map(({ kind, legs }) =>
        h(
          "tr",
          {},
          h("th", {}, kind),
          legs.map((leg) =>
            h("td", { className: leg?.broken ? "bad" : "" }, leg ? percent(leg.share) : "–"),
          ),
        ),
      ),
    ),
  );
}

/**
 * The leg that uses most of a limit.
 * @param {(import("./types.d.ts").UsedShare | null)[]} legs
 */
function worst(legs) {
  /** @param {import("./types.d.ts").UsedShare | null} leg */
  const share = (leg) => (leg ? (leg.share ?? Infinity) : -Infinity);
  return legs.reduce((most, leg, i) => (share(leg) > share(legs[most]) ? i : most), 0);
}

/**
 * One limit of one leg: its name, a bar to 100 % and beyond, the numbers.
 * @param {string} kind
 * @param {import("./types.d.ts").UsedShare} leg
 * @param {string} name
 * @param {string} type
 * @param {number} i
 */
function bar(kind, leg, name, type, i) {
  const look = shown(kind, type);
  /** @param {number | null} x */
  const value = (x) => (x === null ? "" : num(x * look.scale, look.digits));
  const allowed =
    leg.low !== null && leg.high !== null && kind === "stroke"
      ? `${value(leg.low)} … ${value(leg.high)}`
      : leg.high !== null
        ? `of ${value(leg.high)}`
        : `at least ${value(leg.low)}`;
  const share = leg.share ?? 2;
  const wide = Math.min(Math.max(share, 0), 1.25) * 80;
  return h(
    "div.bar-row",
    { dataset: { kind, leg: i, share: leg.share ?? "" } },
    h("span.bar-name", {}, `${kind} `, h("b", { style: { color: legText(i) } }, name)),
    s(
      "svg",
      { viewBox: "0 0 100 8", class: "bar", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { x: 0, y: 1, width: 80, height: 6, class: "bar-room" }),
      s("rect", { x: 0, y: 1, width: wide, height: 6, class: leg.broken ? "bar-bad" : "bar-ok" }),
      s("path", { d: "M80 0V8", class: "bar-end" }),
    ),
    h("span.bar-share", {}, percent(leg.share)),
    h("span.bar-value", {}, `${value(leg.value)} ${allowed} ${look.unit} at ${sig(leg.time, 4)} s`),
  );
}

/**
 * What acts, and the instants that ask most of the actuators.
 * @param {import("./types.d.ts").ReportTimeline} timeline
 * @param {import("./types.d.ts").Machine} machine
 */
export function loads(timeline, machine) {
  const { names, kinds } = machine.drawing;
  const { gravity } = machine.document;
  const load = timeline.external;
  const constant = load && load.every((x) => typeof x === "number");
  const unit = new Set(kinds.map((kind) => coordinateUnit(kind).effort));
  return h(
    "section.card-section",
    {},
    h("h2", {}, "Loads and load cases"),
    h(
      "dl.facts",
      {},
      h("dt", {}, "Gravity"),
      h("dd", {}, `${gravity.map((g) => sig(g, 4)).join(", ")} m/s²`),
      h("dt", {}, "Outer load"),
      h(
        "dd",
        {},
        !load
          ? "none"
          : constant
            ? `${load.map((x) => sig(x)).join(", ")} (force N, moment N·m, platform axes)`
            : "changes along the motion",
      ),
    ),
    h("p.hint", {}, "The samples at which an actuator works hardest, with the efforts of all."),
    table(
      ["t s", "largest of", "x, y, z mm", ...names.map((n, i) => `${n} ${effortUnit(kinds, i)}`)],
      timeline.summary.load_cases.map((item) =>
        h(
          "tr",
          {},
          [
            sig(item.time, 5),
            item.legs.map((i) => names[i]).join(", "),
            item.position.map((x) => num(x * 1000, 1)).join(", "),
            ...item.force.map(effort),
          ].map((t) => h("td", {}, t)),
        ),
      ),
    ),
    unit.size > 1 ? h("p.hint", {}, "Forces in N, torques of cranks in N·m.") : null,
  );
}

/**
 * @param {string[]} kinds
 * @param {number} i
 */
const effortUnit = (kinds, i) => (turns(kinds[i]) ? "N·m" : "N");

/**
 * The motion as defined, and the run it was recorded in.
 * @param {import("./types.d.ts").ReportTimeline} timeline
 */
export function source(timeline) {
  const { definition, provenance, summary, notes } = timeline;
  return h(
    "section.card-section",
    {},
    h("h2", {}, "Motion"),
    h("p", {}, `${timeline.label}: ${sig(summary.duration, 5)} s, ${summary.samples} samples.`),
    notes.length
      ? h(
          "ul.notes-list",
          {},
          notes.map((note) => h("li", {}, note)),
        )
      : null,
    definition ? h("pre", { tabIndex: 0 }, definition) : null,
    provenance.length
      ? [
          h("h3", {}, "The run it was recorded in"),
          h(
            "dl.facts",
            {},
            provenance.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]),
          ),
        ]
      : null,
  );
}
