import {SessionView} from "../../../shared/api/system.ts"
import type {Operation} from "../../../shared/sdk/route.ts"

/** What the token that is shown may do: the console asks this first. */
export const showSession = (project: string, version: string): Operation => ({
  summary: "Which Host this is, and what the token that was shown may do",
  response: {200: SessionView},
  handle: (_, call) => call.json(SessionView, {project, version, scope: call.scope}),
})
