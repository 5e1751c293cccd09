import type {Client} from "irc-framework"

/** The names of the usual ranks in a channel, by their modes. Any other rank of a server is named by its mode. */
const names: Readonly<Record<string, string>> = {q: "owner", a: "admin", o: "op", h: "halfop", v: "voice"}

interface InChannel {
  readonly channel: string
  readonly nick: string
}

/**
 * Follows the ranks in the bot's channels, as NAMES and MODE report them. Returns the roles that a nick has in a channel at
 * this moment.
 */
export const followRoles = (client: Client): ((channel: string, nick: string) => readonly string[]) => {
  /** Only users with a rank. */
  const channels = new Map<string, Map<string, Set<string>>>()
  const fold = (name: string) => client.caseLower(name)
  const drop = ({channel, nick}: InChannel) => {
    if (client.caseCompare(nick, client.user.nick)) channels.delete(fold(channel))
    else channels.get(fold(channel))?.delete(fold(nick))
  }
  const isRank = (mode: string) => [client.network.options.PREFIX].flat().some(each => each.mode === mode)
  client.on("userlist", ({channel, users}: {channel: string; users: {nick: string; modes: string[]}[]}) => {
    const ranked = users.filter(({modes}) => modes.length > 0)
    channels.set(fold(channel), new Map(ranked.map(({nick, modes}) => [fold(nick), new Set(modes)])))
  })
  client.on("mode", ({target, modes}: {target: string; modes: {mode: string; param: string | null}[]}) => {
    const users = channels.get(fold(target))
    for (const {mode, param} of modes) {
      const [sign, rank] = [mode.slice(0, 1), mode.slice(1)]
      if (users === undefined || !param || !isRank(rank)) continue
      const ranks = users.get(fold(param)) ?? new Set()
      ranks[sign === "+" ? "add" : "delete"](rank)
      users.set(fold(param), ranks)
    }
  })
  client.on("nick", ({nick, new_nick}: {nick: string; new_nick: string}) => {
    for (const users of channels.values()) {
      const ranks = users.get(fold(nick))
      users.delete(fold(nick))
      if (ranks !== undefined) users.set(fold(new_nick), ranks)
    }
  })
  for (const type of ["join", "part"]) client.on(type, drop)
  client.on("kick", ({channel, kicked}: {channel: string; kicked: string}) => drop({channel, nick: kicked}))
  client.on("quit", ({nick}: {nick: string}) => {
    for (const users of channels.values()) users.delete(fold(nick))
  })
  return (channel, nick) => Array.from(channels.get(fold(channel))?.get(fold(nick)) ?? [], rank => names[rank] ?? rank)
}
