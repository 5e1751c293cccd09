import type {RetentionSettings} from "../../../shared/config/config.ts"
import {durationOf} from "../../../shared/duration.ts"
import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf} from "../../../shared/problems.ts"
import {sweepMemories} from "../../agents/memory/user-part.ts"
import {agentRunsPart, sweepSpending} from "../../agents/runs/retention.ts"
import {hasRuns} from "../../agents/runs/user-part.ts"
import {sweepMembers} from "../../agents/strangers/members.ts"
import type {Database} from "../../database/database.ts"
import {type PartLimits, type RetentionPart, sweepPart} from "../../database/retention/retention.ts"
import {sweepFullBuckets} from "../../database/state/plugin-state.ts"
import {runsPart} from "../../database/state/runs.ts"
import {gapsPart} from "../../endpoints/gaps/gap-retention.ts"
import {selectLasting} from "../../inbox/intake/presses.ts"
import {mayRunAgain, readNumberBefore} from "../../inbox/look-ups.ts"
import {duplicatesPart, inboxPart} from "../../inbox/upkeep/retention.ts"
import {eraseUnhandled} from "../../inbox/user/unhandled.ts"
import {outboxPart} from "../../outbox/upkeep/retention.ts"
import {Periodic} from "../../runtime/flow/periodic.ts"
import {jobRunsPart} from "../../scheduler/run-retention.ts"

export interface RetentionOptions {
  readonly database: Database
  readonly log: Log
  readonly settings: () => RetentionSettings
  /** The event up to which all Satori clients have read; they may still ask for later ones. */
  readonly reachedAll: () => number
}

/** The interval between two sweeps, in milliseconds. */
const every = 600_000

/** The order matters: the keys of events that leave the inbox are kept as duplicates. */
export const retentionParts: readonly RetentionPart[] = [
  inboxPart,
  duplicatesPart,
  outboxPart(mayRunAgain("o.inbox_seq", "o.handler"), selectLasting),
  jobRunsPart,
  agentRunsPart,
  gapsPart,
  runsPart,
]

/** Deletes rows whose retention has ended, in small steps. Never deletes unfinished rows. */
export class Retention {
  readonly #options: RetentionOptions
  readonly #periodic: Periodic
  readonly #stopping = new AbortController()

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#periodic = new Periodic(
      every,
      () => this.sweep(),
      error => {
        if (!isProblem(error, "stopping")) options.log.warn(`could not delete old rows: ${messageOf(error)}`)
      },
    )
  }

  start(): void {
    this.#periodic.start()
  }

  stop(): Promise<void> {
    this.#stopping.abort()
    return this.#periodic.stop()
  }

  /** Resolves to the number of deleted rows of each part. Calls `progress` with the number so far, over all parts. */
  async sweep(
    now = Date.now(),
    progress: (rows: number) => void = () => {},
  ): Promise<Readonly<Record<string, number>>> {
    const {database, log} = this.#options
    const dropped: Record<string, number> = {}
    for (const part of retentionParts) {
      const limits = await this.#limitsOf(part)
      const before = Object.values(dropped).reduce((sum, rows) => sum + rows, 0)
      const rows = await sweepPart(database, part, limits, {
        now,
        signal: this.#stopping.signal,
        progress: rows => progress(before + rows),
      })
      if (rows > 0) dropped[part.name] = rows
    }
    const erased = await this.#eraseUnhandled(now)
    if (erased > 0) dropped.unhandled = erased
    await sweepSpending(database, now, this.#stopping.signal)
    await sweepMembers(database, now, this.#stopping.signal)
    await sweepMemories(database, now, this.#stopping.signal)
    await sweepFullBuckets(database, now)
    if (Object.keys(dropped).length > 0) log.info("deleted old rows", dropped)
    return dropped
  }

  /** Spares only what a connected Satori client has not read: `handled.least` would keep everything of a quiet project. */
  async #eraseUnhandled(now: number): Promise<number> {
    const {database, settings, reachedAll} = this.#options
    const age = limitOf(settings().unhandled)
    if (age === undefined) return 0
    return eraseUnhandled(database, {
      before: now - age,
      last: Math.min(reachedAll(), Number.MAX_SAFE_INTEGER),
      now,
      signal: this.#stopping.signal,
      hasWork: hasRuns,
    })
  }

  async #limitsOf({name}: RetentionPart): Promise<PartLimits> {
    const settings = this.#options.settings()
    const {age, rows} = settings[name]
    return {
      age: limitOf(age),
      rows,
      undelivered: limitOf(settings.undelivered.age),
      spareAfter: name === "handled" ? await this.#spared(settings.handled.least) : Number.MAX_SAFE_INTEGER,
    }
  }

  /** Resolves to the last deletable event: later ones are among the newest to keep, or a client has not read them yet. */
  async #spared(least: number): Promise<number> {
    const {database, reachedAll} = this.#options
    return Math.min(await readNumberBefore(database, least), reachedAll())
  }
}

/** Returns undefined for 0, which means forever. */
const limitOf = (age: string): number | undefined => (durationOf(age) === 0 ? undefined : durationOf(age))
