import {isObject, toJson, tryFromJson} from "../../../shared/json.ts"
import {Problem, type ProblemCode, problems} from "../../../shared/problems.ts"
import {ownModule} from "../../runtime/own-files.ts"
import {startChild} from "../../runtime/process/child.ts"
import {noProgress, type Progress} from "./files.ts"

const module = ownModule("server/recovery/recovery-child.ts")

export interface ApartOptions {
  readonly progress?: Progress | undefined
  readonly signal?: AbortSignal | undefined
  /** What the child requests one after the other, such as the files to copy. */
  readonly batches?: AsyncIterator<readonly object[]>
}

/**
 * Does work with several system calls for each file in a separate process, so that the Host is not blocked. Resolves to its
 * answer. Throws the child's problem or error, and an error if it ended without an answer.
 */
export const doApart = async (
  request: {readonly task: "complete" | "verify"},
  {progress = noProgress, signal, batches}: ApartOptions = {},
): Promise<unknown> => {
  let said: Readonly<Record<string, unknown>> = {}
  let broken: unknown
  const feed = async () => {
    const next = await batches?.next()
    child.say(toJson(next?.done === false ? next.value : []))
  }
  const child = startChild(module, [], signal, line => {
    said = readLine(line)
    if (said.more === true)
      feed().catch(error => {
        broken = error
        child.say("")
      })
    if (!Array.isArray(said.progress)) return
    const [step, done, total] = said.progress
    progress(String(step), Number(done), Number(total))
  })
  child.say(toJson(request))
  const {code, stderr} = await child.ended.catch(error => ({code: null, stderr: String(error)}))
  if (broken !== undefined) throw broken
  if (said.answer !== undefined) return said.answer
  if (!Array.isArray(said.failure)) throw new Error(stderr.slice(0, 500) || `exit code ${code}`)
  const [message, problem, hint] = said.failure.map(String)
  throw isCode(problem) ? new Problem(problem, message ?? "", hint === undefined ? {} : {hint}) : new Error(message)
}

const isCode = (code: string | undefined): code is ProblemCode => code !== undefined && code in problems

const readLine = (line: string): Readonly<Record<string, unknown>> => {
  const json = tryFromJson(line)
  return isObject(json) ? json : {}
}
