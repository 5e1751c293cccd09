import {definePlugin, type Static, type TimerHandle, Type, UserError, type When} from "svc-runtime"

const Reminder = Type.Object({n: Type.Integer(), text: Type.String(), when: Type.String(), isOnce: Type.Boolean()})

/** The state of a user: their time zone, and the number of their last reminder. */
const Person = Type.Object({timezone: Type.String({default: "UTC"}), last: Type.Integer({default: 0})})

const minute = 60_000
const units: Readonly<Record<string, number>> = {s: 1000, m: minute, h: 60 * minute, d: 24 * 60 * minute}

/** "90s", "10m", "2h" or "1d" in milliseconds. */
const readSpan = (text: string): number => {
  const [, count, unit = ""] = /^([1-9]\d{0,3})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw new UserError(`"${text}" is not a time. Write 90s, 10m, 2h, 1d, or 18:30.`)
  return Number(count) * (units[unit] ?? 0)
}

const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", {timeZone: name}).resolvedOptions() !== undefined
  } catch {
    return false
  }
}

/**
 * Returns the next time after `now` at which clocks in this time zone show `time`. It checks every minute, so changes
 * to daylight saving time need no special case.
 */
const nextMoment = (time: string, timeZone: string, now: number): number => {
  const clock = new Intl.DateTimeFormat("en-GB", {timeZone, hour: "2-digit", minute: "2-digit"})
  let at = Math.ceil((now + 1) / minute) * minute
  while (clock.format(at) !== time) at += minute
  return at
}

/** Returns the timer, and its time in words. */
const readTime = (isOnce: boolean, text: string, timezone: string, now: number): {timer: When; when: string} => {
  const [, hour, past] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  const time = `${hour?.padStart(2, "0")}:${past}`
  if (isOnce) {
    const at = hour === undefined ? now + readSpan(text) : nextMoment(time, timezone, now)
    const shown = new Date(at).toLocaleString("sv-SE", {timeZone: timezone, dateStyle: "short", timeStyle: "short"})
    return {timer: {at}, when: `at ${shown}`}
  }
  if (hour === undefined) return {timer: {every: readSpan(text)}, when: `every ${text}`}
  return {timer: {cron: `${past} ${hour} * * *`, timezone}, when: `every day at ${time} (${timezone})`}
}

export default definePlugin({
  description: "Reminds people in their own time zone",
  setup(plugin) {
    const people = plugin.state("user", Person)

    const ring: TimerHandle<Static<typeof Reminder>> = plugin.timer("ring", {data: Reminder}, async (session, data) => {
      const {n, text, isOnce} = data
      // A repeating reminder may fire while its user cancels it.
      const isWanted = isOnce || (await session.timers(ring)).some(each => each.data.n === n)
      return isWanted ? `${session.user?.name ?? "You"}: ${text}` : undefined
    })

    const definition = {
      description: "Remind you later: in 10m, at 18:30, every 2h, every 9:00",
      examples: ["in 10m the tea is ready", "at 18:30 go home", "every 9:00 stand up"],
    }
    plugin.command("remind <how:string> <time:string> <text:text>", definition, async ({args, session}) => {
      const {how, time, text} = args
      if (!["in", "at", "every"].includes(how)) throw new UserError("Write in, at or every: remind in 10m tea.")
      const set = await session.timers(ring)
      if (set.length === 50) throw new UserError("You already have 50 reminders. Cancel one first: cancel 1.")
      const {timezone, last} = await session.state(people).update(each => ({...each, last: each.last + 1}))
      const {timer, when} = readTime(how !== "every", time, timezone, plugin.now())
      await session.setTimer(ring, timer, {n: last, text, when, isOnce: how !== "every"})
      return `Reminder ${last}, ${when}: ${text}`
    })

    plugin.command("reminders", {description: "Your reminders"}, async ({session}) => {
      const set = await session.timers(ring)
      return set.map(({data: {n, when, text}}) => `${n}, ${when}: ${text}`).join("\n") || "You have no reminders."
    })

    plugin.command("cancel <n:integer>", {description: "Cancel a reminder"}, async ({args: {n}, session}) => {
      const found = (await session.timers(ring)).find(({data}) => data.n === n)
      if (found === undefined) throw new UserError(`You have no reminder ${n}.`)
      await session.clearTimer(found)
      return `Reminder ${n} is cancelled.`
    })

    plugin.command("timezone <name:string>", {description: "Set your time zone"}, async ({args: {name}, session}) => {
      if (!isTimezone(name)) throw new UserError(`There is no time zone "${name}". Write Europe/Berlin, for example.`)
      await session.state(people).update(each => ({...each, timezone: name}))
      return `Your time zone is ${name}.`
    })
  },
})
