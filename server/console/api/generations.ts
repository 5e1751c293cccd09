import {PageQuery} from "../../../shared/api/pages.ts"
import {GenerationConfig, GenerationView} from "../../../shared/api/system.ts"
import {withUnready} from "../../../shared/api/unready.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Generation} from "../../generation/generation.ts"
import type {Generations} from "../../generation/generations.ts"
import type {GenerationRecord} from "../../generation/history.ts"
import type {Restarts} from "../edit-config.ts"
import {type Call, newestFirst, type Operation} from "../operations.ts"

/** A generation that an operation has just committed. */
export const viewCommitted = async (generations: Generations, committed: Generation, {foresee}: Foresight) => ({
  ...viewRecord(generations, await generations.configOf(committed.number)),
  ...withUnready(foresee(committed)),
})

export type Foresight = Pick<Restarts, "foresee">

const viewRecord = (generations: Generations, record: GenerationRecord): GenerationView => ({
  number: record.number,
  committedAt: new Date(record.committedAt).toISOString(),
  reason: record.reason,
  runtimeId: record.runtimeId,
  configSha256: record.configSha256,
  plugins: Object.keys(record.plugins),
  code: {...record.plugins},
  current: record.number === generations.current?.number,
  pinned: record.number === generations.pin?.number,
})

export const listGenerations = (generations: Generations): Operation =>
  newestFirst({
    summary: "The committed generations, newest first",
    query: PageQuery,
    item: GenerationView,
    numberOf: ({number}) => number,
    read: async (_, before, most) =>
      (await generations.list(most, before)).map(record => viewRecord(generations, record)),
  })

export const showGenerationConfig = (generations: Generations): Operation => ({
  summary: "The configuration of a generation, as it was written",
  response: {200: GenerationConfig},
  problems: ["generation_unknown"],
  handle: async (_, call) => {
    const {number, config} = await generations.configOf(numberOf(call))
    return call.json(GenerationConfig, {number, config})
  },
})

export const rollBackGeneration = (generations: Generations, foresight: Foresight): Operation => ({
  summary: "Run the configuration of an earlier generation, and pin it",
  response: {200: GenerationView},
  problems: ["generation_unknown", "config_invalid", "restart_required"],
  handle: async (_, call) => {
    const committed = await generations.rollback(numberOf(call))
    return call.json(GenerationView, await viewCommitted(generations, committed, foresight))
  },
})

export const unpinGeneration = (generations: Generations, foresight: Foresight): Operation => ({
  summary: "Remove the pin of a rollback, and run the configuration file again",
  response: {200: GenerationView},
  problems: ["conflict", "config_invalid", "restart_required"],
  handle: async (_, call) => {
    const committed = await generations.unpin()
    return call.json(GenerationView, await viewCommitted(generations, committed, foresight))
  },
})

const numberOf = (call: Call): number => {
  const number = Number(call.params.number)
  if (!Number.isSafeInteger(number)) throw new Problem("generation_unknown", `"${call.params.number}" is not a number`)
  return number
}
