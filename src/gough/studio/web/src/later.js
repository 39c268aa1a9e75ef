// Stands for the 3D view until its script is there and it is built: the page answers meanwhile.

/**
 * A view that is not there yet.  It remembers the newest call of every name, and all listeners; `handOver` makes these
 * calls on the real view, in the order they were last made.  Every call of a view says all of what it is about, so the
 * newest is enough; nothing is read of a view that is not `alive`.
 * @template {object} T
 * @returns {{ standIn: T, handOver: (real: T) => void }}
 */
export function later() {
  /** @type {Map<string, unknown[][]>} */
  const calls = new Map();
  const standIn = new Proxy(
    { alive: false },
    {
      get(own, name) {
        if (name in own) return Reflect.get(own, name);
        if (typeof name === "symbol") return undefined;
        return (/** @type {unknown[]} */ ...args) => {
          const before = name === "on" ? (calls.get(name) ?? []) : [];
          calls.delete(name);
          calls.set(name, [...before, args]);
        };
      },
    },
  );
  return {
    standIn: /** @type {T} */ (/** @type {unknown} */ (standIn)),
    handOver(real) {
      for (const [name, made] of calls)
        for (const args of made)
          /** @type {(...args: unknown[]) => void} */ (Reflect.get(real, name)).apply(real, args);
      calls.clear();
    },
  };
}
