import type {Log} from "../../shared/log.ts"
import type {UnaskedExit} from "../runtime/process/unasked-exit.ts"
import {attribute} from "./attribution.ts"

/**
 * Tells who ends the process. Throws instead while nothing runs yet that the end could hurt less: a plugin that exits while it is
 * loaded or set up is one that does not load, and never ends a Host that runs.
 */
export const createExitWatch =
  (log: Log, isStarting: () => boolean) =>
  ({call, error}: UnaskedExit): void => {
    const owner = attribute(error, [])
    if (call !== undefined && (isStarting() || owner?.state.is === "starting")) throw error
    const who = owner === undefined ? "code that no plugin can be named for" : `the plugin ${owner.name}`
    const how =
      call === undefined ? "the process ends, because nothing is left to do in it" : `${who} ended the process`
    log.error(`${how}: ${error.message}; what was stored is handled at the next start`, {
      ...(owner === undefined ? {} : {plugin: owner.name}),
      error,
    })
  }
