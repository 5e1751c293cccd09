import {Check} from "typebox/schema"
import {Verification} from "../../../shared/api/checkpoint.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {ownModule} from "../../runtime/own-files.ts"
import {startChild} from "../../runtime/process/child.ts"
import {noProgress, type Progress} from "../checkpoint/progress.ts"
import type {SecretValues} from "./search.ts"

const module = ownModule("server/recovery/verify/verify-child.ts")

export interface VerifyRequest {
  /** The folder of all checkpoints. */
  readonly root: string
  readonly id: string
  readonly temporary: string
  readonly secrets: SecretValues
}

/** Runs `verifyCheckpoint` in a separate process. Throws `checkpoint_failed`. */
export const verifyApart = async (
  request: VerifyRequest,
  progress: Progress = noProgress,
  signal?: AbortSignal,
): Promise<Verification> => {
  let answer: unknown
  let failure = ""
  const child = startChild(module, [], signal, line => {
    const said = readLine(line)
    if (Array.isArray(said.progress)) {
      const [step, done, total] = said.progress
      progress(String(step), Number(done), Number(total))
    }
    if (said.verification !== undefined) answer = said.verification
    if (said.failure !== undefined) failure = String(said.failure)
  })
  child.say(toJson(request))
  const {code, stderr} = await child.ended.catch(error => ({code: null, stderr: String(error)}))
  // A parser has just proved it.
  if (Check(Verification, answer)) return answer as Verification
  throw new Problem(
    "checkpoint_failed",
    `could not verify ${request.id}: ${failure || stderr.slice(0, 500) || `exit code ${code}`}`,
  )
}

const readLine = (line: string): Record<string, unknown> => {
  try {
    const json: unknown = fromJson(line)
    return typeof json === "object" && json !== null ? Object.fromEntries(Object.entries(json)) : {}
  } catch {
    return {}
  }
}
