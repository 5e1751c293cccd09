import {channelType, definePlugin, type Session, type User, UserError} from "svc-runtime"
import {createFilters, severest} from "../lib/filters.ts"
import {Paces} from "../lib/pace.ts"
import {createPenalties, keyOf, tried} from "../lib/penalties.ts"
import {day, Order, Settings} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"

/** The id, which the commands take, and the name that people see. */
const who = ({id, name}: User): string => (name === undefined || name === id ? id : `${id} (${name.slice(0, 60)})`)

/** Returns the user whom a command names: by a mention, or by the platform's id. */
const targetOf = ({elements, event}: Session, named: string): string => {
  const mentions = elements.flatMap(node => (typeof node === "string" || node.type !== "at" ? [] : [node.attrs]))
  const others = mentions.filter(({id}) => typeof id === "string" && id !== event.login.user?.id)
  const found = others.find(({id, name}) => named === `@${name}` || named === `@${id}`)
  // A name of several words ends at the first space.
  const only = others.length === 1 && named.startsWith("@") ? others[0] : undefined
  return String(found?.id ?? only?.id ?? named)
}

export default definePlugin({
  description: "Deletes messages, warns and mutes their authors, and passes their appeals to the moderators",
  config: Settings,
  // To lift a ban.
  platform: true,
  setup(plugin, settings) {
    const {words, parts, log, permission, actions, warnings: rules} = settings
    const t = plugin.texts(texts)
    const penalties = createPenalties(plugin, settings, t)
    const {cases, records, report} = penalties
    const filters = createFilters(settings)
    const paces = new Paces(settings)

    const isExempt = ({permission: has, user, channel}: Session): boolean =>
      channel?.type === channelType.direct || has === "admin" || has === permission || user?.is_bot === true

    const judge = async (session: Session) => {
      const {event, endpoint, user, channel, text} = session
      if (user === undefined || channel === undefined || event.message === undefined || isExempt(session)) return
      const pace = event.type === "message-created" ? paces.add(session) : undefined
      const verdict = severest({...filters(session), ...pace?.found}, actions)
      if (verdict === undefined) return
      const {filter, found, action} = verdict
      const say = await report()
      const deed = {session, guild: session.guild?.id ?? "", acts: []}
      const done: string[] = action === "log" ? [say("logged")] : []
      if (action !== "log") {
        const isDeleted = await penalties.attempt(deed, "delete", session.delete({platform: event.message.id}))
        const earlier = filter === "flood" || filter === "repeats" ? (pace?.messages ?? []) : []
        for (const id of earlier) await penalties.attempt(deed, "delete", session.delete({platform: id}))
        done.push(say(isDeleted ? "deleted" : "notDeleted"))
      }
      const because = session.t(t, "because", {filter, found})
      if (action === "warn") done.push(await penalties.warn(deed, "svc", because))
      if (action === "mute") done.push(await penalties.mute(deed))
      const isCount = filter === "flood" || filter === "repeats" || filter === "mentions"
      const reason = isCount ? say(filter, {count: found}) : found
      const shown = {user: who(user), endpoint, text: text.slice(0, 500), found: reason, done: done.join(", ")}
      await session.send(log, say("judged", shown))
      const told = action === "mute" ? `${because} ${session.t(t, "appeal")}` : because
      if (action === "mute" || action === "delete") await tried(session.send({endpoint, user: user.id}, told))
      await penalties.watch(deed)
    }
    plugin.on("message-created", {name: "filters"}, judge)
    plugin.on("message-updated", {name: "edits"}, judge)

    plugin.command("appeal <why:text>", {description: t.of("aboutAppeal")}, async ({args, session}) => {
      const {endpoint, user} = session
      if (!(await session.state(cases).get()).isOpen) throw new UserError(session.t(t, "noAppeal"))
      const appealed = {user: user?.id ?? "?", endpoint, why: args.why.slice(0, 1000)}
      await session.send(log, (await report())("appealed", appealed))
      return session.t(t, "appealSent")
    })

    const pardon = {permission, description: t.of("aboutPardon")} as const
    plugin.command("pardon <endpoint:string> <user:string>", pardon, async ({args: {endpoint, user}, session}) => {
      const {isOpen, channel} = await cases.of({endpoint, user}).get()
      if (!isOpen) throw new UserError(session.t(t, "noCase", {user}))
      const by = session.user?.id ?? "Somebody"
      await plugin.setTimer(
        penalties.close,
        {in: 0, target: {endpoint, channel, user}},
        {by},
        {key: keyOf(endpoint, user)},
      )
    })

    /** What a moderator's command does, in a conversation of the user whom it is about: all of it in one batch. */
    const order = plugin.timer("order", {data: Order, retries: 3}, async (session, {what, by, why, ...more}) => {
      const {endpoint, user} = session
      if (user === undefined || !(await penalties.isNew(session, more.sn))) return
      const say = await report()
      const deed = {session, guild: more.guild, acts: []}
      const tell = (text: string) => tried(session.send({endpoint, user: user.id}, text))
      const outcome = (isDone: boolean) => say(isDone ? "done" : "cannot")
      const carryOut = {
        warn: () => penalties.warn(deed, by, why),
        mute: async () => {
          await tell(session.t(t, "youMuted", {minutes: more.minutes, why}))
          return penalties.mute(deed, more.minutes)
        },
        unmute: async () => {
          await session.state(cases).delete()
          await session.clearTimer(keyOf(endpoint, user.id))
          await tell(session.t(t, "youMay"))
          return outcome(await penalties.unmute(deed))
        },
        ban: () => penalties.ban(deed),
        unban: async () => outcome(await penalties.unban(deed, more.platform)),
      }
      const done = await carryOut[what]()
      await session.send(log, say(what, {by, user: user.id, why, done}))
      await penalties.watch(deed)
    })

    /** Passes a command to the conversation of the user whom it names. A repeated call changes nothing. */
    const pass = async (
      session: Session,
      named: string,
      what: Order["what"],
      given = "",
      minutes = settings.minutes,
    ) => {
      const {endpoint, channel, guild, event, user} = session
      const target = targetOf(session, named)
      if (target === user?.id) throw new UserError(session.t(t, "self"))
      if (channel === undefined || guild === undefined) throw new UserError(session.t(t, "outside"))
      if (!(minutes > 0 && minutes <= 40_320)) throw new UserError(session.t(t, "badMinutes"))
      const why = given.trim().slice(0, 500) || t.in(await plugin.languageOf(log))("noReason")
      const [by, {sn, login}] = [user?.id ?? "?", event]
      const data = {what, by, why, minutes, guild: guild.id, platform: login.platform, sn}
      const key = keyOf("order", sn)
      await plugin.setTimer(order, {in: 0, target: {endpoint, channel: channel.id, user: target}}, data, {key})
    }

    plugin.command("warn <user:string> <why:text>", {permission, description: t.of("aboutWarn")}, ({args, session}) =>
      pass(session, args.user, "warn", args.why),
    )
    plugin.command(
      "mute <user:string> <minutes:number> [why:text]",
      {permission, description: t.of("aboutMute")},
      ({args, session}) => pass(session, args.user, "mute", args.why, args.minutes),
    )
    plugin.command("unmute <user:string>", {permission, description: t.of("aboutUnmute")}, ({args, session}) =>
      pass(session, args.user, "unmute"),
    )
    plugin.command("ban <user:string> [why:text]", {permission, description: t.of("aboutBan")}, ({args, session}) =>
      pass(session, args.user, "ban", args.why),
    )
    plugin.command("unban <user:string>", {permission, description: t.of("aboutUnban")}, ({args, session}) =>
      pass(session, args.user, "unban"),
    )
    const list = {permission, description: t.of("aboutWarnings")} as const
    plugin.command("warnings <user:string>", list, async ({args, session}) => {
      const user = targetOf(session, args.user)
      const {warnings} = await records.of({endpoint: session.endpoint, user}).get()
      const valid = warnings.filter(({at}) => at > plugin.now() - rules.days * day)
      if (valid.length === 0) return session.t(t, "noWarnings", {user})
      return valid.map(({at, by, why}) => session.t(t, "warning", {day: at, by, why})).join("\n")
    })

    plugin.onStart(async () => {
      const filtered = [...words, ...parts].join(", ").slice(0, 1000)
      await plugin.send(log, (await report())("on", {filters: filtered || "none"}), {key: keyOf("on", filtered)})
    })
  },
})
