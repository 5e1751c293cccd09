import type {LogFields} from "../../../shared/log.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Content} from "../../../shared/sdk/content/elements.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import type {SessionDatabase, Target} from "../../../shared/sdk/session/session.ts"
import {holdWhileFailing} from "../../database/persist.ts"
import {type Address, addressOf, messageDraft, type OutboxDraft} from "../../outbox/draft.ts"
import type {DraftFiles} from "../../outbox/files/draft-files.ts"
import {type Hold, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Handler} from "./handler.ts"
import {OpenWork} from "./open-work.ts"

/** The tools of a plugin function that handles no event: of a job or a tool. Calls after its end throw `late`. */
export interface PluginWork {
  send(to: Target, content: Content): Promise<string>
  readonly database: SessionDatabase
  /** Aborted when its time limit ends. */
  readonly signal: AbortSignal
}

export interface PluginWorkOptions {
  readonly handler: Handler
  readonly about: LogFields
  /** The time limit, in milliseconds. */
  readonly timeout: number
  /** Aborted when the work should end. */
  readonly signal: AbortSignal
  /** Throws if nothing can be sent there. */
  readonly requireTarget: (address: Address) => void
  /** Stores the files that it sends; without it there are none. */
  readonly files?: DraftFiles | undefined
}

/** The result, and what the work queued: that is stored in one batch with its end, or not at all. */
export interface Finished<T> {
  readonly result: T
  readonly sends: readonly OutboxDraft[]
  readonly writes: readonly Statement[]
  /** Call it once what the work queued is stored, or will not be: files that nothing needs may then be deleted. */
  release(): void
}

/**
 * Runs `work` as the plugin's code. Rejects with its error, with `TimeLimitExceeded`, or with the reason of `signal` or
 * of the instance's end. What it queued is then discarded.
 */
export const runPluginWork = async <T>(
  {handler, about, timeout, signal, requireTarget, files}: PluginWorkOptions,
  work: (open: PluginWork) => T | Promise<T>,
): Promise<Finished<T>> => {
  const {plugin, id} = handler
  if (plugin === undefined) throw new Problem("not_active", `${id} belongs to no plugin`)
  const run = async (limit: AbortSignal, hold: Hold): Promise<Finished<T>> => {
    const queue = new OpenWork("run", files, limit)
    const {sends, writes, queued} = queue
    const open: PluginWork = {
      signal: limit,
      send: async (target, content) => {
        queue.requireOpen()
        const address = addressOf(target)
        requireTarget(address)
        return queued.queue(messageDraft(address, content))
      },
      database: queue.databaseOf(() => plugin),
    }
    try {
      // Until its files are stored too: the end of its instance waits for that.
      const toEnd = async () => {
        const returned = await work(open)
        queue.end()
        await queued.idle()
        return returned
      }
      const result = await handler.run(() => holdWhileFailing(hold, toEnd), about)
      // Work that ends too late leaves nothing behind.
      limit.throwIfAborted()
      return {result, sends, writes, release: () => queued.release()}
    } catch (error) {
      queue.end()
      queued.release()
      throw error
    }
  }
  return withTimeLimit(timeout, run, AbortSignal.any([handler.signal, signal]))
}
