import type {Host} from "../../../server/host/open/host.ts"
import {startWatchdog} from "../../../server/runtime/flow/watchdog.ts"
import type {Logs} from "../../../server/runtime/logs/log.ts"
import {ownModule} from "../../../server/runtime/own-files.ts"
import type {Mode} from "../../../shared/mode.ts"

/** Starts the thread that reports a blocked event loop. Returns the function that ends it. A Host can run without it. */
export const watchLoop = (host: Host, mode: Mode, logs: Logs): (() => Promise<void>) => {
  const failed = (error: unknown) =>
    logs.log.warn("the watchdog failed: the Host no longer detects a blocked event loop", {error})
  const {project, runtimeId} = host
  try {
    return startWatchdog(
      ownModule("server/runtime/flow/watchdog-worker.ts"),
      {...host.watchdog, json: mode === "production", fields: {project, runtimeId}},
      {blocked: blocked => host.wasBlocked(blocked), failed},
    )
  } catch (error) {
    failed(error)
    return async () => {}
  }
}
