// Written by `python -m gough.studio.generate` from messages.py; do not edit.

export const PROTOCOL = 4;

/**
 * In which numbers a pose is said: convention of angles, pivot (platform axes, m), and frames.
 * @typedef {Object} Numbering
 * @property {string} [convention]
 * @property {Array<number>} [pivot]
 * @property {boolean} [framed]
 */

/**
 * A pose as entered, in the numbers of a `Numbering`: `position` of the tool when its rotation is zero.
 * @typedef {Object} PoseInput
 * @property {Array<number>} position
 * @property {string} [convention]
 * @property {Array<number>} [angles]
 * @property {Array<number>} [pivot]
 * @property {boolean} [framed]
 */

/**
 * A body carried by the platform: mass kg, center m (platform axes), principal inertia kg m^2 about it.
 * @typedef {Object} Payload
 * @property {number} [mass]
 * @property {Array<number>} [center]
 * @property {Array<number>} [inertia]
 */

/**
 * A parameter of a cueing method by its name, SI: one number, or three.
 * @typedef {Object} CueParameter
 * @property {string} name
 * @property {Array<number>} values
 */

/**
 * A vehicle's telemetry and how it becomes a motion (gough.cueing); parameters left out are the method's defaults.
 * @typedef {Object} CueInput
 * @property {string} [file]
 * @property {string} [method]
 * @property {number|null} [scale]
 * @property {Array<CueParameter>} [parameters]
 * @property {string} [fingerprint]
 */

/**
 * A synthetic trial: nothing is measured, errors are planted in the machine and readings computed from it.
 * @typedef {Object} TrialInput
 * @property {string} [sensor]
 * @property {string} [poses]
 * @property {number} [count]
 * @property {number} [seed]
 * @property {number} [sigma]
 * @property {number} [turn_sigma]
 * @property {number} [position_sigma]
 * @property {number} [rotation_sigma]
 * @property {number} [error]
 */

/**
 * What is measured and what is looked for.
 * @typedef {Object} CalibrationInput
 * @property {string} [file]
 * @property {Array<string>|null} [find]
 * @property {TrialInput} [trial]
 */

/**
 * First message of a page.
 * @typedef {Object} Hello
 * @property {number} id
 * @property {number} [protocol]
 */

/**
 * Open a preset, a file of the work folder, or TOML text (`text`).
 * @typedef {Object} OpenMachine
 * @property {number} id
 * @property {string} source
 * @property {string} [name]
 * @property {string} [text]
 */

/**
 * The machine as edited in the page.
 * @typedef {Object} SetMachine
 * @property {number} id
 * @property {import("./types.d.ts").MachineDocument} document
 * @property {string} [label]
 */

/**
 * Kinematics, efforts, reactions and limits at one pose; twist and acceleration zero unless given.
 * @typedef {Object} SolvePose
 * @property {number} id
 * @property {PoseInput} pose
 * @property {Payload} [payload]
 * @property {Array<number>} [velocity]
 * @property {Array<number>} [acceleration]
 * @property {Array<number>} [external]
 * @property {string} [formulation]
 * @property {Numbering} [show]
 */

/**
 * A trajectory with everything along it.
 * @typedef {Object} MakeMotion
 * @property {number} id
 * @property {string} kind
 * @property {Array<Array<number>>} [waypoints]
 * @property {string} [convention]
 * @property {Array<number>} [pivot]
 * @property {boolean} [framed]
 * @property {number} [duration]
 * @property {number} [max_speed]
 * @property {number} [max_rate]
 * @property {number} [samples]
 * @property {string} [file]
 * @property {CueInput|null} [cue]
 * @property {Payload} [payload]
 * @property {Array<number>} [external]
 * @property {Array<string>} [formulations]
 */

/**
 * Follow the trajectory described by `motion` with a controller, from its first pose.
 * @typedef {Object} Simulate
 * @property {number} id
 * @property {MakeMotion} motion
 * @property {string} [controller]
 * @property {number} [bandwidth]
 * @property {string} [integrator]
 * @property {number} [step]
 */

