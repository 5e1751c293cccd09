import {resolve} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import {type EvalCase, type EvalFile, readCases} from "./cases.ts"
import {callsOf, type MadeCall, type Missed, missedOf} from "./expect.ts"
import {type EvalMode, Recording} from "./recording.ts"
import {inCopy, type Original, prepare, readOriginal} from "./scratch.ts"
import {hold} from "./session.ts"
import {choiceOf, type ModelChoice, settingsFor, toolsIn} from "./settings.ts"
import {createStandIns} from "./stand-ins.ts"

export interface EvalOptions {
  readonly project: string
  readonly file: string
  readonly mode: EvalMode
  /** The models to compare; the agents' own if empty. */
  readonly models: readonly string[]
  /** The names of the cases; all if empty. */
  readonly cases: readonly string[]
  /** How often each case runs. */
  readonly runs: number
  readonly environment: string
  readonly signal: AbortSignal
  readonly onCase: (name: string, done: number, total: number) => void
}

/** One run of a case with a model. */
export interface CaseResult {
  readonly model: string
  readonly case: string
  readonly run: number
  readonly ok: boolean
  readonly missed: readonly Missed[]
  readonly calls: readonly MadeCall[]
  readonly answer: string | null
  readonly tokens: {readonly in: number; readonly out: number}
  readonly money: number
  /** The time of the model calls; a replay has the recorded time. */
  readonly milliseconds: number
}

export interface Evaluation {
  readonly ok: boolean
  /** What the recording says about itself. */
  readonly note: string | undefined
  readonly results: readonly CaseResult[]
}

/**
 * Runs each case with each model in a copy of the project, without its data and platforms. Throws `config_invalid` for a
 * wrong file or configuration, and `request_invalid` for an unknown case or model.
 */
export const evaluate = async (options: EvalOptions, runtime: Runtime): Promise<Evaluation> => {
  const {mode, runs, onCase, signal} = options
  const original = await readOriginal(options.project, options.environment)
  const path = resolve(options.file)
  const file = await readCases(path, toolsIn(original.raw))
  const cases = chosen(file, options.cases)
  const choices = options.models.length === 0 ? [undefined] : options.models.map(text => choiceOf(text, file))
  const recording = await Recording.open(`${path}.recorded.json`, mode)
  const results: CaseResult[] = []
  const total = choices.length * runs * cases.length
  await inCopy(original, async folder => {
    for (const choice of choices)
      for (let run = 0; run < runs; run++)
        for (const each of cases) {
          onCase(each.name, results.length, total)
          results.push(await runCase(each, run, {folder, original, file, choice, recording, options, runtime}))
          await recording.save([])
          signal.throwIfAborted()
        }
  })
  const ok = results.every(({ok}) => ok)
  // A provider that was away must not cost the earlier recording.
  if (ok && options.cases.length === 0) await recording.save(results.map(({model}) => model))
  return {ok, note: recording.note, results}
}

/** Throws `request_invalid` for a name that no case has. */
const chosen = ({cases}: EvalFile, names: readonly string[]): readonly EvalCase[] => {
  const known = cases.map(({name}) => name)
  const unknown = names.find(name => !known.includes(name))
  if (unknown === undefined) return names.length === 0 ? cases : cases.filter(({name}) => names.includes(name))
  const hint = `The cases are ${known.join(", ")}.`
  throw new Problem("request_invalid", `there is no case "${unknown}"${didYouMean(unknown, known)}`, {hint})
}

interface Setting {
  readonly folder: string
  readonly original: Original
  readonly file: EvalFile
  readonly choice: ModelChoice | undefined
  readonly recording: Recording
  readonly options: EvalOptions
  readonly runtime: Runtime
}

const runCase = async (given: EvalCase, run: number, setting: Setting): Promise<CaseResult> => {
  const {folder, original, file, choice, recording, options, runtime} = setting
  await prepare(folder, original, settingsFor(original.raw, file, choice), options.mode === "replay")
  const {standIns, seen} = createStandIns(given, {
    recording,
    mode: options.mode,
    run,
    folder,
    foreign: file.tools ?? [],
  })
  const now = Date.parse(file.now ?? "2026-01-05T09:00:00Z")
  const {environment, signal} = options
  const {runs, errors, models} = await hold(given, {folder, environment, now, standIns, signal, runtime})
  const met = missedOf(given, runs)
  const isUnrecorded = seen.missed.some(({what}) => what === "recording")
  const missed = isUnrecorded ? seen.missed : [...seen.missed, ...met, ...(met.length === 0 ? [] : errors.map(inLog))]
  const steps = runs.flatMap(({trail}) => trail)
  const sum = (values: readonly (number | null)[]) => values.reduce((all: number, value) => all + (value ?? 0), 0)
  return {
    model: models.join(", "),
    case: given.name,
    run: run + 1,
    ok: missed.length === 0,
    missed,
    calls: callsOf(runs),
    answer: runs.at(-1)?.answer ?? null,
    tokens: {in: sum(steps.map(({tokensIn}) => tokensIn)), out: sum(steps.map(({tokensOut}) => tokensOut))},
    money: sum(steps.map(({money}) => money)),
    milliseconds: seen.milliseconds,
  }
}

const inLog = (message: string): Missed => ({what: "log", expected: "no error", came: message})
