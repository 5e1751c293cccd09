import {connect, type Socket} from "node:net"
import {setTimeout as sleep} from "node:timers/promises"

/** A person on IRC who asks the bots in turn and times their answers. */
export interface Asker {
  /** Asks at a steady pace until `isOver`; resolves to the times in milliseconds once all answers have come. */
  ask(isOver: () => boolean): Promise<readonly number[]>
  leave(): void
}

/** The milliseconds between questions to one bot, below its limit: five lines at once, then one every 700 ms. */
const interval = 800

/** The longest wait for the last answers, in milliseconds; a missing answer counts as this. */
const patience = 30_000

/** Connects to a real IRC server with the `bots`, and resolves once it may send. */
export const joinAsker = async (port: number, bots: readonly string[]): Promise<Asker> => {
  const socket = connect(port, "127.0.0.1")
  const asked = new Map<string, number>()
  const times: number[] = []
  const welcome = Promise.withResolvers<void>()
  readLines(socket, line => {
    if (line.startsWith("PING ")) socket.write(`PONG ${line.slice(5)}\r\n`)
    if (/^\S+ (376|422) /.test(line)) welcome.resolve()
    const [, number = ""] = /^:\S+ PRIVMSG \S+ :pong (\d+)$/.exec(line) ?? []
    const begun = asked.get(number)
    if (begun === undefined) return
    asked.delete(number)
    times.push(performance.now() - begun)
  })
  socket.on("error", welcome.reject)
  socket.write("NICK ann\r\nUSER ann 0 * :ann\r\n")
  await welcome.promise
  let count = 0
  return {
    ask: async isOver => {
      times.length = 0
      const begun = performance.now()
      for (let n = 0; !isOver(); n++) {
        const number = String(++count)
        asked.set(number, performance.now())
        socket.write(`PRIVMSG ${bots[n % bots.length]} :!ping ${number}\r\n`)
        await sleep(Math.max(0, begun + ((n + 1) * interval) / bots.length - performance.now()))
      }
      const end = performance.now() + patience
      while (asked.size > 0 && performance.now() < end) await sleep(5)
      const late = [...asked.values()].map(at => performance.now() - at)
      asked.clear()
      return [...times, ...late]
    },
    leave: () => void socket.destroy(),
  }
}

const readLines = (socket: Socket, read: (line: string) => void): void => {
  let rest = ""
  socket.setEncoding("utf8").on("data", chunk => {
    const lines = `${rest}${chunk}`.split("\r\n")
    rest = lines.pop() ?? ""
    for (const line of lines) read(line)
  })
}
