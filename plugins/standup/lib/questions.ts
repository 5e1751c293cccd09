import {type Plugin, type PromptHandle, type Session, Type, UserError} from "svc-runtime"
import {canDo, keyOf, type Rounds} from "./rounds.ts"
import {type Answers, isOf, Which} from "./runs.ts"
import {dayIn, membersOf, minute, most, type Standup} from "./settings.ts"

/** Declares the questions, which the bot asks each member in the direct channel, one after another. */
export const declareQuestions = (plugin: Plugin, standups: readonly Standup[], rounds: Rounds) => {
  const {t, runs, people, byName, questionsOf, settle, sayUnreachable} = rounds

  /** Deletes the answers and skips that nobody needs any more. */
  const clean = plugin.timer("clean", async session => {
    const [mine, now] = [await session.state(people).get(), plugin.now()]
    const kept = mine.runs.filter(({endsAt}) => endsAt > now)
    const skips = mine.skips.filter(({name, day}) => day === dayIn(byName(name)?.timezone ?? "UTC", now))
    if (kept.length + skips.length === 0) return session.state(people).delete()
    await session.state(people).set({runs: kept, skips})
  })

  const askNext = (session: Session, standup: Standup, {name, run, answers}: Answers, before = ""): Promise<string> => {
    const question = questionsOf(standup, session.language)[answers.length] ?? ""
    return session.prompt(answer, [before, question].filter(text => text !== "").join("\n"), {name, run})
  }

  /** Asks the next question, and says how many there are. */
  const begin = (session: Session, standup: Standup, mine: Answers): Promise<string> => {
    const end = {at: mine.endsAt, timezone: standup.timezone}
    const count = questionsOf(standup, session.language).length - mine.answers.length
    return askNext(
      session,
      standup,
      mine,
      session.t(t, "intro", {name: standup.name, count, end, prefix: session.prefix}),
    )
  }

  /** The run of this user whose question comes next. A user has one open question at a time. */
  const openFor = async (session: Session) => {
    const [mine, {open}] = [await session.state(people).get(), await session.state(runs).get()]
    const isWaiting = (each: Answers) => open.find(isOf(each))?.waiting.includes(keyOf(session)) === true
    const found = mine.runs.find(each => each.endsAt > plugin.now() && isWaiting(each))
    const standup = found === undefined ? undefined : byName(found.name)
    return found === undefined || standup === undefined ? undefined : {standup, mine: found}
  }

  /** Begins a member's part of a run. A member who was asked already is not asked twice. */
  const Asked = Type.Object({name: Type.String(), run: Type.Integer(), endsAt: Type.Number()})
  const ask = plugin.timer("ask", {data: Asked}, async (session, {name, run, endsAt}) => {
    const [standup, mine, now] = [byName(name), await session.state(people).get(), plugin.now()]
    if (standup === undefined || endsAt <= now || mine.runs.some(isOf({name, run}))) return
    const isSkipped = mine.skips.some(skip => skip.name === name && skip.day === dayIn(standup.timezone, now))
    if (isSkipped) return settle(session, {name, run}, [keyOf(session)], true)
    const entry: Answers = {name, run, endsAt, answers: []}
    const isBusy = (await openFor(session)) !== undefined
    if (!isBusy && !(await canDo(begin(session, standup, entry)))) {
      const members = membersOf(standup).filter(({key}) => key === keyOf(session))
      await sayUnreachable(session, standup, members)
      return settle(session, {name, run}, [keyOf(session)])
    }
    await session.state(people).set({...mine, runs: [...mine.runs, entry]})
    await session.setTimer(clean, {at: endsAt + minute})
  })

  const longest = Math.max(...standups.map(({minutes}) => minutes)) * 60
  const definition = {data: Which, expires: longest, cancel: ""}
  const answer: PromptHandle<Which> = plugin.prompt("answer", definition, async ({session, data, ...call}) => {
    const [standup, mine, {open}] = [
      byName(data.name),
      await session.state(people).get(),
      await session.state(runs).get(),
    ]
    const entry = mine.runs.find(isOf(data))
    const isWaiting = open.find(isOf(data))?.waiting.includes(keyOf(session)) === true
    if (standup === undefined || entry === undefined || !isWaiting) throw new UserError(session.t(t, "over"))
    const text = call.answer.trim()
    if (text === "" || text.length > most.answer)
      return askNext(session, standup, entry, session.t(t, "tooLong", {most: most.answer}))
    const next = {...entry, answers: [...entry.answers, text]}
    await session.state(people).set({...mine, runs: mine.runs.map(each => (each === entry ? next : each))})
    if (next.answers.length < questionsOf(standup, session.language).length) return askNext(session, standup, next)
    await session.send(session.t(t, "thanks"))
    await settle(session, data, [keyOf(session)])
    const other = await openFor(session)
    if (other !== undefined) await begin(session, other.standup, other.mine)
  })

  return {
    ask,
    begin,
    openFor,

    /** Remembers that a member skips a standup today, before it asks. Returns false if the bot knows already. */
    skipToday: async (session: Session, {name, timezone}: Standup): Promise<boolean> => {
      const [mine, day] = [await session.state(people).get(), dayIn(timezone, plugin.now())]
      if (mine.skips.some(each => each.name === name && each.day === day)) return false
      await session.state(people).set({...mine, skips: [...mine.skips, {name, day}]})
      await session.setTimer(clean, {in: 24 * 60 * minute})
      return true
    },
  }
}
