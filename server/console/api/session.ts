import {SessionView} from "../../../shared/api/system.ts"
import type {Operation} from "../../../shared/sdk/route.ts"

/** The console's first request: returns the scope of the token. */
export const showSession = (project: string, version: string): Operation => ({
  summary: "Which Host this is, and what the caller's token may do",
  response: {200: SessionView},
  handle: (_, call) => call.json(SessionView, {project, version, scope: call.scope}),
})
