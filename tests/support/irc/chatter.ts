import {setTimeout as sleep} from "node:timers/promises"
import {until} from "../host/process.ts"
import {type IrcServer, joinIrc, type Person} from "./servers.ts"

/** The pause between two lines of one person, in milliseconds. */
const pause = 400

/** Persons who constantly write numbered lines to a channel, and one who only listens. */
export interface Chatter {
  /** For each line's text, the time before it was written, in milliseconds since 1970. */
  readonly said: ReadonlyMap<string, number>
  readonly listener: Person
  /** Silences the persons, or lets them continue. */
  hush(isSilent: boolean): void
  /** Resolves once every line has reached the listener. */
  stop(): Promise<void>
}

export const startChatter = async (server: IrcServer, channel: string, count: number): Promise<Chatter> => {
  const listener = await joinIrc(server, "listener", {channel})
  const said = new Map<string, number>()
  let stopped = false
  let silent = false
  const chat = async (nick: string, offset: number) => {
    const person = await joinIrc(server, nick, {channel})
    await sleep(offset)
    for (let n = 1; !stopped; await sleep(pause)) {
      if (silent) continue
      const text = `${nick} ${n++}`
      said.set(text, Date.now())
      person.say(channel, text)
    }
    const last = [...said.keys()].findLast(text => text.startsWith(`${nick} `))
    if (last !== undefined) await until("the last line to arrive", () => listener.heard(nick, channel).includes(last))
  }
  const running = Array.from({length: count}, (_, n) => chat(`person${n}`, (n * pause) / count))
  return {
    said,
    listener,
    hush: isSilent => {
      silent = isSilent
    },
    stop: async () => {
      stopped = true
      await Promise.all(running)
    },
  }
}

/** When a line reached the server: between its writing and another's receipt, in milliseconds since 1970. */
export const arrivalsOf = ({said, listener: {lines, times}}: Pick<Chatter, "said" | "listener">) => {
  const heard = new Map(lines.map((line, n) => [/ PRIVMSG \S+ :?(.*)$/.exec(line)?.[1], times[n] ?? 0]))
  return [...said].map(([line, from]) => ({line, from, to: heard.get(line) ?? from}))
}

/** A client's stay, from join to leave as the server reported them: the lines of others in between, in order. */
export interface Stay {
  readonly lines: readonly string[]
}

/** The stays of clients whose nick begins like this, in the listener's only channel. */
export const staysOf = ({nick: ear, lines}: Person, nick: string): readonly Stay[] => {
  const stays: {lines: string[]}[] = []
  let current: string[] | undefined
  for (const line of lines) {
    const [, from = "", command, rest = ""] = /^:([^!\s]+)\S* ([A-Z]+) (.*)$/.exec(line) ?? []
    const isWatched = from.startsWith(nick)
    if (command === "JOIN" && isWatched) {
      current = []
      stays.push({lines: current})
    }
    if (command === "QUIT" && isWatched) current = undefined
    else if (command === "PRIVMSG" && !isWatched && from !== ear) current?.push(rest.replace(/^\S+ :?/, ""))
  }
  return stays
}
