import {setTimeout as sleep} from "node:timers/promises"
import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import type {Row} from "../../../shared/sdk/plugin/database.ts"
import type {Database} from "../../database/database.ts"
import {isStatementError} from "../../database/errors.ts"
import {jsonRows} from "../../database/json-rows.ts"
import {redacted} from "../../inbox/user/redacted.ts"
import {textOfEvent} from "../../messages/parse-content.ts"
import {creating, hasIndex, progressKey} from "./index-schema.ts"
import {markOf, spaced} from "./words.ts"

/** Events of one look: writers wait for it. */
const page = 100

/** After a look the index pauses for this multiple of its time, so that everything else gets its turn. */
const leisure = 3

/** So long after something was stored it is looked for new events, in milliseconds. */
const usualPause = 1000

/** The index takes the first 16,384 characters of a message. */
const content = "substr(event ->> '$.message.content', 1, 16384)"

const selectNext = `SELECT seq, endpoint, event ->> '$.channel.id' AS channel, ${content} AS content,
    type = 'message-created' AND event ->> '$.user.id' IS NOT NULL AND coalesce(event ->> '$.user.is_bot', 0) = 0 AS isSaid
  FROM inbox WHERE seq > ? ORDER BY seq LIMIT ${page}`

const rows = jsonRows(["seq", "place", "text", "content"])

/** What was redacted or dropped since it was read is not indexed. */
const insert = `INSERT OR REPLACE INTO message_index (rowid, place, text)
  SELECT r.seq, r.place, r.text FROM ${rows.source} r CROSS JOIN inbox ON inbox.seq = r.seq WHERE ${content} = r.content`

const setProgress =
  "INSERT INTO svc_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

export interface MessageIndexOptions {
  readonly database: Database
  readonly log: Log
  /** Milliseconds; a second when left out. */
  readonly pause?: number
}

/**
 * Indexes what people said, after it was acknowledged: what is in the inbox when it first starts, and what comes in while it runs. It
 * goes on where it was, whatever was killed when.
 */
export class MessageIndex {
  readonly #options: MessageIndexOptions
  #stop: AbortController | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #problem: string | undefined
  #isReady = false
  #isFailing = false
  #indexed = 0

  constructor(options: MessageIndexOptions) {
    this.#options = options
  }

  /** Why there is none, for people; undefined where nothing is known of that. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** The last event that is indexed, or passed over. */
  get indexed(): number {
    return this.#indexed
  }

  /** Begins to index, where it does not already. */
  start(): void {
    if (this.#stop !== undefined) return
    const stop = new AbortController()
    this.#stop = stop
    const unobserve = this.#options.database.observe({committed: () => this.#wake(stop.signal)})
    stop.signal.addEventListener("abort", unobserve, {once: true})
    this.#run(stop.signal)
  }

  /** Resolves once nothing is being indexed. */
  async stop(): Promise<void> {
    this.#stop?.abort()
    this.#stop = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#running
  }

  /** Called between two groups. */
  #wake(signal: AbortSignal): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#run(signal)
    }, this.#options.pause ?? usualPause).unref()
  }

  #run(signal: AbortSignal): void {
    this.#running = this.#running.then(() => this.#catchUp(signal)).catch(error => this.#tell(error))
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#problem !== undefined || !(await this.#prepare(signal))) return
    for (let isMore = true; isMore && !signal.aborted; ) {
      const began = performance.now()
      isMore = await this.#indexPage()
      if (isMore) await sleep((performance.now() - began) * leisure)
    }
    this.#isFailing = false
  }

  /** Makes the index where there is none, and reads how far it is; false where the database cannot have one. */
  async #prepare(signal: AbortSignal): Promise<boolean> {
    if (this.#isReady) return true
    const {database, log} = this.#options
    if ((await database.read(hasIndex)).length === 0) {
      const statements = creating.map(sql => ({sql}))
      try {
        await database.migrate(statements, signal, () => "creating the message index")
      } catch (error) {
        if (!(error instanceof Problem) || !isStatementError(error.cause)) throw error
        this.#problem = `the database cannot search messages: ${messageOf(error)}`
        log.error(`${this.#problem}; agents do not have the tool search`)
        return false
      }
    }
    const [row] = await database.read("SELECT value FROM svc_meta WHERE key = ?", [progressKey])
    this.#indexed = Number(row?.value ?? 0)
    this.#isReady = true
    return true
  }

  /** Resolves to whether there may be more. */
  async #indexPage(): Promise<boolean> {
    const {database} = this.#options
    const found = await database.read(selectNext, [this.#indexed])
    const last = found.at(-1)
    if (last === undefined) return false
    const said = found.flatMap(entryOf)
    await database.write([
      ...(said.length === 0 ? [] : [{sql: insert, args: [rows.encode(said)]}]),
      {sql: setProgress, args: [progressKey, String(last.seq)]},
    ])
    this.#indexed = Number(last.seq)
    return found.length === page
  }

  /** The next commit wakes it again. */
  #tell(error: unknown): void {
    if (error instanceof Problem && error.code === "stopping") return
    if (!this.#isFailing) this.#options.log.warn(`could not index messages for search: ${messageOf(error)}`, {error})
    this.#isFailing = true
  }
}

const entryOf = ({seq = null, endpoint, channel, content: said, isSaid}: Row) => {
  if (isSaid !== 1 || typeof channel !== "string" || typeof said !== "string" || said === redacted) return []
  const text = spaced(textOfEvent(said)).trim()
  return text === "" ? [] : [{seq, place: markOf(String(endpoint), channel), text, content: said}]
}
