import {exit} from "../../../shared/exit.ts"

/** An end of the process that its own program did not ask for. */
export interface UnaskedExit {
  /** What was called, such as `process.exit(0)`; undefined where nothing was left to do. */
  readonly call: string | undefined
  /** Its stack tells who called it. */
  readonly error: Error
}

type End = (code?: number | string | null) => never

/** The code that the program has chosen. */
let asked: number | undefined

/** Ends the process with this code, which nothing that hears of the end can change. */
export const endProcess = (code: number): never => {
  asked = code
  return process.exit(code)
}

/**
 * From now on an end that did not come by `endProcess` has the exit code `exit.unasked`, and `hear` is called before it. Where `hear`
 * throws, its error is thrown to who called `process.exit`, and the process goes on. It may not throw where
 * nothing was called. An abort keeps its signal.
 */
export const onUnaskedExit = (hear: (unasked: UnaskedExit) => void): void => {
  let isHeard = false
  const hearOnce = (call: string | undefined) => {
    if (asked !== undefined || isHeard) return
    hear({call, error: new Error(call === undefined ? "nothing was left to do" : `${call} was called`)})
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
  // By a call: the code of an end without one can be changed by each listener that hears of it.
  process.on("beforeExit", () => {
    hearOnce(undefined)
    end()
  })
  process.on("exit", () => {
    hearOnce(undefined)
    if (isHeard) process.exitCode = exit.unasked
  })
}
