import {definePlugin, h, type Node, Problem, type Session, type SessionFile} from "svc-runtime"
import {authorOf, carried, quotedBy, readFile, signed} from "./content.ts"
import {createLinks, isSame, type Origin, type Place} from "./links.ts"
import {createQuotes} from "./quotes.ts"
import {Settings} from "./settings.ts"

const day = 86_400_000

/** The connection may be down for a while. The Host then retries the handler, and later messages wait. */
const retries = 10

/** Whether the file will stay unreadable for every later attempt. */
const isUnreadable = (error: unknown): error is Problem =>
  error instanceof Problem && ["file_refused", "file_too_large", "file_unavailable"].includes(error.code)

/** Returns false if the platform does not support the act, or the outbox no longer has the message. */
const canDo = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    error => {
      if (error instanceof Problem && ["unsupported", "outbox_unknown"].includes(error.code)) return false
      throw error
    },
  )

export default definePlugin({
  description: "Joins channels of several platforms into one room",
  config: Settings,
  setup(plugin, {rooms, bots, ignore, megabytes, days}) {
    const links = createLinks(plugin.database)
    const quoteIn = createQuotes(links, plugin)

    const othersOf = (place: Place): readonly Place[] =>
      rooms
        .filter(room => room.some(each => isSame(each, place)))
        .flatMap(room => room.filter(each => !isSame(each, place)))

    /** Returns the message to relay. Undefined for the bridge's own messages and for ignored users. */
    const originOf = ({event, endpoint, user}: Session): Origin | undefined => {
      const {message, channel, login} = event
      if (message === undefined || channel === undefined) return undefined
      if (user !== undefined && [login.user?.id, ...ignore].includes(user.id)) return undefined
      if (user?.is_bot === true && !bots) return undefined
      return {endpoint, channel: channel.id, message: message.id}
    }

    const read = async (session: Session, each: SessionFile): Promise<Node> => {
      try {
        return await readFile(each, megabytes * 1_000_000)
      } catch (error) {
        if (!isUnreadable(error)) throw error
        session.log.warn(`could not relay ${each.name}: ${error.message}`)
        return `[${each.name}]`
      }
    }

    const contentOf = async (session: Session): Promise<readonly Node[]> => {
      const files = await Promise.all(session.files.map(each => read(session, each)))
      return signed(authorOf(session), carried(session.elements, files))
    }

    plugin.on("message-created", {name: "carry", retries}, async session => {
      const origin = originOf(session)
      if (origin === undefined) return
      const places = othersOf(origin)
      if (places.length === 0) return
      const content = await contentOf(session)
      const message = quotedBy(session)
      for (const place of places) {
        const quote = message === undefined ? [] : await quoteIn(place, {...origin, message})
        const outbox = await session.send(place, [...quote, ...content])
        await session.database.write([links.remember({...place, outbox}, origin, plugin.now())])
      }
    })

    plugin.on("message-updated", {name: "edit", retries}, async session => {
      const origin = originOf(session)
      if (origin === undefined) return
      const copies = await links.copiesOf(origin)
      if (copies.length === 0) return
      const content = await contentOf(session)
      for (const {outbox, ...place} of copies) {
        if (await canDo(session.edit(outbox, content))) continue
        await session.send(place, [h("quote", {outbox}), ...content, " (edited)"])
      }
    })

    plugin.on("message-deleted", {name: "delete", retries}, async session => {
      const {message, channel} = session.event
      if (message === undefined || channel === undefined) return
      for (const {outbox} of await links.copiesOf({
        endpoint: session.endpoint,
        channel: channel.id,
        message: message.id,
      }))
        await canDo(session.delete(outbox))
    })

    const schedule = {cron: "30 4 * * *", timezone: "UTC"} as const
    plugin.job("forget", {description: "Deletes records of copies that are too old to edit", schedule}, async run => {
      await run.database.write(links.forgetBefore(plugin.now() - days * day))
    })
  },
})
