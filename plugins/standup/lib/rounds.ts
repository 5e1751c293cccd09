import {b, type Content, i, isProblem, list, type Node, type Plugin, type Session} from "svc-runtime"
import {isOf, Mine, type Run, Runs, Which} from "./runs.ts"
import {type Member, membersOf, type Standup} from "./settings.ts"
import {texts} from "./texts.ts"

/** The codes of a platform that opens no direct channel, and of an endpoint whose plugin is disabled or has failed. */
const unreachable = ["unsupported", "event_invalid", "target_invalid", "endpoint_unknown"] as const

/** Returns false if the act needs a direct channel or an endpoint that is not there. */
export const canDo = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    error => {
      if (unreachable.some(code => isProblem(error, code))) return false
      throw error
    },
  )

export const keyOf = ({endpoint, user}: Session): string => `${endpoint} ${user?.id}`

export type Rounds = ReturnType<typeof declareRounds>

/** Declares the states, the texts, and what ends a run: its last answer, or its time. */
export const declareRounds = (plugin: Plugin, standups: readonly Standup[]) => {
  const t = plugin.texts(texts)
  const runs = plugin.state("plugin", Runs)
  const people = plugin.state("user", Mine)
  const byName = (name: string) => standups.find(each => each.name === name)

  /** The text of each question, for a reader of this language. */
  const questionsOf = ({questions}: Standup, language: string): readonly string[] => {
    const say = t.in(language)
    return questions.length > 0 ? questions : [say("yesterday"), say("today"), say("blocked")]
  }

  /** A member's answers. A handler of this member reads its own writes. */
  const answersOf = async (session: Session, {key, endpoint, user}: Member, run: Run): Promise<readonly string[]> => {
    const mine = key === keyOf(session) ? session.state(people) : people.of({endpoint, user})
    return (await mine.get()).runs.find(isOf(run))?.answers ?? []
  }

  const reportOf = async (session: Session, standup: Standup, run: Run): Promise<Content> => {
    const language = await plugin.languageOf(standup.report)
    const [say, questions] = [t.in(language), questionsOf(standup, language)]
    const day = {at: plugin.now(), timezone: standup.timezone}
    const content: Node[] = [b(say("title", {name: standup.name, day}))]
    const [missing, skipped]: [string[], string[]] = [[], []]
    for (const member of membersOf(standup)) {
      const answers = await answersOf(session, member, run)
      if (run.skipped.includes(member.key)) {
        skipped.push(member.name)
        continue
      }
      if (answers.length < questions.length) missing.push(member.name)
      const rows = answers.map((answer, at) => [i(questions[at] ?? ""), " ", answer])
      if (rows.length > 0) content.push("\n", b(member.name), list(rows))
    }
    if (missing.length > 0) content.push("\n", say("missing", {names: missing.join(", ")}))
    if (skipped.length > 0) content.push("\n", say("skipped", {names: skipped.join(", ")}))
    return content
  }

  /** Posts the report. The report and the end of the run are stored in one batch. */
  const finish = async (session: Session, run: Run): Promise<void> => {
    const {last, open} = await session.state(runs).get()
    await session.state(runs).set({last, open: open.filter(each => !isOf(run)(each))})
    await session.clearTimer(`close ${run.name}`)
    const standup = byName(run.name)
    if (standup !== undefined) await session.send(standup.report, await reportOf(session, standup, run))
  }

  return {
    t,
    runs,
    people,
    byName,
    questionsOf,

    /** Ends a run when its time is over. */
    close: plugin.timer("close", {data: Which}, async (session, which) => {
      const run = (await session.state(runs).get()).open.find(isOf(which))
      if (run !== undefined) await finish(session, run)
    }),

    /** Removes members from those whose answers a run waits for. Finishes it if they were the last. */
    settle: async (session: Session, which: Which, keys: readonly string[], isSkip = false): Promise<void> => {
      const {last, open} = await session.state(runs).get()
      const run = open.find(isOf(which))
      if (run === undefined) return
      const waiting = run.waiting.filter(key => !keys.includes(key))
      const next = {...run, waiting, skipped: isSkip ? [...run.skipped, ...keys] : run.skipped}
      if (waiting.length === 0) return finish(session, next)
      await session.state(runs).set({last, open: open.map(each => (each === run ? next : each))})
    },

    /** Tells the channel of the report whom the bot cannot ask. */
    sayUnreachable: async (session: Session, {name, report}: Standup, members: readonly Member[]): Promise<void> => {
      const names = members.map(member => member.name).join(", ")
      await session.send(report, t.in(await plugin.languageOf(report))("unreachable", {name, names}))
    },
  }
}
