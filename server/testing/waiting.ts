import {setTimeout as sleep} from "node:timers/promises"
import type {Host} from "../host/open/host.ts"
import {type Pending, pendingOf} from "../host/pending.ts"
import type {TestClock} from "../runtime/flow/test-clock.ts"
import type {Failures} from "./failures.ts"

export interface UnderTest {
  readonly host: Host
  readonly clock: TestClock
  readonly failures: Failures
}

/** How long a call waits for its end, in milliseconds of real time: less than test runners allow a test with a Host. */
const patience = 45_000

/** After this many milliseconds, stderr says what the call waits for: a runner with a shorter limit does not. */
export const silence = 4000

/** How long to wait for other work beside a failure, in milliseconds. */
const afterFailure = 1000

/** The first and the longest pause between polls, in milliseconds. */
const pauses = {first: 1, longest: 20} as const

const list = (pending: readonly Pending[]): string =>
  pending.map(({text}) => `\n- ${text}`).join("") || "\n- nothing known to the Host"

/** Lists other work that moves or waits, because it may be the cause. */
const others = async (host: Host, own: readonly Pending[]): Promise<string> => {
  const keys = new Set(own.map(({key}) => key))
  const rest = (await pendingOf(host)).filter(({key, is}) => !keys.has(key) && is !== "failed")
  return rest.length === 0 ? "" : `\nOther work:${list(rest)}`
}

/** What one call waits for, and since when. */
class Watch {
  readonly #what: string
  readonly #clock: TestClock
  readonly #began = performance.now()
  #isTold = false

  constructor(what: string, clock: TestClock) {
    this.#what = what
    this.#clock = clock
  }

  /** In milliseconds of real time. */
  get waited(): number {
    return performance.now() - this.#began
  }

  /** Reports once on standard error, and throws when `patience` runs out. */
  async look(pending: () => Promise<string>): Promise<void> {
    const {waited} = this
    if (waited < silence || (this.#isTold && waited < patience)) return
    const text = `${this.#what} has waited ${Math.round(waited / 1000)} s, at ${new Date(this.#clock.now()).toISOString()} of bot.clock, for:${await pending()}`
    if (waited >= patience) throw new Error(text)
    this.#isTold = true
    process.stderr.write(`svc-runtime/test: ${text}\n`)
  }
}

/**
 * Resolves once nothing is pending. Throws at once if something failed, or if something is open but nothing moves.
 * Otherwise throws when `patience` runs out. Each error names what is open.
 */
export const untilDone = async (
  {host, clock, failures}: UnderTest,
  what: string,
  read: () => Promise<readonly Pending[]>,
): Promise<void> => {
  const watch = new Watch(what, clock)
  const told = async (own: readonly Pending[]) => `${list(own)}${await others(host, own)}`
  for (let pause: number = pauses.first, still = 0; ; pause = Math.min(pauses.longest, pause * 1.5)) {
    const wasIdle = isIdle({host, clock})
    const pending = await read()
    if (pending.length === 0) return
    const failed = pending.filter(isFailure)
    // Lets other work end first, such as the message that reports the failure to the user.
    if (failed.length > 0 && (failed.length === pending.length || watch.waited > afterFailure))
      throw failures.report(what, failed)
    // Something outside the Host, such as a connection, may still end it.
    const isStuck = wasIdle && isIdle({host, clock}) && pending.every(({is}) => is === "waiting")
    still = isStuck ? still + 1 : 0
    if (still === 3) throw new Error(`${what} waits for work that needs bot.clock.advance():${await told(pending)}`)
    await watch.look(() => told(pending))
    await sleep(pause)
  }
}

/** Resolves once all is done or waits for the clock. Throws unreported failures, or what moves after `patience`. */
export const untilSettled = async (bot: UnderTest, what: string): Promise<void> => {
  const {host, clock, failures} = bot
  const watch = new Watch(what, clock)
  let pending: readonly Pending[] = []
  // An event that was just stored is pending before the Host is busy with it.
  for (let pause: number = pauses.first, still = 0; still < 3; pause = Math.min(pauses.longest, pause * 1.5)) {
    await sleep(pause)
    const wasIdle = isIdle(bot)
    pending = await pendingOf(host)
    const moving = pending.filter(({is}) => is === "moving")
    still = wasIdle && isIdle(bot) && moving.length === 0 ? still + 1 : 0
    await watch.look(async () => list(moving))
  }
  failures.throwNew(what, pending.filter(isFailure))
}

const isFailure = ({is}: Pending): boolean => is === "failed" || is === "again"

const isIdle = ({host, clock}: Pick<UnderTest, "host" | "clock">): boolean => host.isIdle() && !clock.isWaking

/** Resolves once nothing of the bot moves. Throws when `patience` runs out, and names what still moves. */
export const untilQuiet = async (bot: UnderTest, what: string): Promise<void> => {
  const {host, clock} = bot
  const watch = new Watch(what, clock)
  const late = Promise.withResolvers<never>()
  const moving = async () => list((await pendingOf(host)).filter(({is}) => is === "moving"))
  const looking = setInterval(() => void watch.look(moving).catch(late.reject), 500)
  const settle = async () => {
    do await host.idle()
    while (!isIdle(bot))
  }
  try {
    await Promise.race([settle(), late.promise])
  } finally {
    clearInterval(looking)
  }
}
