import {setTimeout as sleep} from "node:timers/promises"
import {until} from "../host/process.ts"
import {joinIrc, type Person} from "./person.ts"
import type {IrcServer} from "./servers.ts"

/** Between two lines of one person, in milliseconds. */
const pause = 400

/** Persons who write numbered lines to a channel all the time, and one who only listens. */
export interface Chatter {
  /** When each line was about to be written, in milliseconds since 1970, by its text. */
  readonly said: ReadonlyMap<string, number>
  readonly listener: Person
  /** Says nothing more until it is to speak again. */
  hush(isSilent: boolean): void
  /** Resolves once everything that was said has reached the listener. */
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
    if (last !== undefined) await until("what was said to be heard", () => listener.heard(nick, channel).includes(last))
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

/**
 * When a line that was said reached the server: after it was about to be written, and before somebody else heard it, both
 * in milliseconds since 1970.
 */
export const arrivalsOf = ({said, listener: {lines, times}}: Pick<Chatter, "said" | "listener">) => {
  const heard = new Map(lines.map((line, n) => [/ PRIVMSG \S+ :?(.*)$/.exec(line)?.[1], times[n] ?? 0]))
  return [...said].map(([line, from]) => ({line, from, to: heard.get(line) ?? from}))
}

/** From a client's joining to its leaving, as the server has told both: what others said in between, in its order. */
export interface Stay {
  readonly lines: readonly string[]
}

/** The stays of whoever has a nick that begins like this, in the one channel that the listener is in. */
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
