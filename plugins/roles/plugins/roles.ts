import {definePlugin, isProblem, Problem, type Session, type Static, type TimerHandle, UserError} from "svc-runtime"
import {
  type Changed,
  Choice,
  minute,
  Outcome,
  type Panel,
  Recent,
  requireUnique,
  type Said,
  Settings,
} from "../lib/panels.ts"
import {texts} from "../lib/texts.ts"

const isSame = (one: Changed) => (other: Changed) => one.role === other.role

export default definePlugin({
  description: "Lets people take and drop roles by buttons that last",
  config: Settings,
  setup(plugin, {panels, permission, answer}) {
    requireUnique(panels)
    const t = plugin.texts(texts)
    const recent = plugin.state("user", Recent)

    /** Asks the platform for a list of roles; undefined if it cannot tell. Throws a `UserError` if it has no roles. */
    const rolesOf = async (session: Session, params: {guild_id: string; user_id?: string}) => {
      const method = params.user_id === undefined ? "guild.role.list" : "guild.member.role.list"
      const answer = await plugin.ask(session.endpoint, method, params).catch((error: unknown) => {
        if (isProblem(error, "unsupported") && params.user_id === undefined)
          throw new UserError(session.t(t, "noRoles"))
        if (!(error instanceof Problem)) throw error
      })
      return (answer as {data?: readonly {id?: string; role?: {id?: string}}[]} | undefined)?.data?.map(({id}) => id)
    }

    const clear = plugin.timer("settled", async session => session.state(recent).delete())

    /** Says something to the user alone, or in the channel. */
    const tell = async (session: Session, text: string) => {
      const {endpoint, user} = session
      if (answer === "channel" || user === undefined) return void (await session.send(text))
      await session.send({endpoint, user: user.id}, text).catch(error => {
        if (!isProblem(error, "unsupported")) throw error
        return session.send(text)
      })
    }

    /** Waits until the platform has carried out the acts, and tells the user what came of them. */
    const confirm: TimerHandle<Static<typeof Outcome>> = plugin.timer(
      "confirm",
      {data: Outcome, order: "none"},
      async (session, outcome) => {
        const limit = AbortSignal.timeout(50_000)
        const ends = outcome.acts.map(id => plugin.sent(id, {signal: limit}))
        const sent = await Promise.all(ends).catch(error => {
          if (limit.aborted) return undefined
          throw error
        })
        if (sent === undefined) return void (await session.setTimer(confirm, {in: minute}, outcome))
        if (sent.every(({state}) => state === "sent")) return tell(session, outcome.done)
        await session.state(recent).delete()
        await tell(session, outcome.refused)
      },
    )

    /** Gives one role and takes others, or only takes. Stores the acts, and the timer that confirms them, in one batch. */
    const change = async (session: Session, give: readonly string[], take: readonly string[], texts: Said) => {
      const {endpoint, guild, user} = session
      const call = (method: string, role: string) =>
        session.call(method, {guild_id: guild?.id, user_id: user?.id, role_id: role}).catch(error => {
          throw isProblem(error, "unsupported") ? new UserError(session.t(t, "noRoles")) : error
        })
      const acts: string[] = []
      for (const role of take) acts.push(await call("guild.member.role.unset", role))
      for (const role of give) acts.push(await call("guild.member.role.set", role))
      const changed = [...give, ...take].map(role => ({role, has: give.includes(role), at: plugin.now()}))
      await session.state(recent).update(({changes}) => {
        return {changes: [...changes.filter(each => isRecent(each) && !changed.some(isSame(each))), ...changed]}
      })
      await session.setTimer(clear, {in: minute}, undefined, {key: `${endpoint} ${user?.id}`.slice(0, 200)})
      await session.setTimer(confirm, {in: 0}, {acts, ...texts})
    }

    const isRecent = ({at}: Changed): boolean => at > plugin.now() - minute

    /** Takes the role for the user, or drops it if the user has it. */
    const toggle = async (session: Session, panel: Panel, id: string) => {
      const {guild, user} = session
      if (guild === undefined || user === undefined) throw new UserError(session.t(t, "outside"))
      const labelOf = (role: string) => panel.roles.find(each => each.id === role)?.label ?? role
      const young = (await session.state(recent).get()).changes.filter(isRecent)
      const reported = user.roles ?? (await rolesOf(session, {guild_id: guild.id, user_id: user.id})) ?? []
      // The platform may not report yet what the bot did a moment ago.
      const has = (role: string) => young.find(each => each.role === role)?.has ?? reported.includes(role)
      const role = labelOf(id)
      const refused = session.t(t, "refused", {role})
      if (has(id)) return change(session, [], [id], {done: session.t(t, "dropped", {role}), refused})
      const others = panel.one ? panel.roles.map(each => each.id).filter(each => each !== id && has(each)) : []
      const swapped = {role, others: others.map(labelOf).join(", ")}
      const done = others.length === 0 ? session.t(t, "took", {role}) : session.t(t, "swapped", swapped)
      await change(session, [id], others, {done, refused})
    }

    const press = plugin.action("role", {data: Choice, expires: "never"}, async ({data, session}) => {
      const panel = panels.find(({name}) => name === data.panel)
      if (panel?.roles.some(({id}) => id === data.role) !== true) throw new UserError(session.t(t, "gone"))
      await toggle(session, panel, data.role)
    })

    const names = panels.map(({name}) => name)
    const definition = {description: t.of("about"), permission, examples: [`show ${names[0]}`]}
    plugin.command("roles show [panel:string]", definition, async ({args, session}) => {
      const name = args.panel ?? (names.length === 1 ? names[0] : "")
      const panel = panels.find(each => each.name === name?.toLowerCase())
      if (panel === undefined)
        throw new UserError(session.t(t, "noPanel", {panel: name ?? "", panels: names.join(", ")}))
      const {endpoint, channel, guild} = session
      if (guild === undefined || channel === undefined) throw new UserError(session.t(t, "outside"))
      const known = await rolesOf(session, {guild_id: guild.id})
      // A message of `plugin.send` is nobody's answer, so forgetting a user does not erase the panel.
      const content = [
        panel.text,
        ...panel.roles.map(({id, label}) => press.button({panel: panel.name, role: id}, label)),
      ]
      await plugin.send({endpoint, channel: channel.id}, content, {key: `panel ${session.event.sn}`})
      const missing = panel.roles.map(({id}) => id).filter(id => known?.includes(id) === false)
      return missing.length === 0 ? undefined : session.t(t, "unknown", {ids: missing.join(", ")})
    })
  },
})
