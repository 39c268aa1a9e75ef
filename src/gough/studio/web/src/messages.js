// Written by `python -m gough.studio.generate` from messages.py; do not edit.

export const PROTOCOL = 3;

/**
 * @typedef {Object} Numbering In which numbers a pose is said: convention of angles, pivot (platform axes, m), and frames.
 * @property {string} [convention]
 * @property {Array<number>} [pivot]
 * @property {boolean} [framed]
 */

/**
 * @typedef {Object} PoseInput A pose as entered, in the numbers of a `Numbering`: `position` of the tool when its rotation is zero.
 * @property {Array<number>} position
 * @property {string} [convention]
 * @property {Array<number>} [angles]
 * @property {Array<number>} [pivot]
 * @property {boolean} [framed]
 */

/**
 * @typedef {Object} Payload A body carried by the platform: mass kg, center m (platform axes), principal inertia kg m^2 about it.
 * @property {number} [mass]
 * @property {Array<number>} [center]
 * @property {Array<number>} [inertia]
 */

/**
 * @typedef {Object} Hello First message of a page.
 * @property {number} id
 * @property {number} [protocol]
 */

/**
 * @typedef {Object} OpenMachine Open a preset, a file of the work folder, or TOML text (`text`).
 * @property {number} id
 * @property {string} source
 * @property {string} [name]
 * @property {string} [text]
 */

/**
 * @typedef {Object} SetMachine The machine as edited in the page.
 * @property {number} id
 * @property {Object<string, any>} document
 * @property {string} [label]
 */

/**
 * @typedef {Object} SolvePose Kinematics, efforts, reactions and limits at one pose; twist and acceleration zero unless given.
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
 * @typedef {Object} MakeMotion A trajectory with everything along it.
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
 * @property {Payload} [payload]
 * @property {Array<number>} [external]
 * @property {Array<string>} [formulations]
 */

/**
 * @typedef {Object} Simulate Follow the trajectory described by `motion` with a controller, from its first pose.
 * @property {number} id
 * @property {MakeMotion} motion
 * @property {string} [controller]
 * @property {number} [bandwidth]
 * @property {string} [integrator]
 * @property {number} [step]
 */

/**
 * @typedef {Object} Cancel Stop the simulation with this id.
 * @property {number} id
 */

/**
 * @typedef {Object} FindModes Every assembly mode with the leg lengths of this pose.
 * @property {number} id
 * @property {PoseInput} pose
 */

/**
 * @typedef {Object} SliceWorkspace Constant-orientation slice of the workspace through this pose.
 * @property {number} id
 * @property {PoseInput} pose
 * @property {string} [plane]
 * @property {number} [points]
 * @property {number} [width]
 */

/**
 * @typedef {Object} Restate The same poses in other numbers: rows x y z and angles.
 * @property {number} id
 * @property {Array<Array<number>>} rows
 * @property {Numbering} [of]
 * @property {Numbering} [to]
 */

/**
 * @typedef {Object} ListFiles Files of the work folder that the studio can open.
 * @property {number} id
 */

/**
 * @typedef {Object} SaveMachine Write the machine of this page as TOML into the work folder.
 * @property {number} id
 * @property {string} name
 * @property {boolean} [overwrite]
 */

/**
 * @typedef {Object} GetToml The machine of this page as TOML text.
 * @property {number} id
 */

/**
 * @typedef {Object} ShowCode Python and command line for what is on screen.
 * @property {number} id
 * @property {SolvePose} solve
 * @property {MakeMotion|null} [motion]
 * @property {Simulate|null} [run]
 * @property {number|null} [time]
 */

/**
 * @typedef {Object} Welcome Answer to Hello: what this server can do, and the machine it was started with.
 * @property {number} id
 * @property {number} protocol
 * @property {string} version
 * @property {Array<string>} formulations
 * @property {Object<string, string>} conventions
 * @property {Array<string>} controllers
 * @property {Object<string, string>} capabilities
 * @property {Array<Object<string, any>>} gallery
 * @property {string} folder
 * @property {Array<Object<string, string>>} files
 * @property {string} [scenario]
 */

/**
 * @typedef {Object} MachineOpened A machine accepted: its document, what to draw, warnings.
 * @property {number} id
 * @property {number} machine
 * @property {string} label
 * @property {Object<string, any>} document
 * @property {Object<string, any>} drawing
 * @property {Array<string>} warnings
 * @property {Object<string, any>} sheet
 */

