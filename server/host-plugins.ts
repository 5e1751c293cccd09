import {fileURLToPath} from "node:url"
import type {BuiltIns} from "./plugins/load.ts"

/** The plugins that come with svc: adapters; and `workroom`, which a Host replaces by that of its own workroom. */
export const builtIns: BuiltIns = {
  workroom: () => import("./host-workroom.ts").then(({closedWorkroomPlugin}) => closedWorkroomPlugin()),
  sandbox: () => import("./adapters/sandbox/index.ts"),
  irc: () => import("./adapters/irc/index.ts"),
  webhook: () => import("./adapters/webhook/index.ts"),
}

const own = (source: string, bundled: string) =>
  fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? source : bundled, import.meta.url))

/** The Host's own SDK, so that every plugin shares it: by specifier, absolute. */
export const sdkPaths = {"svc-runtime": own("../shared/sdk.ts", "./sdk.js")}
