import {definePlugin, type Session, type Static, type TimerHandle, Type, UserError, type When} from "svc-runtime"
import {texts} from "../lib/reminder-texts.ts"
import {isTimezone, nextMoment, readClock, readSpan} from "../lib/times.ts"

const Settings = Type.Object({
  timezone: Type.String({default: "UTC", description: "The time zone of people who have chosen none"}),
  limit: Type.Integer({default: 50, minimum: 1, maximum: 500, description: "How many reminders a user may have"}),
  shortest: Type.Integer({
    default: 60,
    minimum: 1,
    description: "The shortest interval of a repeating reminder, in seconds",
  }),
})

/** `every` is "2h" or "09:00" of a repeating reminder, and empty for one that rings once. */
const Reminder = Type.Object({n: Type.Integer(), text: Type.String(), every: Type.String(), timezone: Type.String()})
type Reminder = Static<typeof Reminder>

/** The state of a user: the time zone if they chose one, and the number of their last reminder. */
const Person = Type.Object({timezone: Type.String({default: ""}), last: Type.Integer({default: 0})})

export default definePlugin({
  description: "Reminds people in their own time zone",
  config: Settings,
  setup(plugin, config) {
    if (!isTimezone(config.timezone)) throw new Error(`timezone: there is no time zone "${config.timezone}"`)
    const t = plugin.texts(texts)
    const people = plugin.state("user", Person)

    const ring: TimerHandle<Reminder> = plugin.timer("ring", {data: Reminder}, async (session, {n, text, every}) => {
      // A repeating reminder may fire while its user cancels it.
      const isWanted = every === "" || (await session.timers(ring)).some(({data}) => data.n === n)
      return isWanted ? session.t(t, "ring", {name: session.user?.name ?? session.t(t, "you"), text}) : undefined
    })

    /** The timer for "in 10m", "at 18:30", "every 2h" or "every 9:00", and the `every` of its data. */
    const read = (session: Session, how: string, time: string, timezone: string): {timer: When; every: string} => {
      if (!["in", "at", "every"].includes(how)) throw new UserError(session.t(t, "badHow", {prefix: session.prefix}))
      const [clock, span] = [readClock(time), readSpan(time)]
      const now = plugin.now()
      if (clock !== undefined && how === "every") return {timer: {cron: clock.cron, timezone}, every: clock.time}
      if (clock !== undefined) return {timer: {at: nextMoment(clock.time, timezone, now)}, every: ""}
      if (span === undefined) throw new UserError(session.t(t, "badTime", {time}))
      if (how !== "every") return {timer: {at: now + span}, every: ""}
      if (span < config.shortest * 1000) throw new UserError(session.t(t, "tooOften", {seconds: config.shortest}))
      return {timer: {every: span}, every: time}
    }

    const whenOf = (session: Session, {every, timezone}: Pick<Reminder, "every" | "timezone">, due: number): string => {
      if (every === "") return session.t(t, "once", {at: {at: due, timezone}})
      if (!every.includes(":")) return session.t(t, "every", {span: every})
      return session.t(t, "daily", {at: {at: nextMoment(every, timezone, plugin.now()), timezone}, timezone})
    }

    const definition = {
      description: t.of("aboutRemind"),
      examples: ["in 10m the tea is ready", "at 18:30 go home", "every 9:00 stand up"],
    }
    plugin.command("remind <how:string> <time:string> <text:text>", definition, async ({args, session}) => {
      const person = await session.state(people).get()
      const [n, timezone] = [person.last + 1, person.timezone || config.timezone]
      const {timer, every} = read(session, args.how, args.time, timezone)
      const [soonest, ...others] = await session.timers(ring)
      if (soonest !== undefined && others.length + 1 >= config.limit)
        throw new UserError(session.t(t, "tooMany", {limit: config.limit, n: soonest.data.n, prefix: session.prefix}))
      await session.state(people).set({...person, last: n})
      await session.setTimer(ring, timer, {n, text: args.text, every, timezone})
      const when = whenOf(session, {every, timezone}, "at" in timer ? Number(timer.at) : 0)
      return session.t(t, "set", {n, when, text: args.text})
    })

    plugin.command("reminders", {description: t.of("aboutReminders")}, async ({session}) => {
      const rows = (await session.timers(ring)).map(({data, due}) =>
        session.t(t, "row", {n: data.n, when: whenOf(session, data, due), text: data.text}),
      )
      return rows.join("\n") || session.t(t, "none")
    })

    plugin.command("cancel <n:integer>", {description: t.of("aboutCancel")}, async ({args: {n}, session}) => {
      const found = (await session.timers(ring)).find(({data}) => data.n === n)
      if (found === undefined) throw new UserError(session.t(t, "unknown", {n}))
      await session.clearTimer(found)
      return session.t(t, "cancelled", {n})
    })

    plugin.command("timezone <name:string>", {description: t.of("aboutTimezone")}, async ({args: {name}, session}) => {
      if (!isTimezone(name)) throw new UserError(session.t(t, "badTimezone", {timezone: name}))
      await session.state(people).update(each => ({...each, timezone: name}))
      return session.t(t, "timezone", {timezone: name})
    })
  },
})
