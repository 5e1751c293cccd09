import {type Content, mention, type Plugin, type Session, type Static, type TimerHandle} from "svc-runtime"
import {canDo} from "./desk.ts"
import {Told} from "./settings.ts"

/** States of the outbox in which a message may still be sent. */
const pending = ["scheduled", "queued", "sending", "held"]

/**
 * Returns the function that writes to the user of a ticket alone, or to where the ticket was opened: at once on a
 * platform without direct channels, and later if the platform does not deliver the message.
 */
export const createTell = (plugin: Plugin, contentOf: (told: Static<typeof Told>) => Content) => {
  const check: TimerHandle<Static<typeof Told>> = plugin.timer(
    "check",
    {data: Told, order: "none"},
    async (session, told) => {
      const state = (await plugin.message(told.id))?.state
      if (state === "failed" || state === "dead") return sayThere(session, told)
      if (state === undefined || !pending.includes(state) || told.tries >= 5) return
      await session.setTimer(check, {in: 60_000 * 5 ** told.tries}, {...told, tries: told.tries + 1})
    },
  )

  const sayThere = async ({endpoint, user, send}: Session, told: Static<typeof Told>): Promise<void> => {
    const content = [contentOf(told)].flat()
    await send(
      {endpoint, channel: told.place},
      user === undefined ? content : [mention({...user, name: told.by}), " ", ...content],
    )
  }

  return async (session: Session, told: Omit<Static<typeof Told>, "id" | "tries">): Promise<void> => {
    const {endpoint, user} = session
    let id = ""
    const direct = session.send({endpoint, user: user?.id ?? ""}, contentOf({...told, id, tries: 0}))
    const isSent = await canDo(direct.then(sent => (id = sent)))
    if (!isSent) await session.send({endpoint, channel: told.place}, contentOf({...told, id, tries: 0}))
    else await session.setTimer(check, {in: 3000}, {...told, id, tries: 0})
  }
}
