import {definePlugin, UserError} from "svc-runtime"
import {createJudge} from "../lib/judge.ts"
import {createOrders, targetOf} from "../lib/orders.ts"
import {createPenalties, keyOf} from "../lib/penalties.ts"
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
    const pass = createOrders(plugin, settings, t, penalties)

    const judge = createJudge(settings, t, penalties)
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
