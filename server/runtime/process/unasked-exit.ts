import {exit} from "../../../shared/exit.ts"

/** An exit of the process that svc did not request. */
export interface UnaskedExit {
  /** The call that caused it, such as `process.exit(0)`; undefined if no work was left to do. */
  readonly call: string | undefined
  /** Its stack shows the caller. */
  readonly error: Error
}

type End = (code?: number | string | null) => never

/** The exit code that svc has chosen. */
let asked: number | undefined

/** Ends the process with this code. Listeners of the exit cannot change it. */
export const endProcess = (code: number): never => {
  asked = code
  return process.exit(code)
}

/**
 * Gives every exit that bypasses `endProcess` the exit code `exit.unasked`, and calls `hear` first. If `hear` throws,
 * the caller of `process.exit` gets the error and the process continues. `hear` must not throw for an exit without a
 * call. An abort keeps its signal.
 */
export const onUnaskedExit = (hear: (unasked: UnaskedExit) => void): void => {
  let isHeard = false
  const hearOnce = (call: string | undefined) => {
    if (asked !== undefined || isHeard) return
    hear({call, error: new Error(call === undefined ? "no work was left to do" : `${call} was called`)})
    isHeard = true
  }
  const heard =
    (name: string, end: End): End =>
    code => {
      hearOnce(`${name}(${code ?? ""})`)
      return end.call(process, isHeard ? exit.unasked : (asked ?? code))
    }
  const end = heard("process.exit", process.exit)
  process.exit = end
  const reallyExit: unknown = Reflect.get(process, "reallyExit")
  if (typeof reallyExit === "function")
    Reflect.set(process, "reallyExit", heard("process.reallyExit", reallyExit as End))
  const {abort} = process
  process.abort = () => {
    hearOnce("process.abort()")
    return abort.call(process)
  }
  // Calls `process.exit`, since listeners can change the code of an exit without a call.
  process.on("beforeExit", () => {
    hearOnce(undefined)
    end()
  })
  process.on("exit", () => {
    hearOnce(undefined)
    if (isHeard) process.exitCode = exit.unasked
  })
}
