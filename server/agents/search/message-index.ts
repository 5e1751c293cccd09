import {setTimeout as sleep} from "node:timers/promises"
import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {textOfEvent} from "../../../shared/sdk/content/parse-content.ts"
import type {Database, Row} from "../../database/database.ts"
import {isStatementError} from "../../database/engine/errors.ts"
import {jsonRows} from "../../database/engine/json-rows.ts"
import {redacted} from "../../database/retention/user-part.ts"
import {deleteMeta, readMeta, setMeta} from "../../database/state/meta.ts"
import {contentOf, readContents} from "../../inbox/message-texts.ts"
import {creating, hasIndex, progressKey} from "./index-schema.ts"
import {markOf, spaced} from "./words.ts"

/** The events per page. Writers wait while a page is indexed. */
const page = 100

/** After a page, the index pauses for this multiple of the page's time, so that other work can run. */
const leisure = 3

/** How long after a commit the index looks for new events, in milliseconds. */
const usualPause = 1000

const rows = jsonRows(["seq", "place", "text", "content"])

/** Skips events that were redacted or dropped since they were read. */
const insert = `INSERT OR REPLACE INTO message_index (rowid, place, text)
  SELECT r.seq, r.place, r.text FROM ${rows.source} r WHERE r.content = ${contentOf("r.seq")}`

export interface MessageIndexOptions {
  readonly database: Database
  readonly log: Log
  /** In milliseconds; one second by default. */
  readonly pause?: number
}

/** Indexes users' messages after they are acknowledged. After a kill it continues where it stopped. */
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

  /** Why there is no index, for people; undefined if no problem is known. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** The last event that was indexed or skipped. */
  get indexed(): number {
    return this.#indexed
  }

  /** Starts to index, unless it already does. */
  start(): void {
    if (this.#stop !== undefined) return
    const stop = new AbortController()
    this.#stop = stop
    const unobserve = this.#options.database.observe({committed: () => this.#wake(stop.signal)})
    stop.signal.addEventListener("abort", unobserve, {once: true})
    this.#run(stop.signal)
  }

  /** Resolves once no indexing is in progress. */
  async stop(): Promise<void> {
    this.#stop?.abort()
    this.#stop = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#running
  }

  /** Called between two group commits. */
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

  /** Creates the index if it does not exist, and reads its progress. Returns false if the database cannot have one. */
  async #prepare(signal: AbortSignal): Promise<boolean> {
    if (this.#isReady) return true
    const {database, log} = this.#options
    if ((await database.read(hasIndex)).length === 0) {
      const statements = [...creating.map(sql => ({sql})), deleteMeta(progressKey)]
      try {
        await database.migrate(statements, signal, () => "creating the message index")
      } catch (error) {
        if (!(error instanceof Problem) || !isStatementError(error.cause)) throw error
        this.#problem = `the database cannot search messages: ${messageOf(error)}`
        log.error(`${this.#problem}; agents do not have the tool search`)
        return false
      }
    }
    this.#indexed = Number((await readMeta(database, progressKey)) ?? 0)
    this.#isReady = true
    return true
  }

  /** Resolves to whether there may be more events. */
  async #indexPage(): Promise<boolean> {
    const {database} = this.#options
    const found = await readContents(database, this.#indexed, page)
    const last = found.at(-1)
    if (last === undefined) return false
    const said = found.flatMap(entryOf)
    await database.write([
      ...(said.length === 0 ? [] : [{sql: insert, args: [rows.encode(said)]}]),
      setMeta(progressKey, String(last.seq)),
    ])
    this.#indexed = Number(last.seq)
    return found.length === page
  }

  /** Logs the first of several failures. The next commit triggers a retry. */
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
