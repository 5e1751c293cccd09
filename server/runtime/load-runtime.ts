import type {Runtime} from "./runtime.ts"

/** The implementation for what this process runs on. */
export const loadRuntime = async (): Promise<Runtime> =>
  process.versions.bun === undefined ? (await import("./node.ts")).node : (await import("./bun.ts")).bun
