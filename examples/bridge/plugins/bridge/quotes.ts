import {h, type Node, type Plugin} from "svc-runtime"
import {isSame, type Links, type Origin, type Place} from "./links.ts"

/** Returns the quote for another channel of the room, when somebody quotes a message in one channel. */
export const createQuotes = (links: Links, plugin: Pick<Plugin, "message">) => {
  /** Returns the original of a copy. Looks up the platform's ids of the newest copies if they are not known yet. */
  const originOf = async (quoted: Origin): Promise<Origin | undefined> => {
    const known = await links.originOf(quoted)
    if (known !== undefined) return known
    for (const outbox of await links.unknownIn(quoted)) {
      const sent = await plugin.message(outbox)
      if (sent?.state !== "sent") continue
      await links.learn({...quoted, outbox}, sent.platform)
      if (sent.platform.includes(quoted.message)) return links.originOf(quoted)
    }
    return undefined
  }

  return async (place: Place, quoted: Origin): Promise<readonly Node[]> => {
    const origin = (await originOf(quoted)) ?? quoted
    if (isSame(origin, place)) return [h("quote", {id: origin.message})]
    const copy = (await links.copiesOf(origin)).find(each => isSame(each, place))
    return copy === undefined ? [] : [h("quote", {outbox: copy.outbox})]
  }
}
