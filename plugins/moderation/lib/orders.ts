import {type Plugin, type Session, type Texts, UserError} from "svc-runtime"
import {keyOf, type Penalties, placeOf, tried} from "./penalties.ts"
import {isChat, type Named, type People, readPerson, who} from "./people.ts"
import {Order, type Settings} from "./settings.ts"
import type {texts} from "./texts.ts"

/** How long a mute is: 10, 10m, 10 min, 2h, 2 hours, 2 Std, 1d, 1 day, 1 Tag. Without a unit, in minutes. */
const lengthForm =
  /^(-?\d+(?:[.,]\d+)?)(?:\s*(?:(h|hrs?|hours?|std|stunden?)|(d|days?|tage?n?)|m|mins?|minutes?|minuten?))?(?=\s|$)/i

/** Reads how long a mute is, and what follows; undefined if no digit begins the text. A length that is none is 0. */
const readLength = (text: string): {readonly minutes: number; readonly rest: string} | undefined => {
  if (!/^-?\d/.test(text)) return undefined
  const [whole = "", number = "", hours, days] = lengthForm.exec(text) ?? []
  const scale = hours !== undefined ? 60 : days !== undefined ? 1440 : 1
  return {minutes: Number(number.replace(",", ".")) * scale, rest: text.slice(whole.length)}
}

/** Returns the functions that find a person, and that pass a moderator's command to the person's conversation. */
export const createOrders = (
  plugin: Plugin,
  settings: Settings,
  t: Texts<typeof texts>,
  penalties: Penalties,
  people: People,
) => {
  const {log} = settings
  const {cases, report} = penalties

  /** What a moderator's command does, in a conversation of the user whom it is about: all of it in one batch. */
  const order = plugin.timer("order", {data: Order, retries: 3}, async (session, {what, by, why, ...more}) => {
    const {endpoint, user} = session
    if (user === undefined || !(await penalties.isNew(session, more.sn))) return
    const say = await report()
    const deed = {session, guild: more.guild, place: more.place, acts: []}
    const outcome = (isDone: boolean) => say(isDone ? "done" : "cannot")
    const carryOut = {
      warn: () => penalties.warn(deed, by, why),
      mute: async () => {
        await penalties.notify(deed, session.t(t, "youMuted", {minutes: more.minutes, why}))
        return penalties.mute(deed, more.minutes)
      },
      unmute: async () => {
        await session.state(cases).delete()
        await session.clearTimer(keyOf(endpoint, user.id))
        await tried(session.send({endpoint, user: user.id}, session.t(t, "youMay")))
        return outcome(await penalties.unmute(deed))
      },
      ban: () => penalties.ban(deed),
      unban: async () => outcome(await penalties.unban(deed, more.platform)),
    }
    const done = await carryOut[what]()
    await penalties.tellLog(session, say(what, {by, user: more.name, place: more.place, why, done}))
    await penalties.watch(deed)
  })

  /** Returns the person whom a command names. Throws a `UserError` that says how to name somebody. */
  const personIn = async (session: Session, text: string): Promise<Named> => {
    const named = await readPerson(session, people, text)
    if (named === undefined) throw new UserError(session.t(t, "whom"))
    return named
  }

  /** A repeated call changes nothing. */
  const pass = async (session: Session, text: string, what: Order["what"]) => {
    const {endpoint, channel, guild, event, user} = session
    const {person, rest} = await personIn(session, text)
    if (person.id === user?.id) throw new UserError(session.t(t, "self"))
    if (channel === undefined || guild === undefined) throw new UserError(session.t(t, "outside"))
    if (person.id === guild.id || isChat(session, person.id)) throw new UserError(session.t(t, "nobody"))
    const read = (what === "mute" ? readLength(rest) : undefined) ?? {minutes: settings.minutes, rest}
    const {minutes} = read
    if (!(minutes > 0 && minutes <= 40_320)) throw new UserError(session.t(t, "badMinutes"))
    const why = read.rest.trim().slice(0, 500) || t.in(await plugin.languageOf(log))("noReason")
    const [by, {sn, login}] = [user === undefined ? "?" : who(user), event]
    const data = {what, by, why, minutes, guild: guild.id, platform: login.platform, sn}
    const known = {name: who(person), place: placeOf(channel)}
    const when = {in: 0, target: {endpoint, channel: channel.id, user: person.id}}
    await plugin.setTimer(order, when, {...data, ...known}, {key: keyOf("order", sn)})
  }

  return {personIn, pass}
}
