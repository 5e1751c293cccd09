import {type Content, definePlugin, isProblem, type Session, Type, UserError} from "svc-runtime"
import {canDo, checked, createDesk, nameOf} from "../lib/desk.ts"
import {checkEndpoints} from "../lib/endpoints.ts"
import {Act, Index, Mine, mostListed, mostOpen, Ref, Settings, type Ticket} from "../lib/settings.ts"
import {createTell} from "../lib/tell.ts"
import {texts} from "../lib/texts.ts"

export default definePlugin({
  description: "Takes requests of users to a team, which answers by buttons",
  config: Settings,
  setup(plugin, {team, permission, limit, longest, panel}) {
    const t = plugin.texts(texts)
    const desk = createDesk(plugin.state("user", Mine), plugin.state("plugin", Index))
    const Text = Type.Object({text: Type.String({minLength: 1, maxLength: longest})})

    plugin.onStart(() => checkEndpoints(plugin, {"team.endpoint": team.endpoint}))

    const tell = createTell(plugin, ({n, text, reply: label}) =>
      label === undefined ? [text] : [text, reply.button({n}, label)],
    )

    /** Sends what a user wrote to the team. Throws a `UserError` if the team's endpoint does not exist. */
    const toTeam = (session: Session, content: Content): Promise<string> =>
      session.send(team, content).catch(error => {
        throw isProblem(error, "endpoint_unknown") ? new UserError(session.t(t, "noTeam")) : error
      })

    const teamSays = async () => t.in(await plugin.languageOf(team))

    /** The team's message about an open ticket, with its buttons. */
    const contentOf = async (ref: Ref, ticket: Ticket) => {
      const say = await teamSays()
      const head = say("ticket", {...ticket, endpoint: ref.endpoint})
      return [
        ticket.taken === "" ? head : `${head}\n${say("isTaken", ticket)}`,
        ...(ticket.taken === "" ? [take.button(ref, say("take"))] : []),
        answer.button(ref, say("answer")),
        close.button(ref, say("close"), {style: "danger"}),
      ]
    }

    const requireRoom = async (session: Session) => {
      const count = (await desk.mine(session)).length
      if (count >= limit) throw new UserError(session.t(t, "tooMany", {count}))
      if ((await desk.counts(session)).all >= mostOpen) throw new UserError(session.t(t, "full"))
    }

    const openTicket = async (session: Session, written: string) => {
      const {endpoint, user, language} = session
      const text = checked(session, written, longest)
      await requireRoom(session)
      const n = (await desk.counts(session)).next
      const place = session.channel?.id ?? ""
      const ticket = {n, by: nameOf(user), text, place, language, message: "", taken: "", seen: []}
      const message = await toTeam(
        session,
        await contentOf({n, endpoint, user: user?.id ?? "", channel: place}, ticket),
      )
      await desk.add(session, {...ticket, message})
      return session.t(t, "opened", {n})
    }

    /** What the team's press or command does, in the conversation of the ticket's user: all of it in one batch. */
    const act = plugin.timer("act", {data: Act, retries: 3}, async (session, {n, what, by, text, sn, isCommand}) => {
      const ticket = (await desk.mine(session)).find(each => each.n === n)
      if (ticket === undefined || ticket.seen.includes(sn)) return
      const say = await teamSays()
      const mine = t.in(ticket.language)
      const {endpoint, user} = session
      if (what === "answer") {
        await desk.replace(session, {...ticket, seen: [...ticket.seen, sn].slice(-10)})
        await tell(session, {
          n,
          by: ticket.by,
          place: ticket.place,
          text: mine("yourTicket", {n, text}),
          reply: mine("reply"),
        })
        await session.send(team, say("answered", {by, n, text}))
        return
      }
      const isTake = what === "take"
      const next = {...ticket, taken: by, seen: [...ticket.seen, sn].slice(-10)}
      await (isTake ? desk.replace(session, next) : desk.remove(session, n))
      const ref = {n, endpoint, user: user?.id ?? "", channel: ticket.place}
      const ended = `${say("ticket", {...ticket, endpoint})}\n${say("isClosed", {by})}`
      const edit = session.edit(ticket.message, isTake ? await contentOf(ref, next) : ended)
      if (!(await canDo(edit)) || isCommand) await session.send(team, say(isTake ? "tookIt" : "closed", {by, n}))
      if (!isTake) await tell(session, {n, by: ticket.by, place: ticket.place, text: mine("yourClosed", {n})})
    })

    /** Passes what a member of the team wants to the conversation of the ticket. A repeated call changes nothing. */
    const pass = async (session: Session, {n, endpoint, user, channel}: Ref, what: Act["what"], text = "") => {
      if ((await desk.of(endpoint, user, n)) === undefined) throw new UserError(session.t(t, "gone", {n}))
      const {sn} = session.event
      const isCommand = session.event.type === "message-created"
      const data = {n, what, by: nameOf(session.user), text, sn, isCommand}
      await plugin.setTimer(act, {in: 0, target: {endpoint, user, channel}}, data, {key: `${n} ${sn}`})
    }

    const button = {data: Ref, expires: "never", permission} as const
    const take = plugin.action("take", button, ({data, session}) => pass(session, data, "take"))
    const close = plugin.action("close", button, ({data, session}) => pass(session, data, "close"))
    const answer = plugin.form(
      "answer",
      {...button, fields: Text, labels: {text: t.of("yourAnswer")}},
      ({values, data, session}) => pass(session, data, "answer", checked(session, values.text, longest)),
    )

    const open = plugin.form(
      "open",
      {fields: Text, labels: {text: t.of("question")}, expires: "never"},
      ({values, session}) => openTicket(session, values.text),
    )

    const reply = plugin.form(
      "reply",
      {fields: Text, data: Type.Object({n: Type.Integer()}), labels: {text: t.of("yourAnswer")}, expires: "never"},
      async ({values, data: {n}, session}) => {
        const ticket = (await desk.mine(session)).find(each => each.n === n)
        if (ticket === undefined) throw new UserError(session.t(t, "gone", {n}))
        const text = checked(session, values.text, longest)
        await toTeam(session, (await teamSays())("replied", {by: ticket.by, n, text}))
        return session.t(t, "sent")
      },
    )

    plugin.command("ticket [text:text]", {description: t.of("about")}, async ({args, session}) => {
      if (args.text !== undefined) return openTicket(session, args.text)
      await requireRoom(session)
      await session.form(open, "")
    })

    plugin.command("tickets panel", {description: t.of("aboutPanel"), permission}, async ({session}) => {
      const {endpoint, channel, language, event} = session
      if (channel === undefined) return
      const content = [panel ?? t.in(language)("panel"), open.button(undefined, t.in(language)("open"))]
      // A message of `plugin.send` is nobody's answer, so forgetting a user does not erase the panel.
      await plugin.send({endpoint, channel: channel.id}, content, {key: `panel ${event.sn}`})
    })

    /** The commands of the team work in its channel only: a list shows what users wrote. */
    const requireTeam = ({endpoint, channel, t: say}: Session) => {
      if (endpoint !== team.endpoint || channel?.id !== team.channel) throw new UserError(say(t, "elsewhere", team))
    }

    plugin.command("tickets", {permission, description: t.of("aboutList")}, async ({session}) => {
      requireTeam(session)
      const {tickets, count} = await desk.list(session, mostListed)
      if (count === 0) return session.t(t, "none")
      const lines = tickets.map(({text, ...ticket}) => {
        const shown = {...ticket, text: text.replace(/\s+/g, " ").slice(0, 100)}
        return session.t(t, ticket.taken === "" ? "line" : "lineTaken", shown)
      })
      const more = count - tickets.length
      return [...lines, ...(more === 0 ? [] : [session.t(t, "more", {count: more})])].join("\n")
    })

    const passByNumber = async (session: Session, n: number, what: Act["what"], text?: string) => {
      requireTeam(session)
      const found = await desk.where(session, n)
      const ticket = found === undefined ? undefined : await desk.of(found.endpoint, found.user, n)
      if (found === undefined || ticket === undefined) throw new UserError(session.t(t, "gone", {n}))
      await pass(session, {...found, channel: ticket.place}, what, text)
    }
    plugin.command("tickets take <n:integer>", {permission, description: t.of("aboutTake")}, ({args, session}) =>
      passByNumber(session, args.n, "take"),
    )
    plugin.command("tickets close <n:integer>", {permission, description: t.of("aboutClose")}, ({args, session}) =>
      passByNumber(session, args.n, "close"),
    )
    plugin.command(
      "tickets answer <n:integer> <text:text>",
      {permission, description: t.of("aboutAnswer")},
      ({args, session}) => passByNumber(session, args.n, "answer", checked(session, args.text, longest)),
    )
  },
})
