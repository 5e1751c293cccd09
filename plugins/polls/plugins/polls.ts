import {definePlugin, Problem, type Session, Type, UserError} from "svc-runtime"
import {Ballots, hasVotes, minute, most, oneLine, Poll, Settings, Vote, withVotes, wrongWith} from "../lib/ballots.ts"
import {texts} from "../lib/texts.ts"

/** Returns false if the platform has no edits, or the outbox no longer has the message. */
const canDo = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    error => {
      if (error instanceof Problem && ["unsupported", "outbox_unknown"].includes(error.code)) return false
      throw error
    },
  )

/** All timers of a plugin share one set of keys. Each channel has one timer. */
const keyOf = ({endpoint, channel}: Session): string => `${endpoint} ${channel?.id}`

export default definePlugin({
  description: "Runs polls in which everyone has one vote",
  config: Settings,
  setup(plugin, config) {
    const t = plugin.texts(texts)
    const polls = plugin.state("channel", Poll)
    const ballots = plugin.state("user", Ballots)

    const nameOf = ({user}: Session) => (user?.name ?? user?.id ?? "?").slice(0, most.choice)

    /** Counts a vote or a changed vote. The counts and the user's ballot are stored in one batch with the answer. */
    const press = plugin.action("vote", {data: Vote, expires: config.minutes * 60}, async ({data, session}) => {
      const {number, vote} = data
      const before = await session.state(polls).get()
      if (before.number !== number || before.endsAt <= plugin.now()) throw new UserError(session.t(t, "over"))
      const channel = session.channel?.id ?? ""
      const open = (await session.state(ballots).get()).open.filter(({endsAt}) => endsAt > plugin.now())
      const mine = open.filter(each => each.channel === channel && each.number === number)
      const same = mine.find(each => each.vote === vote)
      const said = {user: nameOf(session), choice: before.choices[vote]?.choice ?? ""}
      if (same !== undefined && !before.multiple) return session.t(t, before.hidden ? "counted" : "again", said)
      const ballot = {channel, number, vote, endsAt: before.endsAt, ...(before.named ? {name: said.user} : {})}
      const kept = before.multiple ? mine.filter(each => each !== same) : []
      const votes = same === undefined ? [...kept, ballot] : kept
      await session.state(ballots).set({open: [...open.filter(each => !mine.includes(each)), ...votes]})
      const poll = withVotes(before, mine, votes)
      await session.state(polls).set(poll)
      if (await canDo(session.edit(poll.message, contentOf(poll)))) return
      const done = same === undefined ? "voted" : "unvoted"
      return `${session.t(t, poll.hidden ? "counted" : done, said)}\n${countsOf(poll)}`
    })

    const rowsOf = ({language, choices}: Poll) =>
      choices
        .map(
          ({names = [], ...each}) =>
            `${t.in(language)("row", each)}${names.length > 0 ? ` (${names.join(", ")})` : ""}`,
        )
        .join("\n")

    /** The counts of an open poll. */
    const countsOf = (poll: Poll) => (poll.hidden ? t.in(poll.language)("cast", poll) : rowsOf(poll))

    const contentOf = (poll: Poll) => [
      hasVotes(poll) ? `${poll.heading}\n${countsOf(poll)}` : poll.heading,
      ...poll.choices.map(({choice}, vote) => press.button({number: poll.number, vote}, choice)),
    ]

    /** Sends the message with the buttons. An earlier message stays, and its buttons still work. */
    const show = async (session: Session, poll: Poll) => {
      const minutes = Math.ceil((poll.endsAt - plugin.now()) / minute)
      const say = t.in(poll.language)
      const rules = [poll.multiple && say("several"), poll.named && say("public"), poll.hidden && say("secret")]
      const first = say("heading", {question: poll.question, minutes})
      const shown = {...poll, heading: [first, ...rules.filter(rule => rule !== false)].join("\n")}
      await session.state(polls).set({...shown, message: await session.send(contentOf(shown))})
    }

    const close = async (session: Session, poll: Poll) => {
      const counted = poll.choices.map(({choice, votes}) => ({choice, votes}))
      await session.state(polls).set({...poll, endsAt: 0, choices: counted})
      const result = `${t.in(poll.language)("result", poll)}\n${rowsOf(poll)}`
      await canDo(session.edit(poll.message, result))
      return result
    }

    const end = plugin.timer("end", {data: Type.Object({number: Type.Integer()})}, async (session, {number}) => {
      const poll = await session.state(polls).get()
      return poll.number === number && poll.endsAt > 0 ? close(session, poll) : undefined
    })

    const openPoll = async (session: Session) => {
      const poll = await session.state(polls).get()
      if (poll.endsAt <= plugin.now()) throw new UserError(session.t(t, "none"))
      return poll
    }

    const definition = {
      description: t.of("about"),
      permission: config.permission,
      options: {
        minutes: {type: "integer", short: "m", default: config.minutes, description: t.of("minutes")},
        multiple: {type: "boolean", default: config.multiple, description: t.of("multiple")},
        named: {type: "boolean", default: config.named, description: t.of("named")},
        hidden: {type: "boolean", default: config.hidden, description: t.of("hidden")},
      },
      examples: ['"Lunch?" Pizza Salad Soup', '"Lunch?" Pizza Salad --minutes 10 --multiple'],
    } as const
    plugin.command("poll <question:string> <choices:string...>", definition, async ({args, options, session}) => {
      const [question, choices] = [oneLine(args.question), args.choices.map(oneLine)]
      const wrong = wrongWith(question, choices, options.minutes, config.minutes)
      if (wrong !== undefined) throw new UserError(session.t(wrong.key, wrong.values))
      const {number: last, endsAt: until} = await session.state(polls).get()
      if (until > plugin.now()) throw new UserError(session.t(t, "busy", {prefix: session.prefix}))
      const [number, endsAt] = [last + 1, plugin.now() + options.minutes * minute]
      const by = {id: session.user?.id ?? "", name: nameOf(session)}
      await session.setTimer(end, {at: endsAt}, {number}, {key: keyOf(session)})
      const counted = choices.map(choice => ({choice, votes: 0}))
      const {language} = session
      const {multiple, named, hidden} = options
      const kind = {multiple, named, hidden, voters: 0}
      await show(session, {number, endsAt, by, language, question, choices: counted, heading: "", message: "", ...kind})
    })

    plugin.command("poll show", {description: t.of("show")}, async ({session}) =>
      show(session, await openPoll(session)),
    )

    plugin.command("poll close", {description: t.of("close")}, async ({session}) => {
      const poll = await openPoll(session)
      const mayClose = poll.by.id === session.user?.id || session.permission !== "user"
      if (!mayClose) throw new UserError(session.t(t, "others", {by: poll.by.name}))
      await session.clearTimer(keyOf(session))
      return close(session, poll)
    })
  },
})
