import {connect, type Socket} from "node:net"
import {until} from "../host/process.ts"
import {whenOver} from "../host/shared.ts"

/** A person on an IRC server: a separate client that shares no code with the adapter. */
export interface Person {
  readonly nick: string
  /** Every line from the server so far, without line ends. */
  readonly lines: readonly string[]
  /** When each line arrived, in milliseconds since 1970. */
  readonly times: readonly number[]
  write(line: string): void
  say(target: string, text: string): void
  /** Waits for the next matching line, after those already waited for; resolves to it. */
  sees(pattern: RegExp, patience?: number): Promise<string>
  /** The messages of `from` so far, to a channel or to this person. */
  heard(from: string, target?: string): readonly string[]
  /** Sends a message, and waits for the next message of `from` in the same place; resolves to its text. */
  asks(from: string, target: string, text: string): Promise<string>
  leave(): Promise<void>
}

export interface PersonOptions {
  readonly channel?: string
  readonly password?: string
}

/** Connects without TLS, registers, and joins a channel. Leaves at the latest when the test ends. */
export const joinIrc = async (
  {port}: {readonly port: number},
  nick: string,
  {channel, password}: PersonOptions = {},
): Promise<Person> => {
  const socket = connect(port, "127.0.0.1")
  whenOver(() => void socket.destroy())
  const lines: string[] = []
  const times: number[] = []
  const write = (line: string) => void socket.write(`${line}\r\n`)
  readLines(socket, line => {
    if (line.startsWith("PING ")) write(`PONG ${line.slice(5)}`)
    else {
      lines.push(line)
      times.push(Date.now())
    }
  })
  let seen = 0
  const sees = (pattern: RegExp, patience?: number, after = () => seen) =>
    until(
      `${nick} to see ${pattern}`,
      () => {
        const at = lines.findIndex((line, index) => index >= after() && pattern.test(line))
        if (at < 0) return undefined
        seen = Math.max(seen, at + 1)
        return lines[at]
      },
      patience,
    ).catch(error => {
      throw new Error(`${error.message}; the last lines were:\n${lines.slice(-10).join("\n")}`)
    })
  const say = (target: string, text: string) => write(`PRIVMSG ${target} :${text}`)
  const placeOf = (target: string) => (target.startsWith("#") ? target : nick)
  if (password !== undefined) write(`PASS ${password}`)
  write(`NICK ${nick}`)
  write(`USER ${nick} 0 * :${nick}`)
  await sees(/^\S+ (376|422) /)
  if (channel !== undefined) {
    write(`JOIN ${channel}`)
    await sees(/^\S+ 366 /)
  }
  return {
    nick,
    lines,
    times,
    write,
    say,
    sees: (pattern, patience) => sees(pattern, patience),
    heard: (from, target = nick) => lines.flatMap(line => wordsSaid(line, from, target) ?? []),
    asks: async (from, target, text) => {
      // Parallel questions each look for their own answer, which may come in any order.
      const asked = lines.length
      seen = asked
      say(target, text)
      const answer = new RegExp(`^:${literal(from)}!\\S+ PRIVMSG ${literal(placeOf(target))} `, "i")
      return wordsSaid(await sees(answer, undefined, () => asked), from, placeOf(target)) ?? ""
    },
    leave: () =>
      new Promise(resolve => {
        socket.on("close", () => resolve())
        socket.end("QUIT :bye\r\n")
      }),
  }
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The text of a PRIVMSG from this nick to this target. */
const wordsSaid = (line: string, from: string, target: string): string | undefined => {
  const [, nick = "", to = "", text] = /^:([^!\s]+)!\S+ PRIVMSG (\S+) :?(.*)$/.exec(line) ?? []
  return nick.toLowerCase() === from.toLowerCase() && to.toLowerCase() === target.toLowerCase() ? text : undefined
}

const readLines = (socket: Socket, onLine: (line: string) => void) => {
  let rest = ""
  socket.setEncoding("utf8")
  socket.on("error", () => {})
  socket.on("data", chunk => {
    const parts = (rest + chunk).split("\r\n")
    rest = parts.pop() ?? ""
    for (const line of parts) onLine(line)
  })
}
