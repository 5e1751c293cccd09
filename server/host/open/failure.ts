import type {Status} from "../../../shared/api/system.ts"
import {describeFailure} from "../../generation/draft.ts"
import type {Failure} from "../../generation/generation.ts"

/** The last failure of a generation, as the status shows it. */
export const viewFailure = ({at, reason, problem}: Failure): Status["lastFailure"] => ({
  at: new Date(at).toISOString(),
  reason,
  code: problem.code,
  detail: problem.message,
  issues: describeFailure(problem).split("\n"),
})
