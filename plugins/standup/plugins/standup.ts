import {channelType, definePlugin, type Session, Type, UserError} from "svc-runtime"
import {declareQuestions} from "../lib/questions.ts"
import {canDo, declareRounds, keyOf} from "../lib/rounds.ts"
import {isOf, Which} from "../lib/runs.ts"
import {checkStandups, cronOf, dayIn, type Member, membersOf, minute, Settings, type Standup} from "../lib/settings.ts"

export default definePlugin({
  description: "Asks a team its questions at a set time, and posts the answers",
  config: Settings,
  setup(plugin, {standups}) {
    checkStandups(standups)
    const rounds = declareRounds(plugin, standups)
    const {t, runs, byName, settle, sayUnreachable} = rounds
    const {ask, begin, openFor, skipToday} = declareQuestions(plugin, standups, rounds)

    /** Asks everyone. It may run again after a kill: `ask` asks nobody twice. */
    const invite = plugin.timer("invite", {data: Which}, async (session, which) => {
      const [standup, run] = [byName(which.name), (await session.state(runs).get()).open.find(isOf(which))]
      if (standup === undefined || run === undefined) return
      const lost: Member[] = []
      for (const member of membersOf(standup)) {
        const {key, endpoint, user} = member
        const when = {in: 0, target: {endpoint, user}}
        const asked = plugin.setTimer(ask, when, {...which, endsAt: run.endsAt}, {key: `ask ${which.run} ${key}`})
        if (!(await canDo(asked))) lost.push(member)
      }
      if (lost.length === 0) return
      await sayUnreachable(session, standup, lost)
      const keys = lost.map(({key}) => key)
      await settle(session, which, keys)
    })

    const Opening = Type.Object({name: Type.String(), plan: Type.String()})
    const open = plugin.timer("open", {data: Opening, maxLate: "1h"}, async (session, {name, plan}) => {
      const [standup, now, before] = [byName(name), plugin.now(), await session.state(runs).get()]
      const others = before.open.filter(each => each.name !== name || each.endsAt > now)
      if (standup === undefined || others.some(each => each.name === name)) return
      if (plan !== "now" && standup.holidays.includes(dayIn(standup.timezone, now))) return
      const [run, endsAt] = [before.last + 1, now + standup.minutes * minute]
      const waiting = membersOf(standup).map(({key}) => key)
      await session.state(runs).set({last: run, open: [...others, {name, run, endsAt, waiting, skipped: []}]})
      await session.setTimer(rounds.close, {at: endsAt}, {name, run}, {key: `close ${name}`})
      await session.setTimer(invite, {in: 0}, {name, run}, {key: `invite ${name}`})
    })

    /** Sets the timer of each standup. A timer whose plan has not changed stays, so that a late one still fires. */
    plugin.onStart(async () => {
      const plans = standups.map(standup => {
        const {name, timezone, report: target} = standup
        const cron = cronOf(standup)
        return {name, plan: `${cron} ${timezone} ${target.endpoint} ${target.channel}`, when: {cron, timezone, target}}
      })
      const set = await plugin.timers(open)
      const isSet = (name: string, plan: string) => set.some(({data}) => data.name === name && data.plan === plan)
      const isPlanned = (name: string, plan: string) => plans.some(each => each.name === name && each.plan === plan)
      for (const each of set)
        if (each.repeats && !isPlanned(each.data.name, each.data.plan)) await plugin.clearTimer(each)
      for (const {name, plan, when} of plans) {
        if (isSet(name, plan)) continue
        await canDo(plugin.setTimer(open, when, {name, plan}, {key: `at ${name}`}))
      }
    })

    const namesOf = (found: readonly Standup[]) => found.map(({name}) => name).join(", ")

    /** The standup of this name, or the only one. */
    const choose = (session: Session, name: string | undefined): Standup => {
      const [first, second] = standups
      const found = name === undefined && second === undefined ? first : byName(name?.toLowerCase() ?? "")
      if (found !== undefined) return found
      const names = namesOf(standups)
      throw new UserError(name === undefined ? session.t(t, "which", {names}) : session.t(t, "unknown", {name, names}))
    }

    /** The run of a standup that waits for answers. */
    const runningOf = async (session: Session, {name}: Standup) =>
      (await session.state(runs).get()).open.find(each => each.name === name && each.endsAt > plugin.now())

    plugin.command("standup", {description: t.of("about")}, async ({session}) => {
      const found = await openFor(session)
      if (found === undefined) throw new UserError(session.t(t, "nothing"))
      if (session.channel?.type !== channelType.direct) throw new UserError(session.t(t, "direct"))
      return begin(session, found.standup, found.mine)
    })

    const forModerators = {description: t.of("aboutNow"), permission: "trusted"} as const
    plugin.command("standup now [name:string]", forModerators, async ({args, session}) => {
      const standup = choose(session, args.name)
      const {name, report, people} = standup
      if ((await runningOf(session, standup)) !== undefined) throw new UserError(session.t(t, "running", {name}))
      const started = plugin.setTimer(open, {in: 0, target: report}, {name, plan: "now"}, {key: `now ${name}`})
      if (!(await canDo(started))) throw new UserError(session.t(t, "noReport", {name, ...report}))
      return session.t(t, "started", {name, count: people.length})
    })

    plugin.command("standup skip [name:string]", {description: t.of("aboutSkip")}, async ({args, session}) => {
      const key = keyOf(session)
      const chosen = args.name === undefined ? standups : [choose(session, args.name)]
      const mine = chosen.filter(standup => membersOf(standup).some(member => member.key === key))
      if (mine.length === 0) throw new UserError(session.t(t, "stranger"))
      const skipped: Standup[] = []
      for (const standup of mine) {
        const run = await runningOf(session, standup)
        const isAsked = run?.waiting.includes(key) === true
        if (run !== undefined && isAsked) await settle(session, run, [key], true)
        if (isAsked || (run === undefined && (await skipToday(session, standup)))) skipped.push(standup)
      }
      if (skipped.length === 0) throw new UserError(session.t(t, "done", {names: namesOf(mine)}))
      return session.t(t, "skip", {names: namesOf(skipped)})
    })
  },
})
