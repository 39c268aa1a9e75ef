// Shapes of what Python sends, where messages.py says no more than "an object", and of what the page makes of it.
// SI units, radians; in Python: model/json_document.py, analysis/drawing.py, analysis/timeline.py, report/html.py.

import type * as M from "./messages.js";
import type { Report } from "./report.js";
import type { Studio } from "./studio.js";

/** What an element is given: properties, attributes, handlers of events ("onclick"), a dataset, a style. */
export interface Props {
  [on: `on${string}`]: (event: HandlerEvent) => unknown;
  dataset?: Record<string, unknown>;
  style?: Record<string, string>;
  [name: string]: unknown;
}
/** An event of an element that was made with its handler: its target is that element, mostly a box of a form. */
export type HandlerEvent = Event & { target: HTMLInputElement };
/** What can stand in an element: nodes, text, numbers, lists of them; nothing for null, undefined and false. */
export type Child = Node | string | number | boolean | null | undefined | readonly Child[];
type TagName<T extends string> = T extends `${infer Name}.${string}` ? Name : T;
/** The element that h("name.class") makes. */
export type ElementOf<T extends string> =
  TagName<T> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagName<T>] : HTMLElement;

export type Vector = number[];
/** Numbers one after the other: typed arrays from a binary frame (NaN: none), lists in a report (null: none). */
export type Numbers = Float64Array | Float32Array | Int32Array | (number | null)[];

export interface Body {
  mass: number;
  center: Vector;
  inertia: number[][];
}
export interface Limits {
  stroke: [number, number] | null;
  force: number | null;
  speed: number | null;
  base_cone: number | null;
  platform_cone: number | null;
  radius: number | null;
}
export interface JointOffset {
  e: number;
  d: number;
  f: number;
  cross?: Body;
}
/** Stiffness of the joints of a leg, N m/rad: about the axes of universal joints, of balls as a matrix. */
export interface JointSprings {
  first: number;
  second: number;
  platform_first: number;
  platform_second: number;
  base_ball: number[][];
  platform_ball: number[][];
}
/** One leg of any type; which fields there are depends on `type`. */
export interface LegDocument {
  type: string;
  base: Vector;
  joint: Vector;
  limits: Limits;
  axis?: Vector;
  platform_axis?: Vector;
  reference?: Vector | null;
  rail?: Vector;
  shaft?: Vector;
  arm?: Vector;
  length?: number;
  lower?: Body;
  upper?: Body;
  link?: Body;
  crank?: Body;
  screw?: { mount: string; hand: string; lead: number } | null;
  fixed?: number | null;
  base_offset?: JointOffset | null;
  platform_offset?: JointOffset | null;
  springs?: JointSprings;
  slider_mass?: number;
  slider_center?: Vector;
}
export interface Place {
  position: Vector;
  rotation: number[][];
}
export interface FramesDocument {
  work: Place;
  tool: Place;
  pivot: Vector | null;
  convention: string;
}
export interface MachineDocument {
  name: string;
  gravity: Vector;
  frames: FramesDocument;
  body: Body;
  legs: LegDocument[];
}

export interface Range {
  travel: number;
  turn: number;
  middle: Vector;
}
export interface Drawing {
  kinds: string[];
  names: string[];
  home: { position: Vector; quaternion: Vector };
  start: Vector[];
  end: Vector[];
  coordinate: Vector;
  size: number;
  base_axes: (Vector | null)[];
  platform_axes: (Vector | null)[];
  up: Vector;
  range: Range;
  limit_kinds: string[];
  /** of legs with springs in their joints: their direction at rest, in base (crank) and platform axes */
  rest: ([Vector, Vector] | null)[];
}
export interface Sheet {
  name: string;
  kinds: string[];
  platform_mass: number;
  leg_mass: number[];
  moving_mass: number;
  characteristic_length: number;
  source: { title: string };
}
/** A machine as flat lines: struts from `start` to `end`, base joints, the direction up. */
export interface Outline {
  start: Vector[];
  end: Vector[];
  base: Vector[];
  up: Vector;
}
export interface GalleryItem extends Outline {
  name: string;
  title: string;
  kind: string;
}
/** What plots, table and view need of a machine. */
export interface Machine {
  document: MachineDocument;
  drawing: Drawing;
}

