import {fileURLToPath} from "node:url"
import type {BuiltIns} from "./plugins/load.ts"

/** The adapters that come with svc. */
export const builtIns: BuiltIns = {
  sandbox: () => import("./adapters/sandbox/index.ts"),
  irc: () => import("./adapters/irc/index.ts"),
  webhook: () => import("./adapters/webhook/index.ts"),
}

const own = (source: string, bundled: string) =>
  fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? source : bundled, import.meta.url))

/** The Host's own SDK, so that every plugin shares it: by specifier, absolute. */
export const sdkPaths = {"svc-runtime": own("../shared/sdk.ts", "./sdk.js")}
