import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import {Closed, Optional, type Static, Type} from "../../../shared/type.ts"
import type {Database} from "../../database/database.ts"
import type {AgentTool, RunFacts} from "../runs/tool.ts"
import {findOwn, forgetting} from "./forget.ts"
import {memoryPlaceOf, memoryScopes} from "./places.ts"
import {lifeOf} from "./recall.ts"
import {remembering} from "./rows.ts"

const longestText = 500

const Note = Closed({
  text: Type.String({
    minLength: 1,
    maxLength: longestText,
    pattern: "\\S",
    description: "One fact in one sentence that is clear without this conversation.",
  }),
  about: Type.Enum([...memoryScopes], {
    description: "`user`: about the user who asks, for them alone. `channel`: everybody here may read it.",
  }),
})

const Which = Closed({
  id: Optional.Integer({minimum: 1, description: "The number of the memory; alternatively set `words`."}),
  words: Optional.String({minLength: 1, maxLength: 500, description: "Words that the memories to forget contain."}),
})

const missing = "this run has no user and channel, so it has no memory."

/** The tools of a run whose binding has memory. They store and delete rows in the batch of their step. */
export const memoryTools = (deps: {readonly database: Database; readonly log: Log}): readonly AgentTool[] => [
  {
    name: "remember",
    description: "Notes something for later conversations, such as a name, a wish or a decision. Never note secrets.",
    parameters: Note,
    effect: "transaction",
    permission: "user",
    approval: false,
    timeout: 10_000,
    refusal: (args, binding, run) => {
      if (memoryPlaceOf(run) === undefined) return missing
      const {about} = args as Static<typeof Note>
      return lifeOf(binding, about) === undefined ? `this agent remembers nothing about a ${about}.` : undefined
    },
    run: async ({args, run, binding, now}) => {
      const {text, about} = args as Static<typeof Note>
      const place = requirePlace(run)
      const memory = {scope: about, text, source: run.seq, at: now} as const
      return {value: "Noted.", statements: remembering(place, {...memory, life: lifeOf(binding, about) ?? 0})}
    },
  },
  {
    name: "forget",
    description:
      "Deletes memories that the asking user's own messages led to: one by its number, or all with these words.",
    parameters: Which,
    effect: "transaction",
    permission: "user",
    approval: false,
    timeout: 10_000,
    refusal: (args, _, run) => {
      const {id, words} = args as Static<typeof Which>
      if (memoryPlaceOf(run) === undefined) return missing
      return (id === undefined) === (words === undefined) ? "set either id or words." : undefined
    },
    run: async ({args, run}) => {
      const {database, log} = deps
      const {id, words} = args as Static<typeof Which>
      const found = (await findOwn(database, requirePlace(run), "here")).filter(memory =>
        words === undefined ? memory.id === id : containsAll(memory.text, words),
      )
      if (found.length === 0) return {value: "The user has no such memory here."}
      const purge = () => {
        database.purge().catch(error => log.warn(`could not erase what was forgotten: ${messageOf(error)}`))
      }
      return {value: `Forgot ${found.length}.`, statements: forgetting(database, found), stored: purge}
    },
  },
]

/** Throws for a run without memory. */
const requirePlace = (run: RunFacts) => {
  const place = memoryPlaceOf(run)
  if (place === undefined) throw new Error(missing)
  return place
}

const containsAll = (text: string, words: string): boolean => {
  const lower = text.toLowerCase()
  return (words.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [words]).every(word => lower.includes(word))
}