export type Reactions = Record<string, (number | null)[]>;
export interface TimelineData {
  t: Float64Array | number[];
  position: Float64Array | number[];
  quaternion: Float64Array | number[];
  coordinate: Numbers;
  rate: Numbers;
  acceleration: Numbers;
  /** by formulation; "exact" is always there */
  force: Record<string, Numbers>;
  power: Numbers;
  condition: Numbers;
  condition_scaled: Numbers;
  sigma_min: Numbers;
  /** x y z of six joint forces: for arrows only, float32 */
  spherical_vector: Numbers;
  reactions: Record<string, Numbers>;
  energy: { kinetic: Numbers; potential: Numbers; total: Numbers };
  margin: Numbers;
  /** of each leg */
  leg_margin: Numbers;
  broken: Numbers;
  near: Numbers;
  /** of a simulation */
  error?: { position: Numbers; angle: Numbers };
}
export interface Figure {
  peak: number;
  rms: number;
  cubic: number;
}
export interface LegSummary {
  name: string;
  kind: string;
  coordinate_min: number;
  coordinate_max: number;
  peak_force: number;
  rms_force: number;
  peak_speed: number;
  peak_power: number;
  rms_power: number;
  reactions: Record<string, Figure>;
}
export interface UsedShare {
  share: number | null;
  value: number | null;
  low: number | null;
  high: number | null;
  time: number;
  broken: boolean;
}
/** One kind of limit: the share of each leg (null: it has no such limit); none at all: `word` says why. */
export interface UsedLimit {
  kind: string;
  legs: (UsedShare | null)[];
  word?: string;
}
export interface LoadCase {
  time: number;
  legs: number[];
  position: Vector;
  force: Vector;
}
export interface Summary {
  legs: LegSummary[];
  duration: number;
  samples: number;
  worst_condition: number;
  worst_condition_time: number;
  smallest_margin: number | null;
  utilisation: UsedLimit[];
  load_cases: LoadCase[];
}

/** A number that a calibration may look for: its full name, its leg, what it is of its group (x, y, z, or nothing). */
export interface UnknownNumber {
  name: string;
  leg: string;
  part: string;
}
/** One number of a calibration; `status`: found, or why not (then it has no value). */
export interface CalibratedNumber {
  name: string;
  /** m, rad or 1 */
  unit: string;
  nominal: number;
  value: number | null;
  change: number | null;
  sigma: number | null;
  low: number | null;
  high: number | null;
  status: "found" | "unseen" | "weak" | "beforehand" | "none";
  /** of a synthetic trial: the true number, and whether the interval holds it */
  planted: number | null;
  inside: boolean | null;
}
/** What readings of one source leave, in their unit; null: not computed. */
export interface ResidualFigures {
  source: string;
  unit: string;
  sigma: number;
  before_rms: number | null;
  before_largest: number | null;
  after_rms: number | null;
  after_largest: number | null;
}
/** A parameter of a cueing method: its unit on screen, that unit in SI, the default in SI. */
export interface CueKnob {
  name: string;
  label: string;
  unit: string;
  factor: number;
  default: number[];
}
export interface CueMethodOffered {
  name: string;
  about: string;
  knobs: CueKnob[];
}
/** Rows of surge, sway, heave (m/s^2), roll, pitch, yaw (rad/s) over the times t. */
export interface CueData {
  t: Float64Array;
  vehicle: Float64Array;
  machine: Float64Array;
  vehicle_sensed: Float64Array;
  machine_sensed: Float64Array;
}

