import {type Plugin, Problem, type Session} from "svc-runtime"
import type {Place} from "./settings.ts"

/** Platforms where a group is a guild with one channel; a topic or a thread adds to the group's id. */
const groups: ReadonlySet<string> = new Set(["matrix", "onebot", "slack", "telegram", "xmpp"])

/** Returns the function that finds the place of an event: one of its guild, or one whose channel is in its guild. */
export const createPlaces = (plugin: Plugin, places: readonly Place[]) => {
  const known = new Map<string, Promise<boolean>>()

  const list = async (endpoint: string, method: "channel.list" | "guild.list", params: object) => {
    const {data, next} = (await plugin.ask(endpoint, method, {...params})) as {data?: {id?: string}[]; next?: string}
    return next === undefined ? data?.map(({id}) => id) : undefined
  }

  /** A channel that the list leaves out may be a thread: if the endpoint has one guild, the channel is there. */
  const ask = async (endpoint: string, guild: string, channel: string): Promise<boolean> => {
    const channels = await list(endpoint, "channel.list", {guild_id: guild})
    return (
      channels === undefined || channels.includes(channel) || (await list(endpoint, "guild.list", {}))?.length === 1
    )
  }

  /** True if nobody can tell. */
  const isInGuild = async ({endpoint, guild, event}: Session, channel: string): Promise<boolean> => {
    if (guild === undefined || channel === guild.id) return true
    // A name of Telegram is no id.
    if (groups.has(event.login.platform ?? "")) return channel.startsWith(`${guild.id}:`) || /^@\w+$/.test(channel)
    const key = JSON.stringify([endpoint, guild.id, channel])
    const asked = known.get(key) ?? ask(endpoint, guild.id, channel)
    known.set(key, asked)
    return asked.catch((error: unknown) => {
      known.delete(key)
      if (!(error instanceof Problem)) throw error
      return true
    })
  }

  return async (session: Session): Promise<Place | undefined> => {
    const here = places.filter(({endpoint}) => endpoint === session.endpoint)
    const exact = here.find(({guild}) => guild !== undefined && guild === session.guild?.id)
    if (exact !== undefined) return exact
    for (const place of here)
      if (place.guild === undefined && (place.channel === undefined || (await isInGuild(session, place.channel))))
        return place
    return undefined
  }
}
