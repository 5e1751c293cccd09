import {
  type Channel,
  isProblem,
  mention,
  type Plugin,
  Problem,
  type Session,
  type Static,
  type Texts,
  type TimerHandle,
  Type,
} from "svc-runtime"
import {type Act, Acts, Case, Closing, day, minute, Record, type Settings} from "./settings.ts"
import type {texts} from "./texts.ts"

/** Returns the outbox id of the act; undefined if the platform does not support it. */
export const tried = (act: Promise<string>): Promise<string | undefined> =>
  act.catch(error => {
    if (error instanceof Problem && error.code === "unsupported") return undefined
    throw error
  })

/** Returns a key of at most 200 characters. */
export const keyOf = (...parts: readonly (string | number | undefined)[]): string => parts.join(" ").slice(0, 200)

/** The name of a channel or group, for the moderators. */
export const placeOf = ({id, name}: Channel): string => (name || id).slice(0, 60)

/** One act of moderation, in a conversation of the user whom it is about. `acts` collects what the platform must do. */
export interface Deed {
  readonly session: Session
  readonly guild: string
  /** The name of the channel or group. */
  readonly place: string
  readonly acts: Act[]
}

/** The platforms' own methods that lift a ban: Satori has none. */
const unbans = {
  discord: (guild: string, user: string) => ["discord/unban", {guild_id: guild, user_id: user}],
  matrix: (guild: string, user: string) => ["matrix/unban", {room_id: guild, user_id: user}],
  telegram: (guild: string, user: string) => [
    "telegram/unbanChatMember",
    {chat_id: guild, user_id: Number(user), only_if_banned: true},
  ],
} as const satisfies {[platform: string]: (guild: string, user: string) => readonly [string, object]}

const isUnban = (platform: string): platform is keyof typeof unbans => Object.hasOwn(unbans, platform)

/** States of the outbox in which an act may still be carried out. */
const pending = ["scheduled", "queued", "sending", "held"]

/** How long a group shows what the bot could not tell a user alone, in milliseconds. */
const shown = 5 * minute

