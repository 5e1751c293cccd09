import {onUnaskedExit} from "../../../server/runtime/process/unasked-exit.ts"

/** A process that has nothing left to do, with a listener that would make that a success. */
onUnaskedExit(({call, error}) => process.stdout.write(`${call}: ${error.message}\n`))
process.on("exit", () => {
  process.exitCode = 0
})
