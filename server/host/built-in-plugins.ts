import type {BuiltIns} from "../plugins/load.ts"
import {ownModule} from "../runtime/own-files.ts"

/** The plugins that come with svc: adapters; and `workroom`, which a Host replaces by that of its own workroom. */
export const builtIns: BuiltIns = {
  workroom: () => import("../workroom/open.ts").then(({closedWorkroomPlugin}) => closedWorkroomPlugin()),
  sandbox: () => import("../adapters/sandbox/index.ts"),
  irc: () => import("../adapters/irc/index.ts"),
  webhook: () => import("../adapters/webhook/index.ts"),
}

/** The Host's own SDK, so that every plugin shares it: by specifier, absolute. */
export const sdkPaths = {"svc-runtime": ownModule("shared/sdk/sdk.ts")}
