import {onUnaskedExit} from "../../../server/runtime/process/unasked-exit.ts"

/** A process without further work, with a listener that would turn that into a success. */
onUnaskedExit(({call, error}) => process.stdout.write(`${call}: ${error.message}\n`))
process.on("exit", () => {
  process.exitCode = 0
})
