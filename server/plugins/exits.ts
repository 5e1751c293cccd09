import type {Log} from "../../shared/log.ts"
import type {UnaskedExit} from "../runtime/process/unasked-exit.ts"
import {attribute} from "./attribution.ts"
import {type Instance, runningInstance} from "./instance.ts"
import {isImporting} from "./position.ts"

export interface ExitWatchOptions {
  readonly log: Log
  /** Those of the generation that runs; undefined before the first is committed. */
  readonly instances: () => readonly Instance[] | undefined
}

/**
 * Tells who ends the process. Throws instead while nothing runs yet that the end could hurt less: a plugin that exits while it is
 * loaded or set up is one that does not load, and never ends a Host that runs.
 */
export const createExitWatch =
  ({log, instances}: ExitWatchOptions) =>
  ({call, error}: UnaskedExit): void => {
    const running = runningInstance()
    const mayRefuse = instances() === undefined || running?.state.is === "starting"
    // The files of a new version are those of the one that runs.
    if (call !== undefined && (mayRefuse || (running?.state.is !== "active" && isImporting(error)))) throw error
    const owner = attribute(error, instances() ?? [])
    const who = owner === undefined ? "code that belongs to no known plugin" : `the plugin ${owner.name}`
    const how = call === undefined ? "the process exits because it has nothing left to do" : `${who} ended the process`
    log.error(`${how}: ${error.message}; the next start handles the stored events`, {
      ...(owner === undefined ? {} : {plugin: owner.name}),
      error,
    })
  }