/**
 * Stop the simulation with this id.
 * @typedef {Object} Cancel
 * @property {number} id
 */

/**
 * Every assembly mode with the leg lengths of this pose.
 * @typedef {Object} FindModes
 * @property {number} id
 * @property {PoseInput} pose
 */

/**
 * Constant-orientation slice of the workspace through this pose.
 * @typedef {Object} SliceWorkspace
 * @property {number} id
 * @property {PoseInput} pose
 * @property {string} [plane]
 * @property {number} [points]
 * @property {number} [width]
 */

/**
 * The same poses in other numbers: rows x y z and angles.
 * @typedef {Object} Restate
 * @property {number} id
 * @property {Array<Array<number>>} rows
 * @property {Numbering} [of]
 * @property {Numbering} [to]
 */

/**
 * Files of the work folder that the studio can open.
 * @typedef {Object} ListFiles
 * @property {number} id
 */

/**
 * Write the machine of this page as TOML into the work folder.
 * @typedef {Object} SaveMachine
 * @property {number} id
 * @property {string} name
 * @property {boolean} [overwrite]
 */

/**
 * The machine of this page as TOML text.
 * @typedef {Object} GetToml
 * @property {number} id
 */

/**
 * Python and command line for what is on screen.
 * @typedef {Object} ShowCode
 * @property {number} id
 * @property {SolvePose} solve
 * @property {MakeMotion|null} [motion]
 * @property {Simulate|null} [run]
 * @property {number|null} [time]
 */

/**
 * The workspace at the orientation of this pose that is joined with it, and a quantity over it.
 * @typedef {Object} MapVolume
 * @property {number} id
 * @property {PoseInput} pose
 * @property {string} [quantity]
 * @property {number} [stiffness]
 * @property {number} [depth]
 * @property {boolean} [proved]
 * @property {string} [cut]
 */

/**
 * How far each number of the pose goes while the others stay, in the numbers of `show`.
 * @typedef {Object} FindTravel
 * @property {number} id
 * @property {PoseInput} pose
 * @property {Numbering} [show]
 */

/**
 * Condition, determinant and limits at poses: rows x y z and a quaternion.
 * @typedef {Object} RatePoses
 * @property {number} id
 * @property {Array<Array<number>>} rows
 */

/**
 * A way from a pose to another (x y z, quaternion): straight, or by the planner clear of singular poses.
 * @typedef {Object} FindWay
 * @property {number} id
 * @property {PoseInput} pose
 * @property {Array<number>} to
 * @property {boolean} [planned]
 */

/**
 * The machine of this page and another one (preset or file) at the same pose.
 * @typedef {Object} SolveOther
 * @property {number} id
 * @property {SolvePose} solve
 * @property {string} source
 * @property {string} name
 * @property {boolean} [relative]
 */

/**
 * The machine at this pose as a file: form glb or stl.
 * @typedef {Object} ExportMachine
 * @property {number} id
 * @property {PoseInput} pose
 * @property {string} [form]
 */

/**
 * What a calibration of this machine can look for.
 * @typedef {Object} ListUnknowns
 * @property {number} id
 */

/**
 * Find the machine's numbers from readings.
 * @typedef {Object} Calibrate
 * @property {number} id
 * @property {CalibrationInput} given
 */

/**
 * Poses to measure at, with the sensors of a readings file or of a trial.
 * @typedef {Object} PlanPoses
 * @property {number} id
 * @property {CalibrationInput} given
 * @property {number} [count]
 * @property {number} [seed]
 */

/**
 * Python and command line of a calibration, or of a plan: answered by a Code.
 * @typedef {Object} ShowCalibration
 * @property {number} id
 * @property {CalibrationInput} given
 * @property {boolean} [plan]
 * @property {number} [count]
 * @property {number} [seed]
 * @property {string} [fingerprint]
 */

/**
 * What can be cued: telemetry files of the work folder, methods with their parameters.
 * @typedef {Object} OfferCues
 * @property {number} id
 */

