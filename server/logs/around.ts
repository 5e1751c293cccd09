import {AsyncLocalStorage} from "node:async_hooks"
import type {LogFields} from "../../shared/log.ts"

/** What the code that runs now is doing, and for which plugin. */
export interface Around extends LogFields {
  readonly plugin: string
}

const around = new AsyncLocalStorage<Around>()

/**
 * Runs `work` so that log calls of the plugin within it carry these fields: an event and its endpoint, a request, a run.
 * They replace what was around before. Lost where a runtime loses it (see server/plugins/attribution.ts).
 */
export const runAround = <T>(fields: Around, work: () => T): T => around.run(fields, work)

/** What is around the code that runs now. */
export const whatIsAround = (): Around | undefined => around.getStore()
