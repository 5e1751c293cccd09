import {arrivalsOf, staysOf} from "../irc/chatter.ts"
import {joinIrc, startIrcServer} from "../irc/servers.ts"
import {type KillPlatform, noting} from "./platform.ts"

const place = {nick: "svcbot", channel: "#lounge"} as const

export const ircUnderKills = async (): Promise<KillPlatform> => {
  const server = await startIrcServer("ngircd")
  const listener = await joinIrc(server, "listener", {channel: place.channel})
  const ann = await joinIrc(server, "ann", {channel: place.channel})
  /** When the bot joined the channel, each time. */
  const joins = () =>
    listener.lines.flatMap((line, n) =>
      new RegExp(`^:${place.nick}\\S* JOIN `).test(line) ? (listener.times[n] ?? 0) : [],
    )
  const notes = noting(text => ann.say(place.channel, text))
  let before = {connections: 0, joins: 0}
  const isConnected = () => server.connections() > before.connections
  return {
    name: "irc",
    account: {server: "127.0.0.1", port: server.port, tls: false, nick: place.nick, channels: [place.channel]},
    replays: false,
    hasHistory: false,
    dropsRepeats: false,
    tellsRepeats: false,
    takesActs: false,
    ...notes,
    arrivals: () => arrivalsOf({...notes, listener}),
    stays: () => staysOf(listener, place.nick),
    launching: () => {
      before = {connections: server.connections(), joins: joins().length}
    },
    isConnected,
    isConnecting: () => isConnected() && joins().length === before.joins,
    hearsSince: () => (joins().length === before.joins ? Number.POSITIVE_INFINITY : (joins().at(-1) ?? 0)),
    shown: async () =>
      listener.lines.flatMap(line => / PRIVMSG #lounge :(to .*)$/.exec(line)?.[1] ?? []).map(text => ({text})),
    liked: async () => [],
  }
}
