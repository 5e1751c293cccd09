/** A Host on Node has another `Response` than Node itself: code that reads responses is tested with the Host's. */
if (process.versions.bun === undefined) await import("../../../server/runtime/engines/node.ts")

export {}
