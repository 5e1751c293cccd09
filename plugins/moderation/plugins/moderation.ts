import {definePlugin, isProblem, type Session, UserError} from "svc-runtime"
import {createJudge} from "../lib/judge.ts"
import {createOrders} from "../lib/orders.ts"
import {createPenalties, keyOf} from "../lib/penalties.ts"
import {joined, People, who} from "../lib/people.ts"
import {day, Settings} from "../lib/settings.ts"
import {texts} from "../lib/texts.ts"

export default definePlugin({
  description: "Deletes messages, warns and mutes their authors, and passes their appeals to the moderators",
  config: Settings,
  // To lift a ban.
  platform: true,
  setup(plugin, settings) {
    const {words, parts, log, permission, warnings: rules} = settings
    const t = plugin.texts(texts)
    const penalties = createPenalties(plugin, settings, t)
    const {cases, records, report} = penalties
    const people = new People()
    const {pass, personIn} = createOrders(plugin, settings, t, penalties, people)

    const judge = createJudge(settings, t, penalties)
    plugin.on("message-created", {name: "filters"}, session => {
      people.add(session)
      return judge(session)
    })
    plugin.on("message-updated", {name: "edits"}, judge)

    plugin.command("appeal <why:text>", {description: t.of("aboutAppeal")}, async ({args, session}) => {
      const {endpoint, user} = session
      if (!(await session.state(cases).get()).isOpen) throw new UserError(session.t(t, "noAppeal"))
      const known = {user: user?.id ?? "?", who: user === undefined ? "?" : who(user)}
      const appealed = (await report())("appealed", {
        ...known,
        endpoint,
        why: args.why.slice(0, 1000),
        prefix: session.prefix,
      })
      if (!(await penalties.tellLog(session, appealed))) throw new UserError(session.t(t, "noLog"))
      return session.t(t, "appealSent")
    })

    /** A moderator elsewhere names the endpoint too, as the log shows it. */
    const caseIn = async (session: Session, [endpoint, user]: readonly [string | undefined, string | undefined]) => {
      const isElsewhere = endpoint !== undefined && user !== undefined && !endpoint.startsWith("@")
      if (isElsewhere) return {endpoint, user}
      const {person} = await personIn(session, joined(endpoint, user))
      return {endpoint: session.endpoint, user: person.id}
    }

    const pardon = {permission, description: t.of("aboutPardon")} as const
    plugin.command("pardon [endpoint:string] [user:string]", pardon, async ({args, session}) => {
      const {endpoint, user} = await caseIn(session, [args.endpoint, args.user])
      const {isOpen, channel} = await cases.of({endpoint, user}).get()
      if (!isOpen) throw new UserError(session.t(t, "noCase", {user}))
      const by = session.user === undefined ? "?" : who(session.user)
      const when = {in: 0, target: {endpoint, channel, user}}
      await plugin.setTimer(penalties.close, when, {by}, {key: keyOf(endpoint, user)})
    })

    plugin.command("warn [user:string] [why:text]", {permission, description: t.of("aboutWarn")}, ({args, session}) =>
      pass(session, joined(args.user, args.why), "warn"),
    )
    plugin.command(
      "mute [user:string] [minutes:string] [why:text]",
      {permission, description: t.of("aboutMute")},
      ({args, session}) => pass(session, joined(args.user, args.minutes, args.why), "mute"),
    )
    plugin.command("unmute [user:text]", {permission, description: t.of("aboutUnmute")}, ({args, session}) =>
      pass(session, joined(args.user), "unmute"),
    )
    plugin.command("ban [user:string] [why:text]", {permission, description: t.of("aboutBan")}, ({args, session}) =>
      pass(session, joined(args.user, args.why), "ban"),
    )
    plugin.command("unban [user:text]", {permission, description: t.of("aboutUnban")}, ({args, session}) =>
      pass(session, joined(args.user), "unban"),
    )
    const list = {permission, description: t.of("aboutWarnings")} as const
    plugin.command("warnings [user:text]", list, async ({args, session}) => {
      const {person} = await personIn(session, joined(args.user))
      const {warnings} = await records.of({endpoint: session.endpoint, user: person.id}).get()
      const valid = warnings.filter(({at}) => at > plugin.now() - rules.days * day)
      if (valid.length === 0) return session.t(t, "noWarnings", {user: who(person)})
      return valid.map(({at, by, why}) => session.t(t, "warning", {day: at, by, why})).join("\n")
    })

    plugin.onStart(async () => {
      const filtered = [...words, ...parts].join(", ").slice(0, 1000)
      const on = (await report())("on", {filters: filtered || "none"})
      await plugin.send(log, on, {key: keyOf("on", filtered)}).catch(error => {
        if (!isProblem(error, "endpoint_unknown")) throw error
        plugin.log.error(`the moderators read nothing, because of log.endpoint: ${error.message}`)
      })
    })
  },
})
