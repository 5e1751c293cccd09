import type {Log} from "../../../shared/log.ts"
import type {UnaskedExit} from "../../runtime/process/unasked-exit.ts"
import {isImporting} from "../plugins/position.ts"
import {attribute} from "./attribution.ts"
import {type Instance, runningInstance} from "./instance.ts"

/**
 * Logs who ends the process. Before the first commit, and while a plugin loads or is set up, it throws instead: the
 * plugin then counts as one that does not load, and never ends a running Host. `instances` returns those of the running
 * generation; undefined before the first commit.
 */
export const createExitWatch =
  (log: Log, instances: () => readonly Instance[] | undefined) =>
  ({call, error}: UnaskedExit): void => {
    const running = runningInstance()
    const mayRefuse = instances() === undefined || running?.state.is === "starting"
    // A new version has the same files as the running one.
    if (call !== undefined && (mayRefuse || (running?.state.is !== "active" && isImporting(error)))) throw error
    const owner = attribute(error, instances() ?? [])
    const who = owner === undefined ? "code that belongs to no known plugin" : `the plugin ${owner.name}`
    const how = call === undefined ? "the process exits because it has nothing left to do" : `${who} ended the process`
    log.error(`${how}: ${error.message}; the next start handles the stored events`, {
      ...(owner === undefined ? {} : {plugin: owner.name}),
      error,
    })
  }
