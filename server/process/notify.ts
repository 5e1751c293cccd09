import {spawn} from "node:child_process"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Variables} from "../config/expand.ts"
import {findProgram} from "./toolchain.ts"

/** Tells systemd how the Host is. */
export interface Notifier {
  /** The Host has a generation, and `readiness` describes how ready it is in one line. */
  up(readiness: () => string): void
  stopping(): void
}

/** The interval at which the Host looks whether its readiness has changed, in milliseconds. */
const lookEvery = 5000

/** How long one notification may take, in milliseconds. */
const patience = 5000

/** The most characters of a status. */
const longest = 300

/**
 * Creates the notifier of a process that systemd started with `Type=notify` or `WatchdogSec=`; for any other process it does
 * nothing. `WATCHDOG=1` leaves from the event loop, so that systemd restarts a Host whose loop hangs
 * (https://www.freedesktop.org/software/systemd/man/sd_notify.html).
 */
export const createNotifier = (variables: Variables, log: Log): Notifier => {
  const {NOTIFY_SOCKET: socket = "", WATCHDOG_USEC: watchdog = "", PATH: path} = variables
  if (socket === "") return {up: () => {}, stopping: () => {}}
  const program = findProgram("systemd-notify", path)
  if (program === undefined) log.warn("systemd waits for notifications, but systemd-notify is not on the PATH")
  const beat = Math.floor(Number(watchdog) / 2000)
  const limit = beat > 0 ? Math.min(beat, patience) : patience
  const tell = program === undefined ? () => {} : createSender([program, socket, path ?? ""], limit, log)
  let readiness: (() => string) | undefined
  let isStopping = false
  const look = () => {
    if (readiness !== undefined && !isStopping) tell("STATUS", readiness().replace(/\s+/g, " ").slice(0, longest))
  }
  const timers: NodeJS.Timeout[] = []
  return {
    up: described => {
      const isFirst = readiness === undefined
      readiness = described
      if (!isFirst) return
      tell("READY", "1")
      look()
      timers.push(setInterval(look, lookEvery))
      if (beat > 0) timers.push(setInterval(() => tell("WATCHDOG", "1"), beat))
      for (const timer of timers) timer.unref()
    },
    stopping: () => {
      isStopping = true
      for (const timer of timers) clearInterval(timer)
      tell("STOPPING", "1")
    },
  }
}

/**
 * Returns a function that sends a variable to systemd through a child, because no runtime of svc sends to a datagram socket.
 * One child runs at a time; it sends the newest values, and is killed at `limit` milliseconds.
 */
const createSender = ([program, socket, path]: readonly [string, string, string], limit: number, log: Log) => {
  const waiting = new Map<string, string>()
  let status: string | undefined
  let isRunning = false
  let isTold = false
  const next = () => {
    if (isRunning || waiting.size === 0) return
    isRunning = true
    const words = [...waiting].map(([name, value]) => `${name}=${value}`)
    waiting.clear()
    void run(words).then(failure => {
      if (failure !== undefined && !isTold) log.warn("systemd was not told the Host's state", {failure})
      isTold = failure !== undefined
      isRunning = false
      next()
    })
  }
  /** Resolves to why it failed. */
  const run = (words: readonly string[]) =>
    new Promise<string | undefined>(resolve => {
      const child = spawn(program, words, {stdio: "ignore", env: {NOTIFY_SOCKET: socket, PATH: path}})
      const timer = setTimeout(() => {
        child.kill("SIGKILL")
        resolve(`${program} did not end within ${limit} ms`)
      }, limit)
      timer.unref()
      child.unref()
      child.once("error", error => resolve(error.message))
      child.once("exit", (code, signal) => {
        clearTimeout(timer)
        resolve(code === 0 ? undefined : `${program} ended with ${code ?? signal}`)
      })
    }).catch((error: unknown) => messageOf(error))
  return (name: string, value: string): void => {
    if (name === "STATUS" && value === status) return
    if (name === "STATUS") status = value
    waiting.set(name, value)
    // Values of the same moment leave together.
    queueMicrotask(next)
  }
}
