/** A Host on Node has another `Response` than Node: what reads answers is tested with it. */
if (process.versions.bun === undefined) await import("../../../server/runtime/node.ts")

export {}