/**
 * The machine's motion for a vehicle's telemetry, judged and scored.
 * @typedef {Object} MakeCue
 * @property {number} id
 * @property {CueInput} cue
 */

/**
 * Answer to Hello: what this server can do, and the machine it was started with.
 * @typedef {Object} Welcome
 * @property {number} id
 * @property {number} protocol
 * @property {string} version
 * @property {Array<string>} formulations
 * @property {Record<string, string>} conventions
 * @property {Array<string>} controllers
 * @property {Record<string, string>} capabilities
 * @property {Array<import("./types.d.ts").GalleryItem>} gallery
 * @property {string} folder
 * @property {Array<Record<string, string>>} files
 * @property {string} [scenario]
 */

/**
 * A machine accepted: its document, what to draw, warnings.
 * @typedef {Object} MachineOpened
 * @property {number} id
 * @property {number} machine
 * @property {string} label
 * @property {import("./types.d.ts").MachineDocument} document
 * @property {import("./types.d.ts").Drawing} drawing
 * @property {Array<string>} warnings
 * @property {import("./types.d.ts").Sheet} sheet
 */

/**
 * Answer to SolvePose; `broken`, `near`: limits of each leg (gough/analysis/marks.py).
 * @typedef {Object} PoseState
 * @property {number} id
 * @property {number} machine
 * @property {Array<number>} position
 * @property {Array<number>} quaternion
 * @property {Array<number>} angles
 * @property {Numbering} show
 * @property {Array<number>} entered
 * @property {Array<number|null>} coordinate
 * @property {Array<number|null>} rate
 * @property {Array<number|null>} force
 * @property {import("./types.d.ts").Reactions} reactions
 * @property {Array<number|null>} spherical_force
 * @property {number|null} condition
 * @property {number|null} condition_scaled
 * @property {number|null} sigma_min
 * @property {Array<number|null>} margin
 * @property {Array<number>} broken
 * @property {Array<number>} near
 * @property {Array<string>} refused
 * @property {Array<string>} notes
 * @property {number} milliseconds
 */

/**
 * Everything along a motion: arrays, row by row (time first), by name.
 * @typedef {Object} Timeline
 * @property {number} id
 * @property {number} machine
 * @property {string} kind
 * @property {string} label
 * @property {import("./types.d.ts").TimelineData} data
 * @property {import("./types.d.ts").Summary} summary
 * @property {Array<string>} refused
 * @property {Array<string>} notes
 */

/**
 * Answer to FindModes: rows position and quaternion with the actuator coordinates.
 * @typedef {Object} ModesFound
 * @property {number} id
 * @property {number} machine
 * @property {Array<Array<number>>} poses
 * @property {Array<number>} coordinate
 * @property {number} count
 * @property {boolean} complete
 * @property {string} text
 */

/**
 * Answer to SliceWorkspace: reason per grid point, 0 inside.
 * @typedef {Object} SliceShown
 * @property {number} id
 * @property {number} machine
 * @property {string} plane
 * @property {number} level
 * @property {Array<number>} u
 * @property {Array<number>} v
 * @property {Array<number>} reason
 * @property {Array<string>} kinds
 * @property {number} area
 * @property {string} text
 */

/**
 * Answer to Restate.
 * @typedef {Object} Restated
 * @property {number} id
 * @property {Array<Array<number>>} rows
 */

/**
 * Answer to ListFiles.
 * @typedef {Object} Files
 * @property {number} id
 * @property {string} folder
 * @property {Array<Record<string, string>>} files
 */

/**
 * Answer to SaveMachine.
 * @typedef {Object} Saved
 * @property {number} id
 * @property {string} name
 */

/**
 * Answer to GetToml.
 * @typedef {Object} Toml
 * @property {number} id
 * @property {string} text
 */

/**
 * Answer to ShowCode.
 * @typedef {Object} Code
 * @property {number} id
 * @property {number} machine
 * @property {string} python
 * @property {string} command
 */

