import type {Verification} from "../../../shared/api/checkpoint.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {doApart} from "../files/apart.ts"
import type {Progress} from "../files/files.ts"
import type {VerifyRequest} from "./verify.ts"

/** Runs `verifyCheckpoint` in a separate process. Throws its problems, and `checkpoint_failed` if the process fails. */
export const verifyApart = async (
  request: VerifyRequest,
  progress?: Progress,
  signal?: AbortSignal,
): Promise<Verification> => {
  try {
    // The child is a process of the same program.
    return (await doApart({task: "verify", ...request}, {progress, signal})) as Verification
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Problem("checkpoint_failed", `could not verify ${request.id}: ${messageOf(cause)}`, {cause})
  }
}
