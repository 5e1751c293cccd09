import {pendingOf} from "../host/pending.ts"
import {readSpan, readTime, type Span, type Time} from "./clock.ts"
import {withoutOwnFrames} from "./failures.ts"
import {silence, type UnderTest, untilQuiet} from "./waiting.ts"

/**
 * The clock of a bot under test. It moves only with these calls, which resolve once all that fell due has happened. Once
 * a day has passed, the Host deletes the rows whose `retention` has ended.
 */
export interface BotClock {
  readonly now: Date
  /** Moves the clock. Rejects with what failed for good and was not reported before; with a `RangeError` for an earlier time. */
  set(time: Time): Promise<void>
  /** Moves the clock by seconds, or by the sum of `days`, `hours`, `minutes` and `seconds`. Rejects as `set` does. */
  advance(span: Span): Promise<void>
}

/** How much time passes between two sweeps of the retention, in milliseconds. */
const day = 86_400_000

/** @internal */
export const createBotClock = (bot: UnderTest): BotClock => {
  const {clock} = bot
  // One after the other: two calls that are not awaited are two steps.
  let last: Promise<unknown> = Promise.resolve()
  let swept = clock.now()
  const sweep = async () => {
    if (clock.now() - swept < day) return
    swept = clock.now()
    await bot.host.sweep(swept)
  }
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }
  return {
    get now() {
      return new Date(clock.now())
    },
    set: time =>
      withoutOwnFrames(async () => {
        const to = readTime("the time of bot.clock.set()", time)
        await inTurn(() => moveTo(bot, to, "bot.clock.set()", sweep))
      }),
    advance: span =>
      withoutOwnFrames(async () => {
        const step = readSpan(span)
        await inTurn(() => moveTo(bot, clock.now() + step, "bot.clock.advance()", sweep))
      }),
  }
}

const moveTo = async (bot: UnderTest, to: number, what: string, sweep: () => Promise<void>): Promise<void> => {
  const {clock} = bot
  if (to < clock.now())
    throw new RangeError(
      `${what}: the clock cannot go back; it shows ${new Date(clock.now()).toISOString()}. Start the bot with an earlier "now"`,
    )
  const telling = setTimeout(() => tellFar(clock.now(), to, what), silence)
  try {
    await clock.moveTo(to, () => untilQuiet(bot, what), sweep)
  } finally {
    clearTimeout(telling)
  }
  bot.failures.throwNew(
    what,
    (await pendingOf(bot.host)).filter(({is}) => is === "failed"),
  )
}

const tellFar = (now: number, to: number, what: string): void => {
  const [at, end] = [now, to].map(time => new Date(time).toISOString())
  process.stderr.write(
    `svc-runtime/test: ${what} is at ${at} after ${silence / 1000} s, on its way to ${end}, because much falls due in between\n`,
  )
}
