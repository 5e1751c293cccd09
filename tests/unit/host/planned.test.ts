import {expect, test} from "vitest"
import {isPlannedEnd} from "../../../server/runtime/part.ts"
import {exit} from "../../../shared/exit.ts"

test.each([
  [exit.ok, "SIGTERM", true],
  [exit.consoleRestart, "restart requested", true],
  [exit.runtimeRestart, "the lockfile has changed", true],
  [exit.runtimeRestart, "lease_lost", false],
  [exit.runtimeRestart, "lock_lost", false],
  [exit.runtimeRestart, "database_unanswered", false],
  [exit.failed, "the start failed", false],
])("an end with %i (%s) is planned: %s", (code, reason, planned) => expect(isPlannedEnd({code, reason})).toBe(planned))
