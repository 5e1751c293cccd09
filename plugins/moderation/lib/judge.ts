import {channelType, type Session, type Texts} from "svc-runtime"
import {createFilters, severest} from "./filters.ts"
import {Paces} from "./pace.ts"
import {type Penalties, placeOf} from "./penalties.ts"
import {isChat, who} from "./people.ts"
import type {Settings} from "./settings.ts"
import type {texts} from "./texts.ts"

/** Returns the handler that reads every message: it does what the most severe filter asks for, in one batch. */
export const createJudge = (settings: Settings, t: Texts<typeof texts>, penalties: Penalties) => {
  const {permission, actions} = settings
  const filters = createFilters(settings)
  const paces = new Paces(settings)

  const isExempt = ({permission: has, user, channel, guild}: Session): boolean =>
    channel?.type === channelType.direct ||
    has === "admin" ||
    has === permission ||
    user?.is_bot === true ||
    // An anonymous administrator writes as the group, and posts of its channel come in by themselves.
    (user !== undefined && user.id === guild?.id) ||
    user?.roles?.includes("linked_channel") === true

  return async (session: Session) => {
    const {event, endpoint, user, channel, text} = session
    if (user === undefined || channel === undefined || event.message === undefined || isExempt(session)) return
    const pace = event.type === "message-created" ? paces.add(session) : undefined
    const verdict = severest({...filters(session), ...pace?.found}, actions)
    if (verdict === undefined) return
    const {filter, found} = verdict
    const isPerson = !isChat(session, user.id)
    const action = isPerson || verdict.action === "log" ? verdict.action : "delete"
    const say = await penalties.report()
    const deed = {session, guild: session.guild?.id ?? "", place: placeOf(channel), acts: []}
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
    const shown = {
      user: who(user),
      place: deed.place,
      endpoint,
      text: text.slice(0, 500),
      found: reason,
      done: done.join(", "),
    }
    await penalties.tellLog(session, say("judged", shown))
    const {prefix} = session
    const [here, direct] = [session.t(t, "appeal", {prefix}), session.t(t, "appealDirect", {prefix})]
    if (action === "mute") await penalties.notify(deed, `${because} ${here}`, `${because} ${direct}`)
    if (action === "delete" && isPerson) await penalties.notify(deed, because)
    await penalties.watch(deed)
  }
}
