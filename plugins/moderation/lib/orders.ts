import {type Plugin, type Session, type Texts, UserError} from "svc-runtime"
import {keyOf, type Penalties, tried} from "./penalties.ts"
import {Order, type Settings} from "./settings.ts"
import type {texts} from "./texts.ts"

/** Returns the user whom a command names: by a mention, or by the platform's id. */
export const targetOf = ({elements, event}: Session, named: string): string => {
  const mentions = elements.flatMap(node => (typeof node === "string" || node.type !== "at" ? [] : [node.attrs]))
  const others = mentions.filter(({id}) => typeof id === "string" && id !== event.login.user?.id)
  const found = others.find(({id, name}) => named === `@${name}` || named === `@${id}`)
  // A name of several words ends at the first space.
  const only = others.length === 1 && named.startsWith("@") ? others[0] : undefined
  return String(found?.id ?? only?.id ?? named)
}

/** Returns the function that passes a moderator's command to the conversation of the user whom it names. */
export const createOrders = (plugin: Plugin, settings: Settings, t: Texts<typeof texts>, penalties: Penalties) => {
  const {log} = settings
  const {cases, report} = penalties

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

  /** A repeated call changes nothing. */
  return async (session: Session, named: string, what: Order["what"], given = "", minutes = settings.minutes) => {
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
}
