import {PageQuery} from "../../../shared/api/schemas.ts"
import {GenerationConfig, GenerationView} from "../../../shared/api/system.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Call, Operation} from "../../../shared/sdk/route.ts"
import type {Generations} from "../../generation/generations.ts"
import type {GenerationRecord} from "../../generation/history.ts"
import {newestFirst} from "../operations.ts"

/** A committed generation by its number. Throws `generation_unknown`. */
export const viewGeneration = async (generations: Generations, number: number) =>
  viewRecord(generations, await generations.configOf(number))

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

export const rollBackGeneration = (generations: Generations): Operation => ({
  summary: "Run the configuration of an earlier generation, and pin it",
  response: {200: GenerationView},
  problems: ["generation_unknown", "config_invalid", "restart_required"],
  handle: async (_, call) => {
    const generation = await generations.rollback(numberOf(call))
    return call.json(GenerationView, await viewGeneration(generations, generation.number))
  },
})

export const unpinGeneration = (generations: Generations): Operation => ({
  summary: "Remove the pin of a rollback, and run the configuration file again",
  response: {200: GenerationView},
  problems: ["conflict", "config_invalid", "restart_required"],
  handle: async (_, call) => {
    const generation = await generations.unpin()
    return call.json(GenerationView, await viewGeneration(generations, generation.number))
  },
})

const numberOf = (call: Call): number => {
  const number = Number(call.params.number)
  if (!Number.isSafeInteger(number)) throw new Problem("generation_unknown", `"${call.params.number}" is not a number`)
  return number
}
