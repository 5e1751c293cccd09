import {AsyncLocalStorage} from "node:async_hooks"
import type {LogFields} from "../../../shared/log.ts"

/** What the running code is doing, and for which plugin. */
export interface Around extends LogFields {
  readonly plugin: string
}

const around = new AsyncLocalStorage<Around>()

/**
 * Runs `work` so that the plugin's log calls within it carry these fields: an event and its endpoint, a request, a run.
 * They replace the outer fields. A runtime may lose them (see server/generation/instances/attribution.ts).
 */
export const runAround = <T>(fields: Around, work: () => T): T => around.run(fields, work)

export const whatIsAround = (): Around | undefined => around.getStore()
