import {withUnready} from "../../../shared/api/configuration/unready.ts"
import {generationOperations} from "../../../shared/api/operations/host.ts"
import {serve} from "../../../shared/api/operations/operation.ts"
import type {GenerationView} from "../../../shared/api/system.ts"
import {Problem} from "../../../shared/problems.ts"
import {newestFirst} from "../../database/lists/pages.ts"
import type {Generation} from "../generation.ts"
import type {Generations} from "../generations.ts"
import type {GenerationRecord} from "../history.ts"
import type {Restarts} from "./edit-config.ts"

type Foresight = Pick<Restarts, "foresee">

/** A generation that an operation has just committed. */
export const viewCommitted = async (
  generations: Generations,
  committed: Generation,
  {foresee}: Foresight,
): Promise<GenerationView> => ({
  ...viewRecord(generations, await generations.history.configOf(committed.number)),
  ...withUnready(foresee(committed)),
})

const viewRecord = (generations: Generations, record: GenerationRecord): GenerationView => ({
  number: record.number,
  committedAt: new Date(record.committedAt).toISOString(),
  reason: record.reason,
  runtimeId: record.runtimeId,
  configSha256: record.configSha256,
  plugins: Object.keys(record.plugins),
  code: {...record.plugins},
  current: record.number === generations.running.current?.number,
  pinned: record.number === generations.running.pin?.number,
})

export const generationRoutes = (generations: Generations, foresight: Foresight) =>
  serve(generationOperations, {
    list: newestFirst({
      numberOf: ({number}: GenerationView) => number,
      read: async (_, before, most) =>
        (await generations.history.list(most, before)).map(record => viewRecord(generations, record)),
    }),
    config: async ({params}) => {
      const {number, config} = await generations.history.configOf(numberOf(params))
      return {number, config}
    },
    rollback: async ({params}) => viewCommitted(generations, await generations.rollback(numberOf(params)), foresight),
    unpin: async () => viewCommitted(generations, await generations.unpin(), foresight),
  })

const numberOf = (params: {readonly number: string}): number => {
  const number = Number(params.number)
  if (!Number.isSafeInteger(number)) throw new Problem("generation_unknown", `"${params.number}" is not a number`)
  return number
}
