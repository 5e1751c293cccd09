import type {Runtime} from "../runtime.ts"

export const loadRuntime = async (): Promise<Runtime> =>
  process.versions.bun === undefined ? (await import("./node.ts")).node : (await import("./bun.ts")).bun
