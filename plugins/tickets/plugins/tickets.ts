import {type Content, definePlugin, isProblem, type Session, Type, UserError, workItems} from "svc-runtime"
import {canDo, checked, createDesk, nameOf} from "../lib/desk.ts"
import {createItems, isEnded, reasonOf} from "../lib/items.ts"
import {Act, Index, Mine, mostListed, mostOpen, Ref, Settings, type Ticket} from "../lib/settings.ts"
import {createTell} from "../lib/tell.ts"
import {texts} from "../lib/texts.ts"

export default definePlugin({
  description: "Takes requests of users to a team, which answers by buttons",
  config: Settings,
  uses: {items: workItems},
  setup(plugin, {team, permission, limit, longest, itemText, panel}, {items}) {
    const t = plugin.texts(texts)
    const desk = createDesk(plugin.state("user", Mine), plugin.state("plugin", Index))
    const work = createItems(items, itemText)
    const Text = Type.Object({text: Type.String({minLength: 1, maxLength: longest})})

    const tell = createTell(plugin, ({n, text, reply: label}) =>
      label === undefined ? [text] : [text, reply.button({n}, label)],
    )

    /** Sends what a user wrote to the team. Throws a `UserError` if the plugin of its endpoint is disabled or has failed. */
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
      if ((await desk.count(session)) >= mostOpen) throw new UserError(session.t(t, "full"))
    }

    const openTicket = async (session: Session, written: string) => {
      const {endpoint, user, language} = session
      const text = checked(session, written, longest)
      await requireRoom(session)
      const request = `${plugin.name}/${session.event.sn}`
      const {id: n} = await work.open(endpoint, user?.id ?? "", text, team, request)
      const place = session.channel?.id ?? ""
      const ticket = {n, by: nameOf(user), text, place, language, message: "", taken: "", assignee: "", seen: []}
      const content = await contentOf({n, endpoint, user: user?.id ?? "", channel: place}, ticket)
      const message = await toTeam(session, content).catch(async error => {
        await work.cancel(n, request)
        throw error
      })
      await desk.add(session, {...ticket, message})
      return session.t(t, "opened", {n})
    }

    const ticketOf = async (session: Session, n: number) => (await desk.mine(session)).find(each => each.n === n)

    /** Changes the team's message about a ticket. If the platform cannot, or `both` is true, it writes a line too. */
    const show = async (session: Session, {message}: Ticket, content: Content, line: string, both: boolean) => {
      if (!(await canDo(session.edit(message, content))) || both) await session.send(team, line)
    }

    const showTaken = async (session: Session, ticket: Ticket, both: boolean) => {
      const {endpoint, user} = session
      const {n, taken: by, place: channel} = ticket
      await desk.replace(session, ticket)
      const content = await contentOf({n, endpoint, user: user?.id ?? "", channel}, ticket)
      await show(session, ticket, content, (await teamSays())("tookIt", {by, n}), both)
    }

    /** Ends a ticket. `how` is what the team's message then says, and `line` the same for a line. */
    const end = async (session: Session, ticket: Ticket, how: string, line: string, both: boolean) => {
      const {n, by, place, language} = ticket
      await desk.remove(session, n)
      const head = (await teamSays())("ticket", {...ticket, endpoint: session.endpoint})
      await show(session, ticket, `${head}\n${how}`, line, both)
      await tell(session, {n, by, place, text: t.in(language)("yourClosed", {n})})
    }

    /** Changes a ticket as others changed its work item. Resolves to whether the ticket has ended. */
    const follow = async (session: Session, ticket: Ticket): Promise<boolean> => {
      const item = work.of(ticket.n)
      if (item !== undefined && isEnded(item)) {
        const how = (await teamSays())(item.state === "done" ? "itemDone" : "itemCancelled", {
          n: ticket.n,
          why: reasonOf(item),
        })
        await end(session, ticket, how, how, false)
        return true
      }
      const assignee = item?.assignee ?? ""
      if (assignee !== "" && assignee !== ticket.assignee)
        await showTaken(session, {...ticket, assignee, taken: assignee.replace(/^\w+:/, "")}, false)
      return false
    }

    const sync = plugin.timer("sync", {data: Type.Object({n: Type.Integer()}), retries: 3}, async (session, {n}) => {
      const ticket = await ticketOf(session, n)
      if (ticket !== undefined) await follow(session, ticket)
    })

    /** Lets the ticket of a work item follow it, in the conversation of the ticket's user. */
    const setSync = async (n: number) => {
      const [found, item] = [await desk.find(n), work.of(n)]
      if (found === undefined || item === undefined) return
      const {endpoint, user, ticket} = found
      if (!isEnded(item) && (item.assignee ?? "") === ticket.assignee) return
      const target = {endpoint, user, channel: ticket.place}
      await plugin.setTimer(sync, {in: 0, target}, {n}, {key: `${n} item ${item.revision}`})
    }

    plugin.onStart(async () => {
      const isOwn = (request: string | null) => request?.startsWith(`${plugin.name}/`) === true
      plugin.defer(work.watch(({id, request}) => (isOwn(request) ? undefined : setSync(id))))
      for (const n of await desk.numbers()) await setSync(n)
    })

    /** What the team's press or command does, in the conversation of the ticket's user: all of it in one batch. */
    const act = plugin.timer("act", {data: Act, retries: 3}, async (session, given) => {
      const {n, what, by, user, text, sn, isCommand} = given
      const known = await ticketOf(session, n)
      if (known === undefined || known.seen.includes(sn)) return
      const ticket = {...known, seen: [...known.seen, sn].slice(-10)}
      const say = await teamSays()
      const who = {endpoint: team.endpoint, user, request: `${plugin.name}/${sn}`}
      if (what === "answer") {
        const mine = t.in(ticket.language)
        await work.comment(n, text, who)
        await desk.replace(session, ticket)
        const answered = {text: mine("yourTicket", {n, text}), reply: mine("reply")}
        await tell(session, {n, by: ticket.by, place: ticket.place, ...answered})
        await session.send(team, say("answered", {by, n, text}))
      } else if (what === "close") {
        await work.close(n, who)
        await end(session, ticket, say("isClosed", {by}), say("closed", {by, n}), isCommand)
      } else if (!(await follow(session, ticket))) {
        const item = await work.take(n, who)
        await showTaken(session, {...ticket, taken: by, assignee: item?.assignee ?? ""}, isCommand)
      }
    })

    /** Passes what a member of the team wants to the conversation of the ticket. A repeated call changes nothing. */
    const pass = async (session: Session, {n, endpoint, user, channel}: Ref, what: Act["what"], text = "") => {
      if ((await desk.of(endpoint, user, n)) === undefined) throw new UserError(session.t(t, "gone", {n}))
      const {sn} = session.event
      const isCommand = session.event.type === "message-created"
      const data = {n, what, by: nameOf(session.user), user: session.user?.id ?? "", text, sn, isCommand}
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
        const ticket = await ticketOf(session, n)
        if (ticket === undefined) throw new UserError(session.t(t, "gone", {n}))
        const text = checked(session, values.text, longest)
        const {endpoint, user, event} = session
        await work.comment(n, text, {endpoint, user: user?.id ?? "", request: `${plugin.name}/${event.sn}`})
        const say = await teamSays()
        const ref = {n, endpoint, user: user?.id ?? "", channel: ticket.place}
        await toTeam(session, [say("replied", {by: ticket.by, n, text}), answer.button(ref, say("answer"))])
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
      const found = await desk.find(n)
      if (found === undefined) throw new UserError(session.t(t, "gone", {n}))
      const {endpoint, user, ticket} = found
      await pass(session, {n, endpoint, user, channel: ticket.place}, what, text)
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
