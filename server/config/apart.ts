import type {ConfigChange} from "../../shared/api/configuration/file.ts"
import {fromJson, toExactJson} from "../../shared/json.ts"
import {Problem, type ProblemCode} from "../../shared/problems.ts"
import {ownModule} from "../runtime/own-files.ts"
import {startChild} from "../runtime/process/child.ts"
import {withChanges} from "./edit/changes.ts"
import {readYaml} from "./text/yaml.ts"
import {most, type Yaml} from "./text/yaml-value.ts"

const module = ownModule("server/config/config-child.ts")

/** In characters. A shorter text is read sooner than a process starts. */
const long = 16 * 1024

/** The characters of a text times those of its changes: for each changed key the text is read again. */
const muchWork = 1024 * 1024

/** What the child reads: a text, and its changes if there are any. */
export interface Asked {
  readonly text: string
  readonly changes?: readonly ConfigChange[]
}

export interface Answered {
  readonly read?: Yaml
  readonly text?: string
  readonly problem?: {readonly code: ProblemCode; readonly message: string; readonly hint: string}
}

/** Reads a long text in a separate process, and any other at once. Throws `stopping` if the signal aborts. */
export const readApart = async (text: string, signal?: AbortSignal): Promise<Yaml> => {
  if (text.length <= long || text.length > most.bytes) return readYaml(text)
  const {read} = await ask({text}, signal).catch((): Answered => ({}))
  if (signal?.aborted === true) throw new Problem("stopping", "the Host is stopping")
  // Without room for another process, the event loop waits for less than a second.
  return read ?? readYaml(text)
}

/** Makes changes that take long in a separate process. Throws what `withChanges` throws. */
export const withChangesApart = async (text: string, changes: readonly ConfigChange[]): Promise<string> => {
  const isShort = text.length * toExactJson(changes).length <= muchWork
  const {text: changed, problem} = isShort ? {} : await ask({text, changes}).catch((): Answered => ({}))
  if (problem !== undefined) throw new Problem(problem.code, problem.message, {hint: problem.hint})
  return changed ?? withChanges(text, changes)
}

const ask = async (asked: Asked, signal?: AbortSignal): Promise<Answered> => {
  const child = startChild(module, [], signal)
  child.say(toExactJson(asked))
  const {stdout, stderr} = await child.ended
  if (stdout === "") throw new Error(`the configuration could not be read apart: ${stderr.slice(0, 500)}`)
  // It is svc's own module.
  return fromJson(stdout) as Answered
}