/**
 * How far a long request is, 0..1.
 * @typedef {Object} Progress
 * @property {number} id
 * @property {number} fraction
 * @property {string} text
 */

/**
 * A request that could not be answered, and why; `field` where one is to blame.
 * @typedef {Object} Failure
 * @property {number} id
 * @property {string} text
 * @property {string} [field]
 * @property {string} [kind]
 */

/**
 * Answer to MapVolume.
 * @typedef {Object} VolumeShown
 * @property {number} id
 * @property {number} machine
 * @property {string} quantity
 * @property {string} unit
 * @property {number} depth
 * @property {boolean} proved
 * @property {string} cut
 * @property {Array<number>} box
 * @property {number} cells
 * @property {Array<number>} faces
 * @property {Array<number|null>} values
 * @property {number} worst
 * @property {number} best
 * @property {Array<number>} volume
 * @property {string} why
 * @property {Array<string>} text
 */

/**
 * Answer to FindTravel: six lowest and highest numbers (m, rad), what ends each, and whether all ends are proved.
 * @typedef {Object} TravelShown
 * @property {number} id
 * @property {number} machine
 * @property {Array<number>} entered
 * @property {Array<number>} low
 * @property {Array<number>} high
 * @property {Array<string>} why_low
 * @property {Array<string>} why_high
 * @property {boolean} proved
 * @property {boolean} axes
 * @property {Array<string>} unchecked
 */

/**
 * Answer to RatePoses, one of each per row; `determinant` of H over the characteristic length; null: none.
 * @typedef {Object} PosesRated
 * @property {number} id
 * @property {number} machine
 * @property {Array<number|null>} condition
 * @property {Array<number|null>} determinant
 * @property {Array<number|null>} margin
 * @property {Array<string>} refused
 * @property {boolean} limited
 * @property {Array<string>} unchecked
 */

/**
 * Answer to FindWay: samples along it.
 * @typedef {Object} WayShown
 * @property {number} id
 * @property {number} machine
 * @property {Array<number>} share
 * @property {Array<Array<number>>} rows
 * @property {Array<number|null>} condition
 * @property {Array<number|null>} determinant
 * @property {Array<number|null>} margin
 * @property {Array<number>} crossings
 * @property {string} verdict
 * @property {Array<string>} text
 */

/**
 * Answer to SolveOther: `own` and `other` are PoseStates.
 * @typedef {Object} OtherSolved
 * @property {number} id
 * @property {number} machine
 * @property {string} label
 * @property {import("./types.d.ts").MachineDocument} document
 * @property {import("./types.d.ts").Drawing} drawing
 * @property {import("./types.d.ts").ComparedPose} own
 * @property {import("./types.d.ts").ComparedPose} other
 */

/**
 * Answer to ExportMachine: the file in base64, and what it holds.
 * @typedef {Object} MachineExported
 * @property {number} id
 * @property {number} machine
 * @property {string} name
 * @property {string} data
 * @property {string} text
 */

/**
 * Answer to ListUnknowns: groups of numbers, what each holds, and which are looked for unless others are named.
 * @typedef {Object} UnknownsListed
 * @property {number} id
 * @property {number} machine
 * @property {Array<string>} groups
 * @property {Array<Array<import("./types.d.ts").UnknownNumber>>} members
 * @property {Array<boolean>} usual
 * @property {number} size
 * @property {boolean} pushing
 * @property {boolean} turning
 */

/**
 * Answer to Calibrate.
 * @typedef {Object} Calibrated
 * @property {number} id
 * @property {number} machine
 * @property {boolean} synthetic
 * @property {string} source
 * @property {string} fingerprint
 * @property {number} poses
 * @property {number} seen
 * @property {boolean} settled
 * @property {number} steps
 * @property {number|null} chi_square
 * @property {number} freedom
 * @property {number|null} likelihood
 * @property {Array<string>} notes
 * @property {Array<string>} warnings
 * @property {Array<string>} unseen
 * @property {Array<import("./types.d.ts").CalibratedNumber>} numbers
 * @property {Array<import("./types.d.ts").ResidualFigures>} residuals
 * @property {Array<number|null>} before
 * @property {Array<number|null>} after
 * @property {import("./types.d.ts").MachineDocument|null} document
 */

