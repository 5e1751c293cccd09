import type {Forgotten, UserCounts, UserPartName, UserRemains} from "../../../../shared/api/users/users.ts"
import {fromJson, toJson} from "../../../../shared/json.ts"
import {isProblem, Problem} from "../../../../shared/problems.ts"
import type {Database, Row} from "../../../database/database.ts"
import {overwriting} from "../../../database/engine/engine.ts"
import {groupCommitted} from "../../../database/persist.ts"
import type {PlatformUser} from "../../../database/retention/user-part.ts"
import {telling} from "../../../events/telling.ts"
import {type Place, parts, type Step, start, walk} from "./walk.ts"

export interface UserDataOptions {
  readonly database: Database
  /** Called with the old content of forgotten rows. Undefined without a Host, when no row is in use. */
  readonly forgotten?: (part: UserPartName, rows: readonly Row[]) => void | Promise<void>
  /** Deletes files that no message needs any more. */
  readonly dropFiles: () => Promise<unknown>
  /** Resolves to the places from which svc does not remove a user. */
  readonly remains: (user: PlatformUser) => Promise<Pick<UserRemains, "checkpoints" | "workItems" | "eventLog">>
}

export interface ForgetOptions {
  /** Counts rows without changing them. */
  readonly dryRun: boolean
  /** The `next` of an earlier answer. */
  readonly next: string | undefined
}

/** The time after which an answer ends with the running step, in milliseconds. */
const longest = 5000

/** How many times to read a slice again if the Host has begun to use one of its rows meanwhile. */
const mostTries = 10

const none: UserCounts = {
  ...{timers: 0, inbox: 0, errors: 0, outbox: 0, agents: 0, memories: 0, state: 0, prompts: 0, members: 0},
}

/** Exports or forgets the data of one user of a platform. */
export class UserData {
  readonly #options: UserDataOptions

  constructor(options: UserDataOptions) {
    this.#options = options
  }

  /**
   * Redacts the messages by and to a user, and cancels everything pending for them. Ids and times stay, so that nothing
   * happens twice. It works in batches; an interrupted call can be repeated from the start with the same result. Throws
   * `request_invalid` for a `next` that comes from no answer.
   */
  async forget(user: PlatformUser, {dryRun, next}: ForgetOptions): Promise<Forgotten> {
    const end = performance.now() + longest
    const counts = {...none}
    let busy = 0
    for await (const step of walk(this.#options.database, user, next === undefined ? start : readPlace(next))) {
      const found = dryRun ? this.#sort(step, step.rows) : await this.#forget(step, user)
      counts[step.part.name] += found.idle.length + (dryRun ? found.busy.length : 0)
      busy += found.busy.length
      if (performance.now() > end) return {counts, busy, next: toJson(step.next), erased: null, remains: null}
    }
    const {database, dropFiles} = this.#options
    if (!dryRun) await dropFiles()
    const erased = dryRun ? null : await database.purge()
    return {counts, busy, next: null, erased, remains: await this.#remains(user)}
  }

  /** Yields the lines of the export in pieces of any length; a piece may be empty. */
  async *export(user: PlatformUser, project: string): AsyncGenerator<string> {
    yield lineOf({part: "user", format: 1, project, ...user, at: new Date().toISOString()})
    const counts = new Map(parts.flatMap(({name, toLine}) => (toLine === undefined ? [] : [[name, 0]])))
    for await (const {part, rows} of walk(this.#options.database, user)) {
      const {name, toLine} = part
      if (toLine === undefined) continue
      counts.set(name, (counts.get(name) ?? 0) + rows.length)
      yield rows.map(row => lineOf({part: name, ...toLine(row)})).join("")
    }
    yield lineOf({part: "end", counts: Object.fromEntries(counts)})
  }

  async #forget(step: Step, {endpoint}: PlatformUser): Promise<Sorted> {
    const {database, forgotten} = this.#options
    const {part} = step
    for (let tries = 1, rows = step.rows; ; tries++, rows = await step.again()) {
      const found = this.#sort(step, rows)
      if (found.idle.length === 0) return found
      const assertion = forgotten === undefined ? undefined : part.assertIdle?.(found.idle)
      const batch = [
        ...(assertion === undefined ? [] : [assertion]),
        ...(database.location.dialect === "sqlite" ? [overwriting] : []),
        ...part.forgetting(found.idle),
        // Records how many rows of a user were erased, but not whose.
        telling("user.forgotten", {part: part.name, rows: found.idle.length}, {endpoint}),
      ]
      try {
        await database.write(batch)
        await forgotten?.(part.name, found.idle)
        return found
      } catch (error) {
        if (!isProblem(error, "database_refused") || tries === mostTries) throw error
        await groupCommitted(database)
      }
    }
  }

  #sort({part}: Step, rows: readonly Row[]): Sorted {
    const left = rows.filter(row => part.isForgotten?.(row) !== true)
    const isBusy = (row: Row) => this.#options.forgotten !== undefined && part.isBusy?.(row) === true
    return {idle: left.filter(row => !isBusy(row)), busy: left.filter(isBusy)}
  }

  async #remains(user: PlatformUser): Promise<UserRemains> {
    const {database, remains} = this.#options
    const tables = await database.read(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'p_*' ORDER BY name",
    )
    return {...(await remains(user)), pluginTables: tables.map(({name}) => String(name))}
  }
}

interface Sorted {
  readonly idle: readonly Row[]
  readonly busy: readonly Row[]
}

const lineOf = (line: Readonly<Record<string, unknown>>): string => `${toJson(line)}\n`

const readPlace = (text: string): Place => {
  try {
    const {part, after, channels} = fromJson(text) as Place
    const isSound = parts[part] !== undefined && ["number", "string"].includes(typeof after)
    if (isSound && Array.isArray(channels)) return {part, after, channels}
  } catch {}
  throw new Problem("request_invalid", "next is not from an earlier answer")
}