/** The answer to each request, by the request's type. */
export interface Answers {
  Hello: M.Welcome;
  OpenMachine: M.MachineOpened;
  SetMachine: M.MachineOpened;
  SolvePose: M.PoseState;
  MakeMotion: M.Timeline;
  Simulate: M.Timeline;
  Cancel: M.Progress;
  FindModes: M.ModesFound;
  SliceWorkspace: M.SliceShown;
  Restate: M.Restated;
  ListFiles: M.Files;
  SaveMachine: M.Saved;
  GetToml: M.Toml;
  ShowCode: M.Code;
  MapVolume: M.VolumeShown;
  FindTravel: M.TravelShown;
  RatePoses: M.PosesRated;
  FindWay: M.WayShown;
  SolveOther: M.OtherSolved;
  ExportMachine: M.MachineExported;
  ListUnknowns: M.UnknownsListed;
  Calibrate: M.Calibrated;
  PlanPoses: M.PosesPlanned;
  ShowCalibration: M.Code;
  OfferCues: M.CuesOffered;
  MakeCue: M.CueMade;
}
/** A request of that type, as messages.js builds it. */
export type Message<K extends keyof Answers> = { id: number; type: K };
/** What came over the wire, not yet known to be an answer to anything. */
export type Received = { id?: number; type?: string; text?: string } & Record<string, unknown>;
/** Why a request was not answered: a Failure of the server, or `lost` when there was no connection. */
export type Refusal = Error & Partial<M.Failure> & { lost?: boolean };

/** One curve of a plot; `leg`, `name`: of that leg; `by`: by that formulation. */
export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
  dash?: number[];
  leg?: number;
  name?: string;
  by?: string;
}
export interface Quantity {
  key: string;
  title: string;
  unit: string;
  series: Series[];
  /** limits, as dashed lines */
  lines: number[];
}

/** What the table shows of a pose, or of a sample of a motion. */
export interface Sample {
  coordinate: (number | null)[];
  rate: (number | null)[];
  force: (number | null)[];
  reactions: Reactions;
  broken: (number | null)[];
  near: (number | null)[];
  condition: number | null;
  condition_scaled: number | null;
  sigma_min: number | null;
  refused?: string[];
  notes?: string[];
  heading?: string;
}
/** What a comparison reads of a PoseState. */
export type ComparedPose = Omit<M.PoseState, "id">;

/** A motion on the plots, and what it was asked for with. */
export interface Run {
  kind: string;
  motion: MotionAsked;
  simulate: Omit<M.Simulate, "id" | "motion"> | null;
  data: TimelineData;
  /** the largest joint force of it, N */
  most: number;
  number: number;
  document: number;
}
export type MotionAsked = Omit<M.MakeMotion, "id">;
export type SolveAsked = Omit<M.SolvePose, "id" | "pose"> & { pose: Pose };
export type Pose = Required<M.PoseInput>;
export type Numbering = Required<M.Numbering>;
export type Payload = Required<M.Payload>;

/** Unsaved edits as the browser keeps them. */
export interface Draft {
  document: MachineDocument;
  label: string;
  past: Version[];
  future: Version[];
  at: { position: Vector; quaternion: Vector } | null | undefined;
  saved?: string;
}
export interface Version {
  document: MachineDocument;
}

export interface ReportTimeline {
  label: string;
  data: TimelineData;
  summary: Summary;
  refused: string[];
  notes: string[];
  external: number[] | number[][] | null;
  definition: string;
  provenance: [string, string][];
}
export interface SliceData {
  plane: string;
  level: number;
  u: number[];
  v: number[];
  reason: number[];
  kinds: string[];
  text: string;
}
export interface ReportData {
  title: string;
  subtitle: string;
  version: string;
  versions: [string, string][];
  author: string;
  date: string;
  toml: string;
  machine: Machine & { sheet: Sheet; warnings: string[] };
  slice: SliceData | null;
  timeline: ReportTimeline | null;
  verdict: { kind: string; text: string };
}

declare global {
  var goughStudio: Studio;
  var goughReport: Report;
}