/**
 * Answer to PlanPoses.
 * @typedef {Object} PosesPlanned
 * @property {number} id
 * @property {number} machine
 * @property {string} fingerprint
 * @property {Array<Array<number>>} rows
 * @property {Array<string>} heads
 * @property {Array<Array<number>>} table
 * @property {number} unknowns
 * @property {number} seen
 * @property {number|null} spread
 * @property {number|null} by_chance
 * @property {Array<string>} notes
 */

/**
 * Answer to OfferCues; `example`: what the made-up drive is, in words.
 * @typedef {Object} CuesOffered
 * @property {number} id
 * @property {string} example
 * @property {Array<string>} files
 * @property {Array<import("./types.d.ts").CueMethodOffered>} methods
 */

/**
 * Answer to MakeCue.
 * @typedef {Object} CueMade
 * @property {number} id
 * @property {number} machine
 * @property {string} label
 * @property {CueInput} cue
 * @property {number} duration
 * @property {number} scale
 * @property {string} scale_text
 * @property {Array<number>} factors
 * @property {string} word
 * @property {string} verdict
 * @property {Array<import("./types.d.ts").UsedLimit>} used
 * @property {number} looked
 * @property {Array<number>} missed
 * @property {Array<number>} noticed
 * @property {Array<number>} false_cue
 * @property {Array<number>} threshold
 * @property {Array<string>} notes
 * @property {import("./types.d.ts").CueData} data
 */

/**
 * @param {Hello} fields
 * @returns {Hello & { type: "Hello" }}
 */
export function hello({ id, protocol }) {
  return { type: "Hello", id, protocol };
}

/**
 * @param {OpenMachine} fields
 * @returns {OpenMachine & { type: "OpenMachine" }}
 */
export function openMachine({ id, source, name, text }) {
  return { type: "OpenMachine", id, source, name, text };
}

/**
 * @param {SetMachine} fields
 * @returns {SetMachine & { type: "SetMachine" }}
 */
export function setMachine({ id, document, label }) {
  return { type: "SetMachine", id, document, label };
}

/**
 * @param {SolvePose} fields
 * @returns {SolvePose & { type: "SolvePose" }}
 */
export function solvePose({
  id,
  pose,
  payload,
  velocity,
  acceleration,
  external,
  formulation,
  show,
}) {
  return { type: "SolvePose", 
    id,
    pose,
    payload,
    velocity,
    acceleration,
    external,
    formulation,
    show,
  };
}

/**
 * @param {MakeMotion} fields
 * @returns {MakeMotion & { type: "MakeMotion" }}
 */
export function makeMotion({
  id,
  kind,
  waypoints,
  convention,
  pivot,
  framed,
  duration,
  max_speed,
  max_rate,
  samples,
  file,
  cue,
  payload,
  external,
  formulations,
}) {
  return { type: "MakeMotion", 
    id,
    kind,
    waypoints,
    convention,
    pivot,
    framed,
    duration,
    max_speed,
    max_rate,
    samples,
    file,
    cue,
    payload,
    external,
    formulations,
  };
}

/**
 * @param {Simulate} fields
 * @returns {Simulate & { type: "Simulate" }}
 */
export function simulate({ id, motion, controller, bandwidth, integrator, step }) {
  return { type: "Simulate", id, motion, controller, bandwidth, integrator, step };
}

/**
 * @param {Cancel} fields
 * @returns {Cancel & { type: "Cancel" }}
 */
export function cancel({ id }) {
  return { type: "Cancel", id };
}

/**
 * @param {FindModes} fields
 * @returns {FindModes & { type: "FindModes" }}
 */
export function findModes({ id, pose }) {
  return { type: "FindModes", id, pose };
}