export const createPenalties = (plugin: Plugin, settings: Settings, t: Texts<typeof texts>) => {
  const {log, minutes, warnings: rules} = settings
  const cases = plugin.state("user", Case)
  const records = plugin.state("user", Record, {name: "record"})
  const report = async () => t.in(await plugin.languageOf(log))

  /** Tells the moderators. Resolves to false if there is no endpoint for it now: the bot acts nevertheless. */
  const tellLog = (session: Session, text: string): Promise<boolean> =>
    session.send(log, text).then(
      () => true,
      error => {
        if (isProblem(error, "endpoint_unknown")) return false
        throw error
      },
    )

  /** Deletes what the bot wrote in a group instead of to a user alone. */
  const fade = plugin.timer("fade", {data: Type.Object({id: Type.String()})}, async (session, {id}) => {
    await tried(session.delete(id))
  })

  const sayHere = async (session: Session, text: string): Promise<void> => {
    if (session.user === undefined || session.channel === undefined) return
    const id = await session.send([mention(session.user), `: ${text}`])
    await session.setTimer(fade, {in: shown}, {id})
  }

  /**
   * Tells the user alone; on a platform without direct messages, in the group. If the platform does not deliver it, the
   * group gets `inGroup` for some minutes.
   */
  const notify = async ({session, acts}: Deed, text: string, inGroup = text): Promise<void> => {
    const id = await tried(session.send({endpoint: session.endpoint, user: session.user?.id ?? ""}, text))
    if (id === undefined) await sayHere(session, text)
    else acts.push({id, what: "tell", text: inGroup})
  }

  /** Ends a case when its time is over, or at once when a moderator pardons the user. */
  const close: TimerHandle<Static<typeof Closing>> = plugin.timer("close", {data: Closing}, async (session, {by}) => {
    const {isOpen, guild, channel, ...known} = await session.state(cases).get()
    if (!isOpen || session.user === undefined) return
    const {id} = session.user
    const place = known.place || channel
    await session.state(cases).delete()
    const say = await report()
    if (by === "") return void (await tellLog(session, say("ended", {user: id, place})))
    const deed = {session, guild, place, acts: []}
    await unmute(deed)
    await tellLog(session, say("pardoned", {by, user: id, place}))
    await tried(session.send({endpoint: session.endpoint, user: id}, session.t(t, "youMay")))
    await watch(deed)
  })

  /** Deletes expired warnings, and the row of a user who has no others. */
  const expire = plugin.timer("expire", async session => {
    await keep(session, await session.state(records).get())
  })

  const keep = async (session: Session, {warnings, seen}: Record): Promise<Record> => {
    const now = plugin.now()
    const record = {
      warnings: warnings.filter(({at}) => at > now - rules.days * day).slice(-50),
      seen: seen.filter(({at}) => at > now - day).slice(-50),
    }
    const ends = [...record.warnings.map(({at}) => at + rules.days * day), ...record.seen.map(({at}) => at + day)]
    const key = keyOf("expire", session.endpoint, session.user?.id)
    if (ends.length === 0) await session.state(records).delete()
    else {
      await session.state(records).set(record)
      await session.setTimer(expire, {at: Math.min(...ends)}, undefined, {key})
    }
    return record
  }

  /** Says what the platform refused, once it has carried out the acts or refused them. */
  const check: TimerHandle<Static<typeof Acts>> = plugin.timer(
    "check",
    {data: Acts, order: "none"},
    async (session, {user, acts, tries}) => {
      const found = await Promise.all(acts.map(async act => ({...act, ...(await plugin.message(act.id))})))
      const open = found.filter(({state}) => state !== undefined && pending.includes(state))
      const refused = found.filter(({state}) => state !== undefined && state !== "sent" && !pending.includes(state))
      const say = await report()
      for (const {what, state, reason, text} of refused) {
        if (what !== "tell")
          await tellLog(
            session,
            say("refused", {user, endpoint: session.endpoint, what, reason: reason ?? state ?? "?"}),
          )
        else if (state === "failed" || state === "dead") await sayHere(session, text ?? "")
      }
      if (open.length === 0 || tries >= 5) return
      const rest = open.map(({id, what, text}) => ({id, what, ...(text !== undefined && {text})}))
      await session.setTimer(check, {in: minute * 5 ** tries}, {user, acts: rest, tries: tries + 1})
    },
  )

  const watch = async ({session, acts}: Deed): Promise<void> => {
    if (acts.length > 0)
      await session.setTimer(check, {in: 3000}, {user: session.user?.id ?? "?", acts: [...acts], tries: 0})
  }

  /** Queues an act of the platform. Resolves to false if the platform does not support it. */
  const attempt = async ({acts}: Deed, what: Act["what"], act: Promise<string>): Promise<boolean> => {
    const id = await tried(act)
    if (id !== undefined) acts.push({id, what})
    return id !== undefined
  }

  const muteCall = ({session, guild}: Deed, duration: number) =>
    session.call("guild.member.mute", {guild_id: guild, user_id: session.user?.id ?? "", duration})

  /** Mutes the user, and opens a case that ends with the mute. Resolves to the outcome, for the moderators. */
  const mute = async (deed: Deed, length = minutes): Promise<string> => {
    const {session, guild, place} = deed
    const isMuted = await attempt(deed, "mute", muteCall(deed, length * minute))
    await session.state(cases).set({isOpen: true, channel: session.channel?.id ?? "", guild, place})
    const key = keyOf(session.endpoint, session.user?.id)
    await session.setTimer(close, {in: length * minute}, {by: ""}, {key})
    const say = await report()
    return isMuted ? say("muted", {minutes: length}) : say("notMuted")
  }

  const unmute = (deed: Deed): Promise<boolean> => attempt(deed, "unmute", muteCall(deed, 0))

  const ban = async (deed: Deed): Promise<string> => {
    const params = {guild_id: deed.guild, user_id: deed.session.user?.id ?? "", permanent: true}
    const isBanned = await attempt(deed, "ban", deed.session.call("guild.member.kick", params))
    return (await report())(isBanned ? "banned" : "notBanned")
  }

  const unban = async (deed: Deed, platform: string): Promise<boolean> => {
    if (!isUnban(platform)) return false
    const [method, params] = unbans[platform](deed.guild, deed.session.user?.id ?? "")
    return attempt(deed, "unban", deed.session.call(method, params))
  }

  /** Adds a warning, tells the user, and does what this number of warnings leads to. Resolves to the outcome. */
  const warn = async (deed: Deed, by: string, why: string): Promise<string> => {
    const {session} = deed
    const before = await session.state(records).get()
    const warning = {at: plugin.now(), by, why: why.slice(0, 200)}
    const {warnings} = await keep(session, {...before, warnings: [...before.warnings, warning]})
    const count = warnings.length
    await notify(deed, session.t(t, "youWarned", {count, why}))
    const warned = (await report())("warned", {count})
    if (rules.ban > 0 && count >= rules.ban) return `${warned}, ${await ban(deed)}`
    return rules.mute > 0 && count >= rules.mute ? `${warned}, ${await mute(deed)}` : warned
  }

  /** Returns whether this command of a moderator is new. Its handler may have run twice. */
  const isNew = async (session: Session, sn: number): Promise<boolean> => {
    const record = await session.state(records).get()
    if (record.seen.some(each => each.sn === sn)) return false
    await keep(session, {...record, seen: [...record.seen, {at: plugin.now(), sn}]})
    return true
  }

  return {cases, records, report, tellLog, notify, close, attempt, watch, mute, unmute, ban, unban, warn, isNew}
}

export type Penalties = ReturnType<typeof createPenalties>