/**
 * @typedef {Object} PoseState Answer to SolvePose; `broken`, `near`: limits of each leg (gough/analysis/marks.py).
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
 * @property {Object<string, any>} reactions
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
 * @typedef {Object} Timeline Everything along a motion; arrays flattened row by row (time first).
 * @property {number} id
 * @property {number} machine
 * @property {string} kind
 * @property {string} label
 * @property {Object<string, any>} data
 * @property {Object<string, any>} summary
 * @property {Array<string>} refused
 * @property {Array<string>} notes
 */

/**
 * @typedef {Object} ModesFound Answer to FindModes: rows position and quaternion with the actuator coordinates.
 * @property {number} id
 * @property {number} machine
 * @property {Array<Array<number>>} poses
 * @property {Array<number>} coordinate
 * @property {number} count
 * @property {boolean} complete
 * @property {string} text
 */

/**
 * @typedef {Object} SliceShown Answer to SliceWorkspace: reason per grid point, 0 inside.
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
 * @typedef {Object} Restated Answer to Restate.
 * @property {number} id
 * @property {Array<Array<number>>} rows
 */

/**
 * @typedef {Object} Files Answer to ListFiles.
 * @property {number} id
 * @property {string} folder
 * @property {Array<Object<string, string>>} files
 */

/**
 * @typedef {Object} Saved Answer to SaveMachine.
 * @property {number} id
 * @property {string} name
 */

/**
 * @typedef {Object} Toml Answer to GetToml.
 * @property {number} id
 * @property {string} text
 */

/**
 * @typedef {Object} Code Answer to ShowCode.
 * @property {number} id
 * @property {number} machine
 * @property {string} python
 * @property {string} command
 */

/**
 * @typedef {Object} Progress How far a long request is, 0..1.
 * @property {number} id
 * @property {number} fraction
 * @property {string} text
 */

/**
 * @typedef {Object} Failure A request that could not be answered, and why; `field` where one is to blame.
 * @property {number} id
 * @property {string} text
 * @property {string} [field]
 * @property {string} [kind]
 */

/** @returns {Hello} */
export function hello({ id, protocol }) {
  return { type: "Hello", id, protocol };
}

/** @returns {OpenMachine} */
export function openMachine({ id, source, name, text }) {
  return { type: "OpenMachine", id, source, name, text };
}

/** @returns {SetMachine} */
export function setMachine({ id, document, label }) {
  return { type: "SetMachine", id, document, label };
}

/** @returns {SolvePose} */
export function solvePose({ id, pose, payload, velocity, acceleration, external, formulation, show }) {
  return { type: "SolvePose", id, pose, payload, velocity, acceleration, external, formulation, show };
}

/** @returns {MakeMotion} */
export function makeMotion({ id, kind, waypoints, convention, pivot, framed, duration, max_speed, max_rate, samples, file, payload, external, formulations }) {
  return { type: "MakeMotion", id, kind, waypoints, convention, pivot, framed, duration, max_speed, max_rate, samples, file, payload, external, formulations };
}

/** @returns {Simulate} */
export function simulate({ id, motion, controller, bandwidth, integrator, step }) {
  return { type: "Simulate", id, motion, controller, bandwidth, integrator, step };
}

/** @returns {Cancel} */
export function cancel({ id }) {
  return { type: "Cancel", id };
}

/** @returns {FindModes} */
export function findModes({ id, pose }) {
  return { type: "FindModes", id, pose };
}

/** @returns {SliceWorkspace} */
export function sliceWorkspace({ id, pose, plane, points, width }) {
  return { type: "SliceWorkspace", id, pose, plane, points, width };
}

/** @returns {Restate} */
export function restate({ id, rows, of, to }) {
  return { type: "Restate", id, rows, of, to };
}

/** @returns {ListFiles} */
export function listFiles({ id }) {
  return { type: "ListFiles", id };
}

/** @returns {SaveMachine} */
export function saveMachine({ id, name, overwrite }) {
  return { type: "SaveMachine", id, name, overwrite };
}

/** @returns {GetToml} */
export function getToml({ id }) {
  return { type: "GetToml", id };
}

/** @returns {ShowCode} */
export function showCode({ id, solve, motion, run, time }) {
  return { type: "ShowCode", id, solve, motion, run, time };
}

export const ANSWERS = ["Welcome", "MachineOpened", "PoseState", "Timeline", "ModesFound", "SliceShown", "Restated", "Files", "Saved", "Toml", "Code", "Progress", "Failure"];