/**
 * @param {SliceWorkspace} fields
 * @returns {SliceWorkspace & { type: "SliceWorkspace" }}
 */
export function sliceWorkspace({ id, pose, plane, points, width }) {
  return { type: "SliceWorkspace", id, pose, plane, points, width };
}

/**
 * @param {Restate} fields
 * @returns {Restate & { type: "Restate" }}
 */
export function restate({ id, rows, of, to }) {
  return { type: "Restate", id, rows, of, to };
}

/**
 * @param {ListFiles} fields
 * @returns {ListFiles & { type: "ListFiles" }}
 */
export function listFiles({ id }) {
  return { type: "ListFiles", id };
}

/**
 * @param {SaveMachine} fields
 * @returns {SaveMachine & { type: "SaveMachine" }}
 */
export function saveMachine({ id, name, overwrite }) {
  return { type: "SaveMachine", id, name, overwrite };
}

/**
 * @param {GetToml} fields
 * @returns {GetToml & { type: "GetToml" }}
 */
export function getToml({ id }) {
  return { type: "GetToml", id };
}

/**
 * @param {ShowCode} fields
 * @returns {ShowCode & { type: "ShowCode" }}
 */
export function showCode({ id, solve, motion, run, time }) {
  return { type: "ShowCode", id, solve, motion, run, time };
}

/**
 * @param {MapVolume} fields
 * @returns {MapVolume & { type: "MapVolume" }}
 */
export function mapVolume({ id, pose, quantity, stiffness, depth, proved, cut }) {
  return { type: "MapVolume", id, pose, quantity, stiffness, depth, proved, cut };
}

/**
 * @param {FindTravel} fields
 * @returns {FindTravel & { type: "FindTravel" }}
 */
export function findTravel({ id, pose, show }) {
  return { type: "FindTravel", id, pose, show };
}

/**
 * @param {RatePoses} fields
 * @returns {RatePoses & { type: "RatePoses" }}
 */
export function ratePoses({ id, rows }) {
  return { type: "RatePoses", id, rows };
}

/**
 * @param {FindWay} fields
 * @returns {FindWay & { type: "FindWay" }}
 */
export function findWay({ id, pose, to, planned }) {
  return { type: "FindWay", id, pose, to, planned };
}

/**
 * @param {SolveOther} fields
 * @returns {SolveOther & { type: "SolveOther" }}
 */
export function solveOther({ id, solve, source, name, relative }) {
  return { type: "SolveOther", id, solve, source, name, relative };
}

/**
 * @param {ExportMachine} fields
 * @returns {ExportMachine & { type: "ExportMachine" }}
 */
export function exportMachine({ id, pose, form }) {
  return { type: "ExportMachine", id, pose, form };
}

/**
 * @param {ListUnknowns} fields
 * @returns {ListUnknowns & { type: "ListUnknowns" }}
 */
export function listUnknowns({ id }) {
  return { type: "ListUnknowns", id };
}

/**
 * @param {Calibrate} fields
 * @returns {Calibrate & { type: "Calibrate" }}
 */
export function calibrate({ id, given }) {
  return { type: "Calibrate", id, given };
}

/**
 * @param {PlanPoses} fields
 * @returns {PlanPoses & { type: "PlanPoses" }}
 */
export function planPoses({ id, given, count, seed }) {
  return { type: "PlanPoses", id, given, count, seed };
}

/**
 * @param {ShowCalibration} fields
 * @returns {ShowCalibration & { type: "ShowCalibration" }}
 */
export function showCalibration({ id, given, plan, count, seed, fingerprint }) {
  return { type: "ShowCalibration", id, given, plan, count, seed, fingerprint };
}

/**
 * @param {OfferCues} fields
 * @returns {OfferCues & { type: "OfferCues" }}
 */
export function offerCues({ id }) {
  return { type: "OfferCues", id };
}

/**
 * @param {MakeCue} fields
 * @returns {MakeCue & { type: "MakeCue" }}
 */
export function makeCue({ id, cue }) {
  return { type: "MakeCue", id, cue };
}
