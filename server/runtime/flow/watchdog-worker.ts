import {constants, fstatSync, openSync, writeSync} from "node:fs"
import {type Debugger, Session} from "node:inspector"
import {parentPort, workerData} from "node:worker_threads"
import {toJson} from "../../../shared/json.ts"
import {slotLayout, slotViews} from "./handler-slots.ts"
import type {Blocked, WatchdogWork} from "./watchdog.ts"

/** The thread of `startWatchdog`. It checks the heartbeat until it is asked to end. */
const {shared, beatEvery, seconds, kill, json, fields} = workerData as WatchdogWork
const {heartbeat, current, firstCount, slots, nameBytes} = slotLayout
const {numbers, names} = slotViews(shared)

/** The shortest and the longest interval of the checks, in milliseconds. */
const shortest = 500
const longest = Math.max(shortest, Math.min(5000, seconds * 250))

/** How long the runtime may take to name the frame, in milliseconds. On a busy machine it took more than one second. */
const frameLimit = 3000

/**
 * Opens standard error again without blocking, if its reader may have stopped reading: a thread that waits for the reader
 * keeps the process from ending (measured on Node). A socket cannot be opened this way, and a file needs its current
 * position.
 */
const standardError = (): number => {
  try {
    const stat = fstatSync(2)
    if (!stat.isFIFO() && !stat.isCharacterDevice()) return 2
    return openSync("/proc/self/fd/2", constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return 2
  }
}

const nameOf = (slot: number): string =>
  new TextDecoder().decode(names.slice(slot * nameBytes, (slot + 1) * nameBytes)).replaceAll("\0", "")

/** Returns the handler whose code runs, or the waiting handlers that may have continued. */
const whoRuns = (): readonly string[] => {
  const slot = Atomics.load(numbers, current)
  if (slot > 0) return [nameOf(slot)]
  const waiting = Array.from({length: slots - 1}, (_, index) => index + 1)
  return waiting.filter(each => Atomics.load(numbers, firstCount + each) > 0).map(nameOf)
}

/** Finds where the main thread is; undefined in calls that are not JavaScript, and on Bun, without a debugger. */
const findFrame = async (): Promise<string | undefined> => {
  const session = new Session()
  const files = new Map<string, string>()
  const found = Promise.withResolvers<string | undefined>()
  const giveUp = setTimeout(() => found.resolve(undefined), frameLimit)
  const refused = (error: Error | null) => error !== null && found.resolve(undefined)
  try {
    session.connectToMainThread()
    session.on("Debugger.scriptParsed", ({params}) => files.set(params.scriptId, params.url))
    session.on("Debugger.paused", ({params}) => {
      found.resolve(textOf(params.callFrames, files))
      session.post("Debugger.resume")
    })
    session.post("Debugger.enable", refused)
    session.post("Debugger.pause", refused)
    return await found.promise
  } catch {
    return undefined
  } finally {
    clearTimeout(giveUp)
    session.disconnect()
  }
}

/** Returns the innermost frame outside the runtime's own code. */
const textOf = (frames: readonly Debugger.CallFrame[], files: ReadonlyMap<string, string>): string | undefined => {
  const urlOf = (frame: Debugger.CallFrame) => files.get(frame.location.scriptId) ?? ""
  const frame = frames.find(each => !urlOf(each).startsWith("node:"))
  if (frame === undefined) return undefined
  const {lineNumber, columnNumber = 0} = frame.location
  return `${frame.functionName || "(anonymous)"} (${urlOf(frame)}:${lineNumber + 1}:${columnNumber + 1})`
}

const output = standardError()

/** Without a mark, the code that runs is a handler's after an `await`, or svc's own. */
const whatRuns = (handlers: readonly string[]): string => {
  if (handlers.length === 0) return "no plugin handler"
  return `${Atomics.load(numbers, current) > 0 ? "" : "svc itself, or "}${handlers.join(", ")}`
}

const write = (blocked: Blocked): void => {
  const by = whatRuns(blocked.handlers)
  const message = `the event loop has been blocked for ${blocked.seconds} s; running: ${by}`
  const time = new Date().toISOString()
  const record = {time, level: "error", message, ...fields, handlers: blocked.handlers, frame: blocked.frame}
  const at = blocked.frame === undefined ? "" : ` at ${blocked.frame}`
  try {
    writeSync(output, json ? `${toJson(record)}\n` : `${time} ERROR ${message}${at}\n`)
  } catch {
    // Nobody reads standard error. The log repeats the line once the event loop is free.
  }
}

let seen = Atomics.load(numbers, heartbeat)
let looked = performance.now()
let blockedFor = 0
let isTold = false

const look = async (planned: number): Promise<void> => {
  const at = performance.now()
  // If this thread stood still too, the whole process was stopped or the machine slept.
  const passed = at - looked
  looked = at
  if (passed > planned + 2 * shortest) return
  const beats = Atomics.load(numbers, heartbeat) - seen
  seen += beats
  if (beats > 0) {
    // A block that has begun since the last check shows in the beats that are missing.
    blockedFor = Math.max(0, passed - (beats + 1) * beatEvery)
    isTold = false
    return
  }
  blockedFor += passed
  if (isTold || blockedFor < seconds * 1000) return
  isTold = true
  const handlers = whoRuns()
  const frame = await findFrame()
  const blocked = {seconds: Math.floor(blockedFor / 1000), handlers, frame}
  write(blocked)
  if (kill && Atomics.load(numbers, heartbeat) === seen) process.kill(process.pid, "SIGKILL")
  parentPort?.postMessage(blocked)
}

let timer: NodeJS.Timeout | undefined
let isEnding = false

/** Sleeps until a block could have lasted long enough. */
const watch = (): void => {
  if (isEnding) return
  const wait = Math.min(longest, Math.max(shortest, seconds * 1000 - blockedFor))
  timer = setTimeout(() => void look(wait).finally(watch), wait)
}

watch()
parentPort?.once("message", () => {
  isEnding = true
  clearTimeout(timer)
  parentPort?.close()
})
