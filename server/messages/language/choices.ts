import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {RowOf, SqlValue} from "../../../shared/sdk/session/database.ts"
import type {StateHandle} from "../../../shared/sdk/session/state.ts"
import type {TimerPlace} from "../../../shared/sdk/session/timer.ts"
import {Closed, type TSchema, Type} from "../../../shared/type.ts"
import type {Reader} from "../../database/database.ts"
import {type DeclaredState, hostOwner, parseState, readState} from "../../database/state/plugin-state.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import type {PluginSide} from "../session/handler.ts"
import {type Languages, placeOf} from "./languages.ts"

/** The most users whose choice is kept in memory. */
const mostUsers = 10_000

/** The handle of a user's choice, for the Host's own handlers. */
export const languageState = {
  scope: "user",
  name: "language",
  of: () => {
    throw new Error("only the handler of the language command stores a user's language")
  },
} as const satisfies StateHandle<{language: string}, "user">

/** A user's choice; empty if there is none. */
export const Choice = Closed({language: Type.String({default: ""})})

const declared: DeclaredState = {
  scope: languageState.scope,
  name: languageState.name,
  schema: Choice,
  problemOf: value => explainValue(Choice, value)[0]?.message,
}

const keyOf = (endpoint: string, user: string) => `${endpoint}\n${user}`

const noTables = (): never => {
  throw new Problem("database_refused", "the Host's own handlers have no tables")
}

/** The languages that users chose. They are stored as users' state, to be exported and forgotten together with it. */
export class LanguageChoices {
  readonly #database: Reader
  readonly #log: Log
  readonly #known = new BoundedMap<string, string | undefined>(mostUsers)
  /** Grows with each change, so that a value read before a change is not kept in memory. */
  #changes = 0

  constructor(database: Reader, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** What a handler of the Host needs to store a choice. */
  get side(): PluginSide {
    return {
      name: hostOwner,
      database: {
        table: noTables,
        read: async <S extends TSchema | undefined = undefined>(sql: string, args?: readonly SqlValue[], row?: S) => {
          if (row !== undefined) noTables()
          return (await this.#database.read(sql, args)) as readonly RowOf<S>[]
        },
      },
      prompt: () => undefined,
      state: () => declared,
    }
  }

  /** Returns a user's choice, at once if it is in memory. One that cannot be read counts as none, and is logged. */
  of(endpoint: string, user: string): string | undefined | Promise<string | undefined> {
    const key = keyOf(endpoint, user)
    return this.#known.has(key) ? this.#known.get(key) : this.#read(endpoint, user)
  }

  /** Call it after a choice was stored or deleted. */
  changed(endpoint: string, user: string): void {
    this.#changes++
    this.#known.delete(keyOf(endpoint, user))
  }

  async #read(endpoint: string, user: string): Promise<string | undefined> {
    const before = this.#changes
    try {
      const {scope, name} = languageState
      const key = {plugin: hostOwner, scope, name, endpoint, subject: user}
      const {language} = parseState(key, declared, (await readState(this.#database, key)).value) as {language: string}
      const chosen = language === "" ? undefined : language
      if (this.#changes === before) this.#known.set(keyOf(endpoint, user), chosen)
      return chosen
    } catch (error) {
      this.#log.warn(`the language of a user could not be read: ${messageOf(error)}`, {error})
      return undefined
    }
  }
}

/** Returns the language of a conversation from its ids, for code outside handlers. */
export const createLanguageOf =
  (languages: () => Languages, choices: LanguageChoices) =>
  async ({endpoint, channel, user}: TimerPlace): Promise<string> => {
    const chosen = user === undefined || languages().known.length === 1 ? undefined : await choices.of(endpoint, user)
    return languages().of(endpoint, placeOf(channel, user), chosen)
  }
