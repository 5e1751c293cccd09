import {once} from "node:events"
import {createServer, type Socket} from "node:net"
import {setImmediate as turn} from "node:timers/promises"
import {afterEach, expect, test} from "vitest"
import {createSlicedTransport} from "../../../server/adapters/irc/slices.ts"
import {listen} from "../../support/machine/listen.ts"

const opened: {end(): unknown}[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.end()
})

const flood = Array.from({length: 5000}, (_, n) => `:nick!user@host PRIVMSG #room :line ${n} of a flood of lines`)

/** Connects a transport to a server on loopback. Returns the server's end of the connection too. */
const connect = async () => {
  const server = createServer()
  const port = await listen(server)
  const Transport = await createSlicedTransport()
  const transport = new Transport({host: "127.0.0.1", port})
  const accepted = once(server, "connection")
  transport.connect()
  const [socket]: Socket[] = await accepted
  if (socket === undefined) throw new Error("nothing connected")
  // The test may leave in the middle of the flood.
  socket.on("error", () => {})
  opened.push({end: () => socket.destroy()}, {end: () => transport.disposeSocket()})
  return {transport, socket}
}

test("the event loop turns during a flood of lines, and each line arrives once, in order", async () => {
  const {transport, socket} = await connect()
  const lines: string[] = []
  const {promise: all, resolve: haveAll} = Promise.withResolvers<void>()
  transport.on("line", (line: string) => {
    if (lines.push(line.trimEnd()) === flood.length) haveAll()
  })
  let handled = 0
  let most = 0
  let isWatching = true
  const watch = async () => {
    while (isWatching) {
      most = Math.max(most, lines.length - handled)
      handled = lines.length
      await turn()
    }
  }
  const watching = watch()
  socket.write(`${flood.join("\r\n")}\r\n`)
  await all
  isWatching = false
  await watching
  expect(lines).toEqual(flood)
  expect(most).toBeGreaterThan(0)
  // At most two slices of 4 KiB: the end of a line may be in the next slice.
  expect(most).toBeLessThan(200)
})

test("the last lines arrive before the end of the connection", async () => {
  const {transport, socket} = await connect()
  const heard: string[] = []
  transport.on("line", (line: string) => heard.push(line.trimEnd()))
  const closed = once(transport, "close")
  socket.end(`${flood.join("\r\n")}\r\n`)
  await closed
  expect(heard).toEqual(flood)
})

test("a transport disposed in the middle of a flood delivers nothing more", async () => {
  const {transport, socket} = await connect()
  let count = 0
  const first = once(transport, "line")
  transport.on("line", () => count++)
  socket.write(`${flood.join("\r\n")}\r\n`)
  await first
  transport.disposeSocket()
  const before = count
  for (let turns = 0; turns < 100; turns++) await turn()
  expect(count - before).toBeLessThan(200)
})
